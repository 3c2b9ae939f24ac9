"""A call as a person looks at it: what ran, the buffers row by row, the result and where it lives.

Frames are data, like the Score that may hold them: renderers draw them, on hint pages from the
reference's runs, on feedback pages from a student's.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from grader.model import Model


def _fitting(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


#: A text that a submission may have had a hand in, which fits any encoding.
Told = Annotated[str, AfterValidator(_fitting)]


class State(StrEnum):
    """What a call did to a row.

    ``FRESH``: holds the call's argument. ``ZEROED``: read by the graph beyond the argument's
    rows, and zero. ``STALE``: likewise, but left over from earlier. ``OUTPUT``: written by the
    graph for a row of the argument. ``PADDING``: written for a row beyond. ``CHANGED``: written
    by something else. ``UNTOUCHED``: as it was before.
    """

    FRESH = "fresh"
    ZEROED = "zeroed"
    STALE = "stale"
    OUTPUT = "output"
    PADDING = "padding"
    CHANGED = "changed"
    UNTOUCHED = "untouched"


class Row(Model):
    """Neighbouring rows that are alike.

    Attributes:
        first: the first of them, from 0.
        last: the last of them.
        cells: their values as text; none where untouched rows are left out.
        read: what the graph read, where that is something else than ``cells``.
        state: what the call did to them; None where there is no call to speak of.
        differs: the columns whose bits are not the reference's.
    """

    first: int
    last: int
    cells: Sequence[str] = ()
    read: Sequence[str] = ()
    state: State | None = None
    differs: Sequence[int] = ()


class Values(Model):
    """A tensor, drawn.

    Attributes:
        name: of the attribute; empty for an argument or a result.
        dtype: the dtype's name.
        shape: its shape.
        rows: its rows; deeper dimensions are flattened into them.
        left_out: rows and columns that are not drawn.
        covered: the first and the last row that the graph covers that ran.
    """

    name: str = ""
    dtype: str
    shape: Sequence[int]
    rows: Sequence[Row]
    left_out: tuple[int, int] = (0, 0)
    covered: tuple[int, int] | None = None


class Happened(Model):
    """Something that the given library did.

    Attributes:
        event: ``capture``, ``replay``, ``function``, …
        read: what it read, as code: rows of a buffer, or a shape; empty if that is no tensor.
    """

    event: Told
    read: str = ""


class Result(Model):
    """What a call gave.

    Attributes:
        values: it, when it was handed out; None if it is no tensor.
        text: it, if it is no tensor.
        lives_in: the buffer whose memory it is in, or an earlier result's, as
            ``result <number>``; None where it has memory of its own.
    """

    values: Values | None = None
    text: Told | None = None
    lives_in: str | None = None


class Kept(Model):
    """An earlier result, looked at again.

    Attributes:
        number: which result, from 1.
        call: the call that gave it.
        was: what it held when it was handed out.
        now: what it holds now.
        rewritten: whether these differ.
    """

    number: int
    call: Told
    was: Values
    now: Values
    rewritten: bool


class Frame(Model):
    """One call, and how things stand after it.

    Attributes:
        call: the call, as code.
        argument: the tensor that it was given.
        happened: what the given library did meanwhile.
        counters: the watched mappings, as text.
        buffers: the watched tensors.
        result: what it gave; None while it is under way.
        kept: earlier results that were looked at afterwards.
        raised: the exception that it ended in.
        under_way: whether this is a moment before its end.
    """

    call: Told
    argument: Values | None = None
    happened: Sequence[Happened] = ()
    counters: Mapping[Told, Told] = Field(default_factory=dict)
    buffers: Sequence[Values] = ()
    result: Result | None = None
    kept: Sequence[Kept] = ()
    raised: Told | None = None
    under_way: bool = False


class Comparison(Model):
    """The same calls on a submission and on the reference.

    Attributes:
        mine: the submission's frames.
        reference: the reference's, each beside its own; none where it was not asked.
    """

    mine: Sequence[Frame]
    reference: Sequence[Frame] = ()
