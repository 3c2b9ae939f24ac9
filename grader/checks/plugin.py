"""The pytest plugin that checks run under: fixtures for the subject, and what failed, as data."""

import random
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol

import pytest

from grader.checks.expect import CheckFailed, Unseen
from grader.checks.ruling import Ruling
from grader.errors import GraderError, SubmissionError
from grader.message import Message
from grader.subject.channel import Channel, Output
from grader.subject.faults import SubjectRaised
from grader.subject.reference import Reference
from grader.subject.subject import Subject
from grader.trace import Trace

#: How many calls before a failure are listed.
_CALLS = 8

#: Characters of a text that are told.
_TEXT = 8000

Advise = Callable[..., None]


class Subjects(Protocol):
    """Where a case gets its subject from.

    Attributes:
        channel: the pipe to the process that it lives in.
    """

    channel: Channel

    def take(self) -> Subject:
        """The submission, loaded."""


class GradingPlugin:
    """Grades one submission in one pytest session.

    Args:
        subjects: where subjects with the submission in them come from.
        oracle: a subject of the reference solution, for expected values.
        seed: what all random data is drawn from.
        settled: cases, by node id, that need not be run.

    Attributes:
        cases: the node ids of all cases, in their order.
        rulings: how those went that were run, by node id, once the session is over.
        error: what ended the grading early, if anything did.
        output: what the submission had printed by then.
        fault: what ended it early through no fault of the submission, if anything did.
        interrupted: whether somebody pressed Ctrl-C.
    """

    def __init__(
        self,
        *,
        subjects: Subjects,
        oracle: Reference,
        seed: int,
        settled: Collection[str] = (),
    ) -> None:
        self.cases: list[str] = []
        self.rulings: dict[str, Ruling] = {}
        self.error: SubmissionError | None = None
        self.output: dict[str, Any] | None = None
        self.fault: GraderError | None = None
        self.interrupted = False
        self._subjects, self._oracle, self._seed = subjects, oracle, seed
        self._settled = settled
        self._subject: Subject | None = None
        self._seen: dict[str, _Seen] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is settled."""
        self.cases = [item.nodeid for item in items]
        items[:] = [item for item in items if item.nodeid not in self._settled]

    @pytest.fixture
    def subject(self, request: pytest.FixtureRequest) -> Generator[Subject, None, None]:
        """The submission, with nothing left of the cases before."""
        self._subject = self._subjects.take()
        seen = self._seen[request.node.nodeid] = _Seen(self._subject.trace)
        yield self._subject
        channel = self._subjects.channel
        seen.printed = bool(channel.stdout.size or channel.stderr.size)
        self._subject = None

    @pytest.fixture
    def oracle(self) -> Subject:
        """The reference solution. What it computes is what is expected."""
        return self._oracle

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> random.Random:
        """Randomness of this case: the same for the same seed, whichever cases run before it."""
        return random.Random(f"{self._seed}:{request.node.name}")  # noqa: S311 - no secret

    @pytest.fixture
    def advise(self, subject: Subject, request: pytest.FixtureRequest) -> Advise:  # noqa: ARG002
        """Say something that costs no points, once however often it is seen."""
        advice = self._seen[request.node.nodeid].advice

        def say(id: str, **params: object) -> None:
            advice.setdefault(id, Message(id, params))

        return say

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """The session ends early: pytest uses the same way out for reasons of its own."""
        self.interrupted = excinfo.type is KeyboardInterrupt

    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        """The session is over."""
        for test in json_report.get("tests", ()):
            seen = self._seen.get(test["nodeid"]) or _Seen(Trace())
            ruling = Ruling(test, seen.trace, seen.advice, seen.printed)
            self.rulings[ruling.id] = ruling

    def pytest_json_runtest_metadata(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> dict[str, Any]:
        """What the report is to know of a stage that did not pass."""
        if call.excinfo is None:
            return {}
        raised = call.excinfo.value
        if isinstance(raised, SubmissionError):
            if self.error is None:
                raised.params, raised.code = _told(raised.params), _told(raised.code)
                self.error, self.output = raised, self._output()
            item.session.shouldstop = "the submission cannot be graded"
        if isinstance(raised, GraderError):
            self.fault = raised
            item.session.shouldstop = "the grader cannot go on"
        return {"finding": self._finding(raised)} if _is_finding(raised) else {}

    def _finding(self, raised: BaseException) -> dict[str, Any]:
        message: Message = raised.message  # type: ignore[attr-defined]
        calls, left_out = self._calls()
        evidence = {
            name: getattr(raised, name, None)
            for name in ("seen", "expected", "row", "line", "code")
        }
        return {
            "error": isinstance(raised, SubjectRaised),
            "message": {"id": message.id, "params": _told(message.params)},
            "evidence": _told({**evidence, "calls": calls, "left_out": left_out}),
            "hint": getattr(raised, "hint", None),
            "output": self._output(),
        }

    def _calls(self) -> tuple[list[str], int]:
        if self._subject is None:
            return [], 0
        trace = self._subject.trace
        steps = trace.calls()
        return [trace.spell(step) for step in steps[-_CALLS:]], max(0, len(steps) - _CALLS)

    def _output(self) -> dict[str, Any] | None:
        channel = self._subjects.channel
        if not channel.stdout.size and not channel.stderr.size:
            return None
        return {"stdout": _stream(channel.stdout), "stderr": _stream(channel.stderr)}


@dataclass
class _Seen:
    """What a case saw of the submission, and said of it, besides how it went."""

    trace: Trace
    advice: dict[str, Message] = field(default_factory=dict)
    printed: bool = False


def _is_finding(raised: BaseException) -> bool:
    return isinstance(raised, CheckFailed | SubjectRaised | Unseen)


def _told(value: Any) -> Any:
    """What a submission had a hand in as a score can hold it: JSON, whose texts are no longer
    than anyone reads and fit any encoding.
    """
    if isinstance(value, str):
        more = len(value) - _TEXT
        cut = f"{value[:_TEXT]}… (+{more})" if more > 0 else value
        return cut.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_told(str(name)): _told(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_told(item) for item in value]
    if value is None or isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return value
    return _told(repr(value))


def _stream(output: Output) -> dict[str, Any]:
    head, tail = output.texts()
    return {"head": head, "left_out": output.left_out, "tail": tail}
