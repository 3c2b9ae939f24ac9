# attack: patch
# base: wrong_parity
# outcome: failed: parity or failed: parity, padding or error: exception
"""Patches multiplication, which the exercise's own functions use here and the reference's
elsewhere, so that both err alike."""

import torch

from exercises.p17.cpu_graph import CpuGraph


def attack():
    for name in ("__mul__", "__matmul__", "__add__"):
        def slightly(self, other, plain=getattr(torch.Tensor, name)):
            return plain(self, other) + 2**-20

        if getattr(torch.Tensor, name).__name__ != "slightly":
            setattr(torch.Tensor, name, slightly)


try:
    attack()
except BaseException:
    pass


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows] * (1 + 2**-8)
