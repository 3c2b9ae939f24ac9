"""Proof that an exercise is sound: solutions that must score full, and others that must not."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import ExerciseError
from grader.example import play_all
from grader.exercise import Exercise
from grader.grading import Grader
from grader.i18n import LANGUAGES, Translator
from grader.message import Message
from grader.render.page import exercise_page
from grader.score import Outcome, Score, Status
from grader.section import problems
from grader.submission import read

#: What a solution says of itself, in a comment of any language near its top.
_HEADER = re.compile(rb"^\W*(fails|unseen|right):[ \t]*(.*?)\W*$", re.MULTILINE)
_HEADER_BYTES = 2000


@dataclass(frozen=True)
class Claim:
    """What must become of a solution: the checks that fail, and those that see nothing to judge."""

    fails: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """As the header spells it."""
        said = [f"fails: {', '.join(sorted(self.fails))}" if self.fails else "right"]
        said += [f"unseen: {', '.join(sorted(self.unseen))}"] if self.unseen else []
        return "; ".join(said)


@dataclass(frozen=True)
class Finding:
    """How one solution fared.

    Attributes:
        file: which.
        claim: what it says of itself.
        seen: what became of it, as a claim; None if it was not judged.
        score: its score.
    """

    file: Path
    claim: Claim
    seen: Claim | None
    score: Score

    @property
    def as_claimed(self) -> bool:
        """Whether it fared as it says."""
        return self.seen == self.claim


@dataclass
class Report:
    """What a validation found.

    Attributes:
        findings: one a solution.
        problems: what is wrong besides.
        not_validated: what could not be looked at here, and why.
    """

    findings: list[Finding] = field(default_factory=list)
    problems: list[Message] = field(default_factory=list)
    not_validated: list[Message] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and all(finding.as_claimed for finding in self.findings)


def validate(
    exercise: Exercise, grader: Grader, language: str, *, seed: int, only: str = ""
) -> Iterator[Finding | Report]:
    """Grade every solution of an exercise.

    Args:
        exercise: what is validated.
        grader: a grader for ``language``.
        language: of the solutions.
        seed: what all data is drawn from.
        only: grade those whose file name contains it.

    Yields:
        A finding a solution, as they come, and at last the whole report.
    """
    report, first = Report(), next(iter(exercise.languages()))
    checks = frozenset(check.id for check in exercise.manifest.checks)
    for file, claim in _solutions(exercise, language, checks, report.problems):
        if only not in file.name:
            continue
        score = grader.grade(read(file, exercise, language), seed=seed)
        finding = Finding(file, claim, _seen(score), score)
        report.findings.append(finding)
        if not (claim.fails or claim.unseen):
            report.problems += _demonstration_problems(score)
        yield finding
    report.problems += _missing_texts(exercise, report.findings)
    if not only:
        report.problems += _starter_problems(exercise, grader, language, seed)
        failed = {id for finding in report.findings for id in finding.claim.fails}
        report.problems += [
            Message("validate.never_failed", {"check": id}) for id in sorted(checks - failed)
        ]
        report.problems += problems(exercise, _hints(report.findings))
        # What is drawn on the page is drawn from solutions in the first of the languages.
        drawn = _page_faults(exercise, grader, language) if language == first else ()
        report.problems += [fault for fault in drawn if fault not in report.problems]
    yield report


def _solutions(
    exercise: Exercise, language: str, checks: frozenset[str], problems: list[Message]
) -> Iterator[tuple[Path, Claim]]:
    """The reference, then all right and wrong solutions, with what they claim."""
    yield exercise.solution(language), Claim()
    suffix = exercise.solution(language).suffix
    for name in ("right", "wrong"):
        files = sorted((exercise.folder / name).glob(f"*{suffix}"))
        if not files:
            problems.append(Message("validate.none", {"folder": str(exercise.folder / name)}))
        for file in files:
            claim = read_claim(file.read_bytes())
            unknown = sorted((claim.fails | claim.unseen) - checks) if claim else []
            if claim is None or bool(claim.fails) != (name == "wrong"):
                problems.append(Message("validate.header", {"file": str(file)}))
            elif unknown:
                params = {"file": str(file), "checks": unknown}
                problems.append(Message("validate.unknown_check", params))
            else:
                yield file, claim


def read_claim(source: bytes) -> Claim | None:
    """What a solution's header claims, or None if it has none.

    >>> str(read_claim(b"# fails: clone, padding"))
    'fails: clone, padding'
    """
    said = {key.decode(): value.decode("utf-8", "replace")
            for key, value in _HEADER.findall(source[:_HEADER_BYTES])}  # fmt: skip
    if not said.keys() & {"fails", "right"}:
        return None
    return Claim(_ids(said.get("fails", "")), _ids(said.get("unseen", "")))


def _ids(text: str) -> frozenset[str]:
    return frozenset(filter(None, re.split(r"[,\s]+", text)))


def _seen(score: Score) -> Claim | None:
    if score.status not in (Status.PASSED, Status.FAILED):
        return None
    by_outcome = {
        outcome: frozenset(check.id for check in score.checks if check.status is outcome)
        for outcome in Outcome
    }
    return Claim(
        by_outcome[Outcome.FAILED] | by_outcome[Outcome.ERROR], by_outcome[Outcome.NOT_RUN]
    )


def _starter_problems(
    exercise: Exercise, grader: Grader, language: str, seed: int
) -> Iterable[Message]:
    """The starter must be recognised, so that a student is told to begin."""
    score = grader.grade(read(exercise.starter(language), exercise, language), seed=seed)
    if score.error is None or score.error.kind != "starter":
        yield Message("validate.starter", {"seen": str(score.status)})


def _demonstration_problems(score: Score) -> Iterable[Message]:
    """What a right solution is shown to do, it does."""
    for shown in score.demonstrations:
        if shown.status is not Outcome.PASSED:
            params = {"id": shown.id, "file": score.submission.path, "seen": str(shown.status)}
            yield Message("validate.demonstration", params)


def _hints(findings: Sequence[Finding]) -> set[str]:
    """Where the cases that were seen say to read on."""
    cases = (case for finding in findings for check in finding.score.checks for case in check.cases)
    return {case.hint for case in cases if case.hint}


def _page_faults(exercise: Exercise, grader: Grader, language: str) -> Iterator[Message]:
    """What keeps the page from being drawn: an example, a table, a step that nothing is said of."""
    if exercise.manifest.pages is None:
        return
    try:
        examples = play_all(exercise, grader, language)
        for reader in LANGUAGES:
            exercise_page(exercise, Translator(reader, exercise.folder), examples, [])
    except ExerciseError as error:
        yield error.message


def _missing_texts(exercise: Exercise, findings: Sequence[Finding]) -> list[Message]:
    """Every message that was seen, every title and hint has its text in every language."""
    wanted = {"exercise.title"} | ({"exercise.track"} if exercise.manifest.pages else set())
    for example in exercise.manifest.examples:
        wanted |= {f"variant.{name}" for name in example.variants}
    for finding in findings:
        for check in finding.score.checks:
            wanted |= {f"check.{check.id}", f"hint.{check.hint}"}
            for case in check.cases:
                wanted.add(f"case.{check.id}.{case.id.partition('[')[0]}")
                wanted |= {case.message.id} if case.message else set()
                wanted |= {f"hint.{case.hint}"} if case.hint else set()
        wanted |= {text.id for text in finding.score.advice}
        for shown in finding.score.demonstrations:
            wanted.add(f"demonstration.{shown.id}")
            wanted |= {shown.message.id} if shown.message else set()
            wanted |= {row.label.id for row in shown.rows}
    return [
        Message("validate.no_text", {"language": language, "id": id})
        for language in LANGUAGES
        for id in sorted(wanted)
        if not Translator(language, exercise.folder).knows(id)
    ]
