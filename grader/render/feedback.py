"""A score as a page: what is wrong, and the buffers drawn beside the reference's."""

from grader.i18n import Translator
from grader.render.devices import device_lines
from grader.render.templates import render
from grader.score import Outcome, Score


def feedback_page(score: Score, say: Translator, *, hints: bool) -> str:
    """A whole score as a page that needs nothing else.

    Args:
        score: what to show.
        say: puts ids into the reader's language; it knows the exercise's.
        hints: whether the exercise has hints to read on in.
    """
    shown = score.localised(say)
    error = shown.error
    failed = [check for check in shown.checks if check.status is not Outcome.PASSED and check.cases]
    return render(
        "feedback.html",
        say,
        score=shown,
        number=shown.exercise.upper(),
        failed=[(check, check.case()) for check in failed],
        remedy=say.remedy(error.message.id, **error.message.params) if error else "",
        devices=list(device_lines(shown, say)),
        hints=hints,
    )
