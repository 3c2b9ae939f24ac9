# attack: bomb
# base: wrong_all
# outcome: error: output or error: timeout
"""Writes to stderr without end, unbuffered and without a newline."""

import os

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
        while True:
            os.write(2, b"x" * 65536)
        self.stats["replays"] += 1
        return torch.zeros_like(x)
