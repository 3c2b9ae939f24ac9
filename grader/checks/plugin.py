"""The pytest plugin that checks run under: fixtures for the subject, and what failed, as data."""

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from math import isfinite
from typing import Any

import pytest

from grader.checks.expect import CheckFailed, Unseen
from grader.checks.hearing import Hearing, Seen
from grader.checks.ruling import Shown
from grader.errors import GraderError, SubmissionError
from grader.message import Message
from grader.subject.faults import NotApplicable, SubjectRaised
from grader.subject.output import Output
from grader.subject.subject import Subject

#: How many calls before a failure are listed.
_CALLS = 8

#: Characters of a text that are told.
_TEXT = 8000

Advise = Callable[..., None]
Show = Callable[..., None]


class GradingPlugin:
    """Fixtures of the checks, and what their reports are to hold.

    Attributes:
        hearing: the submission that is before the checks.
        trouble: why check files cannot be collected, as pytest says it.
    """

    def __init__(self) -> None:
        self.hearing: Hearing
        self.trouble: list[str] = []

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        """What others ask for of the terminal's part in pytest, which is left out."""
        parser.addoption("--tb", dest="tbstyle", default="no")
        parser.addoption("--verbose", dest="verbose", type=int, default=0)

    @pytest.hookimpl(trylast=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """How a stage went, in a word, which the terminal's part would say otherwise."""
        return report.outcome, "", ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember what cannot be collected."""
        if report.failed:
            self.trouble.append(report.longreprtext)

    @pytest.fixture
    def subject(self, request: pytest.FixtureRequest) -> Generator[Subject, None, None]:
        """The submission, with nothing left of the cases before."""
        hearing, case = self.hearing, request.node.nodeid
        hearing.subject = hearing.subjects.take(case)
        seen = hearing.seen[case] = Seen(hearing.subject.trace)
        yield hearing.subject
        seen.printed = any(output.size for output in hearing.subjects.printed())
        hearing.subject = None

    @pytest.fixture
    def oracle(self) -> Subject:
        """The reference solution. What it computes is what is expected."""
        return self.hearing.oracle.recalled()

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> random.Random:
        """Randomness of this case: the same for the same seed, whichever cases run before it."""
        return random.Random(f"{self.hearing.seed}:{request.node.name}")  # noqa: S311 - no secret

    @pytest.fixture
    def advise(self, subject: Subject, request: pytest.FixtureRequest) -> Advise:  # noqa: ARG002
        """Say something that costs no points, once however often it is seen."""
        advice = self.hearing.seen[request.node.nodeid].advice

        def say(id: str, **params: object) -> None:
            advice.setdefault(id, Message(id, params))

        return say

    @pytest.fixture
    def show(self, subject: Subject, request: pytest.FixtureRequest) -> Show:  # noqa: ARG002
        """Show something: what it comes to, and rows of values, each under a label."""
        seen = self.hearing.seen[request.node.nodeid]

        def put(id: str, rows: Sequence[tuple[Message, Sequence[str]]], **params: object) -> None:
            told = [(label, [str(_told(value)) for value in values]) for label, values in rows]
            seen.shown = Shown(Message(id, _told(params)), told)

        return put

    def pytest_json_runtest_metadata(self, call: pytest.CallInfo[Any]) -> dict[str, Any]:
        """What the report is to know of a stage that did not pass."""
        if call.excinfo is None:
            return {}
        hearing, raised = self.hearing, call.excinfo.value
        if isinstance(raised, SubmissionError) and hearing.error is None:
            raised.params, raised.code = _told(raised.params), _told(raised.code)
            hearing.error, hearing.output = raised, self._output()
        if isinstance(raised, GraderError):
            hearing.fault = raised
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
            "applies": not isinstance(raised, NotApplicable),
            "message": {"id": message.id, "params": _told(message.params)},
            "evidence": _told({**evidence, "calls": calls, "left_out": left_out}),
            "hint": getattr(raised, "hint", None),
            "output": self._output(),
        }

    def _calls(self) -> tuple[list[str], int]:
        if self.hearing.subject is None:
            return [], 0
        trace = self.hearing.subject.trace
        steps = trace.calls()
        return [trace.spell(step) for step in steps[-_CALLS:]], max(0, len(steps) - _CALLS)

    def _output(self) -> dict[str, Any] | None:
        stdout, stderr = self.hearing.subjects.printed()
        if not stdout.size and not stderr.size:
            return None
        return {"stdout": _stream(stdout), "stderr": _stream(stderr)}


def _is_finding(raised: BaseException) -> bool:
    return isinstance(raised, CheckFailed | SubjectRaised | Unseen | NotApplicable)


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
