"""A submission in, a Score out."""

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Self

import pytest

from grader import __version__
from grader.checks.hearing import Hearing
from grader.checks.interview import Interview
from grader.checks.precedents import Precedents
from grader.checks.session import Session
from grader.checks.succession import Succession
from grader.errors import EnvironmentFault, ExerciseError, GraderError, SubmissionError
from grader.exercise import Exercise
from grader.frames import Comparison, compare
from grader.score import (
    Demonstration,
    Error,
    IsolationInForce,
    OnDevice,
    Outcome,
    Score,
    Status,
    Submitted,
    Text,
)
from grader.subject.channel import Channel
from grader.subject.device import DeviceName
from grader.subject.isolation import Isolation, Level
from grader.subject.launcher import Launcher
from grader.subject.reference import Reference
from grader.subject.source import Built, Source
from grader.subject.subject import Interface, Limits, Subject
from grader.submission import Submission
from grader.trace import Trace
from grader.verdict import Verdict, demonstration

Demonstrations = Sequence[Demonstration]

#: How many calls of a failed case are drawn.
_DRAWN = 3

#: Of what grades.
_VERSIONS = {"grader": __version__, "pytest": pytest.__version__}


class Grader:
    """Grades submissions to one exercise, in one language.

    Args:
        exercise: what is graded.
        language: a key of the exercise's languages.
        launcher: starts the subjects, on one device; it is closed with the grader.
        level: how much isolation there must be: with ``require``, nothing is graded where a
            protection is missing.
        precedents: what was found of earlier submissions, for who grades many with one seed;
            the scores are the same with and without.
    """

    def __init__(
        self,
        exercise: Exercise,
        language: str,
        launcher: Launcher,
        level: Level = "best",
        precedents: Precedents | None = None,
    ) -> None:
        self._exercise, self._language, self._launcher = exercise, language, launcher
        self._level, self.precedents, self._device = level, precedents, launcher.device
        manifest = exercise.manifest
        self._checks = manifest.checks
        # Whoever grades many has them graded, and nothing else.
        shown = manifest.demonstrations if precedents is None else ()
        self._demonstrations = [
            one.id
            for one in shown
            if self._device in one.devices and language in (one.languages or [language])
        ]
        self._reference_channel: Channel | None = None
        nothing = Source(b"", "", "")
        self._built = Submission("", language, b""), Built(nothing)
        self._versions = dict(_VERSIONS)
        self._interface = Interface(
            classes={name: cls.methods for name, cls in manifest.interface.items()},
            returns={
                f"{name}.{method}": kind
                for name, cls in manifest.interface.items()
                for method, kind in cls.returns.items()
            },
            watch={name: cls.watch for name, cls in manifest.interface.items()},
            dtypes=_set_or_none(manifest.languages[language].dtypes),
        )

    def __enter__(self) -> Self:
        """The grader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every subject."""
        self.close()

    def close(self) -> None:
        """End every subject."""
        if "_session" in vars(self):
            self._session.close()
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
        shown: Demonstrations = ()
        try:
            verdict = self._judge(submission, seed)
            if verdict.error is None:
                shown = self._demonstrate(submission, seed)
        except GraderError as fault:
            error = Error(kind="grader", message=Text.of(fault.message))
            verdict = Verdict.void(Status.UNGRADED, error, self._checks)
        # Of what was never run, nothing hangs on whether something else was run before.
        ran = submission.problem is None
        return score_of(
            self._exercise,
            submission,
            verdict,
            device=self._device,
            hardware=self._hardware if ran else "",
            demonstrations=shown,
            seed=seed,
            isolation=self._isolation_in_force() if ran else self._no_isolation(),
            duration_s=time.perf_counter() - started,
            versions=self._versions if ran else _VERSIONS,
        )

    @contextlib.contextmanager
    def open(self, submission: Submission, *, kind: type[Subject] = Subject) -> Iterator[Subject]:
        """A subject with a submission loaded, for whoever wants its Trace.

        Raises:
            SubmissionError: it cannot be loaded.
        """
        built = self._build(submission)
        channel = self._launcher.open(built)
        try:
            yield self._subject(channel, built, kind=kind)
        finally:
            self._launcher.release(channel)

    def _judge(self, submission: Submission, seed: int) -> Verdict:
        if submission.problem is not None:
            return Verdict.refused(submission.problem, self._checks, submission)
        self._reference.begin_trace()
        self._require_isolation()
        try:
            built = self._build(submission)
        except SubmissionError as error:
            return Verdict.refused(error, self._checks, submission)
        known = self.precedents
        if known is None or known.seed != seed:
            known = Precedents(seed)
        rulings = {}
        if self._launcher.plays:
            interview = Interview(known, self._session)
            rulings = interview.rulings(self.open(submission), self._reference)
        undecided = [id for id in self._cases if id not in rulings]
        if undecided:
            hearing = self._hear(submission, seed, undecided)
            if hearing.error is not None:
                return Verdict.refused(hearing.error, self._checks, submission, hearing.output)
            rulings |= hearing.rulings
            for ruling in hearing.rulings.values():
                known.learn(ruling)
        ordered = [rulings[id] for id in self._cases]
        verdict = Verdict.of(ordered, self._checks, submission, self._draw)
        advice = [*verdict.advice, *map(Text.of, built.advice)]
        return replace(verdict, advice=advice)

    def _hear(self, submission: Submission, seed: int, cases: Collection[str]) -> Hearing:
        """Judge cases step by step, in a process with the submission in it."""
        deadline = time.monotonic() + self._exercise.manifest.limits.grading_s
        built = self._build(submission)
        subjects = Succession(
            self._launcher,
            built,
            lambda channel, fresh: self._subject(channel, built, deadline, fresh=fresh),
        )
        hearing = Hearing(subjects, self._reference, seed)
        with contextlib.closing(subjects):
            self._session.hear(hearing, cases)
        return hearing

    def _demonstrate(self, submission: Submission, seed: int) -> Demonstrations:
        """Have a submission that was graded do what is worth no points, in a process of its own."""
        return [
            self._demonstration(id, case, submission, seed)
            for id in self._demonstrations
            for case in self._session.cases_of(id)
        ]

    def _demonstration(
        self, id: str, case: str, submission: Submission, seed: int
    ) -> Demonstration:
        try:
            hearing = self._hear(submission, seed, [case])
            if hearing.error is None:
                return demonstration(id, self._device, hearing.rulings[case])
            message = hearing.error.message
        except GraderError as fault:
            message = fault.message
        return Demonstration(
            id=id, device=self._device, status=Outcome.ERROR, message=Text.of(message)
        )

    @cached_property
    def _session(self) -> Session:
        """The exercise's checks and demonstrations."""
        ids = [*(check.id for check in self._checks), *self._demonstrations]
        return Session([self._exercise.check_file(id) for id in ids])

    @cached_property
    def _cases(self) -> list[str]:
        """The cases of all checks."""
        return [case for check in self._checks for case in self._session.cases_of(check.id)]

    def _draw(self, trace: Trace) -> Comparison:
        """The last calls of a case beside the same calls on the reference."""
        try:
            reference = self._reference.repeat(trace)
        except ExerciseError:  # it could not follow; what the checks found stands all the same
            reference = Trace()
        return compare(trace, reference, _DRAWN)

    def _build(self, submission: Submission) -> Built:
        """A submission as something that subjects can be opened for.

        Raises:
            SubmissionError: it cannot be built.
        """
        known, built = self._built
        if known != submission:
            name = submission.name
            built = self._launcher.build(Source(submission.source, name, Path(name).stem))
            self._built = submission, built
        return built

    def _subject(
        self,
        channel: Channel,
        built: Built,
        deadline: float = float("inf"),
        *,
        kind: type[Subject] = Subject,
        fresh: bool = True,
    ) -> Subject:
        """A submission in a process, executed anew or as it is."""
        limits = self._exercise.manifest.limits
        channel.await_walls(limits.load_s)
        told = Limits(
            load_s=limits.load_s,
            call_s=limits.call_s,
            grading_s=limits.grading_s,
            output_mb=limits.output_mb,
            deadline=deadline,
        )
        subject = kind(channel, built, self._interface, told)
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
        try:
            built = self._launcher.build(Source(solution.source, path.name, path.stem))
        except SubmissionError as error:
            detail = f"{error.kind}: {error.params.get('detail')}"
            raise ExerciseError("exercise.reference", detail=detail) from error
        channel = self._launcher.open(built, lasting=True)
        try:
            subject = self._subject(channel, built, kind=Reference)
            assert isinstance(subject, Reference)  # noqa: S101 - for the type checker
            self._versions |= subject.hello()
        except BaseException:
            self._launcher.release(channel)
            raise
        self._reference_channel = channel
        return subject

    def _require_isolation(self) -> None:
        """Refuse to go on where a protection is missing that is required.

        The reference has gone into the sandbox before any submission: as it fared, so will they.
        """
        found = self._isolation
        if self._level == "require" and found.missing:
            reasons = [f"{wall}: {reason}" for wall, reason in found.lacking.items()]
            raise EnvironmentFault(
                "environment.isolation",
                missing=", ".join(found.missing),
                reasons="; ".join(reasons) or "-",
            )

    @property
    def _hardware(self) -> str:
        channel = self._reference_channel
        return channel.hardware if channel else ""

    @property
    def _isolation(self) -> Isolation:
        channel = self._reference_channel
        return (channel and channel.isolation) or Isolation()

    def _isolation_in_force(self) -> IsolationInForce:
        found = self._isolation
        return self._no_isolation().model_copy(
            update={"protections": found.protections, "missing": found.missing}
        )

    def _no_isolation(self) -> IsolationInForce:
        """That of what was never run: nothing stood around it, and nothing was missing."""
        return IsolationInForce(level=self._level, process=self._launcher.kind)


