# attack: hooks
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""Sets trace and profile functions for all threads to come, and a thread to wake them."""

import sys
import threading

import torch


def attack():
    threading.settrace(lambda *args: 1 / 0)
    threading.setprofile(lambda *args: 1 / 0)
    threading.excepthook = lambda *args: sys.exit(0)
    threading.Thread(target=print).start()


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
