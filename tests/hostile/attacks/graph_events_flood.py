# attack: graph
# base: wrong_all
# outcome: error: events
"""Replays a graph of its own twenty thousand times in a run: more events than a reply carries."""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        graph = CpuGraph(lambda rows: rows, torch.zeros(1, 1), torch.zeros(1, 1))
        graph.capture()
        for _ in range(20000):
            graph.replay()
        self.stats["replays"] += 1
        return torch.zeros_like(x)
