"""Frames side by side: what differs is marked, and rows that are alike are drawn once."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from grader.frames.draw import draw
from grader.frames.frame import Comparison, Frame, Row, State, Values
from grader.frames.shot import Shot, shots
from grader.tensor import Tensor, spell
from grader.trace import Trace

#: So many neighbouring rows or more that nothing happens to are drawn as one, without values.
_QUIET = 3


def compare(mine: Trace, reference: Trace, calls: int) -> Comparison:
    """The last calls of a submission beside the same calls of the reference.

    Args:
        mine: the submission's Trace.
        reference: the reference's, of the same requests; shorter if it could not follow.
        calls: how many calls to draw at most.
    """
    ours, theirs = list(shots(mine)), list(shots(reference))
    if len(ours) != len(theirs):
        (alone,) = fold([draw(shot) for shot in ours[-calls:]], elide=True)
        return Comparison(mine=alone)
    pairs = list(zip(ours, theirs, strict=True))[-calls:]
    marked = [mark(draw(a), a, b) for a, b in pairs]
    left, right = fold(marked, [draw(b) for _, b in pairs], elide=True)
    return Comparison(mine=left, reference=right)


# --- what differs ---------------------------------------------------------------------------------


def mark(frame: Frame, mine: Shot, reference: Shot) -> Frame:
    """A frame with the cells marked that are not the reference's, bit for bit."""
    buffers = [
        _marked(values, mine.after[values.name].value, told.value)
        if (told := reference.after.get(values.name))
        else values
        for values in frame.buffers
    ]
    result = frame.result
    if result and result.values and mine.result and reference.result:
        values = _marked(result.values, mine.result.value, reference.result.value)
        result = result.model_copy(update={"values": values})
    return frame.model_copy(update={"buffers": buffers, "result": result})


def _marked(values: Values, mine: Tensor, theirs: Tensor) -> Values:
    if (mine.shape, mine.dtype) != (theirs.shape, theirs.dtype):
        return values
    rows = []
    for row in values.rows:
        columns = mine.differing_columns(theirs, row.first)
        shown = [column for column in columns if column < len(row.cells)]
        cells = list(row.cells)
        for column in shown:
            cells[column] = _told_apart(mine, theirs, row.first, column)
        # What differs in columns that are not drawn is told of in the last that is.
        differs = shown or ([len(row.cells) - 1] if columns else [])
        rows.append(row.model_copy(update={"cells": cells, "differs": differs}))
    return values.model_copy(update={"rows": rows})


def _told_apart(mine: Tensor, theirs: Tensor, row: int, column: int) -> str:
    """A value as text, to as many places as tell it from another."""
    one, other = (tensor[row : row + 1].rows()[0][column] for tensor in (mine, theirs))
    short = spell(one)
    return str(one) if short == spell(other) else short


# --- rows that are alike --------------------------------------------------------------------------


def fold(*sequences: Sequence[Frame], elide: bool = False) -> list[list[Frame]]:
    """Draw neighbouring rows of a buffer as one that are alike in every frame of all sequences.

    Args:
        sequences: frames of one set of calls, a sequence a subject.
        elide: whether to leave out the values of longer runs of rows that nothing happens to.
    """
    every = [frame for sequence in sequences for frame in sequence]
    names = dict.fromkeys(values.name for frame in every for values in frame.buffers)
    groups = {name: _groups([v for f in every for v in f.buffers if v.name == name], elide=elide)
              for name in names}  # fmt: skip
    return [[_folded(frame, groups, elide=elide) for frame in frames] for frames in sequences]


def _groups(drawn: Sequence[Values], *, elide: bool) -> list[range]:
    """Runs of rows, each of which can be drawn as one."""
    count = max((len(values.rows) for values in drawn), default=0)

    def looks(i: int) -> list[object]:
        return [_look(values.rows[i]) if i < len(values.rows) else None for values in drawn]

    def quiet(i: int) -> bool:
        rows = [values.rows[i] for values in drawn if i < len(values.rows)]
        return all(row.state is State.UNTOUCHED and not row.differs for row in rows)

    groups: list[range] = []
    for still, run in groupby(range(count), quiet):
        indices = list(run)
        if elide and still and len(indices) >= _QUIET:
            groups.append(range(indices[0], indices[-1] + 1))
            continue
        for i in indices:
            if groups and i > indices[0] and looks(i) == looks(i - 1):
                groups[-1] = range(groups[-1].start, i + 1)
            else:
                groups.append(range(i, i + 1))
    return groups


def _look(row: Row) -> object:
    """All of a row but which it is."""
    return row.model_dump(exclude={"first", "last"})


def _folded(frame: Frame, groups: dict[str, list[range]], *, elide: bool) -> Frame:
    buffers = [_merged(values, groups[values.name]) for values in frame.buffers]
    result, argument = frame.result, frame.argument
    if result and result.values:
        result = result.model_copy(update={"values": _alone(result.values)})
    kept = [
        k.model_copy(update={"was": _alone(k.was), "now": _alone(k.now)}) for k in frame.kept
        if k.rewritten or not elide
    ]  # fmt: skip
    return frame.model_copy(
        update={
            "buffers": buffers,
            "result": result,
            "argument": argument and _alone(argument),
            "kept": kept,
        }
    )


def _alone(values: Values) -> Values:
    return _merged(values, _groups([values], elide=False))


def _merged(values: Values, groups: Iterable[range]) -> Values:
    rows = []
    for group in groups:
        inside = [row for row in values.rows if row.first in group]
        if not inside:
            continue
        alike = all(_look(row) == _look(inside[0]) for row in inside)
        update: dict[str, object] = {"last": inside[-1].last}
        if not alike:
            update["cells"] = []
        rows.append(inside[0].model_copy(update=update))
    return values.model_copy(update={"rows": rows})
