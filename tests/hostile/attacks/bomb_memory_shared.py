# attack: bomb
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: memory or error: crash or error: timeout or error: exception
"""Gigabytes in memory that no limit of address space counts: memfd, /dev/shm and shared mappings."""

import os

import torch


def attack(runner, x):
    fds = []
    try:
        fds.append(os.memfd_create("hoard"))
    except OSError:
        pass
    try:
        fds.append(os.open("/dev/shm/hostile-corpus", os.O_RDWR | os.O_CREAT))
        os.unlink("/dev/shm/hostile-corpus")
    except OSError:
        pass
    for fd in fds:
        for _ in range(200):
            os.write(fd, b"x" * 10_000_000)


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
