# attack: pipe
# base: wrong_all
# outcome: error: protocol or error: hung_up or failed: parity, bucket_choice, clone, padding, no_recapture
"""Points standard output at the protocol's socket and prints a reply there; print must not reach
the grader's parser as a reply."""

import json
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

def fake(number):
    zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="[:16]
    tensor = {"$": "tensor", "ref": 0, "dtype": "float32", "shape": [1, 3], "strides": [3, 1],
              "offset": 0, "data": zeros}
    stats = {"$": "map", "items": [["replays", 1], ["eager", 0], ["last_bucket", 1]]}
    replay = {"event": "replay", "within": None, "graph": {"$": "object", "ref": 1, "type": "CpuGraph"},
              "input": tensor, "output": tensor}
    reply = {"id": number, "value": tensor, "events": [replay],
             "after": {"static_in": tensor, "static_out": tensor, "stats": stats}}
    return json.dumps(reply).encode() + b"\n"


def attack(runner, x):
    for fd in pipes():
        os.dup2(fd, 1)
        os.write(1, fake(3))


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
