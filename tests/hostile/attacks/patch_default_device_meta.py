# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: result or error: crash or error: protocol or error: exception or error: import
"""Sets the default device to meta and the default dtype to float16, under which the host makes
tensors without any content."""

import torch


def attack():
    torch.set_default_dtype(torch.float16)
    torch.set_default_device("meta")


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
