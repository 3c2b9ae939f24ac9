"""A submission asked everything at one go, and judged by its answers where they tell enough."""

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from grader.checks.hearing import SLOW_LOAD_S, Hearing
from grader.checks.precedents import Precedents
from grader.checks.ruling import Ruling
from grader.checks.session import Session
from grader.errors import SubmissionError
from grader.protocol import Message
from grader.subject.output import Output
from grader.subject.reference import Reference
from grader.subject.replayed import Replayed
from grader.subject.script import Answers, Script
from grader.subject.subject import Subject

#: Seconds that a submission may take for all cases. What takes longer is asked step by step, with
#: the exercise's own limits.
_SECONDS = 3.0


class _Answered(NamedTuple):
    """What a submission answered to one case's script.

    Attributes:
        answers: their digest, and how long they took.
        ruling: what was ruled of the same answers before, if anybody gave them.
        replies: the answers in full, where nothing was ruled of them before.
    """

    answers: Answers
    ruling: Ruling | None
    replies: Sequence[Message]


class Interview:
    """Asks submissions whole scripts.

    It gives them a process that is not used again, so that a grading step by step finds what it
    would have found without. Whatever goes wrong here will go wrong there, and be said there.

    Args:
        precedents: the scripts, and what was found of earlier submissions.
        session: the checks.
    """

    def __init__(self, precedents: Precedents, session: Session) -> None:
        self._known, self._session = precedents, session

    def rulings(
        self, opened: AbstractContextManager[Subject], oracle: Reference
    ) -> dict[str, Ruling]:
        """The rulings on what a submission answers; what cannot be told from that is left out.

        Answers that somebody gave before are ruled as they were then; the checks look at the
        others.

        Args:
            opened: a subject with the submission in it.
            oracle: a subject of the reference solution.
        """
        if not self._known.scripts:
            return {}
        started = time.monotonic()
        try:
            with opened as subject:
                if time.monotonic() - started >= SLOW_LOAD_S:
                    return {}
                answered, printed = self._ask(subject)
                new = {id: said for id, said in answered.items() if said.ruling is None}
                replays = _Replays(subject, self._known.scripts, new, printed)
                hearing = Hearing(replays, oracle, self._known.seed)
                self._session.hear(hearing, new)
        except SubmissionError:
            return {}
        if hearing.error is not None:
            return {}
        rulings = {id: said.ruling for id, said in answered.items() if said.ruling is not None}
        for id, ruling in hearing.rulings.items():
            if not replays.strayed(id) and _tells_all(ruling):
                self._known.keep(ruling, new[id].answers.digest)
                rulings[id] = ruling
        return {id: ruling.lasting(answered[id].answers.seconds) for id, ruling in rulings.items()}

    def _ask(self, subject: Subject) -> tuple[dict[str, _Answered], tuple[Output, Output]]:
        """What a submission answers to every case's script, and what it printed meanwhile."""
        scripts = self._known.scripts
        # All cases within the limit of one call: no call of them was over the limit.
        seconds = min(_SECONDS, subject.limits.call_s, subject.limits.load_s)
        answers, printed = subject.play(list(scripts.values()), seconds=seconds)
        silent = not any(output.size for output in printed)
        known = [
            self._known.find(id, told.digest, printed=not silent)
            for id, told in zip(scripts, answers, strict=True)
        ]
        new = [number for number, ruling in enumerate(known) if ruling is None]
        replies = dict(zip(new, subject.played(new) if new else [], strict=True))
        answered = {
            id: _Answered(answers[number], known[number], replies.get(number, ()))
            for number, id in enumerate(scripts)
        }
        return answered, printed


def _tells_all(ruling: Ruling) -> bool:
    """Whether it is what would be found step by step. Of a case that failed, what was printed up
    to there is shown, and here nobody knows what that was; and a check at fault says so itself.
    """
    return ruling.passed or (ruling.finding is not None and not ruling.printed)


class _Replays:
    """Answers as subjects; see ``hearing.Subjects``.

    Args:
        subject: who answered.
        scripts: case -> what was asked.
        answered: case -> what was answered.
        printed: what was printed meanwhile, in all cases together, on stdout and stderr.
    """

    def __init__(
        self,
        subject: Subject,
        scripts: Mapping[str, Script],
        answered: Mapping[str, _Answered],
        printed: tuple[Output, Output],
    ) -> None:
        self._subject, self._scripts, self._answered = subject, scripts, answered
        self._printed = printed
        self._taken: dict[str, Replayed] = {}

    def take(self, case: str) -> Subject:
        """The answers to a case's script."""
        replies = self._answered[case].replies
        self._taken[case] = Replayed(self._subject, self._scripts[case], replies)
        return self._taken[case]

    def printed(self) -> tuple[Output, Output]:
        """What was printed while they were given."""
        return self._printed

    def strayed(self, case: str) -> bool:
        """Whether a case asked what had not been asked."""
        return case not in self._taken or self._taken[case].strayed
