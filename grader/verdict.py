"""What a pytest session says of a submission: pytest-json-report's report, read as cases."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from grader.errors import ExerciseError
from grader.score import Case, Evidence, Outcome, Output, Text

Report = Mapping[str, Any]


def cases_by_check(
    report: Report, checks: Sequence[str], *, complete: bool
) -> dict[str, list[Case]]:
    """The cases of each check.

    Args:
        report: pytest-json-report's.
        checks: the ids of all checks.
        complete: whether the session ran to its end.

    Raises:
        ExerciseError: a check's file cannot be collected, holds no case, or is itself at fault.
    """
    cases: dict[str, list[Case]] = {id: [] for id in checks}
    for test in report.get("tests", ()):
        file, _, name = test["nodeid"].partition("::")
        check = PurePath(file).stem.removeprefix("test_")
        if test.get("metadata", {}).get("submission_error"):
            continue
        cases[check].append(_case(name, test))
    empty = [id for id, found in cases.items() if not found]
    if complete and empty:
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
    for stage in ("setup", "call", "teardown"):
        crash = test.get(stage, {}).get("crash")
        if crash:
            return f"{crash['path']}:{crash['lineno']}: {crash['message']}"
    return str(test["outcome"])
