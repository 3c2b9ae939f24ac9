# attack: decoy
# base: wrong_all
# outcome: error: protocol or error: result or error: exception or failed: parity, bucket_choice, clone, padding, no_recapture
"""GraphRunner is itself a tensor class: new gives a tensor instead of an object."""

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
        return torch.zeros_like(x)

    def __new__(cls, *args, **keywords):
        return torch.zeros(1)
