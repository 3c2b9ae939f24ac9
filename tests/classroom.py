"""Classes of students made up for tests: entries as a grading would give them, without one."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from support import ROOT

from grader.cohort.entry import Entry
from grader.cohort.overview import Overview
from grader.cohort.student import Student
from grader.exercise import Project
from grader.manifest import Manifest
from grader.score import (
    Case,
    Check,
    Error,
    IsolationInForce,
    Outcome,
    Score,
    Status,
    Submitted,
    Text,
)

#: Of the exercise that made-up scores are of.
MANIFEST = Project(ROOT).exercise("p17").manifest

#: The cases that made-up scores have.
CASES = {
    "parity": ("every_batch_size[float32]", "nan_and_inf"),
    "bucket_choice": ("smallest_that_fits[16-1-4]", "stats_follow"),
    "clone": ("no_static_buffer[static_out]", "results_keep_values"),
    "padding": ("after_larger_batch", "poison[nan]"),
    "no_recapture": ("once_each", "not_at_run_time"),
}

#: Case -> its message, where it fails.
FAILED = {
    "every_batch_size[float32]": ("parity.values", {"bs": 3, "row": 1}),
    "nan_and_inf": ("parity.values", {"bs": 5, "row": 0}),
    "smallest_that_fits[16-1-4]": ("bucket_choice.wrong_bucket", {"bs": 5}),
    "stats_follow": ("bucket_choice.stats", {"name": "replays", "bs": 10}),
    "no_static_buffer[static_out]": ("clone.shares_static", {"name": "static_out", "bs": 6}),
    "results_keep_values": ("clone.value_changed", {"bs": 4, "later": 1, "row": 0}),
    "after_larger_batch": ("padding.not_zero", {"row": 3, "bs": 3, "bucket": 4}),
    "poison[nan]": ("padding.not_zero", {"row": 3, "bs": 3, "bucket": 4}),
    "once_each": ("error.exception", {"call": "capture()", "type": "KeyError", "detail": "4"}),
    "not_at_run_time": ("error.exception", {"call": "run(x[3, 2])", "type": "KeyError", "detail": "4"}),
}  # fmt: skip

#: Kind of error -> its message.
ERRORS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "syntax": ("error.syntax", {"message": "'(' was never closed"}),
    "timeout": ("error.timeout", {"doing": "run(x[3, 2])", "seconds": 5.0}),
    "crash": ("error.crash", {"doing": "capture()", "signal": "SIGSEGV"}),
    "import": ("error.import", {"type": "ModuleNotFoundError", "message": "No module named 'numpy'"}),
    "grader": ("environment.server_gone", {}),
    "missing": ("error.missing_file", {"file": "p17_graph_runner.py"}),
}  # fmt: skip


def graded(**ended: Mapping[str, Outcome] | Outcome) -> Score:
    """A score of which only some cases did not pass.

    Args:
        ended: check -> case -> how it ended; or how all of the check's cases ended.
    """
    checks = []
    for check in MANIFEST.checks:
        ends = ended.get(check.id, {})
        if isinstance(ends, Outcome):
            ends = dict.fromkeys(CASES[check.id], ends)
        cases = [_case(id, ends.get(id, Outcome.PASSED)) for id in CASES[check.id]]
        first = next((case for case in cases if case.status is not Outcome.PASSED), None)
        checks.append(
            Check(
                id=check.id,
                status=first.status if first else Outcome.PASSED,
                points=0 if first else check.points,
                max_points=check.points,
                message=first and first.message,
                hint=check.hint,
                cases=cases,
            )
        )
    status = Status.FAILED if any(c.status is not Outcome.PASSED for c in checks) else Status.PASSED
    return _score(status, sum(check.points for check in checks), checks)


def in_error(kind: str, **params: object) -> Score:
    """The score of a submission that could not be graded; ``grader`` is a fault of ours."""
    id, known = ERRORS[kind]
    status = Status.UNGRADED if kind == "grader" else Status.ERROR
    checks = [
        Check(id=c.id, status=Outcome.NOT_RUN, points=0, max_points=c.points, hint=c.hint)
        for c in MANIFEST.checks
    ]
    error = Error(kind=kind, message=Text(id=id, params={**known, **params}))
    return _score(status, None if kind == "grader" else 0, checks, error)


def entry(id: str, score: Score | None = None, name: str = "", **more: Any) -> Entry:
    """How a student fared; without a score, that they handed nothing in."""
    if score is None:
        more["handed_in"] = 0
    seconds = more.pop("seconds", 0.0)
    score = (score or in_error("missing")).model_copy(update={"duration_s": seconds})
    return Entry(student=Student(id=id, name=name), score=score, **more)


def class_of(count: int, seed: int = 0) -> Iterator[Entry]:
    """A class as one may be: two in three pass, the rest fail, break, or hand nothing in."""
    rng = random.Random(seed)
    ways: list[Score] = [
        graded(padding=Outcome.FAILED),
        graded(clone=Outcome.FAILED),
        graded(clone=Outcome.FAILED, padding={"poison[nan]": Outcome.FAILED}),
        graded(bucket_choice={"stats_follow": Outcome.FAILED}),
        graded(bucket_choice=Outcome.FAILED, clone=Outcome.NOT_RUN, padding=Outcome.NOT_RUN),
        graded(no_recapture=Outcome.ERROR, parity={"nan_and_inf": Outcome.FAILED}),
        *(in_error(kind) for kind in ("syntax", "timeout", "crash", "import", "grader")),
    ]
    passed = graded()
    weights = [8, 7, 4, 3, 3, 2, 2, 1.5, 0.3, 0.7, 0.2]
    for number in range(count):
        score = passed if rng.random() < 0.6 else rng.choices(ways, weights)[0]
        yield entry(
            str(100_000 + 7 * number),
            None if rng.random() < 0.05 else score,
            f"{rng.choice('王李张刘陈杨赵黄周吴')}{rng.choice(('伟', '芳', '娜', '子涵', '一诺', '秀英', '敏'))}"
            if rng.random() < 0.6
            else f"{rng.choice(('Ada', 'Grace', 'Alan', 'Edsger', 'Barbara'))} {rng.choice(('Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov'))}",
            seconds=round(rng.lognormvariate(0.2, 0.4), 3),
            handed_in=rng.choice((1, 1, 1, 2, 3)),
        )


def overview_of(entries: Iterator[Entry], manifest: Manifest = MANIFEST) -> Overview:
    """The figures of entries."""
    overview = Overview(manifest)
    for one in entries:
        overview.add(one)
    return overview


def _case(id: str, ended: Outcome) -> Case:
    if ended is Outcome.PASSED:
        return Case(id=id, status=ended)
    if ended is Outcome.NOT_RUN:
        return Case(id=id, status=ended, message=Text(id="clone.no_replay"))
    message, params = FAILED[id]
    return Case(id=id, status=ended, message=Text(id=message, params=params))


def _score(
    status: Status, points: float | None, checks: list[Check], error: Error | None = None
) -> Score:
    return Score(
        exercise=MANIFEST.id,
        submission=Submitted(path="p17_graph_runner.py", sha256="0" * 64, language="python"),
        device="cpu",
        status=status,
        score=points,
        max_score=sum(check.points for check in MANIFEST.checks),
        checks=checks,
        error=error,
        isolation=IsolationInForce(level="best", process="fork"),
        seed=1,
        duration_s=0.0,
    )
