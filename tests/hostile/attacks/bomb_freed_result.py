# attack: bomb
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: hung_up or error: protocol or error: timeout
"""A result over memory that has been given back: reading it may crash, and shows nothing of
others."""

import ctypes

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
        self.stats["replays"] += 1
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        address = libc.malloc(1 << 22)
        area = (ctypes.c_float * (len(x) * 3)).from_address(address)
        result = torch.frombuffer(area, dtype=torch.float32).reshape(len(x), 3)
        libc.free(ctypes.c_void_p(address))
        return result
