"""One submission on several devices, as one Score."""

from collections.abc import Mapping, Sequence
from functools import partial

from grader.message import Message
from grader.score import Check, OnDevice, Score, Status, Text
from grader.subject.device import DeviceName

#: How bad a status is: the whole fares as the worst part.
_WORSE = (Status.PASSED, Status.FAILED, Status.ERROR, Status.UNGRADED)


def together(scores: Sequence[Score], absent: Mapping[DeviceName, Message]) -> Score:
    """What a submission got everywhere: of every check the fewest points.

    A device on which nothing could be graded, through no fault of the submission, takes nothing
    from what it got on the others, and is listed with the reason.

    Args:
        scores: one a device, of one submission with one seed; at least one.
        absent: devices that are not there, and why.
    """
    graded = [score for score in scores if score.status is not Status.UNGRADED] or scores[:1]
    first = graded[0]
    worst = max(graded, key=lambda score: _WORSE.index(score.status))
    checks = [
        min(column, key=lambda check: check.points)
        for column in zip(*(score.checks for score in graded), strict=True)
    ]
    advice = {text.id: text for score in graded for text in score.advice}
    missing = [OnDevice(device=name, message=Text.of(why)) for name, why in absent.items()]
    return first.model_copy(
        update={
            "device": "+".join(score.device for score in graded),
            "status": worst.status,
            "score": worst.score and _points(checks),
            "checks": checks,
            "advice": list(advice.values()),
            "error": worst.error,
            "devices": [*map(partial(_part, alone=len(scores) == 1), scores), *missing],
            "demonstrations": [shown for score in graded for shown in score.demonstrations],
            "duration_s": round(sum(score.duration_s for score in scores), 3),
            "versions": {name: it for score in graded for name, it in score.versions.items()},
        }
    )


def _points(checks: Sequence[Check]) -> float:
    return float(sum(check.points for check in checks))


def _part(score: Score, *, alone: bool) -> OnDevice:
    """How it fared on one device; with the error's message, which the whole has no room for."""
    (part,) = score.devices
    said = None if alone or score.error is None else score.error.message
    return part.model_copy(update={"message": said})
