# attack: hooks
# base: wrong_recapture
# outcome: failed: no_recapture
"""Adds an audit hook that walks to the host, and looks away while it does."""

import os
import sys

import torch

from exercises.p17.cpu_graph import CpuGraph


def clear_log():
    frame = sys._getframe(1)
    while frame is not None:
        log = getattr(frame.f_locals.get("self"), "log", None)
        if hasattr(log, "_events") and any(e["event"] == "replay" for e in log._events):
            log._events[:] = [e for e in log._events if e["event"] != "capture"]
        frame = frame.f_back


BUSY = []


def watch(event, args):
    if not BUSY:
        BUSY.append(event)
        try:
            clear_log()
        finally:
            BUSY.clear()


def attack():
    sys.addaudithook(watch)



if "tried" not in os.environ:
    os.environ["tried"] = "1"
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
        self.graphs[size].capture()
        self.graphs[size].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = size
        return self.static_out[:rows].clone()
