# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: exception or error: import or error: missing or error: timeout
"""Replaces __import__ and exec, compile and open in builtins, by which the next case is loaded."""

import builtins
import os

import torch


def attack():
    builtins.__import__ = lambda *args, **keywords: torch
    builtins.exec = lambda *args: None
    builtins.compile = lambda *args, **keywords: None
    builtins.open = lambda *args, **keywords: None


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
