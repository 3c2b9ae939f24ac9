# attack: graph
# base: wrong_recapture
# outcome: failed: no_recapture or error: tampered
"""Replaces CpuGraph in the given module by a copy of its code that notes replays and forgets
captures but the first."""

import sys

import torch

from exercises.p17.cpu_graph import CpuGraph


def attack():
    module = sys.modules["exercises.p17.cpu_graph"]

    class Quiet(CpuGraph):
        def capture(self):
            if self.captured:
                self.captured = True
            else:
                CpuGraph.capture(self)

    if module.CpuGraph.__name__ != "Quiet":
        module.CpuGraph = Quiet


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
        self.graphs[size].capture()
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()
