# attack: bomb
# base: wrong_all
# outcome: error: timeout
"""An endless loop that catches everything, with every signal that can be ignored or blocked
ignored and blocked."""

import signal

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
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except BaseException:
                continue
        signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, 65)))
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
        self.stats["replays"] += 1
        return torch.zeros_like(x)
