# attack: subclass
# base: wrong_all
# outcome: error: result
"""Returns no tensor at all but an object that equals everything and answers every attribute."""

import torch

class Duck:
    shape = (1, 3)

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **keywords):
        return self

    def __eq__(self, other):
        return True

    def __bool__(self):
        return True

    __hash__ = object.__hash__


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
        return Duck()
