"""A class graded: taken in, each attempt that counts graded, the results written.

What has been done is in the store. So a run that was cut short goes on where it was, and a run
in which nothing has changed grades nothing.
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from grader.batch import Counting
from grader.batch.attempt import Note
from grader.batch.fingerprint import fingerprint, key_of, page_fingerprint
from grader.batch.intake import take
from grader.batch.store import Kept, Store
from grader.batch.task import Graded, Setting, Task, page_of, unpack, void_score
from grader.cohort.entry import Entry
from grader.cohort.likeness import Groups
from grader.cohort.roster import Roster
from grader.cohort.student import Student
from grader.errors import EnvironmentFault, SubmissionError
from grader.score import Error, Score, Status, Text
from grader.submission import Submission

#: Does tasks, however it likes, and gives what comes of them in any order.
Engine = Callable[[Setting, Iterator[Task]], Generator[Graded]]

#: Faults of which every submission will fall victim alike.
_HOPELESS = ("environment.isolation", "environment.preload")


@dataclass
class Batch:
    """One class's submissions to one exercise.

    Args:
        store: where results are kept.
        setting: what everything is graded by.
        counting: which of several attempts counts.
    """

    store: Store
    setting: Setting
    counting: Counting = "latest"
    _attempts: dict[str, list[int]] = field(default_factory=dict)

    def take_in(self, sources: Sequence[Path], roster: Roster | None) -> None:
        """Take in what was handed in, in the place of what was taken in before.

        Raises:
            UsageError: a source is not there, or nothing that can be taken in.
            EnvironmentFault: the disk is full.
        """
        print_ = fingerprint(self.setting)
        things = take(sources, self.setting.exercise)
        with self.store.transaction():
            self.store.begin()
            for enrolled in roster.students if roster else ():
                self.store.enrol(enrolled)
            for thing in things:
                if isinstance(thing, Note):
                    self.store.note(thing)
                    continue
                students = [(roster and roster.resolve(one)) or one for one in thing.students]
                self.store.hand_in(thing, students, key_of(thing.submission, print_))
        placed: dict[str, list[tuple[list[float], int]]] = {}
        for student, number, place in self.store.attempts():
            placed.setdefault(student, []).append((place, number))
        self._attempts = {
            student: [number for _, number in sorted(own)] for student, own in placed.items()
        }

    @property
    def numbers(self) -> list[int]:
        """The attempts that are to be graded, by number, each once."""
        counted = (own if self.counting == "best" else own[-1:] for own in self._attempts.values())
        return sorted({number for own in counted for number in own})

    @property
    def taken(self) -> int:
        """How many attempts there were, those that do not count included."""
        return len({number for own in self._attempts.values() for number in own})

    def outstanding(self) -> int:
        """How many submissions are still to be graded."""
        return self.store.ungraded(self.numbers)

    def grade(self, engine: Engine) -> Iterator[Graded]:
        """Grade what has not been graded, and keep each result as it comes.

        Raises:
            EnvironmentFault: no submission can be graded here, or none can be kept.
        """
        paths: dict[str, str] = {}
        with contextlib.closing(engine(self.setting, self._tasks(paths))) as graded_tasks:
            for graded in graded_tasks:
                if graded.fault in _HOPELESS:
                    error = Score.model_validate_json(unpack(graded.score)).error
                    raise EnvironmentFault(graded.fault, **(error.message.params if error else {}))
                self.store.keep(graded, paths[graded.key], self._page_form)
                yield graded

    def _tasks(self, paths: dict[str, str]) -> Iterator[Task]:
        """What is to be graded, each once; where each lies in the download is put down."""
        for number in self.numbers:
            task = self.store.task(number)
            # A group's attempt is one; and two sources may hold the same.
            if task is not None and task.key not in paths:
                paths[task.key] = task.submission.path
                yield task

    # What came of it.

    def entries(self) -> Iterator[tuple[Entry, str]]:
        """How each student of the class fared, by name, each with their feedback page; who
        handed nothing in has an empty one.
        """
        for student in self.store.students():
            own = self._attempts.get(student.id, [])
            if own:
                yield self._entry(student, own)
            else:
                yield Entry(student=student, score=self._nothing, handed_in=0), ""

    def _entry(self, student: Student, own: Sequence[int]) -> tuple[Entry, str]:
        counted = own if self.counting == "best" else own[-1:]
        found = [self._result(number) for number in counted]
        # Of equal ones the later counts.
        kept, fault = max(reversed(found), key=lambda one: _worth(one[0]))
        if kept.status == Status.UNGRADED and (earlier := self.store.earlier_of(student)):
            kept, fault = self._with_page(earlier), kept.fault
        score = Score.model_validate_json(kept.score)
        return Entry(student=student, score=score, handed_in=len(own), kept=fault), kept.page

    def _result(self, number: int) -> tuple[Kept, str | None]:
        """What came of an attempt; where grading it failed, what came of it earlier, and why."""
        result = self.store.result(number)
        assert result is not None  # noqa: S101 - everything that counts has been graded
        if result.status == Status.UNGRADED and (earlier := self.store.earlier(number)):
            return self._with_page(earlier), result.fault
        return self._with_page(result), None

    def _with_page(self, kept: Kept) -> Kept:
        """A result with a page in the class's language, by today's templates."""
        if kept.page_form == self._page_form:
            return kept
        page = page_of(Score.model_validate_json(kept.score), self.setting)
        self.store.repage(kept.key, page, self._page_form)
        return replace(kept, page=page, page_form=self._page_form)

    @cached_property
    def _page_form(self) -> str:
        return page_fingerprint(self.setting)

    @cached_property
    def _nothing(self) -> Score:
        """The score of who handed nothing in."""
        problem = SubmissionError("missing", {}, text="missing_handin")
        error = Error(kind=problem.kind, message=Text.of(problem.message))
        language = next(iter(self.setting.exercise.languages()))
        return void_score(Submission("", language, b""), error, self.setting, Status.ERROR)

    def alike(self) -> list[tuple[str, ...]]:
        """Groups of students whose submissions look alike, of those that count."""
        students: dict[int, list[str]] = {}
        for student, own in self._attempts.items():
            students.setdefault(own[-1], []).append(student)
        groups = Groups()
        for number, same in self.store.alike():
            if number in students:
                groups.add(students[number], same)
        return groups.found()


def _worth(kept: Kept) -> float:
    if kept.status == Status.UNGRADED:
        return -1.0
    return Score.model_validate_json(kept.score).score or 0.0
