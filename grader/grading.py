"""A submission in, a Score out."""

import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pytest

from grader import __version__, manifest
from grader.checks.plugin import GradingPlugin
from grader.errors import ExerciseError, GraderError, SubmissionError
from grader.exercise import Exercise
from grader.score import Case, Check, Error, Outcome, Output, Score, Status, Submitted, Text
from grader.subject.channel import Channel
from grader.subject.proxies import Interface, Limits, Reference, Source, Subject
from grader.subject.python.launcher import Launcher
from grader.submission import Submission
from grader.verdict import cases_by_check

_CHECKS = Path(__file__).parent / "checks"

#: pytest, shut off from its surroundings: no cache, no settings but ours, only what is needed.
_ARGUMENTS = (
    "-c", str(_CHECKS / "pytest.ini"),
    "--import-mode=importlib", "--assert=plain", "--capture=no", "-q",
    "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:logging",
    "-p", "pytest_jsonreport.plugin",
    "--json-report", "--json-report-file=none",
    "--json-report-omit", "collectors", "log", "streams", "warnings", "keywords", "traceback",
)  # fmt: skip

#: Who may change what pytest does from outside.
_PYTEST_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_CURRENT_TEST")

#: Seconds of loading above which a submission is not executed anew for every case.
_SLOW_LOAD_S = 0.25


class Grader:
    """Grades submissions to one exercise, in one language.

    Args:
        exercise: what is graded.
        language: a key of the exercise's languages.
        launcher: starts the subjects; it is closed with the grader.
    """

    def __init__(self, exercise: Exercise, language: str, launcher: Launcher) -> None:
        self._exercise, self._language, self._launcher = exercise, language, launcher
        manifest = exercise.manifest
        self._checks = manifest.checks
        self._reference_channel: Channel | None = None
        self._interface = Interface(
            classes={name: cls.methods for name, cls in manifest.interface.items()},
            returns={
                f"{name}.{method}": kind
                for name, cls in manifest.interface.items()
                for method, kind in cls.returns.items()
            },
            watch={name: cls.watch for name, cls in manifest.interface.items()},
        )

    def __enter__(self) -> Self:
        """The grader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every subject."""
        self.close()

    def close(self) -> None:
        """End every subject."""
        if self._reference_channel is not None:
            self._launcher.release(self._reference_channel)
        self._launcher.close()

    def grade(self, submission: Submission, *, seed: int) -> Score:
        """The score of a submission.

        Args:
            submission: what to grade.
            seed: what the data of every case is drawn from.

        Returns:
            A score, whatever the submission does. A fault of the exercise or the machine
            gives one whose status is ``ungraded``.
        """
        started = time.perf_counter()
        try:
            judgement = self._judge(submission, seed)
        except GraderError as fault:
            judgement = self._void(
                Status.UNGRADED, Error(kind="grader", message=Text.of(fault.message))
            )
        points = float(sum(check.points for check in judgement.checks))
        return Score(
            exercise=self._exercise.id,
            submission=Submitted(
                path=submission.path, sha256=submission.sha256, language=submission.language
            ),
            device="cpu",
            status=judgement.status,
            score=None if judgement.status is Status.UNGRADED else points,
            max_score=float(sum(check.points for check in self._checks)),
            checks=judgement.checks,
            advice=judgement.advice,
            error=judgement.error,
            isolation={"process": self._launcher.isolation},
            seed=seed,
            duration_s=round(time.perf_counter() - started, 3),
            versions=self._versions,
        )

    @contextlib.contextmanager
    def open(self, submission: Submission, *, kind: type[Subject] = Subject) -> Iterator[Subject]:
        """A subject with a submission loaded, for whoever wants its Trace.

        Raises:
            SubmissionError: it cannot be loaded.
        """
        channel = self._launcher.open()
        try:
            yield self._subject(channel, submission, kind=kind)
        finally:
            self._launcher.release(channel)

    def _judge(self, submission: Submission, seed: int) -> "_Judgement":
        if submission.problem is not None:
            return self._void(Status.ERROR, _error(submission.problem, submission))
        plugin = self._run_checks(submission, seed)
        ids = [check.id for check in self._checks]
        cases = cases_by_check(plugin.report, ids, complete=plugin.error is None)
        if plugin.error is not None:
            return self._void(Status.ERROR, _error(plugin.error, submission, plugin.output))
        checks = [_check(check, cases[check.id]) for check in self._checks]
        if all(check.status is Outcome.ERROR for check in checks):
            return self._void(Status.ERROR, _common_error(checks, submission))
        passed = all(check.status is Outcome.PASSED for check in checks)
        advice = [Text.of(message) for message in plugin.advice.values()]
        return _Judgement(Status.PASSED if passed else Status.FAILED, checks, advice)

    def _void(self, status: Status, error: Error) -> "_Judgement":
        """What is said where no check could be judged."""
        checks = [_check(check, []) for check in self._checks]
        return _Judgement(status, checks, error=error)

    def _run_checks(self, submission: Submission, seed: int) -> GradingPlugin:
        deadline = time.monotonic() + self._exercise.manifest.limits.grading_s
        self._reference.begin_trace()
        channel = self._launcher.open()
        subjects = _Subjects(
            channel,
            lambda channel, fresh: self._subject(channel, submission, deadline, fresh=fresh),
        )
        plugin = GradingPlugin(subjects=subjects, oracle=self._reference, seed=seed)
        files = [str(self._exercise.check_file(check.id)) for check in self._checks]
        # A check's module is named after its path below the root, and kept under that name: two
        # exercises may have checks of one name, so the root is that of the file system.
        folder = self._exercise.folder / "checks"
        where = ("--rootdir", folder.anchor, "--confcutdir", str(folder))
        said = io.StringIO()
        try:
            with _pytest_alone(), contextlib.redirect_stdout(said):
                pytest.main([*files, *_ARGUMENTS, *where], plugins=[plugin])
        finally:
            self._launcher.release(channel)
        if plugin.interrupted:
            raise KeyboardInterrupt  # pytest keeps it to itself
        if not plugin.report.get("tests"):
            raise ExerciseError("exercise.collect", detail=said.getvalue().strip()[-2000:])
        return plugin

    def _subject(
        self,
        channel: Channel,
        submission: Submission,
        deadline: float = float("inf"),
        *,
        kind: type[Subject] = Subject,
        fresh: bool = True,
    ) -> Subject:
        """A submission in a process, executed anew or as it is."""
        limits = self._exercise.manifest.limits
        told = Limits(**limits.model_dump(), deadline=deadline)
        source = Source(submission.source, submission.name, Path(submission.name).stem)
        subject = kind(channel, source, self._interface, told)
        if fresh:
            subject.load()
        else:
            subject.forget()
        return subject

    @cached_property
    def _reference(self) -> Reference:
        """The reference solution, in a process that lives as long as the grader."""
        path = self._exercise.solution(self._language)
        solution = Submission(str(path), self._language, path.read_bytes())
        self._reference_channel = self._launcher.open()
        subject = self._subject(self._reference_channel, solution, kind=Reference)
        assert isinstance(subject, Reference)  # noqa: S101 - for the type checker
        return subject

    @cached_property
    def _versions(self) -> dict[str, str]:
        """What took part. Of the subjects' side only what has been started anyway."""
        versions = {"grader": __version__, "pytest": pytest.__version__}
        if "_reference" in self.__dict__:
            said = self._reference.hello()
            versions[said["language"]] = said["runtime"]
            for name, version in said.items():
                if name.startswith("library."):
                    versions[name.removeprefix("library.")] = version
        return versions


