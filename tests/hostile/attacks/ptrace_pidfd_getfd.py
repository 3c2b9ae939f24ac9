# attack: ptrace
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: import
"""Takes descriptors out of its parent by pidfd_getfd."""

import ctypes
import os
import platform

import torch

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *args):
    """A system call of x86-64."""
    if platform.machine() == "x86_64":
        return libc.syscall(number, *args)
    return -1


def attack(runner, x):
    fd = call(434, os.getppid(), 0)
    for number in range(64):
        taken = call(438, fd, number, 0)
        if taken >= 0:
            print("got", os.readlink(f"/proc/self/fd/{taken}"))


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
