"""P17 on the subject's side of the pipe: the functions that runners are given, and a
``CpuGraph`` that tells what it did. Loaded where the submission runs, before it.
"""

import functools
import types
from collections.abc import Callable
from typing import Any

import torch

from exercises.p17 import cpu_graph, cuda_graph, decode_step

Fn = Callable[[torch.Tensor], torch.Tensor]

# Bound before any submission, which may put others into torch or its classes.
_add, _mul, _matmul, _sum = torch.add, torch.mul, torch.matmul, torch.sum
_reciprocal, _tensor, _copy = torch.reciprocal, torch.tensor, torch.Tensor.copy_


def affine(scale: float, shift: float) -> Fn:
    """``scale * x + shift``, element by element."""
    return lambda x: _add(_mul(x, scale), shift)


def linear(weights: list[list[int]], dtype: torch.dtype) -> Fn:
    """``x @ weights``: every row by itself, its elements together."""
    matrix = _tensor(weights, dtype=dtype)
    return lambda x: _matmul(x, matrix)


def reciprocal() -> Fn:
    """``1 / x``: infinite where x is 0, NaN where x is."""
    return _reciprocal


def batch_sum() -> Fn:
    """``x`` plus the sum over the batch: every row depends on all rows of the graph."""
    return lambda x: _add(x, _sum(x, dim=0, keepdim=True))


def capture(
    log: Any, fn: Fn, graph: object, static_in: torch.Tensor, static_out: torch.Tensor
) -> torch.Tensor:
    """What ``CpuGraph.capture`` does of note; returns what ``fn`` does."""
    log.begin("capture", {"graph": graph, "input": static_in, "output": static_out})
    try:
        return fn(static_in)
    finally:
        log.end({})


def replay(
    log: Any, fn: Fn, graph: object, static_in: torch.Tensor, static_out: torch.Tensor
) -> None:
    """What ``CpuGraph.replay`` does of note."""
    log.begin("replay", {"graph": graph, "input": static_in})
    try:
        _copy(static_out, fn(static_in))
    finally:
        log.end({"output": static_out})


def noted(make: Callable[..., Fn], log: Any) -> Callable[..., Fn]:
    """A factory whose functions note their calls themselves, for the submission's thread to call
    them: a GPU's stream is captured on one thread.
    """

    def made(**params: Any) -> Fn:
        function = make(**params)

        def fn(x: torch.Tensor) -> torch.Tensor:
            # While it is captured nothing has been computed that could be looked at.
            seen = None if torch.cuda.is_current_stream_capturing() else x
            log.emit("function", function=fn, input=seen)
            return function(x)

        return fn

    return made


FUNCTIONS = {"affine": affine, "linear": linear, "reciprocal": reciprocal, "batch_sum": batch_sum}

ACTS = {"capture": capture, "replay": replay}

#: Functions that run where the submission does, on CPU and GPU alike: models whole, of which
#: nothing is graded.
PLAIN: dict[str, Callable[..., Any]] = {}

#: How a function is given: as a kernel, for what is inside is not the submission's to see.
give = cpu_graph.kernel


def observe(log: Any) -> None:
    """Put a ``CpuGraph`` in place that does as the given one and notes each capture and replay.

    Events: ``capture`` with the views that the graph is over; ``replay`` with what the input
    held when it began and the output when it ended.

    It is no subclass: a submission would find the one that notes nothing above it.

    On a GPU, the class that captures there goes by the name that submissions import.
    """
    if log.device != "cpu":
        cpu_graph.CpuGraph = cuda_graph.CudaGraph  # type: ignore[assignment, misc]
        PLAIN.update({name: noted(make, log) for name, make in FUNCTIONS.items()})
    given: Any = cpu_graph.CpuGraph
    PLAIN.update(models(given, log))
    unseen = given.capture, given.replay
    given.capture, given.replay = watched(*unseen, log)
    for one, other in zip((given.capture, given.replay), unseen, strict=True):
        functools.update_wrapper(one, other)
        del one.__wrapped__


def models(given: Any, log: Any) -> dict[str, Callable[..., Any]]:
    """Functions of which nothing is graded.

    Args:
        given: the class of graphs, which notes nothing yet.
        log: of the subject.
    """
    capture_unseen, replay_unseen = given.capture, given.replay

    def unobserved(*over: Any) -> Any:
        graph = given(*over)
        return types.SimpleNamespace(
            capture=lambda: capture_unseen(graph), replay=lambda: replay_unseen(graph)
        )

    def launch_ratio(**params: Any) -> Callable[[], list[float]]:
        return lambda: decode_step.launch_ratio(unobserved, device=log.device, **params)

    return {
        "decode_step": functools.partial(decode_step.DecodeStep, device=log.device),
        "launch_ratio": launch_ratio,
    }


def watched(
    capture_unseen: Callable[[Any], None], replay_unseen: Callable[[Any], None], log: Any
) -> tuple[Callable[[Any], None], Callable[[Any], None]]:
    """A capture and a replay that do as those given, and note what they do.

    What is usual is done at one go, with one hand-over to the host's thread; what is not, such as
    a graph of a function of the submission's own, or what happens while another graph is being
    captured, is done here and noted piece by piece.
    """
    frozen, expect_fit, launch_of = cpu_graph.frozen, cpu_graph.expect_fit, cpu_graph.launch_of
    at_work = cpu_graph.at_work

    def capture(self: Any) -> None:
        self.captured = False
        over = self.fn, self.static_in, self.static_out
        done = log.perform("capture", over[0], self, *over[1:]) if at_work() is None else ()
        if done:
            expect_fit(*done, over[2])
        else:
            log.begin("capture", graph=self, input=over[1], output=over[2])
            try:
                capture_unseen(self)
            finally:
                log.end()
        # Addresses are those of now, whatever the graph's attributes are set to later.
        fn, static_in, static_out = over[0], *map(frozen, over[1:])
        self._over = fn, static_in, static_out
        if done:
            self._tape = (launch_of(fn, (static_in,), (static_out,)),)
        self.captured = True

    def replay(self: Any) -> None:
        over = self._over if self.captured else (self.fn, self.static_in, self.static_out)
        if self.captured and at_work() is None and log.perform("replay", over[0], self, *over[1:]):
            return
        log.begin("replay", graph=self, input=over[1])
        try:
            replay_unseen(self)
        finally:
            log.end(output=over[2])

    return capture, replay
