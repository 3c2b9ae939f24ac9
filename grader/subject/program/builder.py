"""Builds programs within walls: runs commands in a folder of its own, and tells what came of it.

A builder is opened for each build like a subject, and speaks the same protocol with one word in
it: ``build``.
"""

import base64
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from grader.protocol import Message, decode_line, encode_line, seal

Config = dict[str, Any]

#: Bytes of what commands print that are told.
_MAX_SAID = 500_000

#: How a command that ran out of time is told of.
TIMED_OUT = "timed_out"


class Role:
    """Builders; see ``server.Role``."""

    def __init__(self, told: Config) -> None:
        """There is nothing to be said to it."""

    def prepare(self) -> None:
        """Nothing: what a build takes comes with its request."""

    def become(
        self, pipe: socket.socket, greeting: Config, _request: Config, _fds: list[int]
    ) -> None:
        """Greet, then build what is asked for."""
        pipe.sendall(json.dumps(greeting).encode() + b"\n")
        if "failed" in greeting:
            return
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        key = b""
        for line in pipe.makefile("rb"):
            request = decode_line(line)
            sealed = key
            if request["op"] == "seal":
                key, value = bytes.fromhex(request["key"]), None
            else:
                value = build(
                    _empty_folder(), request["files"], request["commands"], request["keep"],
                    request["seconds"],
                )  # fmt: skip
            reply = encode_line({"id": request["id"], "value": value, "events": []})
            pipe.sendall(seal(reply, sealed) if sealed else reply)


def _empty_folder() -> Path:
    """A folder for one build. Without namespaces the one before may have left something."""
    for left in Path().glob("build-*"):
        shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix="build-", dir=Path.cwd()))


def build(
    folder: Path,
    files: Mapping[str, str],
    commands: Sequence[Sequence[str]],
    keep: Sequence[str],
    seconds: float,
) -> Message:
    """Run commands in a folder.

    Args:
        folder: empty, and the working folder.
        files: what is to be there: name -> base64.
        commands: one after the other, until one fails.
        keep: files and folders that are wanted, as far as they are there afterwards.
        seconds: how long it may take in all.

    Returns:
        ``code`` of the last command, ``said`` by all of them, and ``kept``: a zip in base64.
    """
    for name, data in files.items():
        _write(folder / name, base64.b64decode(data))
    for name in keep:
        if name.endswith("/"):
            (folder / name).mkdir(exist_ok=True)
    code: int | str = 0
    said = b""
    deadline = time.monotonic() + seconds
    for command in commands:
        code, more = _run(command, folder, deadline - time.monotonic(), _MAX_SAID - len(said))
        said += more
        if code:
            break
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in keep if code == 0 else ():
            for path in _files_in(folder / name):
                # Not by ``write``: the same files are to be the same bytes.
                archive.writestr(
                    zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes()
                )
    return {
        "code": code,
        "said": said.decode("utf-8", "replace"),
        "kept": base64.b64encode(kept.getvalue()).decode("ascii"),
    }


def _run(
    command: Sequence[str], folder: Path, seconds: float, room: int
) -> tuple[int | str, bytes]:
    """Run one command to its end or that of its time: its exit code, and what it printed."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    killed = False

    def kill(*_: object) -> None:
        nonlocal killed
        killed = True
        os.killpg(process.pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        assert process.stdout is not None  # noqa: S101 - for the type checker
        said = _read(process.stdout, room)
        code = process.wait()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return TIMED_OUT if killed else code, said


def _read(stream: IO[bytes], room: int) -> bytes:
    """All that a command prints, of which only the beginning is kept."""
    said = b""
    while data := os.read(stream.fileno(), 1 << 16):
        said += data[: max(0, room - len(said))]
    return said


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _files_in(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(found for found in path.rglob("*") if found.is_file())
