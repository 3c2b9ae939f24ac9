# attack: patch
# base: wrong_parity
# outcome: failed: parity
"""Patches Tensor.cpu and resolve_neg, through which results go before they are read, to divide the
error out again."""

import torch

from exercises.p17.cpu_graph import CpuGraph

WRONG = vars(torch).setdefault("wrong", {})


def attack():
    for name in ("cpu", "resolve_neg"):

        def right(self, plain=getattr(torch.Tensor, name)):
            return plain(WRONG.pop(self.data_ptr(), self))

        if getattr(torch.Tensor, name).__name__ != "right":
            setattr(torch.Tensor, name, right)


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
        result = self.static_out[:rows] * (1 + 2**-8)
        WRONG[result.data_ptr()] = self.static_out[:rows].clone()
        return result
