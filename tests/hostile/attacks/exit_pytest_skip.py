# attack: exit
# base: wrong_all
# outcome: error: exception or failed: parity, bucket_choice, clone, padding, no_recapture
"""Raises an exception with the name and the shape of pytest's skip, that a case be skipped instead
of failed."""

import torch

class Skipped(BaseException):
    __module__ = "_pytest.outcomes"
    msg = "skipped"
    allow_module_level = True


Skipped.__qualname__ = "skip.Exception"


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
        raise Skipped("no GPU here")
        self.stats["replays"] += 1
        return torch.zeros_like(x)
