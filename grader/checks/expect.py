"""How a check says what it expects. A failure is data: an id, parameters, seen, expected."""

from collections.abc import Sequence

from _pytest.outcomes import Skipped  # what pytest.skip raises; it has no public name of its own

from grader.message import Message
from grader.tensor import Number, Tensor

#: Values of one row that a message shows.
_SHOWN = 8


class CheckFailed(AssertionError):
    """What was seen is not what must be.

    Attributes:
        message: what is wrong.
        seen: what was seen, as text.
        expected: what should have been, as text.
        row: the first row that differs, from 0.
        hint: where to read on, if not where the check says.
    """

    def __init__(
        self,
        message: Message,
        *,
        seen: str | None = None,
        expected: str | None = None,
        row: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message.id)
        self.message, self.seen, self.expected, self.row = message, seen, expected, row
        self.hint = hint


class Unseen(Skipped):
    """There was nothing to judge. It is no pass: a check earns points by what it saw."""

    def __init__(self, id: str, **params: object) -> None:
        super().__init__(id)
        self.message = Message(id, params)


def expect(
    condition: object,
    id: str,
    *,
    seen: object = None,
    expected: object = None,
    row: int | None = None,
    hint: str | None = None,
    **params: object,
) -> None:
    """Fail with a message unless a condition holds.

    Raises:
        CheckFailed: it does not.
    """
    __tracebackhide__ = True
    if not condition:
        raise CheckFailed(
            Message(id, params | ({} if row is None else {"row": row})),
            seen=None if seen is None else show(seen),
            expected=None if expected is None else show(expected),
            row=row,
            hint=hint,
        )


def expect_equal(
    seen: object, expected: object, id: str, *, hint: str | None = None, **params: object
) -> None:
    """Fail unless two plain values are equal and of one kind (``True`` is no 1).

    Raises:
        CheckFailed: they are not.
    """
    __tracebackhide__ = True
    if type(seen) is type(expected) and seen == expected:
        return
    raise CheckFailed(Message(id, params), seen=repr(seen), expected=repr(expected), hint=hint)


def expect_same(
    seen: Tensor, expected: Tensor, id: str, *, hint: str | None = None, **params: object
) -> None:
    """Fail unless two tensors have one shape, one dtype and, NaN for NaN, the same bits.

    The message is ``<id>.shape``, ``<id>.dtype`` or ``<id>.values``.

    Raises:
        CheckFailed: they have not.
    """
    __tracebackhide__ = True
    for part, mine, theirs in (
        ("shape", list(seen.shape), list(expected.shape)),
        ("dtype", seen.dtype, expected.dtype),
    ):
        if mine != theirs:
            raise CheckFailed(
                Message(f"{id}.{part}", params), seen=show(mine), expected=show(theirs), hint=hint
            )
    row = seen.first_difference(expected)
    if row is not None:
        raise CheckFailed(
            Message(f"{id}.values", {**params, "row": row}),
            seen=show(seen[row : row + 1]),
            expected=show(expected[row : row + 1]),
            row=row,
            hint=hint,
        )


def show(value: object) -> str:
    """A value as a message shows it; of a tensor the first rows, and how many there are more."""
    if isinstance(value, Tensor):
        rows = [_show_row(row) for row in value[:_SHOWN].rows()]
        more = len(value) - len(rows)
        rows += [f"… (+{more})"] if more else []
        return rows[0] if len(value) == 1 else f"[{', '.join(rows)}]"
    return value if isinstance(value, str) else repr(value)


def _show_row(row: Sequence[Number]) -> str:
    shown = [f"{value:g}" if isinstance(value, float) else str(value) for value in row[:_SHOWN]]
    more = len(row) - len(shown)
    return f"[{', '.join(shown + ([f'… (+{more})'] if more else []))}]"
