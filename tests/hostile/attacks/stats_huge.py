# attack: stats
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: memory or error: timeout or error: protocol
"""stats holds two hundred thousand entries, more than a reply may carry."""

import torch


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.stats.update(dict.fromkeys(range(200_000)))

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        self.stats["replays"] += 1
        return torch.zeros_like(x)
