# attack: bomb
# base: wrong_all
# outcome: error: memory or error: crash or error: timeout or error: exception or failed: parity, bucket_choice, clone, padding, no_recapture
"""Six gigabytes of anonymous mappings, every page written to."""

import mmap

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
        self.hoard = []
        for _ in range(60):
            area = mmap.mmap(-1, 100_000_000)
            for page in range(0, 100_000_000, 4096):
                area[page] = 1
            self.hoard.append(area)
        self.stats["replays"] += 1
        return torch.zeros_like(x)
