# attack: pipe
# base: wrong_all
# outcome: error: protocol or error: hung_up or error: exit or error: crash or error: timeout or failed: parity, bucket_choice, clone, padding, no_recapture
"""Shuts both directions of the protocol's socket down by ctypes; the grader sees the end and no
pass."""

import ctypes
import os
import stat

import torch

def pipes():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            continue


def attack(runner, x):
    for fd in pipes():
        ctypes.CDLL(None).shutdown(fd, 2)


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
