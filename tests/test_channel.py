"""The grading side of the pipe, against a peer that follows a script."""

import contextlib
import json
import os
import signal
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import descriptors

from grader.errors import SubmissionError
from grader.protocol import HUNG_UP
from grader.subject import channel as module
from grader.subject.channel import Channel
from grader.subject.output import Output

#: Seconds that are waited for what never comes.
SOON = 0.05


class FakeProcess:
    """A process that is none: it notes what is asked of it.

    Attributes:
        code: how it is said to have ended.
        asked: the names of the methods called.
        stack: what it writes to its stderr when it is asked where it is.
    """

    def __init__(self) -> None:
        self.code: int | None = 0
        self.asked: list[str] = []
        self.stack = b""
        self.stderr = -1

    def kill(self) -> None:
        """Note it."""
        self.asked.append("kill")

    def dump_stack(self) -> None:
        """Note it, and write what the script says."""
        self.asked.append("dump_stack")
        os.write(self.stderr, self.stack)

    def exit_code(self) -> int | None:
        """Note it, and say what the script says."""
        self.asked.append("exit_code")
        return self.code


class Peer:
    """The subject's end of everything, and the channel to it."""

    def __init__(self) -> None:
        ours, self.pipe = socket.socketpair()
        (out, self.stdout), (err, self.stderr) = os.pipe(), os.pipe()
        self.process = FakeProcess()
        self.process.stderr = self.stderr
        self.channel = Channel(ours, (out, err), self.process)

    def say(self, *lines: bytes) -> None:
        """Send raw bytes."""
        self.pipe.sendall(b"".join(lines))

    def print(self, data: bytes, *, stderr: bool = False) -> None:
        """Print something."""
        assert os.write(self.stderr if stderr else self.stdout, data) == len(data)

    def hang_up(self) -> None:
        """Close the pipe."""
        self.pipe.close()

    def receive(self, number: int = 1, *, seconds: float = SOON, output_mb: float = 1.0):
        """Have the channel wait for a reply."""
        return self.channel.receive(number, seconds=seconds, output_mb=output_mb, doing="run(x)")

    def failure(self, number: int = 1, **limits: float) -> SubmissionError:
        """What the channel finds wrong while it waits for a reply."""
        with pytest.raises(SubmissionError) as raised:
            self.receive(number, **limits)
        return raised.value

    def close(self) -> None:
        """Give everything back."""
        self.pipe.close()
        with contextlib.suppress(OSError):
            self.channel.close()
        for fd in (self.stdout, self.stderr):
            os.close(fd)


@pytest.fixture
def peer():
    """A peer that has said nothing yet."""
    peer = Peer()
    yield peer
    peer.close()


def reply(id: object = 1, **fields: object) -> bytes:
    """A reply that is well-formed, but for what a test says."""
    return json.dumps({"id": id, "value": None, "events": []} | fields).encode() + b"\n"


# --- requests and replies ------------------------------------------------------------------------


def test_request(peer):
    """A request is one line with a number of its own and its fields."""
    numbers = [peer.channel.send("call", ref=3, method="run"), peer.channel.send("hello")]
    lines = peer.pipe.recv(4096).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"id": numbers[0], "op": "call", "ref": 3, "method": "run"},
        {"id": numbers[1], "op": "hello"},
    ]
    assert numbers[0] != numbers[1]


@pytest.mark.parametrize(
    "fields",
    [{"value": 3}, {"value": None}, {"value": {"$": "map", "items": []}}, {"after": {"stats": 1}},
     {"events": [{"event": "capture", "within": None}]}, {"more": "than is known"}],
)  # fmt: skip
def test_reply(peer, fields):
    """A well-formed reply is given back as it is."""
    peer.say(reply(**fields))
    assert peer.receive() == json.loads(reply(**fields))


def test_error_reply(peer):
    """So is one that holds an error in place of a value."""
    peer.say(b'{"id":1,"error":{"kind":"exception"},"events":[]}\n')
    assert peer.receive()["error"] == {"kind": "exception"}


