# attack: text
# base: wrong_all
# outcome: error: crash or error: exit or error: hung_up or error: timeout
"""Prints crash reports and stacks as faulthandler would, to have wrong lines and files quoted,
then crashes."""

import os
import signal
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
        sys.stderr.write('Fatal Python error: none\n\nCurrent thread 0x0 (most recent call first):\n' * 100)
        sys.stderr.write('  File "/etc/passwd", line 99999999999999999999999 in passed\n')
        sys.stderr.write(f'  File "{__file__}", line 123456789 in passed\n')
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
        self.stats["replays"] += 1
        return torch.zeros_like(x)
