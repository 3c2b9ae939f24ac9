# fails: padding
# family: padding
"""Rows are picked by an index tensor, which makes a copy, and the copy is cleared."""

from bisect import bisect_left

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.hidden = hidden
        self.buckets = sorted(buckets)
        self.max_bs = self.buckets[-1]
        self.static_in = torch.zeros((self.max_bs, hidden), dtype=dtype)
        self.static_out = torch.zeros((self.max_bs, hidden), dtype=dtype)
        self.graphs = {}
        self.stats = dict(replays=0, eager=0, last_bucket=None)

    def capture(self):
        for b in self.buckets[::-1]:
            self.graphs[b] = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            self.graphs[b].capture()

    def pick(self, bs):
        i = bisect_left(self.buckets, bs)
        return self.buckets[i] if i < len(self.buckets) else None

    def eager(self, x):
        self.stats["eager"] += 1
        return self.fn(x)

    def run(self, x, force_eager=False):
        bs = x.size(0)
        b = self.pick(bs)
        if force_eager or b not in self.graphs:
            return self.eager(x)
        self.static_in[:bs].copy_(x)
        self.static_in[torch.arange(bs, b)].zero_()
        self.graphs[b].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = b
        return self.static_out[:bs].clone()
