# attack: pipe
# base: wrong_all
# outcome: error: protocol or failed: parity, bucket_choice, clone, padding, no_recapture
"""Writes bytes that are no UTF-8 and no JSON to every descriptor; a line that is no message ends
the grading."""

import os

import torch


def attack():
    for fd in range(64):
        try:
            os.write(fd, b"\xff\xfe\x00{]}\n" * 10)
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
