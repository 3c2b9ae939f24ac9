"""Where things lie, and what is remembered of ./.venv.

That is in ``.venv/ready/``::

    base.txt torch.txt dev.txt   copies of the requirements that were installed
    torch                        a link to the torch in use; made last
    unfinished                   stands while an install is under way
    lock                         held by the run that installs
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
READY = VENV / "ready"
TORCH = READY / "torch"
UNFINISHED = READY / "unfinished"

#: Files of requirements/, without their ending.
BASE = ("base", "torch")
DEV = ("base", "torch", "dev")


def ready(parts: Sequence[str]) -> bool:
    """Whether ./.venv holds ``parts`` at the versions that are pinned now."""
    return sound() and not stale(parts)


def sound() -> bool:
    """Whether ./.venv is one that this file once completed, and still works.

    The link to torch is dangling when an environment that lent its torch is gone.
    """
    return os.access(PYTHON, os.X_OK) and TORCH.is_dir() and not UNFINISHED.exists()


def stale(parts: Iterable[str]) -> list[str]:
    """Those of ``parts`` that are not installed as they are pinned now."""
    return [part for part in parts if _read(READY, part) != _read(ROOT / "requirements", part)]


def _read(folder: Path, part: str) -> bytes:
    try:
        return (folder / f"{part}.txt").read_bytes()
    except FileNotFoundError:
        return b""
