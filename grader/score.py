"""The score of a submission: documented JSON that every renderer reads.

The schema is shipped as ``score.schema.json``. Texts are messages (an id and parameters);
``localised`` fills their ``text`` in, so one stored score can be shown in any language.
"""

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, field_serializer

from grader.frames import Comparison
from grader.i18n import Translator
from grader.message import Message
from grader.model import Model
from grader.subject.device import DeviceName
from grader.subject.isolation import Level

SCHEMA_VERSION = 1

#: A list of strings and numbers as ``json`` indents it. Within a string no line ends.
_PLAIN_LIST = re.compile(r'\[\n\s+(?:(?:"(?:[^"\\\n]|\\.)*"|[-+.\w]+),?\n\s+)+\]')
_LINE = re.compile(r"\n\s*")


class Status(StrEnum):
    """How a submission fared.

    ``ERROR``: it could not be graded, through a fault of its own; it scores 0.
    ``UNGRADED``: it could not be graded, through a fault of the exercise or the machine;
    it has no score and is graded again.
    """

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    UNGRADED = "ungraded"


class Outcome(StrEnum):
    """How a check or a case ended.

    ``ERROR``: the submission's code raised. ``NOT_RUN``: nothing was seen to judge.
    """

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_RUN = "not_run"


class Text(Model):
    """A message, and its text once it has been put into words."""

    id: str
    params: Mapping[str, Any] = Field(default_factory=dict)
    text: str = ""

    @classmethod
    def of(cls, message: Message) -> Self:
        """The message, not yet in words."""
        return cls(id=message.id, params=dict(message.params))


class Stream(Model):
    """What was printed on one stream: its beginning, its end, and the bytes between left out."""

    head: str = ""
    left_out: int = 0
    tail: str = ""


class Output(Model):
    """What the submission printed."""

    stdout: Stream = Stream()
    stderr: Stream = Stream()


class Evidence(Model):
    """What a message is about.

    Attributes:
        calls: the calls made so far, the last of them the one in question.
        left_out: calls before those that are not listed.
        seen: what was seen.
        expected: what should have been.
        row: the first row that differs, from 0.
        line: the submission's own line, from 1.
        code: its text.
        drawing: the last of the calls, with the buffers after each, beside the reference's; in
            the first case of a check that failed.
    """

    calls: Sequence[str] = ()
    left_out: int = 0
    seen: str | None = None
    expected: str | None = None
    row: int | None = None
    line: int | None = None
    code: str | None = None
    drawing: Comparison | None = None

    @field_serializer("drawing")
    def _briefly(self, drawing: Comparison | None):  # type: ignore[no-untyped-def] # noqa: ANN202
        """A drawing is most of a score: what goes without saying is left out of it.

        An annotation would stand in the schema instead of the drawing's own.
        """
        return drawing and drawing.model_dump(mode="json", exclude_defaults=True)


class Case(Model):
    """One case of a check.

    Attributes:
        applies: whether the submission's language has what the case is about. One that does not
            apply is not run, and costs nothing.
    """

    id: str
    status: Outcome
    applies: bool = True
    message: Text | None = None
    evidence: Evidence | None = None
    output: Output | None = None
    hint: str | None = None
    duration_s: float = 0.0


class Check(Model):
    """One acceptance point: full points if every case passed, none otherwise.

    Attributes:
        device: where its cases ran: of several devices, the first on which it fared worst.
    """

    id: str
    title: str = ""
    status: Outcome
    points: int
    max_points: int
    message: Text | None = None
    hint: str
    device: DeviceName = "cpu"
    cases: Sequence[Case] = ()

    def case(self) -> Case:
        """The case that the message is of: the first that fared as the check did."""
        alike = [case for case in self.cases if case.status is self.status]
        return next((case for case in alike if case.applies), alike[0])


class Error(Model):
    """Why a submission could not be graded."""

    kind: str
    message: Text
    file: str | None = None
    line: int | None = None
    code: str | None = None
    output: Output | None = None


