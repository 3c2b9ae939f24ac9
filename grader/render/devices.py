"""What there is to say of the devices that a submission was graded on, or was not."""

from collections.abc import Iterator
from typing import NamedTuple

from grader.i18n import Translator
from grader.score import Score, Status


class DeviceLine(NamedTuple):
    """What is said of one device.

    Attributes:
        text: how it fared there, or why it was not graded there.
        more: what went wrong there; empty where nothing did.
        status: how it fared; None where nothing was graded.
    """

    text: str
    more: str
    status: Status | None


def device_lines(score: Score, say: Translator) -> Iterator[DeviceLine]:
    """A line for each device; a lone one that was there goes without saying.

    Args:
        score: with its texts in the reader's language.
        say: the reader's language.
    """
    for one in score.devices:
        message = one.message.text if one.message is not None else ""
        if one.status is None:
            yield DeviceLine(say("terminal.not_on", device=one.device, why=message), "", None)
        elif len(score.graded_on) > 1:
            text = say(
                "terminal.on",
                device=one.device,
                hardware=f" ({one.hardware})" if one.hardware else "",
                score="-" if one.score is None else f"{one.score:g}",
                max=f"{score.max_score:g}",
            )
            yield DeviceLine(text, message, one.status)
