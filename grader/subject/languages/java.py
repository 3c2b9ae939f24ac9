"""Java: submissions are class files, which one process defines anew as often as it is asked to.

A kit is a module, ``kit``, of which submissions see what it exports. They are in no module
themselves, and reach nothing else of it: not the package ``host``, whose ``Main`` is what is run.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from grader.subject.program.language import CLASSES, PREPARED, Command, Diagnostic, Language

#: Both the compiler and what it compiles run but briefly: what is loaded comes from an archive,
#: little of it is compiled, garbage is collected simply.
_BRIEF: Final = (
    "-Xshare:auto",
    "-XX:TieredStopAtLevel=1",
    "-XX:CICompilerCount=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:-UseContainerSupport",
    "-XX:CompressedClassSpaceSize=32m",  # this and the next two: of a limited address space
    "-XX:ReservedCodeCacheSize=32m",
    "-Xmx256m",
    "-Xms16m",
    "-Dfile.encoding=UTF-8",
    "-Xlog:disable",  # the machine's own warnings, on stdout
)

_COMPILE: Final = (
    "javac",
    *(f"-J{option}" for option in (*_BRIEF, "-Duser.language=en", "-Duser.country=US")),
    *("-encoding", "UTF-8"),
    "-proc:none",
    "-Xlint:all",
    "-g",
    "-XDstringConcat=inline",  # by plain calls, and not by code that is made at run time
)

#: Of what the Java library keeps to itself: how to open a descriptor by its number, and signals.
_EXPORTS: Final = (
    *("--add-exports", "java.base/jdk.internal.access=kit"),
    *("--add-exports", "java.base/jdk.internal.misc=kit"),
)

#: The compiler itself, loaded and verified: it starts in two thirds of the time.
_ARCHIVE: Final = f"{PREPARED}/javac.jsa"

_SEVERITY: Final[dict[str, Literal["error", "warning"]]] = {"error": "error", "warning": "warning"}
_MAIN: Final = re.compile(r"(?:(.+?\.java):(\d+): )?(error|warning): (.+)")
_DETAIL: Final = re.compile(r"  ([a-z]+: .+)")


def _prepare(files: Sequence[str]) -> Sequence[Command]:
    sources = [file for file in files if file.endswith(".java")]
    archived = f"-J-XX:ArchiveClassesAtExit={_ARCHIVE}"
    return ((*_COMPILE, archived, *_EXPORTS, "-d", PREPARED, *sources),)


def _build(file: str, _files: Sequence[str]) -> Sequence[Command]:
    archived = f"-J-XX:SharedArchiveFile={_ARCHIVE}"
    given = ("-p", PREPARED, "--add-modules", "kit")
    return ((*_COMPILE, archived, *given, "-d", CLASSES, file),)


def _run(kit: str) -> Command:
    # What is loaded anew for each case is not called so often that calls should get code made.
    calls = "-Dsun.reflect.inflationThreshold=2147483647"
    return "java", *_BRIEF, calls, "-p", kit, *_EXPORTS, "-m", "kit/host.Main"


def _diagnose(text: str) -> Iterator[Diagnostic]:
    r"""Main messages, with what is said below of names and types.

    >>> said = "A.java:1: error: cannot find symbol\n  x;\n  ^\n  symbol:   variable x\n1 error\n"
    >>> [one.message for one in _diagnose(said)]
    ['cannot find symbol, symbol: variable x']
    """
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in text.split("\n"):
        if main := _MAIN.fullmatch(line):
            found.append((main, [main[4].rstrip(";")]))
        elif found and (detail := _DETAIL.fullmatch(line)):
            found[-1][1].append(" ".join(detail[1].split()))
    for main, words in found:
        number = int(main[2]) if main[2] else None
        yield Diagnostic(main[1] or "", number, _SEVERITY[main[3]], ", ".join(words))


LANGUAGE: Final = Language(
    title="Java 17",
    packages={"java": "default-jre-headless", "javac": "default-jdk-headless"},
    version=("java", "-version"),
    prepare=_prepare,
    build=_build,
    run=_run,
    diagnose=_diagnose,
    reads=("/etc/java*",),  # Debian has its settings there
    anew=True,
    reserved_mb=700,
    out_of_memory="insufficient memory for the Java Runtime Environment",
)
