# attack: graph
# base: wrong_choice
# outcome: failed: bucket_choice
"""While the largest graph is replayed, its views are those of the right bucket; afterwards they
are as captured."""

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

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = self.buckets[-1] if rows <= self.buckets[-1] else None
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        graph = self.graphs[size]
        right = next(b for b in self.buckets if b >= rows)
        views = graph.static_in, graph.static_out
        graph.static_in, graph.static_out = self.static_in[:right], self.static_out[:right]
        graph.replay()
        graph.static_in, graph.static_out = views
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()
