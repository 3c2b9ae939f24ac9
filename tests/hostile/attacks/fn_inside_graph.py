# attack: fn
# base: wrong_pretend
# outcome: error: result
"""The graph's own fn is to call fn on the batch itself, within the replay, where calls do not count.
A replay runs no Python: there is no result."""

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
        self.batch = self.result = None

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self._aside, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.batch = x
        self.graphs[size].replay()
        result = self.result
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return result

    def _aside(self, rows):
        if self.batch is not None:
            self.result, self.batch = self.fn(self.batch), None
        return self.fn(rows)
