"""What a graph does, as a table of small programs, and whether each class of graphs does it.

``python -m exercises.p17.conformance [cpu|cuda]`` prints what was seen, as JSON. Every program
returns one word. Where ``CudaGraph`` is known to say another one, ``DIFFERENCES`` says so, and the
catalogs say why (``difference.<program>``).
"""

import contextlib
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch

from exercises.p17.cpu_graph import CpuGraph
from exercises.p17.cuda_graph import WARM_UPS, CudaGraph

Fn = Callable[[torch.Tensor], torch.Tensor]

WIDTH = 4
ROWS = 4
REPLAYS = 3


class Stand:
    """Static buffers on a device, and graphs over their first rows.

    Attributes:
        static_in: ``[4, 4]``, ones at first.
        static_out: ``[4, 4]``, zeros at first.
        other: a device that moving to is moving away.
    """

    def __init__(self, graph_class: Any, device: str) -> None:
        self._class, self.device = graph_class, device
        self.static_in = torch.ones(ROWS, WIDTH, device=device)
        self.static_out = torch.zeros(ROWS, WIDTH, device=device)
        self.other = "meta" if device == "cpu" else "cpu"

    def graph(self, fn: Fn, rows: int = ROWS, **keywords: Any) -> Any:
        """A graph over the first rows, not captured yet."""
        return self._class(fn, self.static_in[:rows], self.static_out[:rows], **keywords)

    def captured(self, fn: Fn, rows: int = ROWS, **keywords: Any) -> Any:
        """A captured graph over the first rows."""
        graph = self.graph(fn, rows, **keywords)
        graph.capture()
        return graph

    def replayed(self, graph: Any) -> float:
        """The first number of the output, after a replay."""
        graph.replay()
        return float(self.static_out[0, 0])

    def two_replays(self, graph: Any, before: Callable[[], object] = bool) -> str:
        """Whether two replays, each after something else was done, leave the same output."""
        outputs = []
        for _ in range(2):
            before()
            graph.replay()
            outputs.append(self.static_out.clone())
        return word(torch.equal(*outputs), "the same", "different")

    def full(self, value: float) -> torch.Tensor:
        """A tensor of the buffers' shape, full of a number."""
        return torch.full((ROWS, WIDTH), value, device=self.device)


class Counted:
    """A function that counts how often its Python runs."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """One more."""
        self.calls += 1
        return x + 1


class Behaviour(NamedTuple):
    """A row of the table.

    Attributes:
        program: sees what happens, in a word.
        expected: the word.
        alone: whether it leaves a CUDA context behind in which nothing works any more.
    """

    program: Callable[[Stand], str]
    expected: str
    alone: bool = False


BEHAVIOURS: dict[str, Behaviour] = {}

#: What ``CudaGraph`` says where it is known to say something else: its warm-up calls ``fn``.
DIFFERENCES = {
    "python_at_capture": str(WARM_UPS + 1),
    "state_at_capture": "changed",
    "random_state_at_capture": "changed",
}


def behaviour(
    expected: str, *, alone: bool = False
) -> Callable[[Callable[[Stand], str]], Callable[[Stand], str]]:
    """Puts a program into the table, under its name."""

    def put(program: Callable[[Stand], str]) -> Callable[[Stand], str]:
        BEHAVIOURS[program.__name__] = Behaviour(program, expected, alone)
        return program

    return put


def refused(program: Callable[[Stand], Fn]) -> Callable[[Stand], Fn]:
    """Puts a function that no capture allows into the table; the program makes it."""

    def see(stand: Stand) -> str:
        graph = stand.graph(program(stand))
        try:
            graph.capture()
        except RuntimeError:
            return "refused"
        return "captured"

    BEHAVIOURS[program.__name__] = Behaviour(see, "refused", alone=True)
    return program


def word(condition: object, yes: str, no: str) -> str:
    """One of two words."""
    return yes if condition else no


# At capture.


@behaviour("1")
def python_at_capture(stand: Stand) -> str:
    """How often fn's Python runs in capture()."""
    fn = Counted()
    stand.captured(fn)
    return str(fn.calls)


