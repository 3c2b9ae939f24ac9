"""How a check says what it expects. A failure is data: an id, parameters, seen, expected."""

from collections.abc import Sequence

from _pytest.outcomes import Skipped  # what pytest.skip raises; it has no public name of its own

from grader.message import Message
from grader.tensor import Number, Tensor, spell

#: Values of one row that a message shows.
_SHOWN = 8


class CheckFailed(AssertionError):
    """What was seen is not what must be.

    Attributes:
        message: what is wrong.
        seen: what was seen, as text.
        expected: what should have been, as text.
        row: the first row that differs, from 0: the message's parameter of that name.
        hint: where to read on, if not where the check says.
    """

    def __init__(
        self,
        message: Message,
        *,
        seen: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message.id)
        self.message, self.seen, self.expected, self.hint = message, seen, expected, hint
        self.row = message.params.get("row")


class Unseen(Skipped):
    """There was nothing to judge. It is no pass: a check earns points by what it saw."""

    def __init__(self, id: str, **params: object) -> None:
        super().__init__(id)
        self.message = Message(id, params)


def expect(
    condition: object,
    id: str,
    *,
    seen: object,
    expected: object,
    hint: str | None = None,
    **params: object,
) -> None:
    """Fail with a message unless a condition holds.

    Args:
        condition: what must hold.
        id: of the message.
        seen: what was seen.
        expected: what should have been.
        hint: where to read on, if not where the check says.
        params: what the message needs.

    Raises:
        CheckFailed: it does not hold.
    """
    __tracebackhide__ = True
    if not condition:
        raise CheckFailed(Message(id, params), seen=show(seen), expected=show(expected), hint=hint)


def expect_equal(
    seen: object, expected: object, id: str, *, hint: str | None = None, **params: object
) -> None:
    """Fail unless two plain values are equal and of one kind, also inside (``True`` is no 1).

    Raises:
        CheckFailed: they are not.
    """
    __tracebackhide__ = True
    same = _alike(seen, expected)
    expect(same, id, seen=repr(seen), expected=repr(expected), hint=hint, **params)


def expect_same(
    seen: Tensor,
    expected: Tensor,
    id: str,
    *,
    tolerance: float = 0.0,
    hint: str | None = None,
    **params: object,
) -> None:
    """Fail unless two tensors have one shape, one dtype and, NaN for NaN, the same bits.

    The message is ``<id>.shape``, ``<id>.dtype`` or ``<id>.values``.

    Args:
        seen: what was seen.
        expected: what should have been.
        id: of the message.
        tolerance: by which part of what is expected an element may be off.
        hint: where to read on, if not where the check says.
        params: what the message needs.

    Raises:
        CheckFailed: they have not.
    """
    __tracebackhide__ = True
    for part, mine, theirs in (
        ("shape", list(seen.shape), list(expected.shape)),
        ("dtype", seen.dtype, expected.dtype),
    ):
        expect(mine == theirs, f"{id}.{part}", seen=mine, expected=theirs, hint=hint, **params)
    _expect_near(seen, expected, f"{id}.values", tolerance, hint=hint, **params)


def expect_not(
    fact: str, holds: object, id: str, *, hint: str | None = None, **params: object
) -> None:
    """Fail if a fact holds: it is shown as ``fact = True`` where ``fact = False`` was expected.

    Raises:
        CheckFailed: it holds.
    """
    __tracebackhide__ = True
    seen, expected = f"{fact} = True", f"{fact} = False"
    expect(not holds, id, seen=seen, expected=expected, hint=hint, **params)


def expect_unchanged(
    seen: Tensor, before: Tensor, id: str, *, hint: str | None = None, **params: object
) -> None:
    """Fail unless a tensor holds what it held before, with the first row that differs.

    Raises:
        CheckFailed: it does not. The message gets ``row``.
    """
    __tracebackhide__ = True
    _expect_near(seen, before, id, 0.0, hint=hint, **params)


def _expect_near(
    seen: Tensor, before: Tensor, id: str, tolerance: float, *, hint: str | None, **params: object
) -> None:
    __tracebackhide__ = True
    row = seen.first_difference(before, tolerance)
    if row is not None:
        rows = seen[row : row + 1], before[row : row + 1]
        # Values that differ only in their last places are shown to all of them.
        exact = show(rows[0]) == show(rows[1])
        raise CheckFailed(
            Message(id, {**params, "row": row}),
            seen=show(rows[0], exact=exact),
            expected=show(rows[1], exact=exact),
            hint=hint,
        )


def show(value: object, *, exact: bool = False) -> str:
    """A value as a message shows it; of a tensor the first rows, and how many there are more."""
    if isinstance(value, Tensor):
        rows = [_show_row(row, exact=exact) for row in value[:_SHOWN].rows()]
        more = len(value) - len(rows)
        rows += [f"… (+{more})"] if more else []
        return rows[0] if len(value) == 1 else f"[{', '.join(rows)}]"
    return value if isinstance(value, str) else repr(value)


def _alike(a: object, b: object) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        # Whatever order the keys are in, equal ones are of one kind, and so are their values.
        kinds = {key: key for key in b}
        return a.keys() == b.keys() and all(
            _alike(key, kinds[key]) and _alike(value, b[key]) for key, value in a.items()
        )
    return a == b


def _show_row(row: Sequence[Number], *, exact: bool) -> str:
    shown = [str(value) if exact else spell(value) for value in row[:_SHOWN]]
    more = len(row) - len(shown)
    return f"[{', '.join(shown + ([f'… (+{more})'] if more else []))}]"
