# attack: patch
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: hung_up or error: protocol or error: exception or error: import
"""Patches json.loads and the decoder so that every request becomes a greeting."""

import json
import os

import torch


def attack():
    plain = json.loads

    def other(text, **keywords):
        request = plain(text, **keywords)
        return {"id": request["id"], "op": "hello"} if "id" in request else request

    json.loads = other
    json.JSONDecoder.decode = lambda self, text, *rest: other(text)


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
