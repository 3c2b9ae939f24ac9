# right: a closure per bucket, padding cleared by masked_fill_, run is a match statement
import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.replayers = {}
        self.rows = torch.arange(self.buckets[-1], device=self.static_in.device)[:, None]
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph
            self.replayers[b] = self._replayer(b, graph)

    def _replayer(self, b, graph):
        def replay(x):
            bs = x.shape[0]
            self.static_in[:bs] = x
            self.static_in[:b].masked_fill_(self.rows[:b] >= bs, 0)
            graph.replay()
            self.stats["replays"] += 1
            self.stats["last_bucket"] = b
            return self.static_out[:bs].clone()

        return replay

    def run(self, x, force_eager=False):
        bucket = next((b for b in self.buckets if b >= x.shape[0]), None)
        match force_eager, self.replayers.get(bucket):
            case (True, _) | (_, None):
                self.stats["eager"] += 1
                return self.fn(x)
            case (_, replay):
                return replay(x)