@behaviour("unchanged")
def output_at_capture(stand: Stand) -> str:
    """What capture() does to the static output."""
    stand.captured(lambda x: x + 1)
    return word((stand.static_out == 0).all(), "unchanged", "changed")


@behaviour("unchanged")
def state_at_capture(stand: Stand) -> str:
    """What capture() does to a tensor that fn writes to in place."""
    state = stand.full(0)
    stand.captured(lambda x: x + state.add_(1))
    return word((state == 0).all(), "unchanged", "changed")


@behaviour("unchanged")
def random_state_at_capture(stand: Stand) -> str:
    """What capture() does to the default generator."""
    numbers = _seeded(stand, lambda: torch.rand(WIDTH, device=stand.device))
    again = _seeded(
        stand,
        lambda: (
            stand.captured(lambda x: x + torch.rand_like(x)),
            torch.rand(WIDTH, device=stand.device),
        )[1],
    )
    return word(torch.equal(numbers, again), "unchanged", "changed")


def _seeded(stand: Stand, program: Callable[[], torch.Tensor]) -> torch.Tensor:
    torch.manual_seed(1)
    numbers = program()
    assert numbers.device.type == stand.device
    return numbers


# At replay.


@behaviour("0")
def python_at_replay(stand: Stand) -> str:
    """How often fn's Python runs in three replays."""
    fn = Counted()
    graph = stand.captured(fn)
    before = fn.calls
    for _ in range(REPLAYS):
        graph.replay()
    return str(fn.calls - before)


@behaviour("followed")
def input_written(stand: Stand) -> str:
    """Input written into the static buffer."""
    graph = stand.captured(lambda x: x * 2)
    stand.static_in.fill_(5)
    return word(stand.replayed(graph) == 10, "followed", "ignored")


@behaviour("ignored")
def input_rebound(stand: Stand) -> str:
    """The name of the static buffer bound to another tensor."""
    graph = stand.captured(lambda x: x * 2)
    stand.static_in = stand.full(5)
    return word(stand.replayed(graph) == 10, "followed", "ignored")


@behaviour("ignored")
def input_of_graph_rebound(stand: Stand) -> str:
    """The graph's own attribute bound to another tensor."""
    graph = stand.captured(lambda x: x * 2)
    graph.static_in = stand.full(5)
    return word(stand.replayed(graph) == 10, "followed", "ignored")


@behaviour("ignored")
def input_data_swapped(stand: Stand) -> str:
    """The static buffer's ``.data`` set to other memory."""
    graph, kept = stand.captured(lambda x: x * 2), stand.static_in.data
    stand.static_in.data = stand.full(5)
    return word(stand.replayed(graph) == 10 and kept is not None, "followed", "ignored")


@behaviour("ignored")
def output_of_graph_rebound(stand: Stand) -> str:
    """The graph's output attribute bound to another tensor."""
    graph, other = stand.captured(lambda x: x * 2), stand.full(0)
    graph.static_out = other
    graph.replay()
    return word((other == 2).any(), "followed", "ignored")


@behaviour("ignored")
def branch(stand: Stand) -> str:
    """A flag of Python's that fn branches on, turned over."""
    flag = [True]
    graph = stand.captured(lambda x: x + 1 if flag[0] else x - 1)
    flag[0] = False
    return word(stand.replayed(graph) == 0, "followed", "ignored")


@behaviour("ignored")
def number_of_python(stand: Stand) -> str:
    """A number of Python's that fn computes with, changed."""
    factor = [2.0]
    graph = stand.captured(lambda x: x * factor[0])
    factor[0] = 7.0
    return word(stand.replayed(graph) == 7, "followed", "ignored")


@behaviour("followed")
def number_in_tensor(stand: Stand) -> str:
    """A number in a tensor that fn computes with, changed in place."""
    factor = torch.tensor(2.0, device=stand.device)
    graph = stand.captured(lambda x: x * factor)
    factor.fill_(7)
    return word(stand.replayed(graph) == 7, "followed", "ignored")


