"""A class graded by one command, from what was handed in to the files for the instructor."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from grader.batch import Counting, EngineName
from grader.batch.batch import Batch, Engine
from grader.batch.cluster import grade_on_cluster
from grader.batch.engine import grade_here
from grader.batch.output import whole, write
from grader.batch.store import Store
from grader.batch.task import Setting
from grader.cohort.entry import Entry
from grader.cohort.overview import Overview
from grader.cohort.roster import Roster
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.i18n import LANGUAGES, Translator
from grader.render.gradebook import Filled, fill
from grader.session import devices_for, draw_seed
from grader.subject.device import Wanted
from grader.subject.isolation import Level


class Progress(Protocol):
    """Told of every submission that has been graded."""

    def step(self) -> None:
        """One more is done."""


@dataclass(frozen=True)
class Order:
    """What an instructor asks for.

    Attributes:
        exercise: what is graded.
        sources: folders and archives with what was handed in.
        output: the folder of the results.
        language: the class's.
        jobs: how many submissions are graded side by side.
        roster: a file of the students that there are.
        gradebook: an export of the platform's that is to be filled in.
        column: of the gradebook, where it is not plain which one is meant.
        engine: who does the work.
        scheduler: the address of a Dask scheduler.
        counting: which of several attempts counts.
        seed: what the data of all cases is drawn from; by default the same as last time.
        level: how much isolation there must be.
        wanted: the devices to grade on.
    """

    exercise: Exercise
    sources: Sequence[Path]
    output: Path
    language: str
    jobs: int
    roster: Path | None = None
    gradebook: Path | None = None
    column: str | None = None
    engine: EngineName = "local"
    scheduler: str | None = None
    counting: Counting = "latest"
    seed: int | None = None
    level: Level = "require"
    wanted: Wanted = "cpu"


@dataclass(frozen=True)
class Result:
    """What came of an order.

    Attributes:
        overview: the class's figures.
        graded: how many submissions were graded by this run.
        gradebook: the instructor's, if there is one.
    """

    overview: Overview
    graded: int
    gradebook: "Gradebook | None"

    @property
    def kept(self) -> int:
        """How many scores are those of an earlier run, for grading failed this time."""
        return sum(row.kept for row in self.overview.rows())

    @property
    def complete(self) -> bool:
        """Whether everything that was handed in has been graded."""
        return not self.kept and not self.overview.standings()["ungraded"]


@dataclass(frozen=True)
class Gradebook:
    """A gradebook that was filled in.

    Attributes:
        name: its file's, in the folder of the results.
        filled: what is in it.
    """

    name: str
    filled: Filled


def run(order: Order, progress: Callable[[int], AbstractContextManager[Progress]]) -> Result:
    """Grade a class and write its results.

    Args:
        order: what is asked for.
        progress: makes a thing that is told of each submission, of so many.

    Raises:
        UsageError: something that was named is not there or makes no sense; another batch has the
            folder of the results.
        EnvironmentFault: no submission can be graded here, or not on the device that was asked
            for, or the disk is full.
    """
    for language in order.exercise.languages():  # a device that is not here is told of at once
        devices_for(order.exercise, language, order.wanted)
    roster = Roster.read(order.roster) if order.roster else None
    _filled(order, ())  # so that what is wrong with the gradebook is said before the evening
    with Store(order.output) as store:
        batch = Batch(store, _setting(order, store), order.counting)
        batch.take_in(order.sources, roster)
        left = batch.outstanding()
        if left:
            with progress(left) as told:
                for _ in batch.grade(_engine(order)):
                    told.step()
        overview = write(batch, order.output)
        filled = _filled(order, (entry for entry, _ in batch.entries()))
        if filled is not None:
            with whole(order.output / filled.name) as file:
                file.write(filled.filled.data)
    return Result(overview, left, filled)


def _setting(order: Order, store: Store) -> Setting:
    exercise = order.exercise
    kept = store.setting("exercise", exercise.id)
    if kept != exercise.id:
        raise UsageError("usage.store_exercise", file=str(order.output), kept=kept, id=exercise.id)
    if order.seed is not None:
        store.set("seed", str(order.seed))
    seed = int(store.setting("seed", str(draw_seed())))
    return Setting(
        exercise.project.root, exercise.id, seed, order.level, order.language, order.wanted
    )


def _engine(order: Order) -> Engine:
    if order.engine == "dask":
        return partial(grade_on_cluster, jobs=order.jobs, address=order.scheduler)
    return partial(grade_here, jobs=order.jobs)


def _filled(order: Order, entries: Iterable[Entry]) -> "Gradebook | None":
    """The gradebook with the class's points."""
    if order.gradebook is None:
        return None
    exercise = order.exercise
    titles = [Translator(lang, exercise.folder)("exercise.title") for lang in LANGUAGES]
    filled = fill(order.gradebook, entries, [exercise.id, *titles], order.column)
    return Gradebook(f"gradebook-{order.gradebook.name}", filled)
