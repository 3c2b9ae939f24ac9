"""A score as text for a terminal. Nothing here looks at the terminal: the caller says how."""

from collections.abc import Iterator
from dataclasses import dataclass

from click import style
from wcwidth import wcswidth

from grader.i18n import Translator, printable
from grader.render.devices import device_lines
from grader.score import Case, Check, Error, Outcome, Output, Score, Status, Stream

#: Lines of a submission's output that are shown with one failure.
_OUTPUT_LINES = 20


@dataclass(frozen=True)
class Glyphs:
    """The marks used, from what the terminal's encoding has."""

    passed: str
    failed: str
    not_run: str
    here: str
    dot: str


_GLYPHS = (
    Glyphs("✓", "✗", "–", "▶", "·"),
    Glyphs("√", "×", "-", "→", "·"),  # GBK has these
    Glyphs("ok", "x", "-", ">", "-"),
)


def glyphs_for(encoding: str | None) -> Glyphs:
    """The best marks that an encoding can print."""
    for glyphs in _GLYPHS:
        try:
            "".join(vars(glyphs).values()).encode(encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            continue
        return glyphs
    return _GLYPHS[-1]


def render(
    score: Score, say: Translator, *, color: bool, glyphs: Glyphs, hints: bool = False
) -> str:
    """A whole score: one line a check, then what is wrong, then the points.

    Args:
        score: what to show; its texts are put into words by ``say``.
        say: the reader's language.
        color: whether to write ANSI colours.
        glyphs: the marks to use.
        hints: whether the exercise has hints to read on in.
    """
    page = _Page(score.localised(say), say, color=color, glyphs=glyphs, hints=hints)
    return "\n".join(page.lines()) + "\n"


def pad(text: str, cells: int) -> str:
    """A text filled up with blanks to a width in terminal cells, a Chinese character being two."""
    return text + " " * max(0, cells - width(text))


def width(text: str) -> int:
    """The cells that a text takes in a terminal."""
    cells: int = wcswidth(text)
    return cells if cells >= 0 else len(text)


class _Page:
    def __init__(
        self, score: Score, say: Translator, *, color: bool, glyphs: Glyphs, hints: bool
    ) -> None:
        self._score, self._say, self._color, self._glyphs = score, say, color, glyphs
        self._hints = hints

    def lines(self) -> Iterator[str]:
        yield from self._head()
        if self._score.error is not None:
            yield from self._error(self._score.error)
            yield from self._begin(self._score.error)
        else:
            yield from self._table()
            yield from self._checks()
            yield from self._demonstrations()
            yield from self._advice()
            yield from self._more()
        yield from self._total()

    def _head(self) -> Iterator[str]:
        score, dot = self._score, f" {self._glyphs.dot} "
        yield self._bold(f"{score.exercise.upper()}{dot}{self._say('exercise.title')}")
        seed = self._say("terminal.seed", seed=score.seed)
        yield dot.join((printable(score.submission.path), score.device, seed))
        for line in device_lines(score, self._say):
            text = printable(line.text)
            passed = Outcome.PASSED if line.status is Status.PASSED else Outcome.FAILED
            yield text if line.status is None else self._paint(text, passed)
            yield from _indent(2, printable(line.more))
        yield ""

    def _table(self) -> Iterator[str]:
        checks = self._score.checks
        ids = max(width(check.id) for check in checks)
        titles = max(width(check.title) for check in checks)
        points = max(len(str(check.max_points)) for check in checks)
        for check in checks:
            mark = pad(self._mark(check.status), width(self._glyphs.passed))
            row = f"  {self._paint(mark, check.status)} {pad(check.id, ids)}  "
            row += f"{pad(check.title, titles)}  {check.points:>{points}}/{check.max_points}"
            yield f"{row}  {self._cases(check)}".rstrip()
        yield ""

    def _cases(self, check: Check) -> str:
        if check.status is Outcome.PASSED:
            left_out = sum(not case.applies for case in check.cases)
            return self._say("terminal.cases_not_applicable", count=left_out) if left_out else ""
        short = [case for case in check.cases if case.status is not Outcome.PASSED and case.applies]
        id = (
            "terminal.cases_not_run" if check.status is Outcome.NOT_RUN else "terminal.cases_failed"
        )
        return self._say(id, failed=len(short), total=len(check.cases))

    def _checks(self) -> Iterator[str]:
        """Every check that did not pass; a reason that several share is told once."""
        told: dict[object, str] = {}
        for check in self._score.checks:
            if check.status is Outcome.PASSED:
                continue
            case = check.case()
            # An exception raised on one line is one fault, whichever call met it.
            reason = (case.evidence and case.evidence.line) or check.id
            if reason in told:
                mark = self._paint(self._mark(check.status), check.status)
                yield f"{mark} {self._bold(check.id)} {self._glyphs.dot} " + self._say(
                    "terminal.same_as", check=told[reason]
                )
                yield ""
            else:
                told[reason] = check.id
                yield from self._check(check, case)

    def _check(self, check: Check, case: Case) -> Iterator[str]:
        mark = self._paint(self._mark(check.status), check.status)
        name = self._say(f"case.{check.id}.{case.id.partition('[')[0]}")
        where = f" {self._glyphs.dot} {check.device}" if len(self._score.graded_on) > 1 else ""
        yield f"{mark} {self._bold(check.id)}{where} {self._glyphs.dot} {name} ({case.id})"
        if check.message is not None:
            yield from _indent(2, printable(check.message.text))
        yield from self._evidence(case)
        yield from self._hint(check.hint)
        if case.output is not None:
            yield from self._output(case.output)
        yield ""

    def _evidence(self, case: Case) -> Iterator[str]:
        evidence = case.evidence
        if evidence is None:
            return
        if evidence.line is not None:
            yield from self._place(evidence.line, evidence.code)
        for label, text in (("seen", evidence.seen), ("expected", evidence.expected)):
            if text is not None:
                yield from self._field(label, printable(text).splitlines())
        calls = [f"  {call}" for call in evidence.calls]
        if calls:
            calls[-1] = f"{self._glyphs.here} {evidence.calls[-1]}"
        if evidence.left_out:
            calls.insert(0, "  " + self._say("terminal.earlier_calls", count=evidence.left_out))
        yield from self._field("calls", [printable(call) for call in calls])

    def _hint(self, hint: str) -> Iterator[str]:
        level, _, anchor = hint.partition("-")
        name = f"{level.upper()} {anchor}".strip()
        yield from self._field("hint", [f"{name} {self._glyphs.dot} {self._say(f'hint.{hint}')}"])

    def _place(self, line: int, code: str | None) -> Iterator[str]:
        place = f"{printable(self._score.submission.path)}:{line}"
        yield from self._field("place", [place, *([f"    {printable(code)}"] if code else [])])

    def _error(self, error: Error) -> Iterator[str]:
        ours = self._score.status is Status.UNGRADED
        title = self._say("terminal.ungraded" if ours else "terminal.error")
        yield f"{self._paint(self._glyphs.failed, Outcome.FAILED)} {self._bold(title)}"
        yield from _indent(2, printable(error.message.text))
        if error.line is not None:
            yield from self._place(error.line, error.code)
        if remedy := self._say.remedy(error.message.id, **error.message.params):
            yield from self._field("next", printable(remedy).splitlines())
        if error.output is not None:
            yield from self._output(error.output)
        yield ""

    def _output(self, output: Output) -> Iterator[str]:
        for name, stream in (("stdout", output.stdout), ("stderr", output.stderr)):
            if stream.head or stream.tail:
                lines = list(self._stream(stream))
                label = self._say("terminal.printed", stream=name)
                yield f"    {label}"
                yield from (f"      {line}" for line in lines)

    def _stream(self, stream: Stream) -> Iterator[str]:
        """The first lines and the last; what lies between is counted."""
        head, tail = (printable(text).splitlines() for text in (stream.head, stream.tail))
        if not stream.left_out:
            head, tail = head[:_OUTPUT_LINES], head[_OUTPUT_LINES:] + tail
            between = len(tail) - _OUTPUT_LINES
        else:
            between = 0
        yield from head[:_OUTPUT_LINES]
        if stream.left_out:
            yield self._say("terminal.bytes_left_out", count=stream.left_out)
        elif between > 0:
            yield self._say("terminal.lines_left_out", count=between)
        yield from tail[-_OUTPUT_LINES:]

    def _demonstrations(self) -> Iterator[str]:
        if not self._score.demonstrations:
            return
        yield self._bold(self._say("terminal.demonstrations"))
        for shown in self._score.demonstrations:
            mark = self._paint(self._mark(shown.status), shown.status)
            title = self._say(f"demonstration.{shown.id}")
            where = f" {self._glyphs.dot} {shown.device}" if len(self._score.graded_on) > 1 else ""
            yield f"  {mark} {title}{where}"
            if shown.message is not None:
                yield from _indent(4, printable(shown.message.text))
        yield ""

    def _advice(self) -> Iterator[str]:
        if self._score.advice:
            yield self._bold(self._say("terminal.advice"))
            for text in self._score.advice:
                yield from _indent(2, printable(text.text))
            yield ""

    def _begin(self, error: Error) -> Iterator[str]:
        """Whoever has not begun is shown the way to the exercise's page."""
        if self._hints and error.kind == "starter":
            yield self._say("terminal.begin", exercise=self._score.exercise)
            yield ""

    def _more(self) -> Iterator[str]:
        """Where there is more to be read, and to be seen."""
        if self._hints and self._score.status is Status.FAILED:
            level = min(check.hint[1] for check in self._score.checks if check.message)
            yield self._say("terminal.more", exercise=self._score.exercise, level=level)
            yield ""

    def _total(self) -> Iterator[str]:
        score = self._score
        if score.score is None:
            yield self._bold(self._say("terminal.no_score"))
            return
        outcome = Outcome.PASSED if score.status is Status.PASSED else Outcome.FAILED
        total = self._say("terminal.total", score=score.score, max=score.max_score)
        yield self._paint(self._bold(total), outcome)

    def _field(self, label: str, lines: list[str]) -> Iterator[str]:
        """Lines behind a label, one below the other."""
        text = self._say(f"terminal.{label}")
        for i, line in enumerate(lines):
            yield f"    {pad('' if i else text, self._label_width)}  {line}".rstrip()

    @property
    def _label_width(self) -> int:
        labels = ("seen", "expected", "calls", "hint", "place", "next")
        return max(width(self._say(f"terminal.{label}")) for label in labels)

    def _mark(self, status: Outcome) -> str:
        marks = {Outcome.PASSED: self._glyphs.passed, Outcome.NOT_RUN: self._glyphs.not_run}
        return marks.get(status, self._glyphs.failed)

    def _paint(self, text: str, status: Outcome) -> str:
        colors = {Outcome.PASSED: "green", Outcome.NOT_RUN: "yellow"}
        return style(text, fg=colors.get(status, "red")) if self._color else text

    def _bold(self, text: str) -> str:
        return style(text, bold=True) if self._color else text


def _indent(cells: int, text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield " " * cells + line
