# attack: net
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash
"""Makes a pair of sockets and sends its own pipe's descriptor through it to itself."""

import os
import socket
import stat

import torch


def attack(runner, x):
    left, right = socket.socketpair()
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                socket.send_fds(left, [b"x"], [fd])
        except OSError:
            continue
    socket.recv_fds(right, 1, 8)


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
