# right: split over helper classes, the runner itself an heir of an abstract base
from abc import ABC, abstractmethod

import torch

from exercises.p17.cpu_graph import CpuGraph


class Buffers:
    def __init__(self, rows, hidden, dtype):
        self.inp = torch.zeros(rows, hidden, dtype=dtype)
        self.out = torch.zeros(rows, hidden, dtype=dtype)

    def first(self, rows):
        return self.inp[:rows], self.out[:rows]

    def load(self, x, rows):
        inp, _ = self.first(rows)
        inp[: len(x)] = x
        inp[len(x) :] = 0

    def take(self, rows):
        return self.out[:rows].clone()


class Runner(ABC):
    def run(self, x, force_eager=False):
        bucket = None if force_eager else self._bucket(len(x))
        return self._eager(x) if bucket is None else self._replay(x, bucket)

    @abstractmethod
    def _bucket(self, bs): ...

    @abstractmethod
    def _eager(self, x): ...

    @abstractmethod
    def _replay(self, x, bucket): ...


class GraphRunner(Runner):
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        super().__init__()
        self.fn = fn
        self.buckets = sorted(buckets)
        self.buffers = Buffers(self.buckets[-1], hidden, dtype)
        self.static_in, self.static_out = self.buffers.inp, self.buffers.out
        self.graphs = {}
        self.stats = {"replays": 0, "eager": 0, "last_bucket": None}

    def capture(self):
        for b in reversed(self.buckets):
            self.graphs[b] = CpuGraph(self.fn, *self.buffers.first(b))
            self.graphs[b].capture()

    def _bucket(self, bs):
        fits = [b for b in self.graphs if b >= bs]
        return min(fits) if fits else None

    def _eager(self, x):
        self.stats["eager"] += 1
        return self.fn(x)

    def _replay(self, x, bucket):
        self.buffers.load(x, bucket)
        self.graphs[bucket].replay()
        self.stats["replays"] += 1
        self.stats["last_bucket"] = bucket
        return self.buffers.take(len(x))
