# attack: hooks
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: exception or error: timeout
"""Turns every warning into an exception and replaces the function that shows them."""

import warnings

import torch


def attack():
    warnings.simplefilter("error")
    warnings.showwarning = warnings.warn = lambda *args, **keywords: 1 / 0


try:
    attack()
except BaseException:
    pass


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
