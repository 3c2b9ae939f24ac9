"""Names that strangers gave: bytes as text, and whether a name may stand as a place."""

import re

from grader.batch.intake.member import Parts, Refused
from grader.message import Message

#: A character of GBK in both bytes of which the highest bit is set, as in all of GB 2312. Western
#: names in other encodings have such bytes one at a time, between ASCII letters.
_CHINESE = re.compile(rb"[\x81-\xfe][\x80-\xfe]")
_DRIVE = re.compile(r"[A-Za-z]:")


def decoded(raw: bytes, otherwise: str | None = None) -> str:
    r"""A name as text: in UTF-8, or in GBK, which Chinese Windows writes.

    Args:
        raw: the name's bytes, of which nothing says how they are to be read.
        otherwise: the encoding to read it in where it is neither; without one, the bytes that
            are no UTF-8 are shown as ``\x..``.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if _CHINESE.search(raw):
        try:
            return raw.decode("gb18030")
        except UnicodeDecodeError:
            pass
    return raw.decode(otherwise) if otherwise else raw.decode("utf-8", "backslashreplace")


def parts_of(name: str) -> Parts:
    r"""The place that a name in an archive stands for; ``\`` separates as ``/`` does.

    Raises:
        Refused: it leads out of the archive, or is no name.
    """
    parts = name.replace("\\", "/").split("/")
    if (parts[0] == "" and len(parts) > 1) or _DRIVE.match(name) or ".." in parts:
        raise Refused(Message("intake.outside"))
    inner = tuple(part for part in parts if part not in ("", "."))
    if "\0" in name or not inner:
        raise Refused(Message("intake.nameless"))
    return inner
