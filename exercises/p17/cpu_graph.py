"""A CUDA graph on the CPU: record once, then replay on the same memory.

Given to the student, who imports ``CpuGraph`` and fills the buffers around it.
"""

from collections.abc import Callable

import torch


class CpuGraph:
    """One graph over one pair of static buffers.

    A CUDA graph remembers kernels and the addresses they read and write. So this one
    remembers ``fn`` and two views, and a replay takes no arguments: new input gets in by
    being written to the memory behind ``static_in``, and the output is found in the
    memory behind ``static_out``.

    >>> static_in, static_out = torch.zeros(4, 1), torch.zeros(4, 1)
    >>> graph = CpuGraph(lambda x: x + 1, static_in[:2], static_out[:2])
    >>> graph.capture()
    >>> static_in[:2] = 5
    >>> graph.replay()
    >>> static_out.flatten().tolist()
    [6.0, 6.0, 0.0, 0.0]

    Args:
        fn: the computation, ``[b, hidden] -> [b, hidden]``.
        static_in: view of the input buffer, shape ``[b, hidden]``.
        static_out: view of the output buffer, same shape and dtype.
    """

    def __init__(
        self,
        fn: Callable[[torch.Tensor], torch.Tensor],
        static_in: torch.Tensor,
        static_out: torch.Tensor,
    ) -> None:
        self.fn = fn
        self.static_in = static_in
        self.static_out = static_out
        self.captured = False

    def capture(self) -> None:
        """Record ``fn`` over the static views. Recording computes nothing for the caller:
        ``static_out`` is written by ``replay`` alone.

        Raises:
            RuntimeError: what ``fn`` returns does not fit ``static_out``.
        """
        self._keep(self.fn(self.static_in))

    def _keep(self, out: torch.Tensor) -> None:
        """Be captured, if what ``fn`` returns fits ``static_out``."""
        if out.shape != self.static_out.shape or out.dtype != self.static_out.dtype:
            msg = (
                f"fn gives {list(out.shape)} {out.dtype}, but static_out is "
                f"{list(self.static_out.shape)} {self.static_out.dtype}"
            )
            raise RuntimeError(msg)
        self.captured = True

    def replay(self) -> None:
        """Run what was recorded: read ``static_in``, write ``static_out``.

        Raises:
            RuntimeError: nothing has been captured yet.
        """
        if not self.captured:
            msg = "replay() before capture(): there is nothing recorded to replay"
            raise RuntimeError(msg)
        self.static_out.copy_(self.fn(self.static_in))
