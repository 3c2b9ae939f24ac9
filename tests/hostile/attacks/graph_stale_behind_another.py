# attack: graph
# base: wrong_stale
# outcome: failed: parity, no_recapture
"""A graph over a clean buffer is replayed for show; its fn copies the uncleared buffer in and
replays that one's graph inside, where no one looks."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.hidden_in, self.hidden_out = torch.zeros_like(self.static_in), torch.zeros_like(self.static_out)
        self.inner = {}

    def capture(self):
        for size in self.buckets[::-1]:
            inner = CpuGraph(self.fn, self.hidden_in[:size], self.hidden_out[:size])
            inner.capture()
            self.inner[size] = inner
            graph = CpuGraph(self._through, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in.zero_()
        self.hidden_in[:rows] = x
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()

    def _through(self, rows):
        size = len(rows)
        if size in self.graphs:
            self.inner[size].replay()
            return self.hidden_out[:size].clone()
        return self.fn(rows)