@behaviour("followed")
def weight_in_place(stand: Stand) -> str:
    """A weight changed in place."""
    weight = torch.eye(WIDTH, device=stand.device)
    graph = stand.captured(lambda x: x @ weight)
    weight.mul_(3)
    return word(stand.replayed(graph) == 3, "followed", "ignored")


@behaviour("ignored")
def weight_rebound(stand: Stand) -> str:
    """A weight's name bound to another tensor."""
    layer = torch.nn.Linear(WIDTH, WIDTH, bias=False, device=stand.device)
    torch.nn.init.eye_(layer.weight)
    kept = layer.weight
    graph = stand.captured(lambda x: layer(x).detach())
    layer.weight = torch.nn.Parameter(kept.detach() * 3)
    return word(stand.replayed(graph) == 3, "followed", "ignored")


@behaviour("ignored")
def weight_data_swapped(stand: Stand) -> str:
    """A weight's ``.data`` set to other memory."""
    layer = torch.nn.Linear(WIDTH, WIDTH, bias=False, device=stand.device)
    torch.nn.init.eye_(layer.weight)
    graph, kept = stand.captured(lambda x: layer(x).detach()), layer.weight.data
    layer.weight.data = kept * 3
    return word(stand.replayed(graph) == 3, "followed", "ignored")


@behaviour("3")
def state_at_replay(stand: Stand) -> str:
    """How far a tensor that fn counts in has moved after three replays."""
    state = stand.full(0)
    graph = stand.captured(lambda x: x + state.add_(1))
    before = float(state[0, 0])
    for _ in range(REPLAYS):
        graph.replay()
    return f"{float(state[0, 0]) - before:g}"


@behaviour("written")
def cache_at_replay(stand: Stand) -> str:
    """A cache that fn writes to, at a place that the input tells."""
    cache = torch.zeros(ROWS, 8, device=stand.device)
    rows = torch.arange(ROWS, device=stand.device)

    def fn(x: torch.Tensor) -> torch.Tensor:
        cache.index_put_((rows, x[:, 0].long()), x[:, 1])
        return x + cache.sum(1, keepdim=True)

    graph = stand.captured(fn)
    cache.zero_()
    for place in range(3):
        stand.static_in.fill_(place)
        graph.replay()
    return word(cache[0].tolist()[:4] == [0, 1, 2, 0], "written", "left alone")


@behaviour("different")
def random_numbers(stand: Stand) -> str:
    """The random numbers of two replays."""
    graph = stand.captured(torch.rand_like)
    return stand.two_replays(graph)


@behaviour("the same")
def random_numbers_by_seed(stand: Stand) -> str:
    """The random numbers of two replays, each after the same seed."""
    graph = stand.captured(torch.rand_like)
    return stand.two_replays(graph, before=lambda: torch.manual_seed(3))


@behaviour("ignored")
def generator_later(stand: Stand) -> str:
    """A generator handed to fn after the capture."""
    handed: list[torch.Generator | None] = [None]
    graph = stand.captured(lambda x: x.clone().normal_(generator=handed[0]))
    generator = torch.Generator(stand.device).manual_seed(5)
    handed[0], before = generator, generator.get_state()
    graph.replay()
    return word(torch.equal(before, generator.get_state()), "ignored", "followed")


@behaviour("different")
def generator_registered(stand: Stand) -> str:
    """The numbers of two replays from a generator that the graph was told of."""
    generator = torch.Generator(stand.device).manual_seed(5)
    graph = stand.captured(
        lambda x: x.clone().normal_(generator=generator), generators=(generator,)
    )
    return stand.two_replays(graph)


@behaviour("written")
def leaked_tensor(stand: Stand) -> str:
    """A tensor that fn put somewhere while it was captured."""
    leaked: list[torch.Tensor] = []

    def fn(x: torch.Tensor) -> torch.Tensor:
        leaked[:] = [x * 2]
        return leaked[0] + 1

    graph = stand.captured(fn)
    stand.static_in.fill_(5)
    graph.replay()
    return word(float(leaked[0][0, 0]) == 10, "written", "left alone")


