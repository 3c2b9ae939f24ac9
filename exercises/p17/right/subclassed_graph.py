# right: a subclass of CpuGraph that counts and checks, calling super()
import torch

from exercises.p17.cpu_graph import CpuGraph


class BucketGraph(CpuGraph):
    """A graph that knows its bucket and loads its own input."""

    def __init__(self, fn, static_in, static_out):
        super().__init__(fn, static_in, static_out)
        self.rows_in, self.rows_out = static_in, static_out
        self.size = static_in.shape[0]
        self.times = 0

    def capture(self):
        super().capture()
        return self

    def replay(self):
        self.times += 1
        super().replay()

    def __call__(self, x):
        n = x.shape[0]
        self.rows_in[:n] = x
        self.rows_in[n:] = 0
        self.replay()
        return self.rows_out[:n].clone()


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
            views = self.static_in[:b], self.static_out[:b]
            self.graphs[b] = BucketGraph(self.fn, *views).capture()

    def graph_for(self, n):
        return next((self.graphs[b] for b in self.buckets if b >= n and b in self.graphs), None)

    def run(self, x, force_eager=False):
        graph = None if force_eager else self.graph_for(x.shape[0])
        if graph is None:
            self.stats["eager"] += 1
            return self.fn(x)
        result = graph(x)
        self.stats["replays"] += 1
        self.stats["last_bucket"] = graph.size
        return result