def test_reply_in_pieces(peer):
    """A reply that comes byte by byte is one reply."""
    line = reply(value="x" * 50)
    writer = threading.Thread(target=lambda: [peer.say(bytes([byte])) for byte in line])
    writer.start()
    assert peer.receive(seconds=10)["value"] == "x" * 50
    writer.join()


def test_long_reply(peer):
    """A reply longer than a socket holds is read whole."""
    line = reply(value="x" * 3_000_000)
    writer = threading.Thread(target=peer.say, args=(line,))
    writer.start()
    assert peer.receive(seconds=10) == json.loads(line)
    writer.join()


def test_replies_at_once(peer):
    """Two replies that arrive together are two replies."""
    peer.say(reply(1, value="a"), reply(2, value="b"))
    assert [peer.receive(number)["value"] for number in (1, 2)] == ["a", "b"]


# --- no reply ------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [b"", b"{", reply()[:-1]], ids=["nothing", "begun", "no_line_end"])
def test_timeout(peer, said):
    """Silence, and a line cut off, end with the time; what was asked and the limit are told."""
    peer.say(said)
    error = peer.failure()
    assert (error.kind, error.params) == ("timeout", {"seconds": SOON, "doing": "run(x)"})


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_no_time_left(peer, seconds):
    """Where no time is left there is no waiting."""
    assert peer.failure(seconds=seconds).kind == "timeout"


@pytest.mark.parametrize("stream", ["pipe", "stdout", "stderr"])
def test_timeout_in_spite_of_noise(peer, stream):
    """Neither a reply that trickles nor output that never ends puts the end of the time off."""
    stop, outlasted = threading.Event(), threading.Event()

    def trickle() -> None:
        for _ in range(1000):  # fifty times as long as is waited
            if stop.wait(SOON / 20):
                return
            if stream == "pipe":
                peer.say(b" ")
            else:
                peer.print(b".", stderr=stream == "stderr")
        outlasted.set()

    writer = threading.Thread(target=trickle)
    writer.start()
    try:
        assert peer.failure().kind == "timeout"
    finally:
        stop.set()
        writer.join()
    assert not outlasted.is_set()


@pytest.mark.parametrize(
    ("code", "kind", "params"),
    [
        (0, "exit", {"code": 0}),
        (3, "exit", {"code": 3}),
        (255, "exit", {"code": 255}),
        (HUNG_UP, "hung_up", {}),
        (None, "hung_up", {}),
        (-signal.SIGSEGV, "crash", {"signal": "SIGSEGV"}),
        (-signal.SIGKILL, "crash", {"signal": "SIGKILL"}),
        (-(signal.SIGRTMIN + 5), "crash", {"signal": str(int(signal.SIGRTMIN) + 5)}),
    ],
)
@pytest.mark.parametrize("said", [b"", b'{"id"'], ids=["silent", "cut_off"])
def test_hang_up(peer, code, kind, params, said):
    """A pipe that is cut is an exit, a crash or a hang-up, by how the process ended."""
    peer.process.code = code
    peer.say(said)
    peer.hang_up()
    error = peer.failure(seconds=10)
    assert (error.kind, error.params) == (kind, {"doing": "run(x)", **params})
    assert peer.process.asked == ["exit_code"]


def test_hang_up_before_the_request(peer):
    """A subject that is gone before it is asked is found out when its reply is read."""
    peer.process.code = 3
    peer.hang_up()
    number = peer.channel.send("call", ref=0)
    assert peer.failure(number).kind == "exit"


def test_hang_up_with_unread_requests(peer):
    """So is one that goes without having read what it was asked."""
    peer.process.code = -signal.SIGSEGV
    number = peer.channel.send("call", ref=0)
    peer.hang_up()
    assert peer.failure(number).kind == "crash"


