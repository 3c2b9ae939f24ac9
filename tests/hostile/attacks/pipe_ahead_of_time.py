# attack: pipe
# base: wrong_pretend
# outcome: error: protocol or failed: bucket_choice, clone, padding
"""From the fifth run on pushes replies with made-up replay events for the requests to come into
the protocol's pipe. A reply that was there before its request is out of order."""

import json
import os
import stat

import torch

from exercises.p17.cpu_graph import CpuGraph

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


CALLS = []


def attack(runner, x):
    CALLS.append(x)
    if len(CALLS) < 5:
        return
    for fd in range(3, 64):
        try:
            if not stat.S_ISSOCK(os.fstat(fd).st_mode):
                continue
            for number in range(1000):
                os.write(fd, fake(number))
        except OSError:
            continue


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        try:
            attack(self, x)
        except BaseException:
            pass
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        result = self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.static_out[:rows] = result
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return result
