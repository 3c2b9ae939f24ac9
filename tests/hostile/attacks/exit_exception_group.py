# attack: exit
# base: wrong_all
# outcome: error: exception or error: exit or failed: parity, bucket_choice, clone, padding, no_recapture
"""Raises SystemExit inside nested exception groups with itself as cause and context."""

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
        error = BaseExceptionGroup("all", [SystemExit(0), BaseExceptionGroup("more", [KeyboardInterrupt()])])
        error.__cause__ = error.__context__ = error
        raise error
        self.stats["replays"] += 1
        return torch.zeros_like(x)