def test_last_reply_before_hanging_up(peer):
    """A reply sent before the end is a reply; what is asked after it gets none."""
    peer.say(reply(1))
    peer.hang_up()
    assert peer.receive(1)["id"] == 1
    assert peer.failure(2, seconds=10).kind == "exit"


def test_request_that_nobody_reads(peer):
    """A subject that stops reading, asked for more than a socket holds, ends with the time, too."""
    errors = []

    def ask() -> None:
        try:
            number = peer.channel.send("load", source="x" * 4_000_000)
            peer.receive(number)
        except SubmissionError as error:
            errors.append(error.kind)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(timeout=3)
    seen = list(errors)
    peer.hang_up()  # lets a thread that is stuck go
    thread.join()
    assert seen == ["timeout"]


def test_large_request(peer):
    """A request larger than a socket holds arrives whole; afterwards the channel waits as idly as ever."""
    received = bytearray()

    def read() -> None:
        while not received.endswith(b"\n"):
            received.extend(peer.pipe.recv(1 << 16))
        peer.say(reply(1))

    reader = threading.Thread(target=read)
    reader.start()
    number = peer.channel.send("load", source="x" * 4_000_000)
    assert peer.receive(number, seconds=10)["id"] == number
    reader.join()
    assert json.loads(received) == {"id": number, "op": "load", "source": "x" * 4_000_000}
    with looks_at(peer) as looks:
        assert peer.failure(2).kind == "timeout"
    assert len(looks) < 10


@contextlib.contextmanager
def looks_at(peer):
    """Notes each time that the channel looks whether anything has come."""
    looks, select = [], peer.channel._selector.select
    peer.channel._selector.select = lambda timeout: looks.append(timeout) or select(timeout)
    yield looks
    del peer.channel._selector.select


# --- a reply that is none ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"garbage\n",
        b'{"id":1,"value":\n',
        b'{"id":1,"value":"\xff","events":[]}\n',
        b"\xff\xfe\x00\n",
        b"\0" * 100 + b"\n",
        b"[" * 100_000 + b"\n",
        b'{"id":1,"value":NaN,"events":[]}\n',
        b"[]\n",
        b"1\n",
        b"null\n",
        b"{}\n",
        reply(2),
        reply(0),
        reply("1"),
        reply(None),
        reply([1]),
        reply(events=None),
        reply(events={}),
        reply(events="capture"),
        reply(events=[1]),
        reply(events=[{}, None]),
        reply(events=[[]]),
        reply(error={"kind": "exception"}),
        reply(error=None),
        reply(after=[]),
        reply(after=None),
        b'{"id":1,"value":1}\n',
        b'{"id":1,"events":[]}\n',
        b'{"value":1,"events":[]}\n',
        b'{"id":1,"error":"x","events":[]}\n',
        b'{"id":1,"error":null,"events":[]}\n',
        b'{"id":1,"error":[],"events":[]}\n',
    ],
    ids=lambda line: repr(line[:40]),
)
def test_no_reply(peer, line):
    """Garbage, another request's reply, missing fields, both a value and an error: no reply."""
    peer.say(line)
    error = peer.failure(seconds=10)
    assert error.kind == "protocol"
    assert error.params["detail"]


def test_second_reply(peer):
    """A second reply to one request is no reply to the next."""
    peer.say(reply(1), reply(1))
    assert peer.receive(1)["id"] == 1
    assert peer.failure(2).kind == "protocol"


def test_longest_line(peer, monkeypatch):
    """A reply of the greatest length is read; a longer one is given up before its end has come."""
    monkeypatch.setattr(module, "MAX_LINE", 100)
    line = reply(value="")
    line = reply(value="x" * (100 - len(line)))
    assert len(line) == 100
    peer.say(line)
    assert peer.receive(1) == json.loads(line)
    peer.say(b"x" * 101)
    error = peer.failure(2, seconds=10)
    assert error.kind == "protocol"
    assert "100" in error.params["detail"]


# --- output --------------------------------------------------------------------------------------


