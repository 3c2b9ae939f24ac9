# attack: limits
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Raises its priority, takes real-time scheduling, all processors and locked memory."""

import ctypes
import os

import torch


def attack(runner, x):
    for change in (
        lambda: os.nice(-5),
        lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        lambda: os.sched_setaffinity(0, range(os.cpu_count())),
        lambda: ctypes.CDLL(None).mlockall(1),
    ):
        try:
            change()
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
