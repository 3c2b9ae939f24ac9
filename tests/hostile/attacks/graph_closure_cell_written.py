# attack: graph
# base: wrong_recapture
# outcome: failed: no_recapture or error: tampered
"""Puts another log into the cell of CpuGraph.capture's closure: one that notes nothing."""

import torch

from exercises.p17.cpu_graph import CpuGraph

class Deaf:
    def __init__(self, log):
        self.log = log

    def emit(self, event, **fields):
        return {} if self.log.quiet else self.log.emit(event, **fields)

    def within(self, name):
        return self.log.within(name)

    def add(self, entry, **fields):
        self.log.add(entry, **fields)


def attack():
    for cell in CpuGraph.capture.__closure__:
        if hasattr(cell.cell_contents, "within"):
            cell.cell_contents.quiet = False
            cell.cell_contents = Deaf(cell.cell_contents)


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
        quiet(True)
        self.graphs[size].capture()
        quiet(False)
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()


def quiet(on):
    try:
        for cell in CpuGraph.capture.__closure__:
            if isinstance(cell.cell_contents, Deaf):
                cell.cell_contents.log.quiet = on
    except BaseException:
        pass
