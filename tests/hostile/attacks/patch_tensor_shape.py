# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: protocol or error: exception or error: import
"""Puts properties for shape, dtype, stride and storage_offset on torch.Tensor that answer as
wished."""

import torch


def attack():
    torch.Tensor.shape = property(lambda self: torch.Size([16, 3]))
    torch.Tensor.dtype = property(lambda self: torch.float32)
    torch.Tensor.stride = lambda self, *rest: (3, 1)
    torch.Tensor.numel = lambda self: 48
    torch.Tensor.element_size = lambda self: 4


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
