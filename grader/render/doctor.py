"""A diagnosis as text for a terminal: the machine, then how graphs behave, a line a behaviour."""

from collections.abc import Iterator

from click import style

from grader.doctor import Behaviour, Conformance, Diagnosis
from grader.exercise import Project
from grader.i18n import Translator, printable
from grader.message import Message
from grader.render.terminal import Glyphs, pad, width
from grader.subject.device import DEVICES, DeviceName

#: Cells of a word in the table; a longer one is whole below it.
_WORD = 24


def render(
    diagnosis: Diagnosis, project: Project, say: Translator, *, color: bool, glyphs: Glyphs
) -> str:
    """A whole diagnosis.

    Args:
        diagnosis: what to show.
        project: whose exercises have the texts of behaviours.
        say: the reader's language.
        color: whether to write ANSI colours.
        glyphs: the marks to use.
    """
    lines = list(_machine(diagnosis, say))
    for conformance in diagnosis.graphs or ():
        local = Translator(say.language, project.exercise(conformance.exercise).folder)
        table = _Table(conformance, diagnosis, local, color=color, glyphs=glyphs)
        lines += ["", *table.lines()]
    if not diagnosis.graphs:
        lines += ["", say("doctor.more" if diagnosis.graphs is None else "doctor.none")]
    return "\n".join(lines) + "\n"


def _machine(diagnosis: Diagnosis, say: Translator) -> Iterator[str]:
    facts = [
        ("grader", [diagnosis.grader]),
        ("Python", [f"{diagnosis.python} ({diagnosis.executable})"]),
        (say("doctor.system"), [diagnosis.platform]),
        ("torch", [diagnosis.torch or say("doctor.absent")]),
    ]
    for device in diagnosis.devices:
        missing = device.missing
        remedy = say.remedy(missing.id, **missing.params) if missing else ""
        told = [say.text(missing), remedy] if missing else [say("doctor.there")]
        facts.append((device.name, [line for line in told if line]))
    for one in diagnosis.toolchains:
        told = [one.version] if one.version else []
        for program, package in one.missing.items():
            why = Message(
                "environment.no_toolchain",
                {"language": one.title, "program": program, "package": package},
            )
            told += [say.text(why), say.remedy(why.id, **why.params)]
        facts.append((one.title, told))
    labels = max(width(label) for label, _ in facts)
    for label, told in facts:
        for i, line in enumerate(told):
            yield f"{pad('' if i else label, labels)}  {printable(line)}"


class _Table:
    """How the graphs of one exercise behave.

    Args:
        conformance: how.
        diagnosis: what it is a part of.
        say: the reader's language, with the exercise's texts.
        color: whether to write ANSI colours.
        glyphs: the marks to use.
    """

    def __init__(
        self, conformance: Conformance, diagnosis: Diagnosis, say: Translator, *,
        color: bool, glyphs: Glyphs,
    ) -> None:  # fmt: skip
        self._conformance, self._diagnosis, self._say = conformance, diagnosis, say
        self._color, self._glyphs = color, glyphs

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._rows()
        yield from self._not_run()
        yield from self._differences()
        yield from self._unexpected()
        yield ""
        yield self._total()

    def _head(self) -> Iterator[str]:
        id = self._conformance.exercise.upper()
        yield self._bold(f"{id} {self._glyphs.dot} {self._say('exercise.title')}")
        for device, ground in self._conformance.grounds.items():
            told = {"hardware": ground.hardware, "torch": ground.torch}
            yield self._say("doctor.ground", device=device.upper(), **told)
        yield ""

    def _rows(self) -> Iterator[str]:
        behaviours = self._conformance.behaviours
        heads = [self._say("doctor.graph", device=device.upper()) for device in DEVICES]
        rows = [[self._title(one), *(self._cell(one, on) for on in DEVICES)] for one in behaviours]
        widths = [max(map(width, column)) for column in zip(["", *heads], *rows, strict=True)]
        mark = width(self._glyphs.passed)
        yield self._bold(" " * (2 + mark + 1) + _in_columns(["", *heads], widths))
        for one, row in zip(behaviours, rows, strict=True):
            yield f"  {self._mark(not one.unexpected)} {_in_columns(row, widths)}"

    def _not_run(self) -> Iterator[str]:
        """Why there is a device that no graph was run on."""
        for device in self._diagnosis.devices:
            if device.missing is not None:
                yield ""
                reason = self._say.text(device.missing)
                yield self._say("doctor.why", device=device.name.upper(), reason=reason)

    def _differences(self) -> Iterator[str]:
        """Where devices are known not to be alike, and why."""
        different = [one for one in self._conformance.behaviours if one.differs]
        if different:
            yield ""
            yield self._bold(self._say("doctor.differences"))
        for one in different:
            words = {on: self._word(word) for on, word in one.expected.items()}
            yield "  " + self._say("doctor.difference", title=self._title(one), **words)
            yield f"    {self._say(f'difference.{one.name}')}"

    def _unexpected(self) -> Iterator[str]:
        if self._conformance.unexpected:
            yield ""
            yield self._bold(self._say("doctor.unexpected"))
        for one, on in self._conformance.unexpected:
            words = {"seen": self._word(one.seen[on]), "expected": self._word(one.expected[on])}
            yield "  " + self._say(
                "doctor.fault", name=one.name, title=self._title(one), device=on.upper(), **words
            )

    def _total(self) -> str:
        behaviours = self._conformance.behaviours
        bad = sum(bool(one.unexpected) for one in behaviours)
        id = "doctor.bad" if bad else "doctor.ok"
        return self._bold(self._say(id, bad=bad, count=len(behaviours)))

    def _title(self, one: Behaviour) -> str:
        return self._say(f"behaviour.{one.name}")

    def _cell(self, one: Behaviour, on: DeviceName) -> str:
        """A word as it stands in the table."""
        word = self._word(one.seen[on])
        # Only what no catalog has is so long, such as an exception's words.
        return word if width(word) <= _WORD else f"{word[: _WORD - 3]}..."

    def _word(self, word: str | None) -> str:
        """A word that a program said in the reader's language; one that is new as it is."""
        if word is None:
            return self._say("doctor.not_run")
        id = f"word.{word.replace(' ', '_')}"
        return self._say(id) if self._say.knows(id) else printable(word)

    def _mark(self, good: bool) -> str:
        mark = self._glyphs.passed if good else self._glyphs.failed
        mark = pad(mark, width(self._glyphs.passed))
        return style(mark, fg="green" if good else "red") if self._color else mark

    def _bold(self, text: str) -> str:
        return style(text, bold=True) if self._color else text


def _in_columns(cells: list[str], widths: list[int]) -> str:
    padded = (pad(cell, cells_) for cell, cells_ in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()
