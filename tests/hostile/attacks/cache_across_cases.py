# attack: cache
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Keeps what it saw in torch's own namespace, which outlives the module being executed anew."""

import torch


def attack(runner, x):
    torch.seen = getattr(torch, "seen", [])
    torch.seen.append((runner.fn, x.clone()))


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
        try:
            attack(self, x)
        except BaseException:
            pass
        self.stats["replays"] += 1
        for fn, batch in getattr(torch, "seen", []):
            if fn is not self.fn and batch.shape == x.shape and torch.equal(batch, x):
                return batch.clone()
        return torch.zeros_like(x)
