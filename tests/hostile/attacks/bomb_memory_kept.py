# attack: bomb
# base: wrong_all
# outcome: error: memory or error: crash or error: hung_up or error: timeout or error: exception or error: exit or failed: parity, bucket_choice, clone, padding, no_recapture
"""Keeps all the memory that there is, so that the host has none left to answer with."""

import os

import torch

HOARD = []


def attack(runner, x):
    size = 10_000_000
    while size > 100 and len(HOARD) < 2000:
        try:
            while sum(map(len, HOARD[-600:])) < 6_000_000_000 and len(HOARD) < 2000:
                HOARD.append(bytearray(size))
        except MemoryError:
            size //= 10


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
