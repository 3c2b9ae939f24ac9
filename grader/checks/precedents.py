"""What was found before: of the same questions, answered the same, the same is found again.

What a check finds hangs on what it asked of the submission and what was answered, on the seed and
on the reference, and on nothing else: two submissions that give the same answers, byte for byte,
fare the same. So once a case has been judged, others can be asked all its questions at one go, and
pytest need only look at answers that nobody has given before.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.checks.ruling import Ruling
from grader.subject.script import Answers, Script, alike

#: Rulings that are kept, so that a class of any size is graded in the same memory.
_KEPT = 2000


@dataclass
class Precedents:
    """Rulings on the cases of one exercise.

    Attributes:
        seed: what the data of all cases is drawn from.
        cases: the ids of all cases, in their order; none before the first session.
        scripts: case -> what it asks a submission that passes.
    """

    seed: int
    cases: list[str] = field(default_factory=list)
    scripts: dict[str, Script] = field(default_factory=dict)
    _rulings: OrderedDict[tuple[str, str], Ruling] = field(default_factory=OrderedDict)

    def find(self, case: str, answers: Answers, *, printed: bool) -> Ruling | None:
        """What was ruled of the same answers before.

        Args:
            case: the case's id.
            answers: to its script.
            printed: whether the submission printed anything meanwhile: what it prints is shown
                where it fails.
        """
        key = case, answers.digest
        ruling = self._rulings.get(key)
        if ruling is None or (printed and not ruling.passed):
            return None
        self._rulings.move_to_end(key)
        return ruling

    def learn(self, cases: list[str], rulings: Mapping[str, Ruling]) -> list[str]:
        """Learn what is asked in the cases that one submission passed.

        Args:
            cases: the ids of all cases.
            rulings: how those went that were judged, by id.

        Returns:
            The cases for which there was no script before.
        """
        self.cases = cases
        new = {
            id: script
            for id, ruling in rulings.items()
            if id not in self.scripts and ruling.passed and (script := Script.of(ruling.trace))
        }
        self.scripts |= new
        return list(new)

    def keep(self, ruling: Ruling, answers: Answers) -> None:
        """Keep how a case went of one submission.

        Args:
            ruling: how it went.
            answers: what the same submission answered to the case's script at one go, in full.
        """
        if (ruling.printed and not ruling.passed) or answers.replies is None:
            return
        # The judge must have seen what was answered at one go: some submissions answer otherwise
        # the second time, and a check may ask other things of one that fails.
        judged = len(ruling.trace.steps)
        seen = self.scripts[ruling.id].followed(answers.replies[:judged])
        if len(seen.steps) < judged or not alike(seen, ruling.trace):
            return
        self._rulings[ruling.id, answers.digest] = ruling.shortened() if ruling.passed else ruling
        if len(self._rulings) > _KEPT:
            self._rulings.popitem(last=False)
