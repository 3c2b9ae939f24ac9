"""A score as a page: what is wrong, and the buffers drawn beside the reference's."""

from typing import Any

from grader.i18n import Translator, printable
from grader.render.templates import render
from grader.score import Outcome, Score


def feedback_page(score: Score, say: Translator, *, hints: bool) -> str:
    """A whole score as a page that needs nothing else.

    Args:
        score: what to show.
        say: puts ids into the reader's language; it knows the exercise's.
        hints: whether the exercise has hints to read on in.
    """
    shown = _shown(score.localised(say))
    error = shown.error
    failed = [check for check in shown.checks if check.status is not Outcome.PASSED and check.cases]
    return render(
        "feedback.html",
        say,
        score=shown,
        number=shown.exercise.upper(),
        failed=[(check, check.case()) for check in failed],
        remedy=printable(say.remedy(error.message.id, **error.message.params)) if error else "",
        hints=hints,
    )


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
