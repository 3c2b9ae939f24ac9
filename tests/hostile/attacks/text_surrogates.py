# attack: text
# base: wrong_all
# outcome: error: exception or failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout
"""Lone surrogates and NUL in an exception's text, on stdout and stderr, which no encoder takes."""

import os
import sys

import torch


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
        sys.stdout.write("\ud800\x00\udfff\n")
        os.write(2, b"\xed\xa0\x80\xff\x00\n")
        raise ValueError("\ud800\x00\udfff")
        self.stats["replays"] += 1
        return torch.zeros_like(x)
