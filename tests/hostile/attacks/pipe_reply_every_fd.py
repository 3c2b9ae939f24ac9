# attack: pipe
# base: wrong_all
# outcome: error: protocol or failed: parity, bucket_choice, clone, padding, no_recapture
"""Writes replies to the first 400 requests to every open descriptor, ahead of the host's own: each
reply must belong to the request just sent, so the first stray one ends the grading."""

import json
import os

import torch

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


def attack():
    for fd in range(64):
        try:
            os.set_blocking(fd, False)
            for number in range(400):
                os.write(fd, fake(number))
        except OSError:
            pass
        finally:
            try:
                os.set_blocking(fd, True)
            except OSError:
                pass


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
