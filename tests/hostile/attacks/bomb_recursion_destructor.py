# attack: bomb
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: exit or error: timeout
"""A chain of thirty thousand objects that are let go of one inside the other."""

import torch

class Link:
    def __init__(self, inner):
        self.inner = inner

    def __del__(self):
        self.inner = None


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
        chain = None
        for _ in range(30000):
            chain = Link(chain)
        del chain
        self.stats["replays"] += 1
        return torch.zeros_like(x)
