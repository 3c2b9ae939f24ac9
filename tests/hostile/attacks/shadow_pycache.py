# attack: shadow
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Writes compiled files next to the given library and torch, which Python would load instead of
the sources; where a folder can be written to, nothing stays."""

import os
import sys

import torch


def attack():
    for module in (torch, sys.modules["exercises.p17.cpu_graph"], os):
        folder = os.path.join(os.path.dirname(module.__file__), "__pycache__")
        path = os.path.join(folder, "hostile_corpus.cpython-311.pyc")
        with open(path, "xb"):
            pass
        os.unlink(path)


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
