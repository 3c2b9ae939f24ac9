"""C++17, by g++.

A kit has its library in a folder and its host program in ``host/``. All of that is compiled once and
made one object, except ``host/main.cpp``: it includes the submission and is compiled with each.
What has hidden visibility is the host's own, and no submission can link to it.

Programs are static, so that they start fast and need no file. They begin at ``__wrap_main``: a
submission may have a ``main`` of its own, to be tried by.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from posixpath import normpath

from grader.subject.program.language import PREPARED, PROGRAM, Command, Diagnostic, Language

_HOST = f"{PREPARED}/host.o"
_MAIN = "host/main.cpp"

#: Messages are not to hang on who compiles, or where.
_GXX = (
    "env", "LC_ALL=C.UTF-8", "g++", "-std=c++17", "-fno-pie", "-ffp-contract=off",
    "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-iquote", ".",
)  # fmt: skip

#: Nothing is optimized, for that takes longer than it saves; vectors look at their indices.
_SUBMISSION = (*_GXX, "-O0", "-D_GLIBCXX_ASSERTIONS", "-Wall", "-Wextra")

#: Exceptions must find their way before the initializers of globals have run, too.
_LINKED = ("-static", "-s", "-Wl,--wrap=main,--eh-frame-hdr,--warn-once")

_PLACE = r"(?P<file>[^:\n]+):(?:(?P<line>\d+):)?(?:\d+:)?"
_MESSAGE = re.compile(
    rf"{_PLACE} (?P<severity>(?:fatal |internal compiler )?error|warning): (?P<said>.*)"
)
_CONTEXT = re.compile(rf"{_PLACE}   required (?:from|by) ")
_LINKER = re.compile(r".*?:\(\.\S+\): (?P<said>(?:undefined|multiple) .*)")
_NOT_SAID = "collect2"


def prepare(files: Sequence[str]) -> list[Command]:
    """One object of all that hangs on the kit alone."""
    sources = [file for file in files if file.endswith(".cpp") and file != _MAIN]
    objects = [f"{PREPARED}/{file.replace('/', '-').removesuffix('.cpp')}.o" for file in sources]
    compiled = [
        (*_GXX, "-O1", "-c", *pair)
        for pair in zip(sources, (f"-o{o}" for o in objects), strict=True)
    ]
    joined = (*_GXX, "-r", "-nostdlib", *objects, "-o", _HOST)
    return [*compiled, joined, ("objcopy", "--localize-hidden", _HOST), ("rm", *objects)]


def build(_file: str, _files: Sequence[str]) -> list[Command]:
    """The program."""
    return [(*_SUBMISSION, _MAIN, _HOST, *_LINKED, "-o", PROGRAM)]


def diagnose(text: str) -> Iterator[Diagnostic]:
    """What g++ and the linker say, notes aside.

    What is said of a place in the standard library is told at the place that it was required
    from.
    """
    required_from = None
    for line in text.splitlines():
        if (place := _CONTEXT.match(line)) and not _is_foreign(place["file"]):
            required_from = place
        elif said := _MESSAGE.match(line):
            if said["file"] != _NOT_SAID:
                place = required_from if required_from and _is_foreign(said["file"]) else said
                severity = "warning" if said["severity"] == "warning" else "error"
                yield _diagnostic(place, severity, said["said"])
            required_from = None
        elif said := _LINKER.match(line):
            yield Diagnostic("", None, "error", said["said"])


def _diagnostic(place: re.Match[str], severity, message: str) -> Diagnostic:
    line = place["line"]
    if line is None:  # the compiler's own name stands there
        return Diagnostic("", None, severity, message)
    return Diagnostic(normpath(place["file"]), int(line), severity, message)


def _is_foreign(file: str) -> bool:
    return PurePosixPath(file).is_absolute()


LANGUAGE = Language(
    title="C++17",
    packages={"g++": "g++", "objcopy": "binutils"},
    version=("g++", "-dumpfullversion"),
    prepare=prepare,
    build=build,
    diagnose=diagnose,
    out_of_memory="instance of 'std::bad_alloc'",
)
