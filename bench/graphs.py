"""What a replay takes: ``CpuGraph`` against calling the function that it was captured from.

In one process, with one thread: calls and replays in turn, a function after the other, over and
over; the figure is the ratio of the medians, replay to call. Where there is a GPU, calls against
replays of ``CudaGraph``, too, for each bucket. Run it with the Python that ``check.sh`` uses:

    .venv/bin/python bench/graphs.py
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402 - after the path, as the modules below
from torch.nn import functional  # noqa: E402

from exercises.p17.cpu_graph import CpuGraph  # noqa: E402 - found from the root
from exercises.p17.decode_step import DecodeStep, launch_ratio  # noqa: E402

ROUNDS = 300
WARM = 20  # rounds that do not count
AT_ONCE = 5  # calls or replays in a round, timed together

BATCH, HIDDEN = 8, 16
BUCKETS = [1, 2, 4, 8]
KERNELS = 100  # in the function that a GPU launches

Fn = Callable[[torch.Tensor], torch.Tensor]


def small(n: int) -> Fn:
    """``n`` small operations in a row, ``[b, HIDDEN] -> [b, HIDDEN]``."""
    matrix = torch.randn(HIDDEN, HIDDEN) / HIDDEN**0.5
    shift = torch.randn(HIDDEN)
    kinds: list[Fn] = [lambda x: x * 0.5, lambda x: x + shift, torch.tanh, lambda x: x @ matrix]
    operations = list(islice(cycle(kinds), n))

    def fn(x: torch.Tensor) -> torch.Tensor:
        for operation in operations:
            x = operation(x)
        return x

    return fn


def layer() -> Fn:
    """A layer of a transformer over the rows, ``[b, HIDDEN] -> [b, HIDDEN]``: attention, then two
    matrices with a GELU between.
    """
    scale = HIDDEN**-0.5
    three = torch.randn(HIDDEN, 3 * HIDDEN) * scale
    back = torch.randn(HIDDEN, HIDDEN) * scale
    up, down = torch.randn(HIDDEN, 4 * HIDDEN) * scale, torch.randn(4 * HIDDEN, HIDDEN) * scale / 2

    def fn(x: torch.Tensor) -> torch.Tensor:
        query, key, value = (functional.layer_norm(x, (HIDDEN,)) @ three).chunk(3, dim=1)
        x = x + torch.softmax(query @ key.transpose(0, 1) * scale, dim=-1) @ value @ back
        more: torch.Tensor = functional.gelu(functional.layer_norm(x, (HIDDEN,)) @ up) @ down
        return x + more

    return fn


def microseconds(work: Callable[[], object]) -> float:
    """The wall time of one call, of some."""
    started = time.perf_counter()
    for _ in range(AT_ONCE):
        work()
    return (time.perf_counter() - started) / AT_ONCE * 1e6


def of_cpu_graphs() -> None:
    """Time calls and replays on the CPU in turn, and print a line for each function."""
    rows = torch.tensor([[3.0, 5.0, 0.4]]).repeat(BATCH, 1)
    step = DecodeStep(seed=0, requests=BATCH, positions=32)
    batch = torch.randn(BATCH, HIDDEN)
    functions: dict[str, tuple[Fn, torch.Tensor]] = {
        **{f"{n} operations": (small(n), batch) for n in (1, 10, 100)},
        "layer": (layer(), batch),
        "decode step": (step, rows),
    }
    runs: dict[str, tuple[Callable[[], object], CpuGraph]] = {}
    for name, (fn, static_in) in functions.items():
        graph = CpuGraph(fn, static_in, torch.zeros_like(static_in))
        graph.capture()
        graph.replay()
        assert torch.allclose(graph.static_out, fn(static_in)), name
        runs[name] = partial(fn, static_in), graph
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in runs}
    for round_ in range(ROUNDS + WARM):
        for name, (call, graph) in runs.items():
            called, replayed = microseconds(call), microseconds(graph.replay)
            if round_ >= WARM:
                times[name][0].append(called)
                times[name][1].append(replayed)
    for name, taken in times.items():
        called, replayed = map(statistics.median, taken)
        print(
            f"{name:14} call {called:6.1f} µs, replay {replayed:6.1f} µs,"
            f" ratio {replayed / called:.2f}"
        )


def of_cuda_graphs() -> None:
    """Time calls and replays on the GPU, and print a line for each bucket."""
    from exercises.p17.cuda_graph import CudaGraph  # noqa: PLC0415 - of use with a GPU alone

    ratios = launch_ratio(CudaGraph, BUCKETS, HIDDEN, KERNELS, "cuda", ROUNDS)
    print(f"{torch.cuda.get_device_name()}, {KERNELS} operations")
    for bucket, ratio in zip(BUCKETS, ratios, strict=True):
        print(f"bucket of {bucket:<4} call to replay {ratio:.1f}")


def main() -> None:
    """On the CPU, and on a GPU if there is one."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    of_cpu_graphs()
    if torch.cuda.is_available():
        of_cuda_graphs()
    else:
        print("no GPU")


if __name__ == "__main__":
    main()
