# right: copy_ and zero_ on slices, in small methods
import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros((max(self.buckets), hidden), dtype=dtype)
        self.static_out = torch.zeros_like(self.static_in)
        self.graphs = {}
        self.stats = dict(replays=0, eager=0, last_bucket=None)

    def capture(self):
        for b in sorted(self.buckets, reverse=True):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def select(self, bs):
        for b in self.buckets:
            if b >= bs:
                return b
        return None

    def stage(self, x, b):
        self.static_in.narrow(0, 0, len(x)).copy_(x)
        self.static_in.narrow(0, len(x), b - len(x)).zero_()

    def run(self, x, force_eager=False):
        b = self.select(len(x))
        if force_eager or b not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.stage(x, b)
        self.graphs[b].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = b
        return self.static_out.narrow(0, 0, len(x)).clone()
