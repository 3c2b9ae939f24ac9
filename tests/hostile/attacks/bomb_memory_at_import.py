# attack: bomb
# base: wrong_all
# outcome: error: memory or error: crash or error: timeout
"""A text doubled up to 6 GB while it is imported."""

import torch

text = "x" * 1_000_000
while len(text) < 6_000_000_000:
    text += text[:6_000_000_000 - len(text)]


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
