# right: leaves a daemon and a non-daemon thread behind that never end
import threading
import time

import torch

from exercises.p17.cpu_graph import CpuGraph


def idle():
    while True:
        time.sleep(0.2)


threading.Thread(target=idle, name="watcher", daemon=True).start()


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}
        self.worker = None

    def capture(self):
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph
        self.worker = threading.Thread(target=idle, name="worker")
        self.worker.start()

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
