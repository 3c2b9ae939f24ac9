# attack: text
# base: wrong_all
# outcome: error: exception or failed: parity, bucket_choice, clone, padding, no_recapture or error: exit or error: hung_up or error: timeout
"""The exception's text is a str subclass whose len, slices and encoding lie."""

import torch

class Text(str):
    def __len__(self):
        return -1

    def __getitem__(self, key):
        return self

    def __str__(self):
        return self

    def encode(self, *rest):
        raise SystemExit(0)


class Says(Exception):
    def __str__(self):
        return Text("passed")


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
        raise Says
        self.stats["replays"] += 1
        return torch.zeros_like(x)
