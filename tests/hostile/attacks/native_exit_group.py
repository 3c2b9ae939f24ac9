# attack: native
# base: wrong_all
# outcome: error: crash or error: exit or error: hung_up or failed: parity, bucket_choice, clone, padding, no_recapture
"""The system call exit_group with code 0."""

import ctypes

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
        ctypes.CDLL(None).syscall(231, 0)
        self.stats["replays"] += 1
        return torch.zeros_like(x)
