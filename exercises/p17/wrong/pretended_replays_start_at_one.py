# fails: bucket_choice
# family: pretended
"""replays starts at one: the capture is counted as the first run."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    """先录图，再按 bucket 重放。"""

    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn, self.hidden, self.dtype = fn, hidden, dtype
        self.buckets = sorted(buckets)
        self.static_in = self._buffer()
        self.static_out = self._buffer()
        self.graphs = {}
        self.stats = {"replays": 1, "eager": 0, "last_bucket": None}

    def _buffer(self):
        return torch.zeros(self.buckets[-1], self.hidden, dtype=self.dtype)

    def capture(self):
        for b in reversed(self.buckets):
            self.graphs[b] = self._record(b)

    def _record(self, b):
        graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
        graph.capture()
        return graph

    def run(self, x, force_eager=False):
        bs, _ = x.shape
        bucket = next((b for b in self.buckets if bs <= b), None)
        if force_eager or bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)

        # 先把整个 bucket 清零，再拷贝输入
        self.static_in[:bucket].zero_()
        self.static_in[:bs].copy_(x)
        self.graphs[bucket].replay()
        self.stats.update(replays=self.stats["replays"] + 1, last_bucket=bucket)

        out = torch.empty_like(self.static_out[:bs])
        out.copy_(self.static_out[:bs])
        return out