class _Subjects:
    """Subjects of one submission, one after the other, each for one case.

    They live in one process, and every case has the submission executed anew, so that what
    its classes keep to themselves in one case cannot fail another. A file that is slow to
    import, for a demo perhaps, is executed once.

    Args:
        channel: the process.
        begin: a subject in it, with the submission executed anew or as it is.
    """

    def __init__(self, channel: Channel, begin: Callable[[Channel, bool], Subject]) -> None:
        self.channel, self._begin = channel, begin
        self._load_s: float | None = None

    def take(self) -> Subject:
        """The submission, loaded.

        Raises:
            SubmissionError: it cannot be loaded.
        """
        self.channel.forget_output()
        started = time.perf_counter()
        fresh = self._load_s is None or self._load_s < _SLOW_LOAD_S
        subject = self._begin(self.channel, fresh)
        if fresh:
            self._load_s = time.perf_counter() - started
        return subject


@dataclass(frozen=True)
class _Judgement:
    """What a score says beyond whose it is."""

    status: Status
    checks: Sequence[Check]
    advice: Sequence[Text] = ()
    error: Error | None = None


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


def _error(
    error: SubmissionError, submission: Submission, output: dict[str, Any] | None = None
) -> Error:
    return Error(
        kind=error.kind,
        message=Text.of(error.message),
        file=submission.path,
        line=error.line,
        code=error.code,
        output=Output(**output) if output else None,
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


@contextlib.contextmanager
def _pytest_alone() -> Iterator[None]:
    """Inside, pytest sees no plugins but those named, and no settings of the user's."""
    saved = {name: os.environ.pop(name) for name in _PYTEST_VARIABLES if name in os.environ}
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        else:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before
        os.environ.update(saved)
