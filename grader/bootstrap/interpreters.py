"""The interpreters at hand, and what each of them lacks."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.bootstrap.places import PYTHON, READY, ROOT, VENV

#: Where to look for interpreters besides $VIRTUAL_ENV, in this order, as check.sh does.
NAMES = ("python3", "python", "python3.11", "python3.12", "python3.13", "python3.14")


class Package(NamedTuple):
    """An installed package: its version and the folder that it lies in."""

    version: str
    folder: str


class Interpreter(NamedTuple):
    """What there is to know of one interpreter.

    Attributes:
        path: what starts it.
        prefix: the environment that it belongs to.
        base: the interpreter that this environment was made from; itself, if it was not.
        version: as in (3, 11).
        lacks: what its environment lacks, such as ``click>=8.1``.
        torch: the folder that holds a torch good enough to lend; empty if none does.
    """

    path: str
    prefix: str
    base: str
    version: Sequence[int]
    lacks: Sequence[str]
    torch: str


def interpreters(parts: Sequence[str]) -> Iterator[Interpreter]:
    """The interpreters at hand that are new enough; first, this one."""
    yield inspect(parts)
    active = Path(os.environ.get("VIRTUAL_ENV", VENV), "bin", "python")
    for name in (str(PYTHON), str(active), *NAMES):
        path = shutil.which(name)
        other = ask(path, parts) if path else None
        if other:
            yield other


def ask(path: str, parts: Sequence[str]) -> Interpreter | None:
    """``inspect`` by another interpreter; None if it is too old or does not work."""
    question = (
        "import json, sys; sys.path.insert(0, sys.argv[1]);"
        "from grader.bootstrap.interpreters import inspect; del sys.path[0];"
        "print(json.dumps(inspect(sys.argv[2:])))"
    )
    command = [path, "-P", "-c", question, str(ROOT), *parts]
    try:
        answer = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=20
        )
        return Interpreter(*json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return None


def inspect(parts: Sequence[str]) -> Interpreter:
    """What the running interpreter is and has. Imports nothing of what it looks for."""
    packages = {} if _is_ours(sys.prefix) else installed()
    lacks = [requirement for requirement in wanted(parts) if not meets(packages, requirement)]
    torch = packages["torch"].folder if "torch" in packages else ""
    lends = not any(requirement.startswith("torch>") for requirement in lacks)
    return Interpreter(
        path=sys.executable,
        prefix=sys.prefix,
        base=_base(),
        version=sys.version_info[:2],
        lacks=lacks,
        torch=torch if lends and Path(torch, "torch").is_dir() else "",
    )


def _is_ours(prefix: str) -> bool:
    """Whether this is the ./.venv made here. It is as good as what it remembers, no better."""
    return READY.is_dir() and Path(prefix).resolve() == VENV.resolve()


def _base() -> str:
    """By its full name (python3.11), which a newer Python put in its place will not bear."""
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return str(base) if base.exists() else str(Path(sys.executable).resolve())


def installed() -> dict[str, Package]:
    """What can be imported, by the names of the folders that describe it.

    importlib.metadata says the same, but importing it takes longer than all the rest here.
    """
    packages = {}
    for folder in reversed(sys.path):  # of two, the first on the path is the one imported
        for info in Path(folder).glob("*.*-info"):
            name, _, version = info.name.removesuffix(info.suffix).partition("-")
            packages[re.sub(r"[._]", "-", name).lower()] = Package(version, folder)
    return packages


def wanted(parts: Sequence[str]) -> list[str]:
    """pyproject.toml's own requirements, such as ``click>=8.1``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]["dev"] if "dev" in parts else []
    return [*project["dependencies"], *extras]


def meets(packages: Mapping[str, Package], requirement: str) -> bool:
    """Whether a requirement of the form ``name>=version`` is met.

    >>> meets({"torch": Package("2.13.0+cpu", "")}, "torch>=2.4")
    True
    """
    name, _, minimum = requirement.partition(">=")
    return name in packages and _release(packages[name].version) >= _release(minimum)


def _release(version: str) -> list[int]:
    leading = re.match(r"[\d.]*", version)
    return [int(number) for number in re.findall(r"\d+", leading[0] if leading else "")]
