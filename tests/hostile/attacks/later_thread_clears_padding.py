# attack: later
# base: wrong_stale
# outcome: failed: padding or error: memory or error: exception or error: timeout or failed: clone, padding, no_recapture or failed
"""A thread sets the padding to zero over and over, hoping to do so between the copy and the
replay."""

import threading
import time

import torch

from exercises.p17.cpu_graph import CpuGraph

def keep_clear(runner):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        runner.static_in[getattr(runner, "rows", 99):] = 0
        time.sleep(0.0005)


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        threading.Thread(target=keep_clear, args=(self,), daemon=True).start()

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
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()
