"""P17 on the subject's side of the pipe: the functions that runners are given, and a
``CpuGraph`` that tells what it did. Loaded where the submission runs, before it.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch

from exercises.p17 import cpu_graph

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


FUNCTIONS = {"affine": affine, "linear": linear, "reciprocal": reciprocal, "batch_sum": batch_sum}

ACTS = {"capture": capture, "replay": replay}


def observe(log: Any) -> None:
    """Put a ``CpuGraph`` in place that does as the given one and notes each capture and replay.

    Events: ``capture`` with the views that the graph is over; ``replay`` with what the input
    held when it began and the output when it ended.

    It is no subclass: a submission would find the one that notes nothing above it.
    """
    given = cpu_graph.CpuGraph
    capture_unseen, replay_unseen, keep = given.capture, given.replay, given._keep

    # What is usual is done at one go, with one hand-over to the host's thread; what is not, such
    # as a graph of a function of the submission's own, is done here and noted piece by piece.

    def capture(self: Any) -> None:
        done = log.perform("capture", self.fn, self, self.static_in, self.static_out)
        if done:
            keep(self, *done)
            return
        log.begin("capture", graph=self, input=self.static_in, output=self.static_out)
        try:
            capture_unseen(self)
        finally:
            log.end()

    def replay(self: Any) -> None:
        if self.captured and log.perform("replay", self.fn, self, self.static_in, self.static_out):
            return
        log.begin("replay", graph=self, input=self.static_in)
        try:
            replay_unseen(self)
        finally:
            log.end(output=self.static_out)

    given.capture, given.replay = capture, replay  # type: ignore[method-assign]
    for seen, unseen in ((capture, capture_unseen), (replay, replay_unseen)):
        functools.update_wrapper(seen, unseen)
        del seen.__wrapped__  # type: ignore[attr-defined]
