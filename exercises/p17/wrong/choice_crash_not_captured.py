# fails: bucket_choice
# family: choice
# source: vllm #7999
"""A run before capture() ends in a KeyError: the graph is expected to be there."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        max_bs = self.buckets[-1]
        self.static_in = torch.zeros(max_bs, hidden, dtype=dtype)
        self.static_out = torch.zeros(max_bs, hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for b in sorted(self.buckets, reverse=True):
            g = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            g.capture()
            self.graphs[b] = g

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = None
        for b in self.buckets:
            if b >= bs:
                bucket = b
                break
        if force_eager or bucket is None:
            self.stats["eager"] += 1
            return self.fn(x)

        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.static_out[:bs].clone()
