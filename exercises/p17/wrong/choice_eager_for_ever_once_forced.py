# fails: bucket_choice
# family: choice
"""A forced eager run switches graphs off for good: whoever asked for it will not want them again."""

from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(
        self,
        fn: Callable[[Tensor], Tensor],
        buckets: list[int],
        hidden: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.fn = fn
        self.buckets = sorted(buckets)
        shape = (self.buckets[-1], hidden)
        self.static_in = torch.zeros(shape, dtype=dtype)
        self.static_out = torch.zeros(shape, dtype=dtype)
        self._use_graphs = True
        self.graphs: dict[int, CpuGraph] = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self) -> None:
        for size in sorted(self.buckets, reverse=True):
            in_view = self.static_in[:size]
            out_view = self.static_out[:size]
            graph = CpuGraph(self.fn, in_view, out_view)
            graph.capture()
            self.graphs[size] = graph

    def run(self, x: Tensor, force_eager: bool = False) -> Tensor:
        n = x.shape[0]
        size = self._choose(n)
        if force_eager:
            self._use_graphs = False
        if not self._use_graphs or size is None or size not in self.graphs:
            return self._run_eager(x)
        return self._run_graph(x, n, size)

    def _choose(self, n: int) -> int | None:
        fitting = [b for b in self.buckets if b >= n]
        return min(fitting) if fitting else None

    def _run_eager(self, x: Tensor) -> Tensor:
        self.stats["eager"] += 1
        return self.fn(x)

    def _load(self, x: Tensor, n: int, size: int) -> None:
        self.static_in[:n].copy_(x)
        if n < size:
            self.static_in[n:size].fill_(0)

    def _run_graph(self, x: Tensor, n: int, size: int) -> Tensor:
        self._load(x, n, size)
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        result = self.static_out[:n].clone()
        return result
