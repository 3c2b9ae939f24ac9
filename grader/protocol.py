"""The words spoken over the pipe between the grading process and a subject.

One JSON object a line, UTF-8, a request and then its reply; ``docs/protocol.md`` is the
whole description. This module imports nothing but the standard library: both sides load it.
"""

import binascii
import hmac
import json
import math
from _hashlib import hmac_digest
from typing import Any, TypeVar

from grader.own import own_builtins

__builtins__ = own_builtins()

VERSION = 1

#: The tag of every JSON object that stands for a value (`{"$": "tensor", …}`).
TAG = "$"

#: Fields of a request that name an object by its number.
REFS = ("ref", "a", "b")

#: No reply may be longer than this many bytes.
MAX_LINE = 16 * 1024 * 1024

#: No message is nested deeper than this, so that whoever walks through one comes to an end.
MAX_DEPTH = 64

#: Events that one reply may carry. More than that is a runaway loop.
MAX_EVENTS = 10_000

#: The exit code of a subject whose pipe was cut: none that a submission gives by itself.
HUNG_UP = 77

T = TypeVar("T")
Json = Any
Message = dict[str, Json]


class ProtocolError(Exception):
    """What came over the pipe is no message of this protocol."""


def encode_line(message: Message) -> bytes:
    """One message as one line. Lone surrogates survive, escaped; bytes are told in base64."""
    return "".join(_chunks(message, 0)).encode("ascii") + b"\n"


#: As they were before any submission, which may put others into these modules. ``hmac.digest``
#: would look into ``_hashlib`` for its own at every call.
_to_base64, _digest = binascii.b2a_base64, hmac_digest


def _in_base64(value: object) -> str:
    if type(value) is bytes:
        return _to_base64(value, newline=False).decode("ascii")
    raise TypeError(f"{type(value).__name__} is no JSON")


#: What writes JSON in C, no NaN in it. What the library has around it asks for builtins by name.
_chunks = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, _in_base64, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False
)


def seal(line: bytes, key: bytes) -> bytes:
    """A line with the proof before it that it comes from one who has the key."""
    return _proof(line.removesuffix(b"\n"), key) + b" " + line


def unseal(line: bytes, key: bytes) -> bytes:
    """The line that a sealed one holds.

    Raises:
        ProtocolError: it comes from one who has not the key.
    """
    proof, _, inner = line.partition(b" ")
    if not hmac.compare_digest(proof, _proof(inner, key)):
        raise ProtocolError("a reply that the host did not write")
    return inner


def _proof(line: bytes, key: bytes) -> bytes:
    return _digest(key, line, "sha256").hex().encode("ascii")


def decode_line(line: bytes) -> Message:
    """One line as one message.

    Raises:
        ProtocolError: it is no UTF-8, no JSON, no JSON object, holds a number that no float
            holds, or is nested too deep.
    """
    try:
        # Decoded here, for json would take UTF-16 as well, and surrogates as bytes.
        text = line.decode("utf-8")
        message = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(str(error)) from None
    if not isinstance(message, dict):
        msg = f"a message is a JSON object, not {type(message).__name__}"
        raise ProtocolError(msg)
    if _is_deep(message):
        msg = f"a message nested deeper than {MAX_DEPTH}"
        raise ProtocolError(msg)
    return message


def of_type(kind: type[T], value: Json) -> T:
    """A value that must be of a JSON type: ``True`` is no 1, nor is 1.0.

    Raises:
        TypeError: it is of another.
    """
    if type(value) is not kind:
        msg = f"{type(value).__name__} where {kind.__name__} was expected"
        raise TypeError(msg)
    return value


def _refuse(constant: str) -> None:
    msg = f"{constant} is no JSON"
    raise ValueError(msg)


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        _refuse(number[:20])
    return value


def _is_deep(message: Message) -> bool:
    level: list[Json] = [message]
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        inner = [value.values() if type(value) is dict else value for value in level]
        level = [v for values in inner for v in values if type(v) is dict or type(v) is list]
    return bool(level)
