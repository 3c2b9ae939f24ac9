# right: buffers made by new_zeros and new_empty from a seed tensor
import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        like = torch.empty(0, dtype=dtype)
        self.static_in = like.new_zeros((self.buckets[-1], hidden))
        self.static_out = like.new_empty((self.buckets[-1], hidden))
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
        padding = x.new_zeros((bucket - bs, x.shape[1]))
        torch.cat([x, padding], out=self.static_in[:bucket])
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        result = self.static_out.new_empty((bs, x.shape[1]))
        result.copy_(self.static_out[:bs])
        return result
