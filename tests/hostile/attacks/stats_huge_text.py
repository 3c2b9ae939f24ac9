# attack: stats
# base: wrong_all
# outcome: error: protocol or error: memory or failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""A counter that is a text of 64 MB: more than a reply may be."""

import torch


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.stats["replays"] = "9" * (64 << 20)

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        return torch.zeros_like(x)
