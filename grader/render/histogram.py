"""A histogram as it is drawn, and the same in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.cohort.spread import Bin
from grader.i18n import Translator

#: Pixels of the highest bar.
_HEIGHT = 120


@dataclass(frozen=True, slots=True)
class Bar:
    """A bin as it is drawn.

    Attributes:
        x: where it begins, in percent of the width.
        width: likewise.
        y: its upper end, in pixels from where the highest bar ends.
        height: in pixels.
        count: what is written above it.
    """

    x: float
    width: float
    y: float
    height: float
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """What a page shows of some bins.

    Attributes:
        bars: one a bin.
        bounds: where a bin begins or ends, in percent of the width, and what is written there.
        figures: for each bin, what lies in it, how many those are, and their share of all.
        total: how many there are in all.
        most: how many there are in the fullest bin.
        fullest: what lies in it.
    """

    bars: Sequence[Bar]
    bounds: Sequence[tuple[float, str]]
    figures: Sequence[tuple[str, int, str]]
    total: int
    most: int
    fullest: str

    @classmethod
    def of(cls, bins: Sequence[Bin], say: Translator) -> "Histogram | None":
        """The histogram of some bins; none where there is nothing in any."""
        total = sum(one.count for one in bins)
        if not total:
            return None
        fullest = max(bins, key=lambda one: one.count)
        return cls(
            bars=_bars(bins, fullest.count),
            bounds=_bounds(bins),
            figures=[(_range(one, say), one.count, share(one.count, total)) for one in bins],
            total=total,
            most=fullest.count,
            fullest=_range(fullest, say),
        )


def share(part: int, whole: int) -> str:
    """How much a part is of a whole, in percent; of a small part at least that it is there."""
    percent = f"{100 * part / whole:.0f}%"
    return "<1%" if part and percent == "0%" else percent


def _bars(bins: Sequence[Bin], most: int) -> list[Bar]:
    width = 100 / len(bins)
    heights = [round(_HEIGHT * one.count / most, 1) for one in bins]
    return [
        Bar(round(i * width, 2), round(width, 2), round(_HEIGHT - height, 1), height, one.count)
        for i, (one, height) in enumerate(zip(bins, heights, strict=True))
    ]


def _bounds(bins: Sequence[Bin]) -> list[tuple[float, str]]:
    """A bin of one value has that below its middle."""
    places = [(i + (one.low == one.high) / 2, one.low) for i, one in enumerate(bins)]
    if bins[-1].low < bins[-1].high:
        places.append((len(bins), bins[-1].high))
    return [(round(100 * place / len(bins), 2), f"{bound:g}") for place, bound in places]


def _range(one: Bin, say: Translator) -> str:
    if one.low == one.high:
        return f"{one.low:g}"
    return say("overview.range", low=one.low, high=one.high)
