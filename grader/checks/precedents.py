"""What was found before: of the same questions, answered the same, the same is found again.

What a check finds hangs on what it asked of the submission and what was answered, on the seed and
on the reference, and on nothing else: two submissions that give the same answers, byte for byte,
fare the same. So once a case has been judged, others can be asked all its questions at one go, and
pytest need only look at answers that nobody has given before.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from grader.checks.ruling import Ruling
from grader.subject.script import Script

#: Rulings that are kept, so that a class of any size is graded in the same memory.
_KEPT = 10_000


class Precedent(NamedTuple):
    """A ruling, and of which answers it was made.

    Attributes:
        digest: of the answers.
        ruling: how the case went, packed.
    """

    digest: str
    ruling: Ruling


@dataclass
class Precedents:
    """Rulings on the cases of one exercise.

    Attributes:
        seed: what the data of all cases is drawn from.
        scripts: case -> what it asks a submission that passes.
    """

    seed: int
    scripts: dict[str, Script] = field(default_factory=dict)
    _rulings: OrderedDict[tuple[str, str], Ruling] = field(default_factory=OrderedDict)
    _news: deque[Precedent] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def learn(self, ruling: Ruling) -> None:
        """Learn what is asked in a case that a submission passed step by step."""
        if ruling.id not in self.scripts and ruling.passed:
            script = Script.of(ruling.trace)
            if script is not None:
                self.scripts[ruling.id] = script

    def find(self, case: str, digest: str, *, printed: bool) -> Ruling | None:
        """What was ruled of the same answers before.

        Args:
            case: the case's id.
            digest: of the answers to its script.
            printed: whether the submission printed anything meanwhile: what it prints is shown
                where it fails.
        """
        ruling = self._rulings.get((case, digest))
        if ruling is None or (printed and not ruling.passed):
            return None
        self._rulings.move_to_end((case, digest))
        return ruling

    def keep(self, ruling: Ruling, digest: str) -> None:
        """Keep a ruling that was made by looking at answers alone.

        Args:
            ruling: how the case went.
            digest: of the answers.
        """
        precedent = Precedent(digest, ruling.packed())
        self._news.append(precedent)
        self.hear([precedent])

    def hear(self, precedents: Iterable[Precedent]) -> None:
        """Keep what somebody else found, with the same seed, checks and reference."""
        for digest, ruling in precedents:
            self._rulings[ruling.id, digest] = ruling
            if len(self._rulings) > _KEPT:
                self._rulings.popitem(last=False)

    def news(self) -> list[Precedent]:
        """What was found here since the last time, for others to hear."""
        news = list(self._news)
        self._news.clear()
        return news
