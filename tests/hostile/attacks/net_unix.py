# attack: net
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: crash
"""Connects to the machine's own services: log, container engine, message bus, display."""

import os
import socket

import torch


def attack(runner, x):
    for place in ("/dev/log", "/var/run/docker.sock", "/run/systemd/private", "/run/dbus/system_bus_socket", "\0/tmp/.X11-unix/X0"):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(socket.AF_UNIX, kind) as out:
                    out.connect(place)
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
