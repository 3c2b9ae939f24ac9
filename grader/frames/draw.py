"""Frames from a Trace: what became of every row."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from grader.frames.frame import Frame, Happened, Kept, Result, Row, State, Values
from grader.frames.shot import Moment, Shot, Told, View, shots, spelled
from grader.protocol import Json
from grader.tensor import Tensor, spell
from grader.trace import Trace

#: Of one tensor, no more than this is drawn.
MAX_ROWS = 64
MAX_COLUMNS = 8

#: Of one call, no more events than this are told of.
_EVENTS = 12

#: The moments at which the graph has run.
_TELLING = (Moment.REPLAYED, Moment.DONE)


def frames(trace: Trace) -> list[Frame]:
    """The calls of a Trace, in order, one frame each."""
    return [draw(shot) for shot in shots(trace)]


def phases(trace: Trace) -> list[Frame]:
    """The last call of a Trace, in slow motion.

    Six frames if a graph ran: the argument arrives; the graph is chosen; the argument's rows are
    written; so are the rows beyond; the graph runs; the result is handed out. One if none did.
    What lies between the first and the last is put together from what was recorded before the call,
    when the graph began and when it ended.
    """
    shot = list(shots(trace))[-1]
    if shot.ran is None:
        return [draw(shot)]
    last = draw(shot)
    return [*(draw(part) for part in _moments(shot)), last]


def facts(trace: Trace) -> dict[str, Any]:
    """What can be said in numbers of the last call of a Trace.

    Keys: ``bs`` and ``hidden``, rows and columns of its argument; ``bucket``, rows that the graph
    covers; ``rows`` of the buffer and the ``last`` of them; ``previous_bs``, rows of the argument
    before; ``before``, ``read`` and ``out``, the first column of the input before the call, of
    what the graph read and of what it wrote, as text.
    """
    *earlier, shot = shots(trace)
    given = [s.argument for s in earlier if s.argument is not None]
    found: dict[str, Any] = {}
    if shot.argument is not None:
        found |= {"bs": shot.argument.shape[0], "hidden": math.prod(shot.argument.shape[1:])}
    if given:
        found["previous_bs"] = given[-1].shape[0]
    if shot.ran is not None:
        for part, name in (("read", "input"), ("out", "output")):
            if (view := shot.view(shot.ran, name)) is not None:
                found[part] = _first_column(view.value)
        view = shot.view(shot.ran, "input")
        buffer = view and shot.before.get(view.buffer)
        if view is not None and buffer is not None:
            found |= {"bucket": len(view.value), "rows": len(buffer.value)}
            found |= {"last": len(buffer.value) - 1, "before": _first_column(buffer.value)}
    return found


def _first_column(value: Tensor) -> list[str]:
    return [spell(row[0]) for row in value.rows() if row]


def _moments(shot: Shot) -> Iterator[Shot]:
    """A call at the moments before its end."""
    for moment in Moment:
        if moment is not Moment.DONE:
            yield replace(shot, moment=moment, result=None, later={})


def draw(shot: Shot) -> Frame:
    """A call, drawn."""
    done = shot.moment is Moment.DONE
    result = None
    if done and "error" not in shot.step.reply and shot.step.op == "call":
        result = _result(shot)
    return Frame(
        call=shot.text,
        argument=None if shot.argument is None else _values(shot.argument),
        happened=list(islice(_happened(shot), _EVENTS)) if shot.moment in _TELLING else (),
        counters=shot.counters if done else {},
        buffers=[_buffer(shot, name) for name in shot.after],
        result=result,
        kept=[*_kept(shot)] if done else (),
        raised=_raised(shot.step.reply.get("error")) if done else None,
        under_way=not done,
    )


def _raised(error: Json) -> str | None:
    if not isinstance(error, dict):
        return None
    return f"{error.get('type', error.get('kind'))}: {error.get('message', '')}"


def _happened(shot: Shot) -> Iterator[Happened]:
    for event in shot.step.events:
        if event.get("within") is not None:
            continue
        view, told = shot.view(event, "input"), Told.of(event.get("input"))
        read = f"x{list(told.value.shape)}" if told else ""
        if view is not None:
            read = f"{view.buffer}[{view.first}:{view.rows.stop}]"
        yield Happened(event=str(event.get("event")), read=read)


def _result(shot: Shot) -> Result | None:
    told = shot.result
    if told is None:
        return None if shot.step.result is None else Result(text=spelled(shot.step.result))
    named = [*shot.after.items(), *((f"result {s.number}", s.result) for _, s in shot.results)]
    lives_in = next((name for name, other in named if other and told.shares(other)), None)
    return Result(values=_values(told.value), lives_in=lives_in)


def _kept(shot: Shot) -> Iterator[Kept]:
    """Earlier results that were looked at again after the call."""
    for ref, earlier in shot.results:
        now, was = shot.later.get(ref), earlier.result
        if now is not None and was is not None:
            yield Kept(
                number=earlier.number,
                call=earlier.text,
                was=_values(was.value),
                now=_values(now),
                rewritten=now.first_difference(was.value) is not None,
            )


def _buffer(shot: Shot, name: str) -> Values:
    """A buffer after a call, or at one of the moments before its end."""
    now, before = shot.after[name].value, shot.before.get(name)
    held = before.value if before and before.value.shape == now.shape else None
    sides = _sides(shot, name)
    shown = _at_phase(shot, now, held, sides)
    rows = []
    for i in range(min(len(shown), MAX_ROWS)):
        state, read = _state(shot, i, shown, held, sides)
        rows.append(Row(first=i, last=i, cells=_cells(shown, i), read=read, state=state))
    view = sides.get("input") or sides.get("output")
    covered = (
        (view.first, view.rows[-1]) if view and view.rows and shot.moment > Moment.ARRIVED else None
    )
    drawn = _values(shown)
    return drawn.model_copy(update={"name": name, "rows": rows, "covered": covered})


def _sides(shot: Shot, name: str) -> dict[str, View]:
    """How the graph that ran used a buffer: as its input, as its output, as neither."""
    if shot.ran is None:
        return {}
    views = ((side, shot.view(shot.ran, side)) for side in ("input", "output"))
    return {side: view for side, view in views if view is not None and view.buffer == name}


def _at_phase(shot: Shot, now: Tensor, held: Tensor | None, sides: Mapping[str, View]) -> Tensor:
    """What a buffer held at a moment of a call."""
    if shot.moment is Moment.DONE or held is None:
        return now
    given = len(shot.argument) if shot.argument is not None else 0
    if (view := sides.get("input")) is not None:
        live = view.value[:given] if shot.moment is Moment.COPIED else view.value
        return _overlaid(held, live, view.first) if shot.moment >= Moment.COPIED else held
    if (view := sides.get("output")) is not None and shot.moment is Moment.REPLAYED:
        return _overlaid(held, view.value, view.first)
    return held


def _overlaid(base: Tensor, rows: Tensor, first: int) -> Tensor:
    """A tensor with other rows from a row on."""
    width = len(base.data) // len(base) if len(base) else 0
    data = base.data[: first * width] + rows.data
    return Tensor(base.dtype, base.shape, data + base.data[len(data) :])


def _state(
    shot: Shot, i: int, shown: Tensor, held: Tensor | None, sides: Mapping[str, View]
) -> tuple[State, Sequence[str]]:
    """What became of a row, and what the graph read there if that is not what is shown."""
    changed = held is not None and _differs(shown, held, i, i)
    plain = State.CHANGED if changed else State.UNTOUCHED
    given = shot.argument if shot.argument is not None else Tensor(shown.dtype, (0,), b"")
    done = shot.moment >= Moment.REPLAYED
    if (view := sides.get("input")) is not None and i in view.rows and shot.moment >= Moment.COPIED:
        at = i - view.first
        other = done and _differs(shown, view.value, i, at)
        read: Sequence[str] = _cells(view.value, at) if other else ()
        if at < len(given):
            fresh = not _differs(view.value, given, at, at)
            return (State.FRESH if fresh else plain), read
        if shot.moment is Moment.COPIED:
            return plain, ()
        zero = view.value[at : at + 1].first_nonzero_row() is None
        return (State.ZEROED if zero else State.STALE), read
    if (view := sides.get("output")) is not None and i in view.rows and done:
        at = i - view.first
        if _differs(shown, view.value, i, at):
            return State.CHANGED, ()
        return (State.OUTPUT if at < len(given) else State.PADDING), ()
    return plain, ()


def _differs(a: Tensor, b: Tensor, i: int, j: int) -> bool:
    return a[i : i + 1].first_difference(b[j : j + 1]) is not None


def _values(value: Tensor) -> Values:
    rows = [Row(first=i, last=i, cells=_cells(value, i)) for i in range(min(len(value), MAX_ROWS))]
    columns = math.prod(value.shape[1:])
    return Values(
        dtype=value.dtype,
        shape=list(value.shape),
        rows=rows,
        left_out=(max(0, len(value) - MAX_ROWS), max(0, columns - MAX_COLUMNS)),
    )


def _cells(value: Tensor, row: int) -> list[str]:
    return [spell(number) for number in value[row : row + 1].rows()[0][:MAX_COLUMNS]]
