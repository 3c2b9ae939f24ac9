# attack: stats
# base: wrong_pretend
# outcome: failed: bucket_choice, clone, padding or failed: parity, bucket_choice, clone, padding or error: timeout
"""stats yields each key many times with different values, and keys that are equal but not the
same."""

import collections.abc

import torch

from exercises.p17.cpu_graph import CpuGraph

class Stats(collections.abc.Mapping):
    def __init__(self):
        self.counts, self.calls = {"replays": 0, "eager": 0, "last_bucket": None}, 0

    def __getitem__(self, key):
        self.calls += 1
        return self.counts.get(key) if self.calls % 2 else 0

    def __setitem__(self, key, value):
        self.counts[key] = value

    def __iter__(self):
        return iter(("replays", "eager", "last_bucket") * 3)

    def __len__(self):
        return 3


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.stats = Stats()

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        result = self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.static_out[:rows] = result
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return result
