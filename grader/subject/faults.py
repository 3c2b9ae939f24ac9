"""What the ``error`` of a reply means: an exception for the checks, or the end of the grading."""

from grader.errors import SubmissionError
from grader.message import Message
from grader.protocol import Json
from grader.protocol import Message as WireMessage

#: No file has more lines: it could not be read.
_MAX_LINES = 10**7

#: Exceptions that have a text of their own.
_EXCEPTION_TEXTS = {
    "NotImplementedError": "error.unfinished",
    "EOFError": "error.input",
    "PermissionError": "error.forbidden",
}


class SubjectRaised(Exception):
    """The submission's code raised an exception in a call.

    Attributes:
        message: what it was, in which call.
        line: the line of the submission that it came from, where it came from there.
        code: that line's text.
    """

    def __init__(self, error: WireMessage, call: str) -> None:
        raised = str(error.get("type"))
        self.message = Message(
            _EXCEPTION_TEXTS.get(raised, "error.exception"),
            {"type": raised, "detail": str(error.get("message")), "call": call},
        )
        self.line: int | None = line_or_none(error.get("line"))
        self.code: str | None = text_or_none(error.get("code"))
        super().__init__(f"{raised}: {error.get('message')}")


class NotApplicable(Exception):
    """A case asks for something that the submission's language has not: nobody's fault.

    Attributes:
        message: what that is.
    """

    def __init__(self, id: str, **params: object) -> None:
        super().__init__(id)
        self.message = Message(id, params)


def call_error(error: WireMessage, call: str) -> SubjectRaised | SubmissionError:
    """The ``error`` of a reply to anything but ``load`` as what is to be raised."""
    kind, said = error.get("kind"), str(error.get("message"))
    if kind == "exception":
        return SubjectRaised(error, call)
    return SubmissionError(
        str(kind) if kind in ("exit", "memory", "tampered") else "protocol",
        {"doing": call, "code": said, "detail": said},
        line=line_or_none(error.get("line")),
        code=text_or_none(error.get("code")),
    )


def load_error(error: WireMessage, path: str) -> SubmissionError:
    """The ``error`` of a reply to ``load`` as what the reader is told."""
    known = {"syntax", "encoding", "import", "exit", "memory", "missing", "signature", "tampered"}
    kind = str(error.get("kind"))
    params = {k: v for k, v in error.items() if k not in ("kind", "line", "code", "lines")}
    params["doing"] = f"import {path}"
    if kind == "exit":
        params["code"] = error.get("message")
    return SubmissionError(
        kind if kind in known else "protocol",
        params if kind in known else {"detail": kind},
        line=line_or_none(error.get("line")),
        code=text_or_none(error.get("code")),
    )


def line_or_none(value: Json) -> int | None:
    """A line's number that may be missing, or be anything, coming from a subject."""
    return value if type(value) is int and 1 <= value <= _MAX_LINES else None


def text_or_none(value: Json) -> str | None:
    """A text that may be missing, or be anything, coming from a subject."""
    return value if isinstance(value, str) else None
