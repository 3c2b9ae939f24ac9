# attack: graph
# base: wrong_choice
# outcome: failed: bucket_choice or failed: bucket_choice, no_recapture or failed: parity, bucket_choice
"""Files the largest graph under the right bucket's number after each run, so that graphs agrees
with the replay."""

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
        self.shown = None

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
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        right = next(b for b in self.buckets if b >= rows)
        self.shown = {**self.graphs, right: self.graphs[size]}
        return self.static_out[:rows].clone()

    def __getattribute__(self, name):
        if name == "graphs" and object.__getattribute__(self, "__dict__").get("shown"):
            try:
                return object.__getattribute__(self, "shown")
            finally:
                self.shown = None
        return object.__getattribute__(self, name)
