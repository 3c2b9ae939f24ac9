"""A score as a page: what is wrong, and the buffers drawn beside the reference's."""

from collections.abc import Iterator
from typing import Any

from grader.i18n import Translator, printable
from grader.render.templates import render
from grader.score import Case, Check, Outcome, Score


def feedback_page(score: Score, say: Translator, *, hints: bool) -> str:
    """A whole score as a page that needs nothing else.

    Args:
        score: what to show.
        say: puts ids into the reader's language; it knows the exercise's.
        hints: whether the exercise has hints to read on in.
    """
    shown = _shown(score.localised(say))
    return render(
        "feedback.html",
        say,
        score=shown,
        number=shown.exercise.upper(),
        failed=list(_failed(shown)),
        remedy=_remedy(shown, say),
        hints=hints,
    )


def _remedy(score: Score, say: Translator) -> str:
    """What to do about an error; nothing where no text says so."""
    if score.error is None:
        return ""
    message = score.error.message
    id = f"{message.id}.next"
    return printable(say(id, **message.params)) if say.knows(id) else ""


def _failed(score: Score) -> Iterator[tuple[Check, Case]]:
    """Every check that did not pass, with the case that its message is of."""
    for check in score.checks:
        cases = [case for case in check.cases if case.status is check.status]
        if check.status is not Outcome.PASSED and cases:
            yield check, cases[0]


def _shown(score: Score) -> Score:
    """A score in whose texts nothing is left that a browser would obey and not show."""
    return Score.model_validate(_printable(score.model_dump(mode="python")))


def _printable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    # An outcome is a string, too, and stays what it is.
    return printable(value) if type(value) is str else value
