# attack: exit
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: exit or error: exception
"""Reading stats exits with code 0, where only the watching of attributes hears it."""

import sys

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
        pass

    def run(self, x, force_eager=False):
        return torch.zeros_like(x)

    @property
    def stats(self):
        return sys.exit(0)

    @stats.setter
    def stats(self, value):
        pass
