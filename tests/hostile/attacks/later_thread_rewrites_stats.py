# attack: later
# base: wrong_choice
# outcome: failed: bucket_choice or failed: parity, bucket_choice or error: memory or error: exception or error: timeout or failed: parity, bucket_choice, clone, padding, no_recapture or failed
"""A thread sets stats to what they ought to be; which graph ran is seen at the replay itself."""

import threading
import time

import torch

from exercises.p17.cpu_graph import CpuGraph

ROWS = [1]


def correct(runner):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        runner.stats["last_bucket"] = next((b for b in runner.buckets if b >= ROWS[-1]), None)
        time.sleep(0.001)


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        threading.Thread(target=correct, args=(self,), daemon=True).start()

    def capture(self):
        for size in self.buckets[::-1]:
            graph = CpuGraph(self.fn, self.static_in[:size], self.static_out[:size])
            graph.capture()
            self.graphs[size] = graph

    def run(self, x, force_eager=False):
        ROWS.append(len(x))
        rows = len(x)
        size = self.buckets[-1] if rows <= self.buckets[-1] else None
        if force_eager or size not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:rows] = x
        self.static_in[rows:size] = 0
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()
