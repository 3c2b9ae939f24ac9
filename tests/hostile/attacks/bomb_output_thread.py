# attack: bomb
# base: wrong_all
# outcome: error: output or failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""Threads write to both streams by os.write while run goes on as if nothing were."""

import os
import threading

import torch


def attack(runner, x):
    def flood(fd):
        for _ in range(5000):
            os.write(fd, b"\x1b[2Jx" * 10000)

    for fd in (1, 2, 1, 2):
        threading.Thread(target=flood, args=(fd,), daemon=True).start()


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
