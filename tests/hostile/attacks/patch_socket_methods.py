# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: protocol or error: timeout
"""Replaces socket.socket's send methods by ones that send a pass instead."""

import socket

import torch

from os import write


def os_write(fd, data):
    return write(fd, b'{"id": 1, "value": true, "events": []}\n')


def attack():
    for name in ("send", "sendall", "sendmsg"):
        setattr(socket.socket, name, lambda self, data, *rest: os_write(self.fileno(), data))


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
