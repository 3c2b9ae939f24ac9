# -*- coding: gbk -*-
# right: declared GBK, with Chinese comments and docstrings
"""第十七题：CUDA graph 分桶运行器。"""

import torch

from exercises.p17.cpu_graph import CpuGraph


class GraphRunner:
    """启动时录图，运行时只重放。"""

    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)  # 桶从小到大
        # 静态缓冲区，行数为最大的桶
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        """从最大的桶开始录制。"""
        for b in reversed(self.buckets):
            graph = CpuGraph(self.fn, self.static_in[:b], self.static_out[:b])
            graph.capture()
            self.graphs[b] = graph

    def run(self, x, force_eager=False):
        """运行一个批次。"""
        bs = x.shape[0]
        bucket = next((b for b in self.buckets if b >= bs), None)
        if force_eager or bucket not in self.graphs:  # 没有合适的图，直接计算
            self.stats["eager"] += 1
            return self.fn(x)
        self.static_in[:bs] = x
        self.static_in[bs:bucket] = 0  # 清掉上一批留下的脏行
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.static_out[:bs].clone()  # 拷贝出来，和静态缓冲区脱钩
