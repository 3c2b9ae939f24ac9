# attack: net
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash
"""Connects to ports of this machine and to addresses in the network and beyond by TCP."""

import os
import socket

import torch


def attack(runner, x):
    for place in (("127.0.0.1", 22), ("127.0.0.1", 80), ("::1", 6379), ("169.254.169.254", 80), ("192.0.2.1", 80)):
        try:
            with socket.create_connection(place, timeout=0.2) as connection:
                connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                print("connected", place)
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
