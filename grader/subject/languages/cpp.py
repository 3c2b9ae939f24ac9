"""C++17, by g++.

A kit has its library in a folder and its host program in ``host/``. All of that is compiled once
and made one object, except ``host/main.cpp``: it includes the submission and is compiled with each.
What has hidden visibility is the host's own, and no submission can link to it.

Programs are static, so that they start fast and need no file. They begin at ``__wrap_main``: a
submission may have a ``main`` of its own, to be tried by.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from posixpath import dirname, isabs, normpath
from typing import Literal

from grader.subject.program.language import PREPARED, PROGRAM, Command, Diagnostic, Language

_HOST = f"{PREPARED}/host.o"
_MAIN = "host/main.cpp"

#: What is said hangs neither on who asks nor on where; each operation rounds once, as IEEE has it.
_GXX = (
    "env", "LC_ALL=C.UTF-8", "g++", "-std=c++17", "-fno-pie", "-ffp-contract=off",
    "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-iquote", ".",
)  # fmt: skip

#: Writes a file that includes others.
_INCLUDE = 'printf "#include \\"%s\\"\\n" "$@" > "$0"'

#: To optimize takes longer than it saves. Vectors look at their indices.
_SUBMISSION = ("-O0", "-D_GLIBCXX_ASSERTIONS", "-Wall", "-Wextra")

#: Exceptions are to find their way before the initializers of globals have run, too.
_LINK = ("-static", "-s", "-Wl,--wrap=main,--eh-frame-hdr,--warn-once")

_PLACE = r"(?P<file>[^:\n]+):(?:(?P<line>\d+):(?:\d+:)?)?"
_MESSAGE = re.compile(
    rf"{_PLACE} (?P<severity>(?:fatal |internal compiler )?error|warning): (?P<said>.*)"
)
_CONTEXT = re.compile(rf"{_PLACE}   required (?:from|by) ")
_LINKER = re.compile(r".*?:\(\.\S+\): (?P<said>(?:undefined|multiple) .*)")
_NO_MEMORY = re.compile(r".*\b(?P<said>out of memory .*|virtual memory exhausted.*)")


def prepare(files: Sequence[str]) -> list[Command]:
    """One object of all that hangs on the kit alone.

    The sources of a folder are compiled as one: the standard library's headers, of which each has
    many, are read once.
    """
    sources = sorted(file for file in files if file.endswith(".cpp") and file != _MAIN)
    folders = {folder: list(group) for folder, group in groupby(sources, dirname)}
    units = [f"{folder or 'kit'}-unit" for folder in folders]
    return [
        *(("sh", "-c", _INCLUDE, f"{unit}.cpp", *group)
          for unit, group in zip(units, folders.values(), strict=True)),
        *((*_GXX, "-O1", "-c", f"{unit}.cpp", "-o", f"{unit}.o") for unit in units),
        (*_GXX, "-r", "-nostdlib", *(f"{unit}.o" for unit in units), "-o", _HOST),
        ("objcopy", "--localize-hidden", _HOST),
    ]  # fmt: skip


def build(_file: str, _files: Sequence[str]) -> list[Command]:
    """The program. The host comes first in it, and so is what runs first."""
    return [(*_GXX, *_SUBMISSION, _HOST, _MAIN, *_LINK, "-o", PROGRAM)]


def diagnose(text: str) -> Iterator[Diagnostic]:
    """What the compiler and the linker say, notes aside.

    What is said of a place in the standard library is told of the place that requires it.
    """
    requires = None
    for line in text.splitlines():
        if place := _CONTEXT.match(line):
            requires = requires if isabs(place["file"]) else place
        elif said := _MESSAGE.match(line):
            place = requires if requires and isabs(said["file"]) else said
            requires = None
            if said["file"] != "collect2":  # says that the linker has said something
                yield _of(place, said)
        elif said := _LINKER.match(line) or _NO_MEMORY.match(line):
            yield Diagnostic("", None, "error", said["said"])


def _of(place: re.Match[str], said: re.Match[str]) -> Diagnostic:
    # Where there is no line, the compiler's own name stands for the file.
    file, line = (normpath(place["file"]), int(place["line"])) if place["line"] else ("", None)
    severity: Literal["warning", "error"] = "warning" if said["severity"] == "warning" else "error"
    return Diagnostic(file, line, severity, said["said"])


LANGUAGE = Language(
    title="C++17",
    packages={"g++": "g++", "objcopy": "binutils"},
    version=("g++", "-dumpfullversion"),
    prepare=prepare,
    build=build,
    diagnose=diagnose,
    out_of_memory="instance of 'std::bad_alloc'",
)