def test_output_arrives_before_the_reply_is_used(peer):
    """What was printed before a reply is there when the reply is, although pipes know no order."""
    for number in range(1, 4):
        peer.print(b"%d" % number)
        peer.print(b"!", stderr=True)
        peer.say(reply(number))
        peer.receive(number)
        assert peer.channel.stdout.texts() == ("123"[:number], "")
        assert peer.channel.stderr.texts() == ("!!!"[:number], "")


def test_output_before_a_reply_that_lies_ready(peer):
    """So it is where the reply had come together with the one before."""
    peer.say(reply(1), reply(2))
    peer.receive(1)
    peer.print(b"between")
    peer.receive(2)
    assert peer.channel.stdout.texts() == ("between", "")


def test_output_of_a_crash(peer):
    """What was printed before the end is kept."""
    peer.process.code = -signal.SIGABRT
    peer.print(b"last words", stderr=True)
    peer.hang_up()
    peer.failure(seconds=10)
    assert peer.channel.stderr.texts() == ("last words", "")


def test_more_output_than_a_pipe_holds(peer):
    """A peer that prints more than a pipe holds is not kept waiting, and every byte is counted."""
    size = 1_000_000

    def flood() -> None:
        left = size
        while left:
            left -= os.write(peer.stdout, b"x" * min(left, 65536))
        peer.say(reply())

    writer = threading.Thread(target=flood)
    writer.start()
    peer.receive(seconds=10, output_mb=2.0)
    writer.join()
    stdout = peer.channel.stdout
    assert peer.channel.printed == stdout.size == size
    head, tail = stdout.texts()
    assert len(head) + stdout.left_out + len(tail) == size


def test_output_limit(peer):
    """More output than is allowed ends the waiting, and the limit is told."""
    peer.print(b"x" * 1001)
    error = peer.failure(output_mb=0.001, seconds=10)
    assert (error.kind, error.params) == ("output", {"limit": 0.001, "doing": "run(x)"})


def test_output_within_the_limit(peer):
    """As much as is allowed is no error."""
    peer.print(b"x" * 1000)
    peer.say(reply())
    assert peer.receive(output_mb=0.001)["id"] == 1


def test_output_limit_is_for_all_calls(peer):
    """The limit is for all that was printed on both streams, also what has been forgotten since."""
    for number, stderr in ((1, False), (2, True)):
        peer.print(b"x" * 600, stderr=stderr)
        peer.say(reply(number))
        peer.receive(number)
        peer.channel.forget_output()
    assert peer.channel.printed == 1200
    assert peer.failure(3, output_mb=0.001, seconds=10).kind == "output"


