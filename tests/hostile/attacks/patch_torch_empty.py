# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Patches torch.empty, empty_strided, frombuffer and tensor, which make the batches: every batch
becomes zeros, for which zeros may be right."""

import torch


def attack():
    plain = torch.frombuffer
    torch.frombuffer = lambda data, dtype: torch.zeros_like(plain(data, dtype=dtype))
    torch.empty_strided = lambda shape, strides, dtype: torch.zeros(shape, dtype=dtype)
    torch.tensor = lambda data, **keywords: torch.zeros(3, 3)


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
