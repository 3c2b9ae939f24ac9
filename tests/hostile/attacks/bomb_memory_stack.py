# attack: bomb
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: memory or error: crash or error: timeout or error: exception
"""Threads that reserve stacks of 512 MB and fill 100 MB each."""

import ctypes
import os
import threading

import torch


def attack(runner, x):
    threading.stack_size(512 << 20)

    def deep():
        ctypes.memset(ctypes.create_string_buffer(100_000_000), 1, 100_000_000)

    for _ in range(10):
        threading.Thread(target=deep, daemon=True).start()


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
