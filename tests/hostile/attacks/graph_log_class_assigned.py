# attack: graph
# base: wrong_recapture
# outcome: error: tampered
"""Makes the event log an object of another class, which notes nothing."""

import torch

from exercises.p17.cpu_graph import CpuGraph

def log_of_graphs():
    """The event log, out of the closure of the given graph's own method."""
    for cell in CpuGraph.replay.__closure__:
        if hasattr(cell.cell_contents, "emit"):
            return cell.cell_contents
    raise LookupError


def attack(runner, x):
    log = log_of_graphs()

    class Silent(type(log)):
        def begin(self, event, **fields): pass
        def end(self, **fields): pass

    log.__class__ = Silent


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
        self.graphs[size].capture()
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        try:
            attack(self, x)
        except BaseException:
            pass
        return self.static_out[:rows].clone()
