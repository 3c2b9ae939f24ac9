"""Lines of the protocol: what is written is what is read, and nothing else is read at all."""

import json
import math

import pytest
import support  # noqa: F401 - Hypothesis without deadlines
from hypothesis import example, given
from hypothesis import strategies as st

from grader.protocol import ProtocolError, decode_line, encode_line

#: Any text, lone surrogates, line ends and NUL among it.
texts = st.text(st.characters(exclude_categories=()))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
messages = st.dictionaries(texts, values, max_size=5)


@given(messages)
def test_round_trip(message: dict[str, object]):
    """Any JSON object comes back as it was; -0.0 stays -0.0 and 1.0 no 1."""
    assert repr(decode_line(encode_line(message))) == repr(message)


@given(messages)
@example({"\n\r\u2028\u0085": "\ud800\udfff\n中😀"})
def test_one_line_of_ascii(message: dict[str, object]):
    """A message is one line, whatever line ends it speaks of, and plain ASCII."""
    line = encode_line(message)
    assert line.index(b"\n") == len(line) - 1
    assert line.isascii()


@given(messages)
def test_is_json(message: dict[str, object]):
    """A message is what any other JSON reader reads."""
    assert repr(json.loads(encode_line(message).decode("ascii"))) == repr(message)


@pytest.mark.parametrize("text", ["\ud800", "\udc00\ud800", "a\udfffb"])
def test_lone_surrogates(text: str):
    """A lone surrogate, which UTF-8 cannot hold, survives as value and as key."""
    assert decode_line(encode_line({text: text})) == {text: text}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_nan_is_not_written(number: float):
    """NaN and the infinities are no JSON: they are spelled as tagged values, never as they are."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_line({"value": [number]})


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity"])
def test_nan_is_not_read(number: bytes):
    """A line with a bare NaN or infinity, which is no JSON, is refused."""
    with pytest.raises(ProtocolError):
        decode_line(b'{"value":[%b]}' % number)


@pytest.mark.parametrize(
    "line",
    [b"", b"\n", b"{", b'{"id":1', b"{'id':1}", b'{"id":1}{"id":2}', b'{"id":1} x', b"\0", b"\xff\xfe",
     b'{"a":"\xff"}', b'{"a":"\xe4\xb8"}', b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000],
    ids=lambda line: repr(line[:16]),
)  # fmt: skip
def test_garbage(line: bytes):
    """What is cut off, no JSON, no UTF-8 or nested without end is no message."""
    with pytest.raises(ProtocolError):
        decode_line(line)


@pytest.mark.parametrize("line", [b"[]", b"[{}]", b"1", b'"{}"', b"null", b"true"])
def test_no_object(line: bytes):
    """JSON that is no object is no message, and the error says what it is."""
    kind = type(json.loads(line)).__name__
    with pytest.raises(ProtocolError, match=kind):
        decode_line(line)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-be"])
def test_other_encodings(encoding: str):
    """A message is UTF-8: one that Python's json would take in another encoding is refused."""
    with pytest.raises(ProtocolError):
        decode_line('{"id": 1}'.encode(encoding))


def test_surrogates_as_bytes():
    """A surrogate written as if it were a character is no UTF-8."""
    with pytest.raises(ProtocolError):
        decode_line(b'{"a":"\xed\xa0\x80"}')


@given(st.binary() | st.builds(lambda m, at: encode_line(m)[at:], messages, st.integers(1, 9)))
def test_any_bytes(line: bytes):
    """Any bytes give a message or a ProtocolError, and no other error."""
    try:
        message = decode_line(line)
    except ProtocolError:
        return
    assert isinstance(message, dict)
