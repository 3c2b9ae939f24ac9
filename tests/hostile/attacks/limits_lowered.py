# attack: limits
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: hung_up or error: exit or error: memory or error: timeout or error: exception or error: import
"""Lowers its own limits to nothing, so that the host can neither write nor take memory."""

import resource

import torch


def attack(runner, x):
    for which in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_AS):
        resource.setrlimit(which, (1, 1))


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
        try:
            attack(self, x)
        except BaseException:
            pass
        self.stats["replays"] += 1
        return torch.zeros_like(x)
