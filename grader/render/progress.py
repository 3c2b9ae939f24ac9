"""How far a long piece of work has come: a bar on a terminal, plain lines elsewhere."""

import time
from typing import Protocol, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grader.i18n import Translator

#: Seconds between two lines.
_PAUSE_S = 10.0


class Bar(Protocol):
    """Counts what has been done."""

    def step(self) -> None:
        """One more is done."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End."""


def progress(total: int, say: Translator, stream: TextIO, *, color: bool) -> Bar:
    """What suits a stream.

    Args:
        total: how many there are.
        say: puts ids into the reader's language.
        stream: where to write.
        color: whether colours are wanted.
    """
    if stream.isatty():
        return _Drawn(total, say, stream, color=color)
    return _Lines(total, say, stream)


class _Rate:
    """How many a second, and how long the rest will take at that.

    It is counted from the first that is done: what comes before is for getting ready.
    """

    def __init__(self, total: int) -> None:
        self._total, self.done = total, 0
        self._begun = 0.0

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        if self.done == 1:
            self._begun = time.monotonic()

    @property
    def known(self) -> bool:
        """Whether there is anything to tell a rate by."""
        return self.done > 1

    @property
    def a_second(self) -> str:
        """How many were done a second so far, in two digits."""
        return f"{self._rate:.2g}" if self._rate < 10 else f"{self._rate:.0f}"  # noqa: PLR2004

    @property
    def left_s(self) -> int:
        """Seconds that are left at that rate."""
        return round((self._total - self.done) / max(self._rate, 1e-6))

    @property
    def _rate(self) -> float:
        return (self.done - 1) / max(time.monotonic() - self._begun, 1e-6)


class _Drawn:
    """A bar with rate and time left."""

    def __init__(self, total: int, say: Translator, stream: TextIO, *, color: bool) -> None:
        self._rate, self._say = _Rate(total), say
        self._progress = Progress(
            TextColumn(say("batch.grading")),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(file=stream, no_color=not color),
            transient=True,
        )
        self._task = self._progress.add_task("", total=total, rate="")

    def __enter__(self) -> Self:
        """Draw it."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take it away."""
        self._progress.stop()

    def step(self) -> None:
        """One more is done."""
        self._rate.step()
        rate = self._say("batch.rate", rate=self._rate.a_second) if self._rate.known else ""
        self._progress.update(self._task, advance=1, rate=rate)


class _Lines:
    """A line now and then."""

    def __init__(self, total: int, say: Translator, stream: TextIO) -> None:
        self._rate, self._total, self._say, self._stream = _Rate(total), total, say, stream
        self._next = time.monotonic() + _PAUSE_S

    def __enter__(self) -> Self:
        """Nothing is said yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """What there is to say has been said."""

    def step(self) -> None:
        """One more is done."""
        rate = self._rate
        rate.step()
        if rate.known and (time.monotonic() >= self._next or rate.done == self._total):
            self._next = time.monotonic() + _PAUSE_S
            text = self._say(
                "batch.line", done=rate.done, total=self._total,
                rate=rate.a_second, left=rate.left_s,
            )  # fmt: skip
            self._stream.write(f"{text}\n")
            self._stream.flush()
