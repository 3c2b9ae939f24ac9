# attack: stats
# base: wrong_all
# outcome: error: timeout or error: memory or error: protocol or failed: parity, bucket_choice, clone, padding, no_recapture
"""stats is a mapping whose iterator never ends, though its length says 3."""

import collections.abc
import itertools

import torch

class Stats(collections.abc.Mapping):
    def __getitem__(self, key):
        return 0

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return itertools.count()

    def __len__(self):
        return 3


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.stats = Stats()

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        self.stats["replays"] += 1
        return torch.zeros_like(x)
