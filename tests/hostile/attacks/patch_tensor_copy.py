# attack: patch
# base: wrong_view
# outcome: failed: clone or failed: parity, clone
"""Patches Tensor.copy_, by which a grader writes into a result, to write nowhere, so that the
write reaches no static buffer."""

import torch

from exercises.p17.cpu_graph import CpuGraph


def attack():
    plain = torch.Tensor.copy_
    if plain.__name__ != "nowhere":

        def nowhere(self, other, *rest):
            return self if torch.is_inference_mode_enabled() else plain(self, other, *rest)

        torch.Tensor.copy_ = nowhere


try:
    attack()
except BaseException:
    pass


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        self.fn = fn
        self.buckets = sorted(buckets)
        self.static_in = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.static_out = torch.zeros(self.buckets[-1], hidden, dtype=dtype)
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

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
        self.static_in[rows:size] = 0
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows]
