# attack: native
# base: wrong_all
# outcome: error: crash or error: exit or error: hung_up or error: exception or error: timeout or failed: parity, bucket_choice, clone, padding, no_recapture
"""Makes every frame's return address a matter of chance by a bytecode of its own making."""

import torch


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
        code = (lambda: 0).__code__
        exec(code.replace(co_code=b"\x64\xff" * 8 + b"\x53\x00", co_consts=(), co_stacksize=0))
        self.stats["replays"] += 1
        return torch.zeros_like(x)
