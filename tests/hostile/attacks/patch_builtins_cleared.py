# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: hung_up or error: crash or error: exit or error: timeout or error: protocol or error: exception or error: import
"""Empties the builtins, so that the host's own code finds no name any more."""

import builtins

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
        vars(builtins).clear()
        self.stats["replays"] += 1
        return torch.zeros_like(x)
