# right: the bucket is found by bisection
"""CUDA graph runner with a binary search over the buckets."""

import bisect

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
        for b in reversed(self.buckets):
            self.graphs[b] = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            self.graphs[b].capture()

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        i = bisect.bisect_left(self.buckets, bs)
        if force_eager or i == len(self.buckets) or self.buckets[i] not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        b = self.buckets[i]
        self.static_in[:bs] = x
        self.static_in[bs:b] = 0
        self.graphs[b].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = b
        return self.static_out[:bs].clone()
