# attack: fork
# base: right
# outcome: passed or error: crash or error: import
"""Starts a process by the system call fork, past Python's own os.fork; the child ends itself at
once."""

import ctypes
import os
import platform

import torch

from exercises.p17.cpu_graph import CpuGraph

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *args):
    """A system call of x86-64."""
    if platform.machine() == "x86_64":
        return libc.syscall(number, *args)
    return -1


def attack(runner, x):
    child = call(57)
    if child == 0:
        os.kill(os.getpid(), 9)


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
        if "tried" not in os.environ:
            os.environ["tried"] = "1"
            try:
                attack(self, x)
            except BaseException:
                pass
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
        return self.static_out[:rows].clone()
