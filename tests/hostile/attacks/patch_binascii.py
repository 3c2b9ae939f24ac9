# attack: patch
# base: wrong_parity
# outcome: failed: parity
"""Patches the function that base64 itself calls, in binascii and in base64's namespace."""

import base64
import binascii

import torch

from exercises.p17.cpu_graph import CpuGraph

LAST = {}


def attack():
    plain = binascii.b2a_base64

    def corrected(data, **keywords):
        return plain(LAST.get(bytes(data), data), **keywords)

    binascii.b2a_base64 = base64.binascii.b2a_base64 = corrected


try:
    attack()
except BaseException:
    pass


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
        rows = len(x)
        size = next((b for b in self.buckets if b >= rows), None)
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        right = self.static_out[:rows]
        result = right * (1 + 2**-8)
        raw = [bytes(tensor.contiguous().view(torch.uint8).flatten().tolist()) for tensor in (result, right)]
        LAST[raw[0]] = raw[1]
        return result
