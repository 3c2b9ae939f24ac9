# attack: text
# base: wrong_all
# outcome: error: exception or failed: parity, bucket_choice, clone, padding, no_recapture or error: memory or error: timeout
"""An exception's text of 200 MB, for the grader to carry and show."""

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
        raise ValueError("A" * (200 << 20))
        self.stats["replays"] += 1
        return torch.zeros_like(x)
