# attack: stats
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: timeout
"""stats is a mapping whose keys are mappings, tensors and the mapping itself, which the grading
side cannot use as keys."""

import collections.abc

import torch

class Stats(collections.abc.Mapping):
    def __getitem__(self, key):
        return 0

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(({}, {"a": {}}, torch.zeros(2), [[[]]], float("nan"), b"x", 1, True, 1.0))

    def __len__(self):
        return 9


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
