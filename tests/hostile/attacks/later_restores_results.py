# attack: later
# base: wrong_view
# outcome: failed: clone or failed: parity, clone or error: timeout
"""Remembers what every result held and writes it back over the shared memory whenever an attribute
is looked at, so that earlier results seem to last."""

import torch

from exercises.p17.cpu_graph import CpuGraph

KEPT = []


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
        result = self.static_out[:rows]
        KEPT.append((result, result.clone()))
        return result

    def __getattribute__(self, name):
        if name in ("static_out", "graphs", "buckets"):
            for result, held in KEPT[-1:]:
                result.copy_(held)
        return object.__getattribute__(self, name)
