# right: run is decorated with torch.no_grad and with a decorator of the student's own
import functools
import time

import torch

from exercises.p17.cpu_graph import CpuGraph


def timed(method):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        begin = time.perf_counter()
        try:
            return method(self, *args, **kwargs)
        finally:
            self.seconds += time.perf_counter() - begin

    return wrapper


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.seconds = 0.0
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    @timed
    def capture(self):
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    @timed
    @torch.no_grad()
    def run(self, x, force_eager=False):
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        if force_eager or bucket not in self.graphs:
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.static_out[:bs].clone()
