# attack: stats
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""stats is a dict subclass with every key there is, whose items come from __missing__."""

import torch

class Stats(dict):
    def __missing__(self, key):
        return 0

    def __contains__(self, key):
        return True


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.stats = Stats()

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        self.stats["replays"] += 1
        return torch.zeros_like(x)
