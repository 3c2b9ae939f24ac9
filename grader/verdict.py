"""What the checks say of a submission: pytest-json-report's report, read as checks and cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Self

from grader import manifest
from grader.checks.plugin import GradingPlugin
from grader.errors import ExerciseError, SubmissionError
from grader.score import Case, Check, Error, Evidence, Outcome, Output, Status, Text
from grader.submission import Submission


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
        cls, session: GradingPlugin, checks: Sequence[manifest.Check], submission: Submission
    ) -> Self:
        """The verdict of a pytest session.

        Raises:
            ExerciseError: a check holds no case, or is itself at fault.
        """
        if session.error is not None:
            return cls.refused(session.error, checks, submission, session.output)
        cases = _cases_by_check(session.report, [check.id for check in checks])
        judged = [_check(check, cases[check.id]) for check in checks]
        if all(check.status is Outcome.ERROR for check in judged):
            error = _common_error(judged, submission)
            return cls.void(Status.ERROR, error, checks)
        passed = all(check.status is Outcome.PASSED for check in judged)
        advice = [Text.of(message) for message in session.advice.values()]
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


def _cases_by_check(report: Mapping[str, Any], ids: Sequence[str]) -> dict[str, list[Case]]:
    cases: dict[str, list[Case]] = {id: [] for id in ids}
    for test in report["tests"]:
        file, _, name = test["nodeid"].partition("::")
        cases[PurePath(file).stem.removeprefix("test_")].append(_case(name, test))
    empty = [id for id, found in cases.items() if not found]
    if empty:
        raise ExerciseError("exercise.no_cases", checks=empty)
    return cases


def _case(name: str, test: Mapping[str, Any]) -> Case:
    duration = sum(test.get(stage, {}).get("duration", 0.0) for stage in ("setup", "call"))
    name = name.removeprefix("test_")
    if test["outcome"] == "passed":
        return Case(id=name, status=Outcome.PASSED, duration_s=round(duration, 4))
    finding = test.get("metadata", {}).get("finding")
    if finding is None:
        raise ExerciseError("exercise.check_fault", case=test["nodeid"], detail=_crash(test))
    return Case(
        id=name,
        status=_outcome(test["outcome"], finding),
        message=Text(**finding["message"]),
        evidence=Evidence(**finding["evidence"]),
        output=Output(**finding["output"]) if finding["output"] else None,
        hint=finding["hint"],
        duration_s=round(duration, 4),
    )


def _outcome(outcome: str, finding: Mapping[str, Any]) -> Outcome:
    if outcome == "skipped":
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
    """A check from its cases: as it fared, its points, and the message of the first that failed."""
    by_outcome = {
        outcome: [case for case in cases if case.status is outcome] for outcome in Outcome
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
