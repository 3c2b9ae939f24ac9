# attack: gc
# base: wrong_recapture
# outcome: failed: no_recapture
"""Leaves garbage and arguments whose ends come where they may, and walk up the frames from there."""

import gc
import os
import sys
import weakref
from queue import SimpleQueue

import torch

from exercises.p17.cpu_graph import CpuGraph


def clear_log():
    frame = sys._getframe(1)
    while frame is not None:
        log = getattr(frame.f_locals.get("self"), "log", None)
        if hasattr(log, "_events") and any(e["event"] == "replay" for e in log._events):
            log._events[:] = [e for e in log._events if e["event"] != "capture"]
        frame = frame.f_back


class Ends:
    def __del__(self):
        clear_log()


KEPT = []


def litter():
    for _ in range(100):
        end = Ends()
        end.me = end
    end = type("Plain", (), {})()
    end.me = end
    KEPT.append(weakref.ref(end, lambda reference: clear_log()))
    frame = sys._getframe()
    while frame is not None and "put" not in frame.f_locals:
        frame = frame.f_back
    if frame is not None:
        reply, modes = SimpleQueue(), (torch.is_grad_enabled(), torch.is_inference_mode_enabled())
        reply.put(Ends())
        frame.f_locals["put"](("given", 0, (Ends(),), modes, reply))


def attack():
    gc.callbacks.append(lambda phase, info: clear_log())
    gc.set_threshold(1)



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
        litter()
        x.end = Ends()
        weakref.finalize(x, clear_log)
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
