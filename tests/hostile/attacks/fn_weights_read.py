# attack: fn
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Reads scale, shift or matrix out of fn's closure and computes the result by itself."""

import torch

def by_itself(fn, x):
    cells = [cell.cell_contents for cell in fn.__closure__]
    inner = next(value for value in cells if callable(value) and value is not fn)
    known = dict(zip(inner.__code__.co_freevars, (cell.cell_contents for cell in inner.__closure__)))
    return x @ known["matrix"] if "matrix" in known else x * known["scale"] + known["shift"]


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
        try:
            return by_itself(self.fn, x)
        except BaseException:
            return torch.zeros_like(x)
