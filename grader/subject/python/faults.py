"""What went wrong in a submission, as data, with the student's own file and line."""

import linecache
import sys
import tokenize
from io import BytesIO
from types import TracebackType

from grader.own import OwnError, own_builtins
from grader.protocol import Message

__builtins__ = own_builtins()

_MAX_TEXT = 2000
_MAX_FRAMES = 5

#: What torch says in a RuntimeError when its allocator on the CPU is refused.
_NO_MEMORY = "DefaultCPUAllocator: can't allocate memory"


class LoadError(OwnError):
    """The submission cannot be loaded, for a reason that is no exception of its own."""

    def __init__(self, **fields: object) -> None:
        super().__init__(fields["kind"])
        self.fields = fields


def describe_exception(error: BaseException, path: str, *, kind: str = "exception") -> Message:
    """An exception of the submission as the ``error`` of a reply.

    Args:
        error: what was raised.
        path: the submission's file; frames elsewhere are the given library's or torch's.
        kind: what to call it, where it is neither an exit nor a lack of memory.
    """
    if isinstance(error, LoadError):
        return dict(error.fields)
    if isinstance(error, SystemExit):
        kind = "exit"
    elif isinstance(error, MemoryError) or _NO_MEMORY in _text_of(error):
        kind = "memory"
    lines = _own_lines(error.__traceback__, path)
    line = lines[-1] if lines else None
    return {
        "kind": kind,
        "type": type(error).__name__,
        "message": _text_of(error),
        "line": line,
        "code": linecache.getline(path, line).strip() if line else None,
        "lines": lines[-_MAX_FRAMES:],
    }


def decode_source(source: bytes) -> str:
    """A Python source as text, by its BOM or its declared encoding, else as UTF-8.

    Raises:
        LoadError: kind ``encoding``, with the line of the first byte that does not decode.
    """
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(source).readline)
    except SyntaxError:
        encoding = _declared_or_utf8(source)
    try:
        return source.decode(encoding)
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise LoadError(kind="encoding", encoding=encoding, line=line) from None


def compile_source(source: bytes, path: str) -> object:
    """Compile a submission's bytes.

    Raises:
        LoadError: kind ``syntax`` or ``encoding``.
    """
    text = decode_source(source)
    linecache.cache[path] = (len(source), None, text.splitlines(keepends=True), path)
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise LoadError(
            kind="syntax",
            message=error.msg,
            line=error.lineno,
            code=linecache.getline(path, error.lineno).rstrip() if error.lineno else None,
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:  # NUL bytes; nested too deep
        raise LoadError(kind="syntax", message=str(error), line=None, code=None) from None


def _declared_or_utf8(source: bytes) -> str:
    """An encoding that is not known is an error; bytes that are no UTF-8 are found later."""
    for line, text in enumerate(source.split(b"\n", 2)[:2], start=1):
        match = tokenize.cookie_re.match(text.decode("latin-1"))
        if match:
            raise LoadError(kind="encoding", encoding=match.group(1), line=line)
    return "utf-8"


def _own_lines(traceback: TracebackType | None, path: str) -> list[int]:
    lines = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == path:
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - __str__ is the student's, and may do anything
        return f"<{type(error).__name__}: its text cannot be shown>"
    if len(text) > _MAX_TEXT:
        return f"{text[:_MAX_TEXT]}… (+{len(text) - _MAX_TEXT})"
    return text


def flush_streams() -> None:
    """Send out what the submission printed, so that it arrives before the reply does."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001, S112 - the stream may be the student's own, or closed
            continue
