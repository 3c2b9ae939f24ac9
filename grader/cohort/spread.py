"""How numbers spread: counted in bins whose bounds do not depend on the numbers' luck."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: At most this many bins below full points.
_BINS = 10

#: Seconds below which all gradings are alike.
_SHORTEST_S = 0.25


@dataclass(frozen=True, slots=True)
class Bin:
    """How many numbers lie from ``low`` to below ``high``; with both alike, at ``low`` exactly."""

    low: float
    high: float
    count: int


def of_scores(scores: Sequence[float], max_score: int) -> list[Bin]:
    """Scores in bins of as many points each, and full points in one of their own.

    Bounds are whole points, as a check's points are: every bin has room for as many scores.

    >>> of_scores([0, 85, 89, 100], 100)[8:]
    [Bin(low=80, high=90, count=2), Bin(low=90, high=100, count=0), Bin(low=100, high=100, count=1)]
    """
    width = math.ceil(max_score / _BINS)
    bounds = [*range(0, max_score, width), max_score]
    below = [
        Bin(low, high, sum(low <= score < high for score in scores))
        for low, high in pairwise(bounds)
    ]
    return [*below, Bin(max_score, max_score, sum(score >= max_score for score in scores))]


def of_durations(seconds: Sequence[float]) -> list[Bin]:
    """Durations in bins each twice as wide as the one before, without those empty at either end.

    >>> of_durations([0.9, 1.2, 1.9])
    [Bin(low=0.5, high=1.0, count=1), Bin(low=1.0, high=2.0, count=2)]
    """
    bins, low, high = [], 0.0, _SHORTEST_S
    while low <= max(seconds, default=-1.0):
        bins.append(Bin(low, high, sum(low <= one < high for one in seconds)))
        low, high = high, 2 * high
    first = next((i for i, one in enumerate(bins) if one.count), 0)
    return bins[first:]


def percentile(numbers: Sequence[float], percent: float) -> float:
    """The smallest of some numbers that so many percent of them do not exceed (nearest rank).

    >>> percentile([1, 2, 3, 4], 50), percentile([1, 2, 3, 4], 95)
    (2, 4)
    """
    return sorted(numbers)[max(0, math.ceil(len(numbers) * percent / 100) - 1)]