def _set_or_none(names: Sequence[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def score_of(
    exercise: Exercise,
    submission: Submission,
    verdict: Verdict,
    *,
    seed: int,
    isolation: IsolationInForce,
    device: DeviceName = "cpu",
    hardware: str = "",
    demonstrations: Demonstrations = (),
    duration_s: float = 0.0,
    versions: Mapping[str, str] | None = None,
) -> Score:
    """A verdict as a score, its points added up.

    Args:
        exercise: what was graded.
        submission: whose verdict it is.
        verdict: on the submission.
        seed: what the data of every case was drawn from.
        isolation: what stood around the submission.
        device: what it ran on.
        hardware: that device, in words.
        demonstrations: what it was shown to do.
        duration_s: seconds that it all took.
        versions: of what graded it.
    """
    checks = [check.model_copy(update={"device": device}) for check in verdict.checks]
    points = float(sum(check.points for check in checks))
    score = None if verdict.status is Status.UNGRADED else points
    here = OnDevice(
        device=device,
        hardware=hardware,
        status=verdict.status,
        score=score,
        checks={check.id: check.status for check in checks},
        missing=isolation.missing,
    )
    return Score(
        exercise=exercise.id,
        submission=Submitted(
            path=submission.path, sha256=submission.sha256, language=submission.language
        ),
        device=device,
        status=verdict.status,
        score=score,
        max_score=float(sum(check.max_points for check in checks)),
        checks=checks,
        advice=verdict.advice,
        error=verdict.error,
        devices=[here],
        demonstrations=demonstrations,
        isolation=isolation,
        seed=seed,
        duration_s=round(duration_s, 3),
        versions=versions or {"grader": __version__},
    )
