"""From all that a student handed in to their attempts."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.batch.attempt import Attempt, Note
from grader.batch.intake.choice import Choice, choose
from grader.batch.intake.layouts.layout import Piece, Work, student_called
from grader.batch.intake.member import Refused, TooLarge
from grader.batch.intake.nest import Contents, open_archives
from grader.batch.intake.wanted import Wanted
from grader.errors import SubmissionError
from grader.exercise import Exercise
from grader.message import Message
from grader.submission import MAX_BYTES, Submission, recognise

#: How many files are named where none or several could be the submission.
_SHOWN = 10


@dataclass(frozen=True)
class Picker:
    """Finds the attempts in works.

    Attributes:
        exercise: what was to be handed in.
        wanted: what that is called.
        number: of the source that the works are from: what is in a later one is later.
    """

    exercise: Exercise
    wanted: Wanted
    number: int

    def pick(self, work: Work, depth: int) -> Iterator[Attempt | Note]:
        """The attempts in a work, at least one, and what became of the rest.

        Args:
            work: what a student or a group handed in.
            depth: how many archives it lies in, besides the instructor's own.
        """
        with ExitStack() as stack:
            contents = open_archives(work.pieces, self.wanted, stack, depth)
            yield from contents.notes
            choice = self._without_starters(choose(contents.pieces, self.wanted))
            yield from passed_over(choice.rest, "intake.other")
            for piece in choice.taken:
                yield from self._taken(piece, work)
            if choice.undecided:
                yield from passed_over(choice.undecided, "intake.undecided")
                files = [piece.member.path for piece in choice.undecided]
                problem = SubmissionError("candidates", {"files": _some(files)})
                yield self._ungradable(work, work.path, problem)
            elif not choice.taken:
                yield self._ungradable(work, work.path, self._nothing(contents))

    def _without_starters(self, choice: Choice) -> Choice:
        """The choice where but one of several languages' files has anything written in it.

        Whoever works in another language has the first one's starter beside it all the same.
        """
        undecided = choice.undecided
        languages = {self.wanted.language_of(piece.name) for piece in undecided}
        if len(languages) < len(undecided) or not all(map(self._is_exact, undecided)):
            return choice
        begun = [piece for piece in undecided if not self._is_starter(piece)]
        if len(begun) != 1:
            return choice
        rest = [piece for piece in undecided if piece not in begun]
        return Choice(begun, (), [*choice.rest, *rest])

    def _is_exact(self, piece: Piece) -> bool:
        return self.wanted.is_exact(piece.name)

    def _is_starter(self, piece: Piece) -> bool:
        """Whether nobody has written anything in a file."""
        language = self.wanted.language_of(piece.name)
        try:
            source = piece.member.read(MAX_BYTES)
        except (TooLarge, Refused):
            return False
        return recognise(source, piece.name, self.exercise, language).is_starter

    def _taken(self, piece: Piece, work: Work) -> Iterator[Attempt | Note]:
        """The attempt that a file is."""
        path = piece.member.path
        language = self.wanted.language_of(piece.name)
        if not self.wanted.is_exact(piece.name) and not _is_named_after(piece, work):
            message = Message("intake.other_name", {"wanted": self.wanted.names[language]})
            yield Note(path, "taken", message)
        try:
            source = piece.member.read(MAX_BYTES)
        except TooLarge:
            problem = SubmissionError("too_large", {"file": path, "limit": MAX_BYTES})
            yield self._ungradable(work, path, problem, piece)
        except Refused as refusal:
            yield Note(path, "refused", refusal.message)
            problem = SubmissionError("refused", {"files": [path]})
            yield self._ungradable(work, path, problem, piece)
        else:
            submission = recognise(source, path, self.exercise, language)
            yield Attempt(work.students, submission, (self.number, *piece.order))

    def _ungradable(
        self, work: Work, path: str, problem: SubmissionError, piece: Piece | None = None
    ) -> Attempt:
        """An attempt without anything that could be graded."""
        language = self.wanted.language_of(piece.name if piece else "")
        order = (self.number, *(piece.order if piece else ()))
        return Attempt(work.students, Submission(path, language, b"", problem), order)

    def _nothing(self, contents: Contents) -> SubmissionError:
        """Why there is nothing to grade."""
        if contents.refused:
            return SubmissionError("refused", {"files": _some(contents.refused)})
        found = ["/".join(piece.inner) for piece in contents.pieces]
        wanted = list(self.wanted.names.values())
        params: dict[str, object] = {"wanted": wanted, "found": _some(found)}
        return SubmissionError("missing", params, text="missing_submission")


def passed_over(pieces: Sequence[Piece], id: str) -> Iterator[Note]:
    """That files were passed over, and why; what was refused is known to be."""
    for piece in pieces:
        if not piece.member.refused:
            yield Note(piece.member.path, "passed_over", Message(id))


def _is_named_after(piece: Piece, work: Work) -> bool:
    """Whether a file bears its owner's name, and may be called as it likes."""
    return student_called(PurePosixPath(piece.name).stem).id == work.students[0].id


def _some(names: Sequence[str]) -> list[str]:
    return [*names[:_SHOWN], *(["…"] if len(names) > _SHOWN else [])]
