"""A real CUDA graph with the interface of ``CpuGraph``: where there is a GPU, it takes its place.

Warm-up, capture and pool are as PyTorch's notes ask for it, see
https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from exercises.p17.cpu_graph import expect_fit

#: Calls before the capture, so that what is set up at first use (cuBLAS handles, compiled kernels)
#: is there: three, as in PyTorch's notes.
WARM_UPS = 3

#: Address of a static output -> the memory pool of the graphs that write to it. They are replayed
#: one after the other and leave nothing behind in it, so that they may share it, which saves
#: memory if the largest is captured first.
_pools: dict[int, Any] = {}


class CudaGraph:
    """One graph over one pair of static buffers on a GPU.

    Args:
        fn: the computation, ``[b, hidden] -> [b, hidden]``.
        static_in: view of the input buffer, shape ``[b, hidden]``, on the GPU.
        static_out: view of the output buffer, same shape and dtype.
        generators: random generators that ``fn`` hands to operations; every replay draws from them
            anew. The default generator is always among them.
    """

    def __init__(
        self,
        fn: Callable[[torch.Tensor], torch.Tensor],
        static_in: torch.Tensor,
        static_out: torch.Tensor,
        *,
        generators: Iterable[torch.Generator] = (),
    ) -> None:
        self.fn = fn
        self.static_in = static_in
        self.static_out = static_out
        self.captured = False
        self._generators = tuple(generators)
        self._graph: Any = None

    def capture(self) -> None:
        """Call ``fn`` a few times on a side stream, then record it. Recording computes nothing:
        ``static_out`` is written by ``replay`` alone. What else ``fn`` writes to, the calls before
        have written to.

        Raises:
            RuntimeError: what ``fn`` returns does not fit ``static_out``; or ``fn`` does what
                cannot be captured, such as reading a value back (``.item()``, ``if tensor:``).
                After that the process had better be a fresh one.
        """
        self.captured = False
        out = self._warm_up()
        expect_fit(out, self.static_out)
        graph = torch.cuda.CUDAGraph()
        for generator in self._generators:
            graph.register_generator_state(generator)
        # A graph keeps addresses, not memory: what it works on must live as long as it does.
        self._memory = self.static_in, self.static_out
        with torch.cuda.graph(graph, pool=_pool_of(self.static_out)):
            self.static_out.copy_(self.fn(self.static_in))
        self._graph = graph
        self.captured = True

    def _warm_up(self) -> object:
        """Call ``fn`` on a side stream; what it returned the last time."""
        side, current = torch.cuda.Stream(), torch.cuda.current_stream()
        side.wait_stream(current)
        with torch.cuda.stream(side):
            for _ in range(WARM_UPS):
                out = self.fn(self.static_in)
        current.wait_stream(side)
        torch.cuda.synchronize()
        return out

    def replay(self) -> None:
        """Run what was recorded: read ``static_in``, write ``static_out``. It returns before the
        GPU is done, like every operation there.

        Raises:
            RuntimeError: nothing has been captured yet.
        """
        if not self.captured:
            msg = "replay() before capture(): there is nothing recorded to replay"
            raise RuntimeError(msg)
        self._graph.replay()


def _pool_of(static_out: torch.Tensor) -> Any:
    """The memory pool of the graphs that write to one buffer."""
    place = static_out.untyped_storage().data_ptr()
    if place not in _pools:
        _pools[place] = torch.cuda.graph_pool_handle()
    return _pools[place]
