"""One decode step of a small language model, made to be captured: ``[b, 3] -> [b, 3]``.

What a ``GraphRunner`` is for, on whatever device its buffers are. All that changes from step to
step is in the input, or in memory that stays where it is: the step reads no value back to the
host, and has no shape that hangs on one. And what launches cost, for which there is a function of
many small ones.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import cycle, islice
from typing import Protocol

import torch
from torch.nn import functional

Fn = Callable[[torch.Tensor], torch.Tensor]

TEMPERATURE = 0.8


class DecodeStep:
    """A model of one layer and the keys and values of its requests: next tokens for a batch.

    Row i of every batch is request i, from position 0 on, one position a step; so those that live
    are the first rows, and they end from the last one on. Rows of zeros (token 0, position 0) may
    follow, as padding does. They write to the cache, each in its own row at position 0, and
    that harms nobody: the request that had the row is over, and the next one there begins at
    position 0, which it writes before it reads, as it does every later one. Nor do calls on a
    buffer of zeros that come before a capture, as long as no request has begun. A request that
    was left out for a step cannot go on: its position 0 is lost.

    A step gives the same tokens for the same seed on every device, up to what rounding does to
    a number that lies between two tokens.

    Args:
        seed: what the weights are drawn by.
        requests: rows of the cache, the largest batch.
        positions: how long a request can get, in tokens.
        vocabulary: how many tokens there are.
        width: numbers a token is embedded in; a multiple of ``heads``.
        heads: of the attention.
        device: where weights and cache are.

    Attributes:
        weights: by name, each ``[from, to]``. ``token`` is ``[vocabulary, width]``, ``position``
            ``[positions, width]``; ``attention`` goes from ``width`` to queries, keys and values
            side by side, each head by head.
        keys: the cache, ``[requests, heads, positions, width / heads]``; zeros at first.
        values: as ``keys``.

    Raises:
        ValueError: ``width`` is no multiple of ``heads``.
    """

    def __init__(
        self,
        *,
        seed: int,
        requests: int,
        positions: int,
        vocabulary: int = 32,
        width: int = 16,
        heads: int = 2,
        device: str | torch.device = "cpu",
    ) -> None:
        if width % heads:
            raise ValueError(f"a width of {width} is not to be shared by {heads} heads")
        generator = torch.Generator().manual_seed(seed)  # of the CPU: the same for every device

        def drawn(rows: int, columns: int, scale: float) -> torch.Tensor:
            # Whatever somebody has made the default device, or dtype.
            drawn = torch.randn(
                rows, columns, generator=generator, device="cpu", dtype=torch.float32
            )
            return drawn.mul(scale).to(device)

        self.weights = {
            "token": drawn(vocabulary, width, 1.0),
            "position": drawn(positions, width, 1.0),
            "attention": drawn(width, 3 * width, width**-0.5),
            "attended": drawn(width, width, width**-0.5),
            "up": drawn(width, 4 * width, width**-0.5),
            "down": drawn(4 * width, width, (4 * width) ** -0.5),
            "logits": drawn(width, vocabulary, width**-0.5),
        }
        size = (requests, heads, positions, width // heads)
        self.keys = torch.zeros(size, device=device, dtype=torch.float32)
        self.values = torch.zeros(size, device=device, dtype=torch.float32)
        self._requests = torch.arange(requests, device=device)
        self._positions = torch.arange(positions, device=device)

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        """One token more for every request, sampled, and its keys and values into the cache.

        Args:
            rows: ``[b, 3]`` float32, ``b`` up to ``requests``. Column 0 is the request's last
                token, column 1 its position, from 0, and column 2 a number in [0, 1) to sample by.

        Returns:
            ``[b, 3]`` float32: the next token, the next position, the number it was sampled by.
        """
        token, position = rows[:, :2].long().unbind(1)
        chance = rows[:, 2]
        x = functional.embedding(token, self.weights["token"])
        x = x + functional.embedding(position, self.weights["position"])
        x = x + self._attend(_norm(x), position)
        x = x + functional.gelu(_norm(x) @ self.weights["up"]) @ self.weights["down"]
        logits = _norm(x) @ self.weights["logits"]
        following = _sample(torch.softmax(logits / TEMPERATURE, dim=-1), chance)
        return torch.stack((following.to(rows.dtype), rows[:, 1] + 1, chance), dim=1)

    def reset(self) -> None:
        """Empty the cache, where it is."""
        self.keys.zero_()
        self.values.zero_()

    def _attend(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """What each request finds in its cache, up to its position, with this one written there.

        Args:
            x: ``[b, width]``.
            position: ``[b]`` int64.

        Returns:
            ``[b, width]``.
        """
        batch, width = x.shape
        heads, part = self.keys.shape[1], self.keys.shape[3]
        query, key, value = (x @ self.weights["attention"]).view(batch, 3, heads, part).unbind(1)
        place = self._requests[:batch], position
        for cache, new in ((self.keys, key), (self.values, value)):
            cache.transpose(1, 2).index_put_(place, new)
        scores = query.unsqueeze(2) @ self.keys[:batch].transpose(2, 3) * part**-0.5
        later = self._positions > position[:, None, None, None]
        weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
        found = weights @ self.values[:batch]
        return found.reshape(batch, width) @ self.weights["attended"]


def _norm(x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:])


def _sample(probabilities: torch.Tensor, chance: torch.Tensor) -> torch.Tensor:
    """The token in whose share of [0, 1) a number lies.

    Args:
        probabilities: ``[b, vocabulary]``.
        chance: ``[b]``, in [0, 1).

    Returns:
        ``[b]`` int64.
    """
    shares = probabilities.cumsum(dim=-1)
    # Shares may add up to a little less than 1.
    return (shares <= chance[:, None]).sum(dim=-1).clamp(max=shares.shape[-1] - 1)


def many_kernels(n: int) -> Fn:
    """A function of ``n`` small operations in a row, ``[b, hidden] -> [b, hidden]``, element by
    element. What is finite stays so, however many there are.
    """
    operations: list[Fn] = [lambda x: x * 0.5, lambda x: x + 1, torch.tanh]

    def fn(x: torch.Tensor) -> torch.Tensor:
        for operation in islice(cycle(operations), n):
            x = operation(x)
        return x

    return fn


class Graph(Protocol):
    """What ``CpuGraph`` and a graph of a device's own have in common."""

    def capture(self) -> None:
        """Record."""

    def replay(self) -> None:
        """Run what was recorded."""


