"""What a batch says at its end: how the class fared, and where to read on."""

from collections.abc import Iterator
from pathlib import Path

from grader.batch.run import Result
from grader.i18n import Translator, printable

#: Names that a line lists.
_SHOWN = 8


def summary(result: Result, folder: Path, say: Translator) -> str:
    """The end of a batch, as text."""
    return printable("\n".join(_lines(result, folder, say)) + "\n")


def _lines(result: Result, folder: Path, say: Translator) -> Iterator[str]:
    standings = result.overview.standings()
    counts = [
        say(f"batch.count.{name}", number=standings[name])
        for name in ("passed", "failed", "error", "ungraded", "missing")
        if standings[name]
    ]
    yield say("batch.done", students=sum(standings.values()), graded=result.graded)
    yield f"  {' · '.join(counts)}" if counts else say("batch.nobody")
    if standings["ungraded"]:
        yield say("batch.ungraded", number=standings["ungraded"])
        for group in result.overview.faults():
            fault = group.told[0].message
            yield f"  {len(group.rows)} × {say.text(fault)} {say.remedy(fault.id, **fault.params)}"
    if result.kept:
        yield say("batch.kept", number=result.kept)
    if result.gradebook is not None:
        filled = result.gradebook.filled
        file = str(folder / result.gradebook.name)
        yield say("batch.gradebook", file=file, number=filled.filled)
        missing = [student.shown for student in filled.not_found]
        for id, names in (("batch.not_found", missing), ("batch.no_entry", filled.without_entry)):
            if names:
                yield say(id, names=_some(names), number=len(names))
    yield say("batch.files", file=str(folder / "index.html"))


def _some(names: list[str] | tuple[str, ...]) -> list[str]:
    more = len(names) - _SHOWN
    return [*names[:_SHOWN], *([f"… (+{more})"] if more > 0 else [])]
