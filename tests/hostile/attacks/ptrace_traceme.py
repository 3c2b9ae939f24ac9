# attack: ptrace
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: timeout
"""Asks its parent to trace it, so that its own stops and its end look otherwise to whoever waits
for it."""

import ctypes
import os

import torch


def attack(runner, x):
    ctypes.CDLL(None).ptrace(0, 0, 0, 0)


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
        if "tried" not in os.environ:
            os.environ["tried"] = "1"
            try:
                attack(self, x)
            except BaseException:
                pass
        self.stats["replays"] += 1
        return torch.zeros_like(x)
