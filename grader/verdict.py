"""What the checks say of a submission: their rulings, read as checks and cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Self

from grader import manifest
from grader.checks.ruling import Ruling
from grader.errors import ExerciseError, SubmissionError
from grader.frames import Comparison
from grader.score import (
    Case,
    Check,
    Demonstration,
    Error,
    Evidence,
    Outcome,
    Output,
    Series,
    Status,
    Text,
)
from grader.subject.device import DeviceName
from grader.submission import Submission
from grader.trace import Trace

Draw = Callable[[Trace], Comparison]


@dataclass(frozen=True)
class Verdict:
    """How a submission fared, its points not added up yet.

    Attributes:
        status: as the score says it.
        checks: every check of the exercise, in its order.
        advice: what might be done better.
        error: why no check could be judged, if none could.
    """

    status: Status
    checks: Sequence[Check]
    advice: Sequence[Text] = ()
    error: Error | None = None

    @classmethod
    def of(
        cls,
        rulings: Sequence[Ruling],
        checks: Sequence[manifest.Check],
        submission: Submission,
        draw: Draw,
    ) -> Self:
        """The verdict on a submission whose cases have all been judged.

        Args:
            rulings: how the cases went, in their order.
            checks: the exercise's.
            submission: what was judged.
            draw: the last calls of a case beside the reference's.

        Raises:
            ExerciseError: a check holds no case, or is itself at fault.
        """
        by_check = _by_check(rulings, [check.id for check in checks])
        judged = [_check(check, list(map(_case, by_check[check.id]))) for check in checks]
        if all(check.status is Outcome.ERROR for check in judged):
            error = _common_error(judged, submission)
            return cls.void(Status.ERROR, error, checks)
        judged = [_drawn(check, by_check[check.id], draw) for check in judged]
        passed = all(check.status is Outcome.PASSED for check in judged)
        said = {id: message for ruling in rulings[::-1] for id, message in ruling.advice.items()}
        advice = [Text.of(message) for message in said.values()]
        return cls(Status.PASSED if passed else Status.FAILED, judged, advice)

    @classmethod
    def refused(
        cls,
        error: SubmissionError,
        checks: Sequence[manifest.Check],
        submission: Submission,
        output: Mapping[str, Any] | None = None,
    ) -> Self:
        """The verdict on a submission that cannot be graded, through a fault of its own."""
        said = Error(
            kind=error.kind,
            message=Text.of(error.message),
            file=submission.path,
            line=error.line,
            code=error.code,
            output=Output(**output) if output else None,
        )
        return cls.void(Status.ERROR, said, checks)

    @classmethod
    def void(cls, status: Status, error: Error, checks: Sequence[manifest.Check]) -> Self:
        """A verdict without any check having been judged."""
        return cls(status, [_check(check, []) for check in checks], error=error)


def _by_check(rulings: Sequence[Ruling], ids: Sequence[str]) -> dict[str, list[Ruling]]:
    found: dict[str, list[Ruling]] = {id: [] for id in ids}
    for ruling in rulings:
        file, _, _ = ruling.id.partition("::")
        found[PurePath(file).stem.removeprefix("test_")].append(ruling)
    empty = [id for id, own in found.items() if not own]
    if empty:
        raise ExerciseError("exercise.no_cases", checks=empty)
    return found


def _case(ruling: Ruling) -> Case:
    test, finding = ruling.report, ruling.finding
    name = ruling.id.partition("::")[2].removeprefix("test_")
    if test["outcome"] == "passed":
        return Case(id=name, status=Outcome.PASSED, duration_s=round(ruling.duration_s, 4))
    if finding is None:
        raise ExerciseError("exercise.check_fault", case=ruling.id, detail=_crash(test))
    return Case(
        id=name,
        status=_outcome(test["outcome"], finding),
        message=Text(**finding["message"]),
        evidence=Evidence(**finding["evidence"]),
        output=Output(**finding["output"]) if finding["output"] else None,
        hint=finding["hint"],
        applies=finding["applies"],
        duration_s=round(ruling.duration_s, 4),
    )


def demonstration(id: str, device: DeviceName, ruling: Ruling) -> Demonstration:
    """What a case that is worth no points has to show, or why it does not.

    Args:
        id: of the demonstration.
        device: where it ran.
        ruling: how its case went.

    Raises:
        ExerciseError: the case is itself at fault.
    """
    case = _case(ruling)
    shown = ruling.shown if case.status is Outcome.PASSED else None
    return Demonstration(
        id=id,
        device=device,
        status=case.status,
        message=Text.of(shown.message) if shown else case.message,
        rows=[Series(label=Text.of(label), values=values) for label, values in shown.rows]
        if shown
        else [],
    )


def _drawn(check: Check, rulings: Sequence[Ruling], draw: Draw) -> Check:
    """A check with the case drawn that its message is of."""
    if check.status not in (Outcome.FAILED, Outcome.ERROR):
        return check
    shown = check.case()
    ruling = rulings[check.cases.index(shown)]
    assert shown.evidence is not None  # noqa: S101 - a case that did not pass has some
    if not ruling.trace.steps:  # it failed before it saw anything of the submission
        return check
    evidence = shown.evidence.model_copy(update={"drawing": ruling.drawn(draw)})
    drawn = shown.model_copy(update={"evidence": evidence})
    cases = [drawn if case is shown else case for case in check.cases]
    return check.model_copy(update={"cases": cases})


def _outcome(outcome: str, finding: Mapping[str, Any]) -> Outcome:
    if outcome == "skipped" or not finding["applies"]:
        return Outcome.NOT_RUN
    return Outcome.ERROR if finding["error"] else Outcome.FAILED


def _crash(test: Mapping[str, Any]) -> str:
    """Where a check is at fault itself, and how."""
    for stage in ("setup", "call", "teardown"):
        crash = test.get(stage, {}).get("crash")
        if crash:
            return f"{crash['path']}:{crash['lineno']}: {crash['message']}"
    return str(test["outcome"])


def _check(check: manifest.Check, cases: Sequence[Case]) -> Check:
    """A check from its cases: as it fared, its points, and the message of the first that failed.

    A case that does not apply costs nothing; where none does, there was nothing to earn points by.
    """
    judged = [case for case in cases if case.applies] or cases
    by_outcome = {
        outcome: [case for case in judged if case.status is outcome] for outcome in Outcome
    }
    status = next(
        (o for o in (Outcome.FAILED, Outcome.ERROR, Outcome.NOT_RUN) if by_outcome[o]),
        Outcome.PASSED if cases else Outcome.NOT_RUN,
    )
    first = by_outcome[status][0] if by_outcome[status] else None
    return Check(
        id=check.id,
        status=status,
        points=check.points if status is Outcome.PASSED else 0,
        max_points=check.points,
        message=first.message if first else None,
        hint=(first.hint if first else None) or check.hint,
        cases=cases,
    )


def _common_error(checks: Sequence[Check], submission: Submission) -> Error:
    """The exception that kept every check from being judged, said once."""
    case = next(case for case in checks[0].cases if case.status is Outcome.ERROR)
    assert case.message is not None  # noqa: S101 - an error always has one
    assert case.evidence is not None  # noqa: S101
    return Error(
        kind="exception",
        message=case.message,
        file=submission.path,
        line=case.evidence.line,
        code=case.evidence.code,
        output=case.output,
    )
