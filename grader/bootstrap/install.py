"""Making ./.venv: with uv where it is there, else with pip; torch borrowed where there is one."""

import contextlib
import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.bootstrap.interpreters import Interpreter, wanted
from grader.bootstrap.places import (
    PYTHON,
    READY,
    ROOT,
    TORCH,
    UNFINISHED,
    VENV,
    ready,
    sound,
    stale,
)
from grader.bootstrap.words import Refusal, say

#: The newest Python that the pinned torch has builds for.
NEWEST = (3, 14)


def prepare(found: Sequence[Interpreter], parts: Sequence[str]) -> None:
    """Make ./.venv complete, or wait until another run has done so.

    Raises:
        Refusal: it belongs to someone else, or could not be completed.
    """
    if VENV.is_dir() and any(VENV.iterdir()) and not READY.is_dir():
        raise _foreign(found, parts)
    READY.mkdir(parents=True, exist_ok=True)
    with lock():
        if not ready(parts):
            build(found, parts)
            say("done")


def _foreign(found: Sequence[Interpreter], parts: Sequence[str]) -> Refusal:
    theirs = [one.lacks for one in found if Path(one.prefix).resolve() == VENV.resolve()]
    lacks = theirs[0] if theirs else wanted(parts)
    command = shlex.join([str(PYTHON), "-m", "pip", "install", *lacks])
    return Refusal("foreign", lacks=", ".join(lacks), command=command)


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """Only one run installs at a time. The system lets go of it however that run ends."""
    with (READY / "lock").open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def build(found: Sequence[Interpreter], parts: Sequence[str]) -> None:
    """Bring ./.venv to the pinned versions: a sound one as it is, any other from the ground up."""
    lender = ""
    if sound():
        say("update")
    else:
        lender = create(found)
    borrowed = bool(lender) or _borrowed().exists()
    UNFINISHED.touch()
    try:
        fetch([part for part in stale(parts) if part != "torch" or not borrowed])
    except Refusal:
        UNFINISHED.unlink()  # both installers change nothing until all is downloaded
        raise
    if lender and not borrow(lender):
        fetch(["torch"])
    finish(parts)


def create(found: Sequence[Interpreter]) -> str:
    """Make ./.venv anew, empty. Returns the folder that will lend its torch, or an empty string."""
    origin = max(found, key=lambda one: (bool(one.torch), tuple(one.version) <= NEWEST))
    say("make", python=found[0].path, lacks=", ".join(found[0].lacks))
    for path in (*VENV.iterdir(), *READY.iterdir()):
        if path.is_dir() and not path.is_symlink() and path != READY:
            shutil.rmtree(path)
        elif path not in (READY, READY / "lock"):
            path.unlink()
    # pip comes later, where it is needed: that takes seconds, and Debian leaves it out.
    if not run([origin.base, "-I", "-m", "venv", "--without-pip", str(VENV)]):
        raise _no_venv(origin.base)
    return origin.torch


def _no_venv(python: str) -> Refusal:
    return Refusal("no_venv", python=python, package=f"{Path(python).name}-venv")


def fetch(parts: Sequence[str]) -> None:
    """Install ``parts`` of requirements/ into ./.venv, with uv if it is there and works, or pip.

    Raises:
        Refusal: pip could not, or the disk is full.
    """
    files = [f"--requirement={ROOT / 'requirements' / part}.txt" for part in parts]
    uv = shutil.which("uv")
    announce(parts, with_uv=bool(uv))
    if uv:
        if run([uv, "pip", "install", f"--python={PYTHON}", "--torch-backend=auto", *files]):
            return
        say("uv_failed")
    # -I: packages on the user's PYTHONPATH must not pass for installed ones.
    python = [str(PYTHON), "-I", "-m"]
    if not (_packages() / "pip").is_dir() and not run([*python, "ensurepip"]):
        raise _no_venv(str(PYTHON.readlink()))
    options = ["--no-user", "--no-input", "--disable-pip-version-check"]
    if not run([*python, "pip", "install", *options, *files]):
        raise Refusal("install_failed")


def announce(parts: Sequence[str], *, with_uv: bool) -> None:
    """Say about how much will be downloaded. The sizes are those of the pinned versions."""
    machine = os.uname()
    if "torch" not in parts:
        say("small", size=100 if "dev" in parts else 6)
    elif not with_uv and (machine.sysname, machine.machine) == ("Linux", "x86_64"):
        say("torch_cuda")
    else:
        say("torch")


def run(command: Sequence[str]) -> bool:
    """Run an installer, showing what it says. Returns whether it succeeded.

    Its stdout is passed straight to our stderr, which keeps pip's progress bars.

    Raises:
        Refusal: it failed for lack of space.
    """
    full = False
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=subprocess.PIPE
    ) as child:
        try:
            for line in child.stderr or ():
                full |= b"No space left" in line or b"quota exceeded" in line
                sys.stderr.write(line.decode("utf-8", "replace"))
        except BaseException:
            child.terminate()
            child.wait()
            raise
    if child.returncode and full:
        raise disk_full()
    return child.returncode == 0


def disk_full() -> Refusal:
    """What is said where there is no room left."""
    return Refusal("disk_full", temporary=os.environ.get("TMPDIR", "/tmp"))  # noqa: S108 - named


def borrow(folder: str) -> bool:
    """Let ./.venv see the torch in ``folder``. Returns whether it can be imported from there.

    The folder goes to the end of the path, so that ./.venv's own packages win.
    """
    say("borrow", folder=folder)
    _borrowed().write_text(f"{folder}\n", "utf-8")
    if torch_home():
        return True
    _borrowed().unlink()
    say("borrow_failed", folder=folder)
    return False


def _borrowed() -> Path:
    return _packages() / "borrowed-torch.pth"


def _packages() -> Path:
    return next(VENV.glob("lib/python*/site-packages"))


def torch_home() -> str:
    """The folder of the torch that ./.venv imports; empty, with the reason shown, if it can't."""
    question = "import torch; print(torch.__path__[0])"
    command = [str(PYTHON), "-I", "-W", "ignore", "-c", question]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def finish(parts: Iterable[str]) -> None:
    """Try torch once, then remember what was installed; the link to torch comes last."""
    home = torch_home()
    if not home:
        raise Refusal("torch_broken")
    for part in parts:
        shutil.copyfile(ROOT / "requirements" / f"{part}.txt", READY / f"{part}.txt")
    UNFINISHED.unlink()
    TORCH.unlink(missing_ok=True)
    # Relative within ./.venv, so that the whole folder can be moved.
    TORCH.symlink_to(os.path.relpath(home, READY) if Path(home).is_relative_to(VENV) else home)
