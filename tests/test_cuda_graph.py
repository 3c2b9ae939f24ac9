"""The real CUDA graph, as far as it can be seen without a GPU: what it asks CUDA for, in which order.

torch's part in it is played by a recorder of ``CpuGraph``'s, so that replays compute.
"""

import contextlib
from types import SimpleNamespace

import pytest
import torch
from support import ROOT

from exercises.p17 import conformance, cuda_graph
from exercises.p17.cpu_graph import Recorder, play
from exercises.p17.cuda_graph import WARM_UPS, CudaGraph


class _Cuda:
    """``torch.cuda``, writing down what it is asked for."""

    def __init__(self):
        self.log, self.now, self.pools = [], "default", 0

    def current_stream(self):
        return self._stream(self.now)

    def Stream(self):  # noqa: N802 - torch's name
        return self._stream("side")

    def _stream(self, name):
        return SimpleNamespace(
            name=name, wait_stream=lambda other: self.log.append(f"{name} waits for {other.name}")
        )

    @contextlib.contextmanager
    def stream(self, stream):
        before, self.now = self.now, stream.name
        yield
        self.now = before

    def synchronize(self):
        self.log.append("synchronize")

    def graph_pool_handle(self):
        self.pools += 1
        return f"pool {self.pools}"

    def CUDAGraph(self):  # noqa: N802
        graph = SimpleNamespace(tape=None, generators=[])
        graph.register_generator_state = graph.generators.append

        def replay():
            self.log.append("replay")
            play(graph.tape)

        graph.replay = replay
        return graph

    @contextlib.contextmanager
    def graph(self, graph, pool=None):
        self.log.append(f"capture into {pool}")
        self.now = "capture"
        recorder = Recorder(graph.generators)
        try:
            with recorder:
                yield
            graph.tape = recorder._calls
        finally:
            self.now = "default"
            self.log.append("captured")


@pytest.fixture
def cuda(monkeypatch):
    """torch.cuda, pretended."""
    fake = _Cuda()
    monkeypatch.setattr(cuda_graph, "torch", SimpleNamespace(cuda=fake, Tensor=torch.Tensor))
    monkeypatch.setattr(cuda_graph, "_pools", {})
    return fake


def _buffers(rows=4):
    return torch.zeros(rows, 2), torch.zeros(rows, 2)


def test_order(cuda):
    """Warm up on a side stream that waits and is waited for, synchronize, capture, and no sooner
    replay.
    """
    static_in, static_out = _buffers()
    ran = []
    graph = CudaGraph(lambda x: (ran.append(cuda.now), x + 1)[1], static_in, static_out)
    assert not cuda.log
    graph.capture()
    assert ran == ["side"] * WARM_UPS + ["capture"]
    assert cuda.log == [
        "side waits for default", "default waits for side", "synchronize",
        "capture into pool 1", "captured",
    ]  # fmt: skip
    assert (static_out == 0).all()
    static_in.fill_(4)
    graph.replay()
    assert cuda.log[-1] == "replay"
    assert (static_out == 5).all()
    assert len(ran) == WARM_UPS + 1


def test_one_pool_for_a_runners_buckets(cuda):
    """The graphs over one output buffer share a pool; another runner's have another."""
    (static_in, static_out), (other_in, other_out) = _buffers(), _buffers()
    for rows in (4, 2, 1):
        CudaGraph(lambda x: x + 1, static_in[:rows], static_out[:rows]).capture()
    CudaGraph(lambda x: x + 1, other_in[:2], other_out[:2]).capture()
    assert [line for line in cuda.log if "into" in line] == ["capture into pool 1"] * 3 + [
        "capture into pool 2"
    ]


def test_registered_generators(cuda):
    """Generators that the graph is told of are registered before the capture."""
    generator = torch.Generator().manual_seed(3)
    static_in, static_out = _buffers()
    graph = CudaGraph(
        lambda x: x.clone().normal_(generator=generator), static_in, static_out,
        generators=(generator,),
    )  # fmt: skip
    graph.capture()
    graph.replay()
    first = static_out.clone()
    graph.replay()
    assert not torch.equal(first, static_out)
    with pytest.raises(RuntimeError, match="generator"):
        CudaGraph(lambda x: x.clone().normal_(generator=generator), static_in, static_out).capture()


@pytest.mark.parametrize(
    ("fn", "raised"),
    [(lambda x: x[:1], "static_out is"), (lambda x: x.double(), "float64"), (lambda _: 1, "int")],
)
def test_result_that_does_not_fit(cuda, fn, raised):
    """It is found before anything is captured."""
    graph = CudaGraph(fn, *_buffers())
    with pytest.raises((RuntimeError, TypeError), match=raised):
        graph.capture()
    assert not any("capture" in line for line in cuda.log)
    with pytest.raises(RuntimeError, match="before capture"):
        graph.replay()


def test_refused(cuda):
    """After a capture that was refused there is nothing to replay, nor is there what was before."""
    graph = CudaGraph(lambda x: x + 1, *_buffers())
    graph.capture()
    graph.fn = lambda x: x + x.sum().item()
    with pytest.raises(RuntimeError, match="not permitted"):
        graph.capture()
    with pytest.raises(RuntimeError, match="before capture"):
        graph.replay()
    assert cuda.log[-1] == "captured"


#: What the programs should say of it, with its known differences.
EXPECTED = {name: row.expected for name, row in conformance.BEHAVIOURS.items()} | dict(
    conformance.DIFFERENCES
)

#: Reads of a CPU's memory that are no operations there. ``CpuGraph`` refuses them by a mode of its
#: own; CUDA refuses the copies that they are.
UNSEEN = {"copied_to_host", "list_of_values", "refusal_passed_over"}


@pytest.mark.parametrize("name", sorted(conformance.BEHAVIOURS.keys() - UNSEEN))
def test_conformance(cuda, monkeypatch, name):
    """The programs of the conformance table say of it what they are expected to."""
    monkeypatch.setattr(conformance, "CpuGraph", CudaGraph)
    assert conformance.see(name, "cpu") == EXPECTED[name]


def test_warm_ups_in_the_table():
    """The table says how often fn is called in a capture."""
    assert int(conformance.DIFFERENCES["python_at_capture"]) == WARM_UPS + 1
    assert str(WARM_UPS + 1) in (ROOT / "docs" / "graphs.md").read_text("utf-8")
