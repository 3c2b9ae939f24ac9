"""``python grader/bootstrap/__main__.py p17``: what check.sh starts."""

import errno
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

# Started by its path, and with -P: nothing of the project is on the path yet.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from grader.bootstrap.install import disk_full, prepare
from grader.bootstrap.interpreters import interpreters, wanted
from grader.bootstrap.places import BASE, DEV, PYTHON, ROOT, VENV, ready
from grader.bootstrap.words import Refusal, say, text

#: What `all` runs, each as ``python -m …`` in the root.
CHECKS = ("ruff format --check .", "ruff check .", "mypy", "pytest", "grader validate p17")

FAILED = 3
INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Become the grader, with these arguments, or say why not. Returns an exit code."""
    # As an exception, so that an installer under way is ended too.
    signal.signal(signal.SIGTERM, _terminated)
    word = arguments[0] if arguments else ""
    try:
        python = environment(DEV if word in ("test", "all") else BASE)
        if word == "all":
            return check_all(python, arguments[1:])
        become(python, arguments)
    except Refusal as refusal:
        say(refusal.id, **refusal.params)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _terminated(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def become(python: str, arguments: list[str]) -> NoReturn:
    """Turn into the grader or pytest, so that signals go to it and its exit code is ours."""
    command = [python, str(ROOT / "grader" / "__main__.py"), *arguments]
    if arguments[:1] == ["test"]:
        os.chdir(ROOT)
        command = [python, "-m", "pytest", *arguments[1:]]
    os.execv(python, command)  # noqa: S606 - without a shell is what is meant


def check_all(python: str, names: Sequence[str]) -> int:
    """Run every check, or those that are named, also past one that fails, and sum up.

    Returns:
        1 if any failed.
    """
    checks = [check for check in CHECKS if not names or any(name in check for name in names)]
    failed = 0
    summary = []
    for check in checks:
        command = [python, "-m", *check.split()]
        print(f"\n== {check}", flush=True)
        passed = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
        failed += not passed
        outcome = "passed" if passed else "failed"
        summary.append(text(outcome, check=check, command=shlex.join(command)))
    print("", *summary, f"\n{len(checks) - failed} passed, {failed} failed", sep="\n")
    return int(failed > 0)


def environment(parts: Sequence[str]) -> str:
    """The interpreter of an environment that has ``parts`` of requirements/.

    ./.venv if it is complete, else an interpreter at hand that has what pyproject.toml asks for,
    else ./.venv, made complete.

    Raises:
        Refusal: neither is there, and none could be made.
    """
    if ready(parts):
        return str(PYTHON)
    found = []
    for interpreter in interpreters(parts):
        if not interpreter.lacks:
            return interpreter.path
        found.append(interpreter)
    try:
        prepare(found, parts)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise disk_full() if full else _unwritable(error, parts) from error
    except KeyboardInterrupt:
        say("interrupted")
        raise
    return str(PYTHON)


def _unwritable(error: OSError, parts: Sequence[str]) -> Refusal:
    path = error.filename or VENV
    return Refusal("unwritable", path=path, reason=error.strerror, lacks=" ".join(wanted(parts)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
