# attack: pipe
# base: wrong_all
# outcome: error: protocol or failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout or error: hung_up
"""Sends 20 MiB without a newline: more than a reply may be, and the grader must not go on
collecting it. It ends the grading as a breach of the protocol, or changes nothing."""

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
    for fd in pipes():
        sent, data = 0, b"1" * (20 << 20)
        while sent < len(data):
            sent += os.write(fd, data[sent:])


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
