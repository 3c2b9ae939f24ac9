# attack: decoy
# base: wrong_stale
# outcome: failed: padding, no_recapture or failed: padding or failed: bucket_choice, padding, no_recapture
"""static_in is a property that hands out a copy with its padding cleared; what the graph read is
seen at the replay."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self._in, self._rows = torch.zeros(self.buckets[-1], hidden, dtype=dtype), 0
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self._in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self._in[:rows] = x
        self._rows = rows
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()

    @property
    def static_in(self):
        shown = self._in.clone()
        shown[self._rows:] = 0
        return shown
