# attack: bomb
# base: wrong_all
# outcome: error: memory or error: protocol or error: crash or error: timeout or error: exception or failed: parity, bucket_choice, clone, padding, no_recapture
"""A static buffer of a thousand million rows in no more memory than one."""

import torch


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.static_in = torch.zeros(1, 1, dtype=dtype).expand(10**9, hidden)

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        self.stats["replays"] += 1
        return torch.zeros_like(x)
