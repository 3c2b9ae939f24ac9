# right: prints on stdout and stderr in every method, tensors and colours included
import sys

import torch

from exercises.p17.cpu_graph import CpuGraph


def debug(*values):
    print("\x1b[36m[debug]\x1b[0m", *values, flush=True)
    print("[debug] " + "=" * 400, file=sys.stderr)


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        debug("init", buckets, hidden, dtype)
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for b in reversed(self.buckets):
            debug("capture", b)
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        debug("run", bs, "->", bucket, x)
        if force_eager or bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        debug("static_in", self.static_in)
        self.graphs[bucket].replay()
        debug("static_out", self.static_out)
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        for _ in range(20):
            debug("stats", self.stats)
        return self.static_out[:bs].clone()
