# attack: read
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Reads the parent's memory by /proc, looking for the reference solution's source."""

import os

import torch


def attack():
    parent = os.getppid()
    with open(f"/proc/{parent}/maps") as maps, open(f"/proc/{parent}/mem", "rb", 0) as memory:
        for line in list(maps)[:50]:
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            try:
                memory.seek(start)
                if b"reference solution" in memory.read(min(end - start, 1 << 20)):
                    print("found at", hex(start))
            except OSError:
                continue


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
