# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: exception or error: import or error: timeout
"""Leaves a TorchDispatchMode active that makes every operation return zeros, the host's own
included."""

import os

import torch

from torch.utils._python_dispatch import TorchDispatchMode


class Zeros(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return result.zero_() if type(result) is torch.Tensor and "clone" in str(func) else result


def attack():
    Zeros().__enter__()


if "tried" not in os.environ:
    os.environ["tried"] = "1"
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
