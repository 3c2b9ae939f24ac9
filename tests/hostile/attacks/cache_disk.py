# attack: cache
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Keeps batches and results in files of the temporary folder and home, to find them in the next
grading."""

import os
import pickle
import tempfile

import torch


def attack(runner, x):
    for folder in (tempfile.gettempdir(), os.path.expanduser("~")):
        path = os.path.join(folder, "seen.pickle")
        if os.path.exists(path):
            with open(path, "rb") as file:
                seen = pickle.load(file)
        else:
            seen = []
        with open(path, "wb") as file:
            pickle.dump(seen[-20:] + [x.tolist()], file)


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
