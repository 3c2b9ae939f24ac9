"""What goes to whoever grades, and what comes back: plain data that any process can be sent."""

import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.cohort.likeness import fingerprint
from grader.errors import GraderError
from grader.exercise import Exercise, Project
from grader.grading import score_of
from grader.i18n import Translator
from grader.render.feedback import feedback_page
from grader.score import Error, IsolationInForce, Score, Status, Text
from grader.subject.device import Wanted
from grader.subject.isolation import Level
from grader.submission import Submission
from grader.verdict import Verdict


@dataclass(frozen=True)
class Setting:
    """What all submissions of a batch are graded by.

    Attributes:
        root: the project's folder.
        exercise_id: what is graded.
        seed: what the data of all cases is drawn from.
        level: how much isolation there must be.
        language: the class's, for its feedback pages.
        wanted: the devices to grade on.
    """

    root: Path
    exercise_id: str
    seed: int
    level: Level
    language: str
    wanted: Wanted = "cpu"

    @property
    def exercise(self) -> Exercise:
        """What is graded."""
        return _exercise(self.root, self.exercise_id)

    @property
    def say(self) -> Translator:
        """Puts ids into the class's language."""
        return Translator(self.language, self.exercise.folder)


@cache
def _exercise(root: Path, id: str) -> Exercise:
    """An exercise whose manifest is read once."""
    return Project(root).exercise(id)


@dataclass(frozen=True)
class Task:
    """One submission to grade.

    Attributes:
        key: what its result is kept under.
        submission: itself.
    """

    key: str
    submission: Submission


@dataclass(frozen=True)
class Graded:
    """What came of a task.

    Attributes:
        key: the task's.
        status: the score's.
        score: the score as JSON, packed.
        page: its feedback page, packed.
        alike: the same for submissions that look alike; empty where that says nothing.
        fault: the id of what went wrong, where it is ungraded.
    """

    key: str
    status: str
    score: bytes
    page: bytes
    alike: str = ""
    fault: str | None = None

    @classmethod
    def of(cls, task: Task, score: Score, setting: Setting) -> "Graded":
        """A score, and the page made of it."""
        return cls._of(task, score, setting, _alike(task.submission, setting))

    @classmethod
    def failed(cls, task: Task, fault: GraderError, setting: Setting) -> "Graded":
        """A task that nobody could do, through no fault of the submission."""
        error = Error(kind="grader", message=Text.of(fault.message))
        return cls._of(task, void_score(task.submission, error, setting), setting, "")

    @classmethod
    def _of(cls, task: Task, score: Score, setting: Setting, alike: str) -> "Graded":
        ungraded = score.status is Status.UNGRADED
        return cls(
            task.key,
            score.status.value,
            pack(score.model_dump_json()),
            pack(page_of(score, setting)),
            alike,
            score.error.message.id if ungraded and score.error else None,
        )


def _alike(submission: Submission, setting: Setting) -> str:
    if submission.problem is not None:
        return ""
    exercise, language = setting.exercise, submission.language
    name = exercise.languages()[language]
    return fingerprint(submission.source, name, exercise.starter(language).read_bytes())


def void_score(
    submission: Submission, error: Error, setting: Setting, status: Status = Status.UNGRADED
) -> Score:
    """The score of a submission of which no check was judged."""
    exercise = setting.exercise
    verdict = Verdict.void(status, error, exercise.manifest.checks)
    isolation = IsolationInForce(level=setting.level, process="fork")
    return score_of(exercise, submission, verdict, seed=setting.seed, isolation=isolation)


def page_of(score: Score, setting: Setting) -> str:
    """The feedback page of a score, in the class's language."""
    hints = setting.exercise.manifest.pages is not None
    return feedback_page(score, setting.say, hints=hints)


def pack(text: str) -> bytes:
    """A text in few bytes. Lone surrogates are escaped."""
    return zlib.compress(text.encode("utf-8", "backslashreplace"), 1)


def unpack(data: bytes) -> str:
    """A text that was packed."""
    return zlib.decompress(data).decode("utf-8")