def test_forget_output(peer):
    """Forgotten output is gone from both records, and what is printed later is recorded anew."""
    peer.print(b"old")
    peer.print(b"old", stderr=True)
    peer.say(reply(1))
    peer.receive(1)
    peer.channel.forget_output()
    assert [(o.size, o.texts()) for o in (peer.channel.stdout, peer.channel.stderr)] == [
        (0, ("", ""))
    ] * 2
    peer.print(b"new")
    peer.say(reply(2))
    peer.receive(2)
    assert peer.channel.stdout.texts() == ("new", "")


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_stream(peer, closed):
    """A stream that the submission closed is no reason to stop, nor to spin."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, getattr(peer, closed))
    os.close(nowhere)
    with looks_at(peer) as looks:
        assert peer.failure().kind == "timeout"
    assert len(looks) < 10
    peer.say(reply(2))
    assert peer.receive(2)["id"] == 2


# --- the record of a stream ----------------------------------------------------------------------


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_head_and_tail(chunks):
    """However output comes, its beginning and its end are kept and the bytes between counted."""
    output, limit = Output(limit=8), 8
    for chunk in chunks:
        output.add(chunk)
    printed = b"".join(chunks)
    assert output.size == len(printed)
    assert bytes(output.head) == printed[:limit]
    assert bytes(output.tail) == printed[limit:][-limit:]
    assert output.left_out == max(0, len(printed) - 2 * limit)


def test_texts():
    """As long as nothing is left out the text is one; then there are two."""
    output = Output(limit=4)
    output.add("一二".encode())  # a character lies across the end of the head
    assert output.texts() == ("一二", "")
    output.add(b"12345")
    assert output.left_out == 3
    assert [text[-4:] for text in output.texts()] == [r"\xe4", "2345"]


@given(st.binary(max_size=40))
def test_texts_of_any_bytes(data):
    """Bytes that are no UTF-8 are shown escaped; none is lost."""
    output = Output(limit=100)
    output.add(data)
    assert output.texts()[0] == data.decode("utf-8", "backslashreplace")


def recorded(*chunks: bytes) -> Output:
    """A record of 32 bytes at each end."""
    output = Output(limit=32)
    for chunk in chunks:
        output.add(chunk)
    return output


MARKER = b"Fatal: "


@given(st.binary(max_size=60).filter(lambda b: b"F" not in b), st.binary(max_size=60))
def test_cut(before, after):
    """What was printed from a marker on is forgotten, where the marker can still be seen."""
    output = recorded(before, MARKER, after)
    head, tail = bytes(output.head), bytes(output.tail)
    kept = [head, tail] if output.left_out else [head + tail]
    output.cut(MARKER)
    if any(MARKER in part for part in kept):
        expected = recorded(before)
        assert output.texts() == expected.texts()
        assert (output.size, output.left_out) == (expected.size, expected.left_out)


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b"x"), (b"warning\n", b"x" * 10), (b"warning\n", b"x" * 500), (b"w" * 28, b"x"), (b"w" * 50, b"x")],
    ids=["alone", "in_head", "long", "across", "in_tail"],
)  # fmt: skip
def test_cut_of_a_report(before, after):
    """A report is cut whether it is short, longer than is kept, or lies across head and tail."""
    output = recorded(before, MARKER + after)
    output.cut(MARKER)
    assert output.texts() == recorded(before).texts()
    assert output.left_out == 0


def test_cut_of_nothing():
    """Without the marker nothing is cut."""
    output = recorded(b"plain")
    output.cut(MARKER)
    assert (output.texts(), output.size) == (("plain", ""), 5)


# --- the process ---------------------------------------------------------------------------------


def test_stack(peer):
    """What the process writes when it is asked where it is is given back, apart from its output."""
    peer.print(b"before", stderr=True)
    peer.process.stack = b'Current thread 0x1:\n  File "my.py", line 3 in run\n'
    assert peer.channel.stack() == peer.process.stack.decode()
    assert peer.channel.stderr.texts() == ("before", "")


def test_stack_in_pieces(peer):
    """It is read to its end, although it is written piece by piece."""
    pieces = [
        b"Current thread:\n",
        b'  File "a.py", line 1 in f\n',
        b'  File "my.py", line 3 in run\n',
    ]

    def dump() -> None:
        for piece in pieces:
            peer.print(piece, stderr=True)

    writer = threading.Thread(target=dump)
    peer.process.dump_stack = writer.start
    assert peer.channel.stack() == b"".join(pieces).decode()
    writer.join()


def test_no_stack(peer, monkeypatch):
    """A process that cannot say where it is is not waited for long."""
    monkeypatch.setattr(module, "_STACK_S", SOON)
    assert peer.channel.stack() == ""


def test_close(peer):
    """Closing ends the process, once, and gives the pipes back."""
    fds = [peer.channel._pipe.fileno(), *peer.channel._streams]
    peer.channel.close()
    assert peer.process.asked == ["kill"]
    for fd in fds:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)


def test_close_after_death(peer):
    """A process that has been ended already is not ended again: its number may be another's."""
    peer.hang_up()
    peer.failure(seconds=10)
    peer.channel.close()
    assert peer.process.asked == ["exit_code"]


def test_no_descriptor_is_left():
    """Channels that come and go leave no descriptor behind."""
    before = descriptors()
    for _ in range(3):
        Peer().close()
    assert descriptors() == before
