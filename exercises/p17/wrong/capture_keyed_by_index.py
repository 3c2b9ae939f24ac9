# fails: bucket_choice, no_recapture
# family: capture
"""The graphs are stored under the position of their bucket in the list."""

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
        for i, b in reversed(list(enumerate(self.buckets))):
            self.graphs[i] = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            self.graphs[i].capture()

    def pick(self, bs):
        return bisect_left(self.buckets, bs)

    def eager(self, x):
        self.stats["eager"] += 1
        return self.fn(x)

    def run(self, x, force_eager=False):
        bs = x.size(0)
        i = self.pick(bs)
        if force_eager or i not in self.graphs:
            return self.eager(x)
        b = self.buckets[i]
        self.static_in[:bs].copy_(x)
        self.static_in[bs:b].zero_()
        self.graphs[i].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = b
        return self.static_out[:bs].clone()
