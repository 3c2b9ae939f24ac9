# attack: decoy
# base: wrong_view
# outcome: failed: clone, no_recapture or failed: clone or failed: bucket_choice, clone, no_recapture or error: exception
"""Attributes answer the host's frames with decoys and the runner's own methods with the truth."""

import sys

import torch

from exercises.p17.cpu_graph import CpuGraph

DECOYS = {}


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
        return self.static_out[:rows]

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        if name == "static_out":
            try:
                asked_by = sys._getframe(1).f_globals.get("__name__", "")
            except BaseException:
                return value
            if asked_by != __name__:
                return DECOYS.setdefault(id(self), value.clone())
        return value
