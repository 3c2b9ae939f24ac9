# attack: stats
# base: wrong_pretend
# outcome: failed: bucket_choice, clone, padding or failed: bucket_choice, clone, padding, no_recapture or failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""stats and graphs carry the protocol's own tags as plain keys and values, to be read as tensors
and objects on the other side."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.stats["$"] = "tensor"
        self.stats["event"] = {"$": "ref", "ref": 0, "event": "replay", "within": None}
        self.graphs["$"] = "map"
        self.graphs["items"] = [["replays", 1]]

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
        result = self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.static_out[:rows] = result
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return result
