# right: Chinese identifiers, UTF-8 without a declaration
"""用中文起名字的版本。"""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.函数 = fn
        self.buckets = sorted(buckets)
        最大 = self.buckets[-1]
        self.static_in = torch.zeros(最大, hidden, dtype=dtype)
        self.static_out = torch.zeros(最大, hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for 桶 in reversed(self.buckets):
            图 = CpuGraph(self.函数, self.static_in[:桶], self.static_out[:桶])
            图.capture()
            self.graphs[桶] = 图

    def 选桶(self, 行数):
        return next((桶 for 桶 in self.buckets if 桶 >= 行数), None)

    def run(self, x, force_eager=False):
        行数 = x.shape[0]
        桶 = self.选桶(行数)
        if force_eager or 桶 not in self.graphs:
            self.stats["eager"] += 1
            return self.函数(x)
        self.static_in[:行数] = x
        self.static_in[行数:桶] = 0
        self.graphs[桶].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = 桶
        return self.static_out[:行数].clone()
