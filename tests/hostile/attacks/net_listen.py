# attack: net
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash
"""Listens on a port and on an abstract socket, for a later submission to ask it for answers."""

import os
import socket

import torch

KEPT = []


def attack(runner, x):
    for family, place in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, b"\0hostile-corpus")):
        try:
            KEPT.append(socket.socket(family, socket.SOCK_STREAM))
            KEPT[-1].bind(place)
            KEPT[-1].listen()
        except OSError:
            continue


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
