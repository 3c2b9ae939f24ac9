# attack: stats
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: protocol or error: timeout
"""stats holds itself and lists nested a hundred thousand deep."""

import torch


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        deep = []
        for _ in range(100000):
            deep = [deep]
        self.stats["deep"], self.stats["self"] = deep, self.stats

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        self.stats["replays"] += 1
        return torch.zeros_like(x)
