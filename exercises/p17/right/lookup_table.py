# right: a table from batch size to bucket, made once in __init__
import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.table = []
        for b in self.buckets:
            self.table += [b] * (b + 1 - len(self.table))
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
        try:
            graph = None if force_eager else self.graphs[self.table[bs]]
        except (IndexError, KeyError):
            graph = None
        if graph is None:
            self.stats["eager"] += 1
            return self.fn(x)
        bucket = self.table[bs]
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        graph.replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.static_out[:bs].clone()
