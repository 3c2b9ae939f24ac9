# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: exception or error: import or error: result or error: signature or error: missing or error: timeout
"""Replaces builtins.type so that anything with a shape has the type of a plain tensor."""

import builtins

import torch

class Claims:
    """Looks like a tensor and holds none."""

    shape, layout, dtype, device = (1, 3), torch.strided, torch.float32, torch.device("cpu")


def attack():
    plain = builtins.type

    class Kind(plain):
        def __new__(cls, value, *rest):
            return torch.Tensor if plain(value) is Claims else plain(value, *rest)

    builtins.type = Kind


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
        return Claims()
