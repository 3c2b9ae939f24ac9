# attack: hooks
# base: wrong_all
# outcome: error: hung_up or error: crash or error: exit or error: protocol or error: timeout or error: exception or failed: parity, bucket_choice, clone, padding, no_recapture
"""Sets the recursion limit so low that the host's own calls raise RecursionError."""

import sys

import torch

def inspect_depth():
    depth, frame = [], sys._getframe()
    while frame is not None:
        depth.append(frame)
        frame = frame.f_back
    return depth + [None] * 3


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
        sys.setrecursionlimit(len(inspect_depth()) + 2)
        self.stats["replays"] += 1
        return torch.zeros_like(x)
