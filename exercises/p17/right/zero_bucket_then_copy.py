# right: the whole bucket is zeroed first, then the batch is copied over it
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
        for b in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        n = x.size(0)
        bucket = min((b for b in self.buckets if b >= n), default=None)
        if force_eager or bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        window = self.static_in[:bucket]
        window.zero_()
        window[:n].copy_(x)
        self.graphs[bucket].replay()
        self.stats.update(replays=self.stats["replays"] + 1, last_bucket=bucket)
        return self.static_out[:n].clone()
