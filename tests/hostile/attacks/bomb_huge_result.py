# attack: bomb
# base: wrong_all
# outcome: error: memory or error: protocol or error: crash or error: timeout or error: result or error: exception or failed: parity, bucket_choice, clone, padding, no_recapture
"""A result of a thousand million rows that are one element expanded: small here, gigabytes once
written out."""

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
        self.stats["replays"] += 1
        return torch.zeros(1, 1, dtype=x.dtype).expand(10**9, 3)