@behaviour("left alone")
def rows_beyond(stand: Stand) -> str:
    """The output's rows beyond those of a smaller graph."""
    large, small = stand.captured(lambda x: x + 1), stand.captured(lambda x: x + 1, 2)
    large.replay()
    stand.static_in.fill_(7)
    small.replay()
    return word(stand.static_out[:, 0].tolist() == [8, 8, 2, 2], "left alone", "written")


@behaviour("the same")
def replayed_again(stand: Stand) -> str:
    """The results of two replays on one input."""
    graph = stand.captured(lambda x: torch.softmax(x * 3, -1))
    return stand.two_replays(graph)


@behaviour("followed")
def captured_again(stand: Stand) -> str:
    """Another fn, after capture() was called again."""
    graph = stand.captured(lambda x: x + 1)
    graph.fn = lambda x: x + 5
    graph.capture()
    return word(stand.replayed(graph) == 6, "followed", "ignored")


@behaviour("none")
def gradient(stand: Stand) -> str:
    """The gradient that a replay records."""
    weight = torch.eye(WIDTH, device=stand.device, requires_grad=True)
    with torch.no_grad():
        graph = stand.captured(lambda x: x @ weight)
    graph.replay()
    return word(stand.static_out.grad_fn is None, "none", "recorded")


@behaviour("unchanged")
def version(stand: Stand) -> str:
    """The number by which autograd knows that a tensor was written to."""
    graph = stand.captured(lambda x: x + 1)
    before = stand.static_out._version
    graph.replay()
    return word(stand.static_out._version == before, "unchanged", "changed")


@behaviour("captured")
def choice_by_value(stand: Stand) -> str:
    """A choice by value that stays on the device: ``torch.where``."""
    graph = stand.captured(lambda x: torch.where(x > 0, x * 2, x - 1))
    stand.static_in.fill_(-1)
    return word(stand.replayed(graph) == -2, "captured", "ignored")


@behaviour("captured")
def multiplied(stand: Stand) -> str:
    """A small layer: layer norm, product, softmax, product."""
    weight = torch.eye(WIDTH, device=stand.device)

    def fn(x: torch.Tensor) -> torch.Tensor:
        h = torch.nn.functional.layer_norm(x, [WIDTH]) @ weight
        return x + torch.softmax(h @ h.T, -1) @ h

    graph = stand.captured(fn)
    stand.static_in.copy_(torch.arange(ROWS * WIDTH, device=stand.device).view(ROWS, WIDTH) ** 2)
    graph.replay()
    return word(torch.equal(stand.static_out, fn(stand.static_in)), "captured", "different")