class Series(Model):
    """Values under one label."""

    label: Text
    values: Sequence[str]


class Demonstration(Model):
    """What a submission was shown to do, without any points.

    Attributes:
        id: its name.
        device: where it ran.
        status: how it went.
        message: what it comes to, or what went wrong.
        rows: what there was to be seen.
    """

    id: str
    device: DeviceName
    status: Outcome
    message: Text | None = None
    rows: Sequence[Series] = ()


class OnDevice(Model):
    """How a submission fared on one device.

    Attributes:
        device: which.
        hardware: the device, in words, where it says.
        status: as for the whole; None where nothing was graded there.
        score: the points there.
        checks: check -> how it ended there.
        message: why nothing was graded there.
        missing: the protections that were missing there.
    """

    device: DeviceName
    hardware: str = ""
    status: Status | None = None
    score: float | None = None
    checks: Mapping[str, Outcome] = Field(default_factory=dict)
    message: Text | None = None
    missing: Sequence[str] = ()


class Submitted(Model):
    """What was graded."""

    path: str
    sha256: str
    language: str


class IsolationInForce(Model):
    """What stood between the submission and the machine that graded it.

    Attributes:
        level: what was asked for: ``require``, ``best`` or ``none``.
        process: ``fork``, a process forked from a server, or ``process``, one of its own.
        protections: protection -> the walls that gave it; none where it was missing.
        missing: the protections that were missing.
    """

    level: Level
    process: Literal["fork", "process"]
    protections: Mapping[str, Sequence[str]] = Field(default_factory=dict)
    missing: Sequence[str] = ()


Spoken = TypeVar("Spoken", Case, Error, OnDevice, Demonstration)


class Score(Model):
    """The whole result of one grading.

    Attributes:
        device: the devices that it was graded on, joined by ``+``.
        devices: how it fared on each, and those that were not there.
        demonstrations: what else the submission was shown to do.
    """

    schema_version: int = SCHEMA_VERSION
    exercise: str
    submission: Submitted
    device: str
    status: Status
    score: float | None
    max_score: float
    checks: Sequence[Check]
    advice: Sequence[Text] = ()
    error: Error | None = None
    devices: Sequence[OnDevice] = ()
    demonstrations: Sequence[Demonstration] = ()
    isolation: IsolationInForce
    seed: int
    duration_s: float
    versions: Mapping[str, str] = Field(default_factory=dict)

    @property
    def graded_on(self) -> list[DeviceName]:
        """The devices that anything was graded on."""
        return [one.device for one in self.devices if one.status is not None]

    def localised(self, translator: Translator) -> "Score":
        """The same score with every text in a language."""

        def say(text: Text | None) -> Text | None:
            return text and text.model_copy(update={"text": translator(text.id, **text.params)})

        def say_message(part: Spoken) -> Spoken:
            return part.model_copy(update={"message": say(part.message)})

        def say_shown(shown: Demonstration) -> Demonstration:
            rows = [row.model_copy(update={"label": say(row.label)}) for row in shown.rows]
            return say_message(shown).model_copy(update={"rows": rows})

        checks = [
            check.model_copy(
                update={
                    "title": translator(f"check.{check.id}"),
                    "message": say(check.message),
                    "cases": [say_message(case) for case in check.cases],
                }
            )
            for check in self.checks
        ]
        return self.model_copy(
            update={
                "checks": checks,
                "error": self.error and say_message(self.error),
                "advice": [say(text) for text in self.advice],
                "devices": [say_message(device) for device in self.devices],
                "demonstrations": [say_shown(shown) for shown in self.demonstrations],
            }
        )

    def to_json(self) -> str:
        """As JSON text, with a line end; a list of plain values stands on one line."""
        text = json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False)
        return _PLAIN_LIST.sub(lambda found: _LINE.sub(" ", found[0]), text) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of a score."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Score.model_json_schema(mode="serialization"),
    }


def schema_text() -> str:
    """The JSON Schema as the package ships it: ``python -m grader.score`` prints it."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")  # noqa: T201 - what this is for
