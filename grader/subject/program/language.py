"""What there is to know of a language whose submissions are built into programs, or run by one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

#: A program and its arguments.
Command = Sequence[str]

#: Where ``prepare`` leaves what a kit comes to, and ``build`` finds it again.
PREPARED = "prepared"

#: What ``build`` makes: the program itself, or a folder of what ``run`` loads.
PROGRAM = "program"
CLASSES = "classes"


@dataclass(frozen=True)
class Diagnostic:
    """What a compiler has to say.

    Attributes:
        file: what it is about, as the compiler was told of it; empty where it is about none.
        line: from 1; None where it does not say.
        severity: whether the compiler goes on.
        message: in the compiler's own words.
    """

    file: str
    line: int | None
    severity: Literal["error", "warning"]
    message: str


def _nothing(*_: object) -> Sequence[Command]:
    return ()


@dataclass(frozen=True)
class Language:
    """A language.

    Commands run in a folder that holds the exercise's kit (what submissions are given, and the
    host program) and the submission, by its own name.

    Attributes:
        title: its name, with the version that is asked for.
        packages: program -> the package of Debian's that has it.
        version: says which version is installed.
        prepare: from the kit's files: the commands that do what hangs on the kit alone. What they
            leave in ``prepared/`` is kept.
        build: from the submission's file and the kit's files: the commands that make ``program``,
            or fill ``classes/``. None where a submission is loaded as it stands.
        run: from the folder of the kit, or of what it was prepared to: what to run instead of
            ``program``.
        diagnose: what is said in what compilers print.
        home: asks a program for the folder that it really lies in, where what is found on the
            path may stand in for another.
        reads: patterns of further files that programs of the language read.
        anew: whether one process can load a submission again, with nothing left of the first time.
        text: the encoding that sources must have; None where any will do.
        reserved_mb: megabytes of address space that a running program takes for itself.
        out_of_memory: what its runtime prints where it ends for lack of memory.
    """

    title: str
    packages: Mapping[str, str]
    version: Command
    prepare: Callable[[Sequence[str]], Sequence[Command]] = _nothing
    build: Callable[[str, Sequence[str]], Sequence[Command]] | None = None
    run: Callable[[str], Command] | None = None
    diagnose: Callable[[str], Iterator[Diagnostic]] = lambda _: iter(())
    home: Command | None = None
    reads: Sequence[str] = ()
    anew: bool = False
    text: str | None = "utf-8"
    reserved_mb: int = 0
    out_of_memory: str | None = None
