# right: stats is a subclass of collections.Counter
from collections import Counter

import torch

from exercises.p17.cpu_graph import CpuGraph


class Stats(Counter):
    def replayed(self, bucket):
        self["replays"] += 1
        self["last_bucket"] = bucket

    def ran_eagerly(self):
        self["eager"] += 1


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = Stats(replays=0, eager=0)
        self.stats["last_bucket"] = None

    def capture(self):
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        if force_eager or bucket not in self.graphs:
            self.stats.ran_eagerly()
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        self.graphs[bucket].replay()
        self.stats.replayed(bucket)
        return self.static_out[:bs].clone()
