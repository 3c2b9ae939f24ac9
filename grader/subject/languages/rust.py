"""Rust, by rustc alone.

A folder of the kit that holds a ``lib.rs`` is a crate by that folder's name. Crates are built by
``prepare``, each with those before it in alphabetical order but ``host``, which is the last. The
program is ``host/main.rs``, of which the submission is a module: ``#[path = "../…"] mod …;``. What
``rustc --version`` says is in ``prepared/rustc.txt``, for the host to include.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any

from grader.subject.program.language import PREPARED, PROGRAM, Command, Diagnostic, Language

_RUSTC = ("rustc", "--edition=2021", "--error-format=json", "-Cdebuginfo=0")

#: The crate that hosts submissions.
_HOST = "host"

#: What is said at the end, about all that was said before.
_SUMMARY = re.compile(r"aborting due to |\d+ warnings? emitted")


def _crates(kit: Sequence[str]) -> list[str]:
    found = (posixpath.split(file) for file in kit)
    return sorted(
        (folder for folder, name in found if name == "lib.rs"), key=lambda c: (c == _HOST, c)
    )


def _linked(crates: Sequence[str]) -> Command:
    externs = (f"--extern={crate}={PREPARED}/lib{crate}.rlib" for crate in crates)
    return (f"-Ldependency={PREPARED}", *externs)


def _prepare(kit: Sequence[str]) -> Sequence[Command]:
    crates = _crates(kit)
    version = ("sh", "-c", f"mkdir -p {PREPARED} && rustc --version > {PREPARED}/rustc.txt")
    build = (*_RUSTC, "--crate-type=rlib", "-Copt-level=2", f"--out-dir={PREPARED}")
    return [
        version,
        *(
            (*build, f"--crate-name={crate}", *_linked(crates[:number]), f"{crate}/lib.rs")
            for number, crate in enumerate(crates)
        ),
    ]


def _build(_file: str, kit: Sequence[str]) -> Sequence[Command]:
    # Unoptimised, for that is built the fastest; and so integers that overflow panic.
    how = ("--crate-type=bin", "-Copt-level=0", "-Cstrip=debuginfo", "-o", PROGRAM)
    # The submission's panics are to name its file as the student knows it.
    named = f"--remap-path-prefix={_HOST}/../="
    return [(*_RUSTC, *how, named, *_linked(_crates(kit)), f"{_HOST}/main.rs")]


def _diagnose(text: str) -> Iterator[Diagnostic]:
    for line in text.split("\n"):  # JSON has other line ends as they are
        said = _json(line)
        severity = said.get("level", "").partition(":")[0]  # "error: internal compiler error"
        if severity not in ("error", "warning") or _SUMMARY.match(said["message"]):
            continue
        span = next((span for span in said["spans"] if span["is_primary"]), None)
        message, label = said["message"], span and span["label"]
        if label and label not in message:
            message = f"{message}: {label}"
        file, number = _place(span) if span else ("", None)
        yield Diagnostic(file, number, severity, " ".join(message.split()))


def _json(line: str) -> dict[str, Any]:
    """What rustc says in a line; nothing where it is another program that speaks."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) and "spans" in said else {}


def _place(span: dict[str, Any]) -> tuple[str, int]:
    """Where something is: for what a macro of a library's made, where that was used."""
    while span["expansion"] and posixpath.isabs(span["file_name"]):
        span = span["expansion"]["span"]
    return posixpath.normpath(span["file_name"]), span["line_start"]


LANGUAGE = Language(
    title="Rust 2021",
    packages={"rustc": "rustc", "cc": "gcc"},
    version=("rustc", "--version"),
    # What is on the path may be a proxy of rustup's, which is of no use within walls.
    home=("rustc", "--print=sysroot"),
    prepare=_prepare,
    build=_build,
    diagnose=_diagnose,
    out_of_memory="memory allocation of",
)
