# attack: file
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Opens the solution, the checks, the given library, torch and the standard library for appending,
and writes nothing."""

import os
import pathlib
import sys

import torch


def attack():
    root = pathlib.Path(sys.modules["exercises.p17.cpu_graph"].__file__).resolve().parents[2]
    for path in (root / "solutions/p17_graph_runner.py", root / "exercises/p17/cpu_graph.py", torch.__file__, os.__file__, "/etc/passwd"):
        try:
            open(path, "a").close()
            print("can be written to:", path)
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
