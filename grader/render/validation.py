"""A validation as text: a line a solution as it comes, then what is wrong."""

from collections.abc import Iterable
from typing import TextIO

from grader.i18n import Translator
from grader.validate import Finding, Report


def show(
    found: Iterable[Finding | Report], say: Translator, stream: TextIO, *, strict: bool
) -> bool:
    """Say what is found as it is found.

    Args:
        found: findings and reports.
        say: the reader's language.
        stream: where to say it.
        strict: whether what could not be validated counts as unsound.

    Returns:
        Whether the exercise is sound in every language.
    """
    sound, reports = True, 0
    for item in found:
        if isinstance(item, Finding):
            stream.write(f"{_line(item, say)}\n")
        else:
            reports += 1
            sound = sound and item.sound and not (strict and item.not_validated)
            stream.writelines(f"{line}\n" for line in _summary(item, say))
        stream.flush()
    return sound and reports > 0


def _line(finding: Finding, say: Translator) -> str:
    points = "-" if finding.score.score is None else f"{finding.score.score:g}"
    line = f"{'ok ' if finding.as_claimed else 'BAD'} {points:>4}  {finding.file.name}"
    if finding.as_claimed:
        return f"{line}  {finding.claim}"
    seen = str(finding.seen) if finding.seen else str(finding.score.status)
    lines = [f"{line}  {say('validate.expected', expected=str(finding.claim), seen=seen)}"]
    error = finding.score.error
    if error is not None:
        lines.append(f"          {say(error.message.id, **error.message.params)}")
    for check in finding.score.checks:
        for case in check.cases:
            if case.message is not None:
                text = say(case.message.id, **case.message.params)
                lines.append(f"          {check.id}.{case.id}: {text}")
    return "\n".join(lines)


def _summary(report: Report, say: Translator) -> list[str]:
    if report.not_validated:
        return [say.text(why) for why in report.not_validated]
    lines = [say.text(problem) for problem in report.problems]
    bad = sum(not finding.as_claimed for finding in report.findings)
    if report.sound:
        return [*lines, say("validate.ok", count=len(report.findings))]
    count = len(report.findings)
    return [*lines, say("validate.bad", bad=bad, count=count, problems=len(report.problems))]
