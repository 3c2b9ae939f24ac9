"""Where in memory things lie, told in a way that is the same in every process.

An address is no fact of a submission but chance. What can be told of two tensors is whether they
have bytes in common, and how far apart they begin where they do.
"""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from grader.own import own_builtins

__builtins__ = own_builtins()

Span = tuple[int, int]

#: Bits of an address within its piece of memory.
_WITHIN = 44


def placed(spans: Iterable[Span]) -> dict[Span, int]:
    """Where spans of memory lie, counted instead of addressed.

    Args:
        spans: address and bytes of each, in the order of being told of.

    Returns:
        For each, an address in a memory of our own: spans that touch the same piece lie as they
        did, and pieces lie in the order of being told of. A span of no bytes is at 0.

    >>> placed([(7000, 16), (500, 8), (7008, 8)])
    {(7000, 16): 17592186044416, (500, 8): 35184372088832, (7008, 8): 17592186044424}
    """
    told = dict.fromkeys(spans)
    filled = sorted((start, start + size) for start, size in told if size)
    starts = [start for start, _ in filled]
    reach = list(accumulate((end for _, end in filled), max))
    # A piece begins where nothing before it reaches to.
    begins = [start for i, start in enumerate(starts) if i == 0 or reach[i - 1] <= start]
    numbers: dict[int, int] = {}
    found: dict[Span, int] = {}
    for start, size in told:
        begin = begins[bisect_right(begins, start) - 1] if size else start
        number = numbers.setdefault(begin, len(numbers) + 1) if size else 0
        found[start, size] = (number << _WITHIN) + start - begin
    return found
