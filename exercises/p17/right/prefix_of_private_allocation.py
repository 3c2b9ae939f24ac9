# right: both buffers are row-prefix views of larger private allocations
import torch

from exercises.p17.cpu_graph import CpuGraph

ALIGN = 8


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        top = self.buckets[-1]
        rows = (top // ALIGN + 1) * ALIGN
        self._in = torch.zeros(rows, hidden, dtype=dtype)
        self._out = torch.zeros(rows, hidden, dtype=dtype)
        self.static_in = self._in[:top]
        self.static_out = self._out[:top]
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self._in[:b], self._out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        if force_eager or bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self._in[:bs] = x
        self._in[bs:bucket] = 0
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self._out[:bs].clone()
