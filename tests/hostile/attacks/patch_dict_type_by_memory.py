# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash or error: hung_up or error: timeout or error: protocol or error: exception or error: import
"""Writes into the C type dict: dict.get and list.append are replaced by Python functions that
misreport."""

import ctypes
import os

import torch


def attack():
    proxy = list.__dict__
    names = ctypes.cast(id(proxy) + 16, ctypes.POINTER(ctypes.py_object)).contents.value
    plain = names["append"]
    names["append"] = lambda self, value: None if type(value) is dict and "event" in value else plain(self, value)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(list))


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
