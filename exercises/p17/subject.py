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
_reciprocal, _tensor = torch.reciprocal, torch.tensor


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


FUNCTIONS = {"affine": affine, "linear": linear, "reciprocal": reciprocal, "batch_sum": batch_sum}


def observe(log: Any) -> None:
    """Put a ``CpuGraph`` in place that does as the given one and notes each capture and replay.

    Events: ``capture`` with the views that the graph is over; ``replay`` with what the input
    held when it began and the output when it ended.

    It is no subclass: a submission would find the one that notes nothing above it.
    """
    given = cpu_graph.CpuGraph
    capture_unseen, replay_unseen = given.capture, given.replay

    def capture(self: Any) -> None:
        log.begin("capture", graph=self, input=self.static_in, output=self.static_out)
        try:
            capture_unseen(self)
        finally:
            log.end()

    def replay(self: Any) -> None:
        log.begin("replay", graph=self, input=self.static_in)
        try:
            replay_unseen(self)
        finally:
            log.end(output=self.static_out)

    given.capture, given.replay = capture, replay  # type: ignore[method-assign]
    for seen, unseen in ((capture, capture_unseen), (replay, replay_unseen)):
        functools.update_wrapper(seen, unseen)
        del seen.__wrapped__  # type: ignore[attr-defined]