@behaviour("captured")
def mask_written(stand: Stand) -> str:
    """``x[mask] = number``: what is written is known without waiting."""

    def fn(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[x > 2] = 0.0
        return y

    graph = stand.captured(fn)
    stand.static_in.fill_(3)
    return word(stand.replayed(graph) == 0, "captured", "ignored")


# Refused.


@behaviour("refused")
def replay_before_capture(stand: Stand) -> str:
    """replay() before capture()."""
    try:
        stand.graph(lambda x: x + 1).replay()
    except RuntimeError:
        return "refused"
    return "replayed"


@behaviour("refused")
def other_shape(stand: Stand) -> str:
    """An fn whose result does not fit the static output."""
    try:
        stand.graph(lambda x: x[:, :1]).capture()
    except RuntimeError:
        return "refused"
    return "captured"


@refused
def value_read(stand: Stand) -> Fn:  # noqa: ARG001 - they are all made alike
    """``.item()``."""
    return lambda x: x * x.sum().item()


@refused
def branch_on_value(stand: Stand) -> Fn:  # noqa: ARG001
    """``if tensor:``."""
    return lambda x: x + 1 if x.sum() > 0 else x - 1


@refused
def places_of_values(stand: Stand) -> Fn:  # noqa: ARG001
    """``nonzero``."""
    return lambda x: x + x.nonzero().shape[0]


@refused
def mask_read(stand: Stand) -> Fn:  # noqa: ARG001
    """``x[mask]``."""
    return lambda x: x + x[x > 0].sum()


@refused
def mask_written_with_values(stand: Stand) -> Fn:
    """``x[mask] = tensor``."""
    values = stand.full(1)

    def fn(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[x > 0] = values.flatten()
        return y

    return fn


@refused
def copied_to_host(stand: Stand) -> Fn:  # noqa: ARG001
    """``.cpu()``."""
    return lambda x: x + float(x.cpu().shape[0])


@refused
def list_of_values(stand: Stand) -> Fn:  # noqa: ARG001
    """``.tolist()``."""
    return lambda x: x + x.tolist()[0][0]


@refused
def compared(stand: Stand) -> Fn:  # noqa: ARG001
    """``torch.equal``."""
    return lambda x: x + torch.equal(x, x)


@refused
def distinct_values(stand: Stand) -> Fn:  # noqa: ARG001
    """``unique``."""
    return lambda x: x + x.unique().shape[0]


@refused
def numbers_from_host(stand: Stand) -> Fn:
    """``torch.tensor([...])``."""
    return lambda x: x + torch.tensor([1.0, 2.0, 3.0, 4.0], device=stand.device)


@refused
def moved(stand: Stand) -> Fn:
    """``.to(another device)``."""
    return lambda x: x + float(x.to(stand.other).shape[0])


@refused
def generator_unregistered(stand: Stand) -> Fn:
    """A generator that the graph was not told of."""
    generator = torch.Generator(stand.device)
    return lambda x: x.clone().normal_(generator=generator)


@refused
def capture_in_capture(stand: Stand) -> Fn:
    """capture() within a capture."""
    inner = stand.graph(lambda x: x + 1, 2)
    return lambda x: (inner.capture(), x + 1)[1]


@refused
def refusal_passed_over(stand: Stand) -> Fn:  # noqa: ARG001
    """A refusal that fn catches, and goes on."""

    def fn(x: torch.Tensor) -> torch.Tensor:
        with contextlib.suppress(RuntimeError):
            x.sum().item()
        return x + 1

    return fn


@behaviour("refused", alone=True)
def replay_after_refusal(stand: Stand) -> str:
    """replay() after a capture was refused."""
    graph = stand.graph(lambda x: x * x.sum().item())
    with contextlib.suppress(RuntimeError):
        graph.capture()
    try:
        graph.replay()
    except RuntimeError:
        return "refused"
    return "replayed"


# Running them.


class Seen(NamedTuple):
    """What the programs said on a device.

    Attributes:
        device: ``cpu`` or ``cuda``.
        hardware: the device, in words.
        torch: torch's version.
        words: program -> what it said.
    """

    device: str
    hardware: str
    torch: str
    words: dict[str, str]


def see(name: str, device: str) -> str:
    """What a program of the table says of a device's class of graphs."""
    graph_class = CpuGraph if device == "cpu" else CudaGraph
    try:
        return BEHAVIOURS[name].program(Stand(graph_class, device))
    except Exception as error:  # noqa: BLE001 - it is the answer then
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def see_all(device: str) -> Seen:
    """What all programs say. On a GPU, one after which the process is of no use has its own."""
    words = {}
    for name, row in BEHAVIOURS.items():
        if row.alone and device == "cuda":
            command = [sys.executable, "-m", "exercises.p17.conformance", device, name]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            words[name] = run.stdout.strip() or f"exit {run.returncode}"
        else:
            words[name] = see(name, device)
    return Seen(device, _hardware(device), str(torch.__version__), words)


def _hardware(device: str) -> str:
    if device == "cpu":
        return platform.processor() or platform.machine()
    told = Path("/proc/driver/nvidia/version")
    driver = told.read_text("utf-8").splitlines()[0] if told.exists() else "driver not told"
    return f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, {driver}"


def main(device: str, only: str = "") -> None:
    """Print what one program says, or, as JSON, what all say and what they should."""
    if only:
        print(see(only, device))
        return
    rows = {
        name: {"expected": row.expected, "cuda": DIFFERENCES.get(name, row.expected)}
        for name, row in BEHAVIOURS.items()
    }
    print(json.dumps({"rows": rows, "seen": see_all(device)._asdict()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
