"""The grading side of the pipe to one subject: requests with a time limit, output kept apart."""

import math
import os
import secrets
import selectors
import signal
import socket
import time
from typing import Protocol

from grader.errors import EnvironmentFault, SubmissionError
from grader.protocol import (
    HUNG_UP,
    MAX_LINE,
    Message,
    ProtocolError,
    decode_line,
    encode_line,
    unseal,
)
from grader.subject.device import DeviceName
from grader.subject.isolation import Isolation
from grader.subject.output import Output

_CHUNK = 1 << 18

#: Bytes of replies in the life of a subject of a submission.
_MAX_HEARD = 1 << 28

#: Seconds that a subject has to say where it is, and how many empty looks end what it says.
_STACK_S = 0.5
_PAUSE = 3


class Process(Protocol):
    """The process behind a channel."""

    def kill(self) -> None:
        """End it and all it started, without asking how."""

    def dump_stack(self) -> None:
        """Have it write where it is to its stderr."""

    def exit_code(self) -> int | None:
        """End it and all it started.

        Returns:
            How it had ended by itself: the exit code, negative for a signal; None if it was
            still running.
        """


class Channel:
    """A pipe to a subject.

    Args:
        pipe: the grading side's end of the protocol's socket.
        streams: the reading ends of the subject's stdout and stderr.
        process: what to end and to ask how it ended.

    Attributes:
        stdout: what was printed there.
        stderr: what was printed there.
        printed: bytes printed in all; ``forget_output`` does not reset them.
        isolation: the walls around the subject; None until they are known.
        device: what it computes on.
        hardware: what that is, in words; empty where nobody says.
    """

    def __init__(
        self,
        pipe: socket.socket,
        streams: tuple[int, int],
        process: Process,
        device: DeviceName = "cpu",
    ) -> None:
        self.device, self.hardware = device, ""
        self.stdout, self.stderr = Output(), Output()
        self._pipe, self._streams, self._process = pipe, streams, process
        self._buffer, self._outgoing = bytearray(), bytearray()
        self._next_id = self._heard = 0
        self._dead = False
        self.printed = 0
        self.isolation: Isolation | None = None
        self._key = b""
        self._selector = selectors.DefaultSelector()
        pipe.setblocking(False)
        self._selector.register(pipe, selectors.EVENT_READ)
        for fd, output in zip(streams, (self.stdout, self.stderr), strict=True):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, output)

    def await_walls(self, seconds: float) -> None:
        """Wait for the subject to say which walls stand around it, unless it has.

        It says so before any code of a submission runs in it. Then it is told a key with which
        it is to seal all that it says from there on: a submission can write to the pipe, but not
        in the host's name. Needed once, before the first ``receive``.

        Raises:
            EnvironmentFault: the walls could not be built.
        """
        if self.isolation is not None:
            return
        key = secrets.token_bytes(32)
        try:
            said = decode_line(self._read_line(seconds, math.inf, "greeting"))
            if "no_device" in said:
                raise EnvironmentFault("environment.no_cuda", detail=said["no_device"])
            if "failed" in said:
                raise EnvironmentFault("environment.walls", detail=said["failed"])
            number = self.send("seal", key=key.hex())
            self.receive(number, seconds=seconds, output_mb=math.inf, doing="seal")
        except SubmissionError as error:
            printed = self.stderr.texts()[0].strip().splitlines()
            detail = ": ".join([error.kind, *printed[-1:]])
            raise EnvironmentFault("environment.walls", detail=detail) from None
        self.isolation = Isolation(frozenset(said["walls"]), said["lacking"])
        self.hardware = str(said.get("hardware", ""))
        self._key = key

    def send(self, op: str, written: bytes = b"", /, **fields: object) -> int:
        """Send a request without waiting for its reply.

        Args:
            op: what is asked for.
            written: fields that are JSON already, as ``script.written`` gives them.
            fields: the others.

        Returns:
            Its number, for ``receive``.

        Raises:
            SubmissionError: kind ``protocol``: something was answered that had not been asked.
        """
        self._take_reply()
        if self._buffer:
            raise SubmissionError("protocol", {"detail": "a reply without a request"})
        self._next_id += 1
        line = encode_line({"id": self._next_id, "op": op, **fields})
        self._outgoing += line if not written else line[:-2] + b"," + written + b"}\n"
        self._push()
        return self._next_id

    def receive(self, number: int, *, seconds: float, output_mb: float, doing: str) -> Message:
        """The reply to a request.

        Args:
            number: which request, from ``send``.
            seconds: how long to wait.
            output_mb: megabytes that may have been printed by then, in all.
            doing: what the subject was asked to do, for the message.

        Raises:
            SubmissionError: kind ``timeout``, ``output``, ``exit``, ``crash``, ``hung_up`` or
                ``protocol``.
        """
        line = self._read_line(seconds, output_mb, doing)
        self._drain()
        self._expect_output_below(output_mb, doing)
        return _decode_reply(line, number, self._key)

    def stack(self) -> str:
        """Where the subject is now, as ``faulthandler`` writes it; empty if it cannot say."""
        self._drain()
        self._process.dump_stack()
        fd, text, silent = self._streams[1], b"", 0
        deadline = time.monotonic() + _STACK_S
        # It is written piece by piece: only a pause tells that it is whole.
        while silent < _PAUSE and time.monotonic() < deadline:
            try:
                data = os.read(fd, _CHUNK)
            except BlockingIOError:
                data = b""
                time.sleep(0.01)
            else:
                if not data:
                    break
            text += data
            silent = 0 if data or not text else silent + 1
        return text.decode("utf-8", "replace")

    def outputs(self) -> tuple[Output, Output]:
        """What was printed by now, kept: stdout and stderr."""
        return self.stdout.copy(), self.stderr.copy()

    def forget_output(self) -> None:
        """Start both records of output anew."""
        self.stdout.clear()
        self.stderr.clear()

    def close(self) -> None:
        """End the subject and give its pipes back."""
        self._selector.close()
        self._pipe.close()
        for fd in self._streams:
            os.close(fd)
        if not self._dead:
            self._dead = True
            self._process.kill()

    def _read_line(self, seconds: float, output_mb: float, doing: str) -> bytes:
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            self._expect_output_below(output_mb, doing)
            left = deadline - time.monotonic()
            ready = self._selector.select(max(left, 0)) if left > 0 else []
            if not ready:
                raise SubmissionError("timeout", {"seconds": seconds, "doing": doing})
            for key, events in ready:
                if key.data is not None:
                    self._take_output(key.fd, key.data)
                    continue
                if events & selectors.EVENT_WRITE:
                    self._push()
                if events & selectors.EVENT_READ and not self._take_reply():
                    raise self._death(doing)
        line, _, rest = self._buffer.partition(b"\n")
        self._buffer = bytearray(rest)
        return bytes(line)

    def _expect_output_below(self, output_mb: float, doing: str) -> None:
        if self.printed > output_mb * 1e6:
            raise SubmissionError("output", {"limit": output_mb, "doing": doing})

    def _push(self) -> None:
        """Write what the pipe takes now; the rest goes while the reply is waited for."""
        before = bool(self._outgoing)
        try:
            while self._outgoing:
                del self._outgoing[: self._pipe.send(self._outgoing)]
        except BlockingIOError:
            self._selector.modify(self._pipe, selectors.EVENT_READ | selectors.EVENT_WRITE)
        except (BrokenPipeError, ConnectionResetError):
            # That it is gone is found out, with its exit code, when its reply is read.
            self._outgoing.clear()
        if before and not self._outgoing:
            self._selector.modify(self._pipe, selectors.EVENT_READ)

    def _take_reply(self) -> bool:
        """Read what there is; False if the subject hung up."""
        try:
            data = self._pipe.recv(_CHUNK)
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False
        self._buffer += data
        self._heard += len(data)
        if self._heard > _MAX_HEARD:  # replies are kept, for the trace
            raise SubmissionError(
                "protocol", {"detail": f"more than {_MAX_HEARD} bytes of replies"}
            )
        if len(self._buffer) > MAX_LINE:
            raise SubmissionError("protocol", {"detail": f"a reply of more than {MAX_LINE} bytes"})
        return bool(data)

    def _take_output(self, fd: int, output: Output) -> bool:
        """Read what there is; False if there is nothing now, or never again."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._selector.unregister(fd)
            return False
        output.add(data)
        self.printed += len(data)
        return True

    def _drain(self) -> None:
        """What was printed before the reply is read before the reply is used.

        Only so much of it, for another thread may never stop printing.
        """
        for key in list(self._selector.get_map().values()):
            if key.data is not None:
                for _ in range(64):
                    if not self._take_output(key.fd, key.data):
                        break

    def _death(self, doing: str) -> SubmissionError:
        """Why there will be no reply."""
        self._drain()
        self._dead = True
        code = self._process.exit_code()
        if code in (None, HUNG_UP):
            return SubmissionError("hung_up", {"doing": doing})
        assert code is not None  # noqa: S101 - for the type checker
        if code < 0 and _signal_name(-code) == "SIGXCPU":
            return SubmissionError("timeout", {"doing": doing}, text="timeout_cpu")
        if code < 0:
            return SubmissionError("crash", {"doing": doing, "signal": _signal_name(-code)})
        return SubmissionError("exit", {"doing": doing, "code": code})


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _decode_reply(line: bytes, number: int, key: bytes) -> Message:
    """A line as the reply to a request.

    Raises:
        SubmissionError: kind ``protocol``.
    """
    try:
        reply = decode_line(unseal(line, key) if key else line)
    except ProtocolError as error:
        raise SubmissionError("protocol", {"detail": str(error)}) from None
    events = reply.get("events")
    well_formed = (
        type(reply.get("id")) is int  # True is no 1
        and reply["id"] == number
        and ("value" in reply) != ("error" in reply)
        and isinstance(reply.get("error", {}), dict)
        and isinstance(reply.get("after", {}), dict)
        and isinstance(events, list)
        and all(isinstance(event, dict) for event in events)
    )
    if not well_formed:
        raise SubmissionError("protocol", {"detail": f"no reply to request {number}"})
    return reply
