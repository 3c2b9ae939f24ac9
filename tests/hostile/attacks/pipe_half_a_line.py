# attack: pipe
# base: wrong_all
# outcome: error: timeout or error: protocol
"""Sends half a reply and then nothing: the grader must not wait longer than its limit."""

import os
import stat
import time

import torch

def pipes():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            continue


def attack(runner, x):
    for fd in pipes():
        os.write(fd, b'{"id": 5, "value": ')
    time.sleep(20)


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
        try:
            attack(self, x)
        except BaseException:
            pass
        self.stats["replays"] += 1
        return torch.zeros_like(x)
