# attack: kill
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: exit or error: hung_up or error: timeout
"""Goes through process numbers and stops whichever there is but itself."""

import os
import signal

import torch

def alone():
    """Whether this is a process namespace of its own; elsewhere nothing but signal 0 is sent."""
    return os.getpid() < 64


def attack(runner, x):
    for pid in range(2, 5000):
        if pid != os.getpid():
            try:
                os.kill(pid, signal.SIGSTOP if alone() else 0)
            except OSError:
                continue


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
