# attack: pipe
# base: wrong_all
# outcome: error: protocol or error: hung_up or error: exit or error: crash or error: timeout
"""Puts its own pipe over every descriptor above 2, so that the host's replies come to the
submission."""

import os

import torch


def attack(runner, x):
    read, write = os.pipe()
    for fd in range(3, 64):
        if fd not in (read, write):
            os.dup2(write, fd)


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
        return torch.zeros_like(x)
