# attack: ptrace
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash
"""Reads and writes its parent's memory by process_vm_readv and process_vm_writev."""

import ctypes
import os

import torch


def attack(runner, x):
    libc = ctypes.CDLL(None)
    area = ctypes.create_string_buffer(16)

    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    mine = Vector(ctypes.addressof(area), 16)
    same = Vector(ctypes.addressof(area), 16)
    for vm in (libc.process_vm_readv, libc.process_vm_writev):
        vm(os.getppid(), ctypes.byref(mine), 1, ctypes.byref(same), 1, 0)


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
        if "tried" not in os.environ:
            os.environ["tried"] = "1"
            try:
                attack(self, x)
            except BaseException:
                pass
        self.stats["replays"] += 1
        return torch.zeros_like(x)
