# attack: bomb
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: exception or error: timeout
"""A result whose strides are made up, overlapping and beyond its storage."""

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
        return torch.zeros(9).as_strided((len(x), 3), (0, 1)) if len(x) < 4 else torch.zeros(0).expand(0, 3)
