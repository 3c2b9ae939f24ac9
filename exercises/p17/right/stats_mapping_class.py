# right: stats is a Mapping class of its own over attributes
from collections.abc import Mapping

import torch

from exercises.p17.cpu_graph import CpuGraph


class Stats(Mapping):
    NAMES = ("replays", "eager", "last_bucket")

    def __init__(self):
        self.replays = 0
        self.eager = 0
        self.last_bucket = None

    def __getitem__(self, name):
        if name not in self.NAMES:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self):
        return iter(self.NAMES)

    def __len__(self):
        return len(self.NAMES)


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = Stats()

    def capture(self):
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        if force_eager or bucket not in self.graphs:
            self.stats.eager += 1
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        self.graphs[bucket].replay()
        self.stats.replays += 1
        self.stats.last_bucket = bucket
        return self.static_out[:bs].clone()
