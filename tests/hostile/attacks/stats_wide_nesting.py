# attack: stats
# base: wrong_all
# outcome: failed: parity, bucket_choice, clone, padding, no_recapture or error: timeout or error: memory or error: protocol
"""stats holds lists of ten thousand lists of ten thousand: within each limit of depth and length,
and yet 10**8 items."""

import torch


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = list(buckets)
        self.static_in = torch.zeros(1, hidden, dtype=dtype)
        self.static_out = self.static_in
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        row = [0] * 9999
        self.stats["wide"] = [[row] * 9999] * 9999

    def capture(self):
        self.stats["last_bucket"] = 0

    def run(self, x, force_eager=False):
        self.stats["replays"] += 1
        return torch.zeros_like(x)
