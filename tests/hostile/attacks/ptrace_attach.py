# attack: ptrace
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: timeout
"""Attaches to its parent as a debugger does, and lets go again."""

import ctypes
import os

import torch


def attack(runner, x):
    libc = ctypes.CDLL(None)
    for request in (16, 0x4206):
        if libc.ptrace(request, os.getppid(), 0, 0) == 0:
            os.waitpid(os.getppid(), 0x40000000)
            libc.ptrace(17, os.getppid(), 0, 0)


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
