# attack: graph
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: tampered
"""Replaces CpuGraph.replay and capture by methods that do nothing."""

import torch

from exercises.p17.cpu_graph import CpuGraph


def attack():
    CpuGraph.replay = CpuGraph.capture = lambda self: None


try:
    attack()
except BaseException:
    pass


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
        self.stats["replays"] += 1
        return torch.zeros_like(x)
