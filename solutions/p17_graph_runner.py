"""P17, reference solution: a CUDA graph bucket runner."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    """Runs ``fn`` by replaying the smallest captured bucket that fits the batch.

    Args:
        fn: the computation, ``[n, hidden] -> [n, hidden]``, rows in any number.
        buckets: batch sizes to capture, in any order.
        hidden: columns of every batch.
        dtype: element type of both static buffers.
    """

    def __init__(
        self,
        fn: Callable[[torch.Tensor], torch.Tensor],
        buckets: Iterable[int],
        hidden: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.fn = fn
        self.buckets = sorted(buckets)
        max_bs = self.buckets[-1]
        self.static_in = torch.zeros(max_bs, hidden, dtype=dtype)
        self.static_out = torch.zeros(max_bs, hidden, dtype=dtype)
        self.graphs: dict[int, CpuGraph] = {}
        self.stats: dict[str, Any] = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self) -> None:
        """Capture one graph per bucket, largest first, all over the same two buffers."""
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x: torch.Tensor, force_eager: bool = False) -> torch.Tensor:
        """``fn(x)``, by replay where a bucket fits and by an eager call where none does.

        Args:
            x: the batch, ``[bs, hidden]``; it is not changed.
            force_eager: call ``fn`` directly, as a request with its own generator needs.

        Returns:
            ``[bs, hidden]``, sharing memory with no static buffer.
        """
        bs = x.shape[0]
        bucket = None if force_eager else self._bucket_for(bs)
        if bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0  # rows that an earlier, larger batch left behind
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.static_out[:bs].clone()  # the next replay overwrites static_out

    def _bucket_for(self, bs: int) -> int | None:
        """The smallest bucket that holds ``bs`` rows, or None."""
        return next((b for b in self.buckets if b >= bs), None)
