# attack: text
# base: wrong_all
# outcome: error: exception or failed: parity, bucket_choice, clone, padding, no_recapture or error: exit or error: crash or error: timeout
"""The exception's __str__ and __repr__ raise it again, call one another for ever, or exit."""

import sys

import torch

class Slippery(Exception):
    def __str__(self):
        return repr(self)

    def __repr__(self):
        try:
            return str(self)
        except RecursionError:
            sys.exit(0)


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
        raise Slippery
        self.stats["replays"] += 1
        return torch.zeros_like(x)
