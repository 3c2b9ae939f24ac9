# attack: fork
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: exit or error: hung_up or error: crash
"""execve by ctypes of /bin/sh and of /proc/self/exe."""

import ctypes
import os

import torch


def attack(runner, x):
    libc = ctypes.CDLL(None)
    for path in (b"/proc/self/exe", b"/bin/sh"):
        argv = (ctypes.c_char_p * 4)(path, b"-c", b"exit", None)
        libc.execve(path, argv, None)


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