def launch_ratio(  # noqa: PLR0917 - a graph, what it is over, and how it is timed
    graph_class: Callable[[Fn, torch.Tensor, torch.Tensor], Graph],
    buckets: Iterable[int],
    hidden: int,
    kernels: int,
    device: str | torch.device,
    rounds: int,
) -> list[float]:
    """How many times as long as a replay it takes to call a function of many kernels.

    One call and one replay of every bucket in turn, over and over, each waited for; ratios of
    medians. The first three rounds do not count.

    Args:
        graph_class: makes a graph of a function and two static buffers.
        buckets: batch sizes.
        hidden: columns of every batch.
        kernels: how many operations the function is of.
        device: where it runs.
        rounds: how often each is timed.

    Returns:
        For each bucket, in the order given, a call's seconds to a replay's.
    """
    fn = many_kernels(kernels)
    device = torch.device(device)
    runs: list[tuple[Callable[[], object], Callable[[], object]]] = []
    for bucket in buckets:
        static_in = torch.zeros(bucket, hidden, device=device)
        graph = graph_class(fn, static_in, torch.zeros_like(static_in))
        graph.capture()
        runs.append((partial(fn, static_in), graph.replay))
    times: list[tuple[list[float], list[float]]] = [([], []) for _ in runs]
    for round_ in range(rounds + 3):
        for run, taken in zip(runs, times, strict=True):
            for work, so_far in zip(run, taken, strict=True):
                seconds = _seconds(work, device)
                if round_ >= 3:
                    so_far.append(seconds)
    return [statistics.median(eager) / statistics.median(replay) for eager, replay in times]


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    """The wall time of some work, until the device has done it."""
    _wait(device)
    started = time.perf_counter()
    work()
    _wait(device)
    return time.perf_counter() - started


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
