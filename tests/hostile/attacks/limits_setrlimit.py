# attack: limits
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: memory or error: crash or error: timeout
"""Raises its own limits, then opens five hundred files and takes 1.5 GB."""

import os
import resource

import torch


def attack(runner, x):
    for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_STACK, resource.RLIMIT_CORE):
        for wanted in ((-1, -1), (resource.getrlimit(which)[1],) * 2):
            try:
                resource.setrlimit(which, wanted)
            except (OSError, ValueError):
                continue
    fds = []
    try:
        for _ in range(500):
            fds.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    for fd in fds:
        os.close(fd)
    hoard = [bytearray(100_000_000) for _ in range(15)]
    hoard.clear()


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
