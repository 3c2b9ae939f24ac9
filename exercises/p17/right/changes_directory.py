# right: changes the working directory and an environment variable at import
import os

import torch

from exercises.p17.cpu_graph import CpuGraph

os.chdir(os.sep)
os.environ["OMP_NUM_THREADS"] = "1"


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
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        if force_eager or bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.static_out[:bs].clone()
