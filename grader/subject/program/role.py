"""What program subjects are: programs that speak the protocol on descriptor 3."""

import json
import os
import signal
import socket
from contextlib import suppress
from typing import Any

Config = dict[str, Any]

#: The descriptor that a program finds the protocol's socket on.
PIPE = 3

#: What Python ignores, and a program does not expect to have ignored for it.
_SIGNALS = ("SIGINT", "SIGPIPE", "SIGXFSZ")


class Role:
    """Program subjects; see ``server.Role``."""

    def __init__(self, told: Config) -> None:
        """There is nothing to be said to it."""

    def prepare(self) -> None:
        """Nothing: a program brings what it needs."""

    def become(
        self, pipe: socket.socket, greeting: Config, request: Config, fds: list[int]
    ) -> None:
        """Greet in the program's stead, and become it."""
        pipe.sendall(json.dumps(greeting).encode() + b"\n")
        if "failed" in greeting:
            return
        for name in _SIGNALS:
            with suppress(AttributeError):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if pipe.fileno() != PIPE:
            os.dup2(pipe.fileno(), PIPE)
        os.set_inheritable(PIPE, True)
        command, program = request["command"], request["program"]
        # By its descriptor, for its file may be nowhere in sight; by its name where systems
        # know no such way, and build no walls either.
        target = fds[0] if os.execve in os.supports_fd else program
        try:
            os.execve(target, command, dict(os.environ))  # noqa: S606 - the subject's purpose
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
            raise
