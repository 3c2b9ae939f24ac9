# attack: bomb
# base: wrong_all
# outcome: error: timeout or error: memory or error: crash
"""A power with a thousand million for its exponent: one operation of Python's own that would need
hours and cannot be interrupted."""

import torch


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
        self.number = 3 ** 10**9
        self.stats["replays"] += 1
        return torch.zeros_like(x)
