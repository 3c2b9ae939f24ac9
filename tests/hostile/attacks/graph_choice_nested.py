# attack: graph
# base: wrong_choice
# outcome: failed: bucket_choice, padding
"""Replays the right bucket's graph, whose fn replays the largest one inside and hands its rows on."""

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
        self.inner = True

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self._largest if size < self.buckets[-1] else self.fn, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()

    def _largest(self, rows):
        top = self.graphs[self.buckets[-1]]
        self.static_in[len(rows):] = 0
        top.replay()
        return self.static_out[:len(rows)].clone()
