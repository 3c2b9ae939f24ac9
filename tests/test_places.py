"""Places in memory told by numbers: what overlaps, how far apart, and nothing of chance."""

from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from grader.places import Span, placed

#: Few addresses, so that spans overlap, touch and repeat often.
SPANS = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 12)), max_size=12)


def pieces(spans: list[Span]) -> list[set[Span]]:
    """The spans that have bytes, by the piece of memory that they lie in: two lie in one if they
    have a byte in common, or if others lead from the one to the other.
    """
    found: list[set[Span]] = []
    for span in dict.fromkeys(span for span in spans if span[1]):
        own = [piece for piece in found if any(overlap(span, other) for other in piece)]
        found = [piece for piece in found if piece not in own] + [{span}.union(*own)]
    return found


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans have a byte in common, byte by byte."""
    bytes_of_one, bytes_of_other = (set(range(s, s + size)) for s, size in (one, other))
    return bool(bytes_of_one & bytes_of_other)


@given(SPANS)
def test_overlaps_are_kept(spans):
    """Two spans have bytes in common where they are put just when they had before."""
    places = placed(spans)
    assert list(places) == list(dict.fromkeys(spans))
    for one, other in product(places, places):
        if one[1] and other[1]:
            put = (places[one], one[1]), (places[other], other[1])
            assert overlap(*put) == overlap(one, other)


@given(SPANS)
def test_distances_are_kept_within_a_piece(spans):
    """What lies in one piece lies as far apart as it did, also by way of others between."""
    places = placed(spans)
    for piece in pieces(spans):
        for one, other in combinations(piece, 2):
            assert places[one] - places[other] == one[0] - other[0]


@given(SPANS)
def test_pieces_are_far_apart(spans):
    """Nothing is told of the distance between pieces: they are counted as they are told of."""
    places, own = placed(spans), pieces(spans)
    told = [next(piece for piece in own if span in piece) for span in places if span[1]]
    in_order = [piece for i, piece in enumerate(told) if piece not in told[:i]]
    begins = [min(places[span] for span in piece) for piece in in_order]
    assert begins == [number * 2**44 for number in range(1, len(begins) + 1)]


@given(SPANS, st.data())
def test_other_addresses(spans, data):
    """Wherever in memory the pieces lie, and in whatever order there, the same is told."""
    own = pieces(spans)
    shifts, at = {}, data.draw(st.integers(1, 2**30))
    for piece in data.draw(st.permutations(own)):
        first, last = min(start for start, _ in piece), max(sum(span) for span in piece)
        shifts.update(dict.fromkeys(piece, at - first))
        at += last - first + data.draw(st.integers(0, 5))
    empty = data.draw(st.integers(0, 2**30))
    moved = [(start + shifts[start, size], size) if size else (empty, 0) for start, size in spans]
    before, after = placed(spans), placed(moved)
    assert [before[span] for span in spans] == [after[span] for span in moved]


@given(SPANS)
def test_empty_spans(spans):
    """A span of no bytes lies nowhere, and takes no number from others."""
    places = placed(spans)
    assert all(place == 0 for (_, size), place in places.items() if not size)
    full = [span for span in spans if span[1]]
    assert placed(full) == {span: places[span] for span in dict.fromkeys(full)}


@given(SPANS)
def test_told_again(spans):
    """What is told by numbers stays as it is when it is told once more."""
    places = placed(spans)
    told = [(place, size) for (_, size), place in places.items()]
    assert placed(told) == {span: span[0] for span in told}


def test_order_of_telling():
    """Of two pieces the one that is told of first is the first, whichever lies lower."""
    low, high = (100, 8), (900, 8)
    assert placed([low, high])[low] == placed([high, low])[high] == 2**44
    assert placed([low, high])[high] == placed([high, low])[low] == 2 * 2**44


def test_side_by_side():
    """Pieces that meet without a byte in common are two: that they meet is chance."""
    places = placed([(100, 8), (108, 8)])
    assert places[108, 8] - places[100, 8] == 2**44


def test_nothing():
    """No spans, no places."""
    assert placed([]) == {}
