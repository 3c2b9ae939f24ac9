# attack: decoy
# base: wrong_view
# outcome: failed: clone, no_recapture or failed: clone or failed: bucket_choice, clone, no_recapture
"""A decoy static_out during runs and the true one while graphs are compared: the property tells
them by the number of reads."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self._out, self._spare, self._ran = torch.zeros(self.buckets[-1], hidden, dtype=dtype), torch.zeros(self.buckets[-1], hidden, dtype=dtype), False
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:size], self._out[:size])
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
        self._ran = True
        return self._out[:rows]

    @property
    def static_out(self):
        return self._spare if self._ran else self._out
