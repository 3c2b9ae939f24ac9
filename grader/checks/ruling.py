"""What was found in one case of a check."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from grader.frames import Comparison
from grader.message import Message
from grader.trace import Trace


@dataclass(frozen=True)
class Shown:
    """What a case has to show.

    Attributes:
        message: what it comes to.
        rows: values, each under a label.
    """

    message: Message
    rows: Sequence[tuple[Message, Sequence[str]]] = ()


@dataclass(frozen=True)
class Ruling:
    """How one case went.

    Attributes:
        report: what pytest-json-report says of it.
        recorded: what the case saw of the submission: a Trace, packed where it is to be kept.
        advice: what the submission might do better, by id.
        printed: whether the submission printed anything meanwhile.
        seconds: how long it took, where the report does not tell.
        drawings: its last calls beside the reference's, packed, once they are drawn.
        shown: what it has to show, where it shows anything.
    """

    report: Mapping[str, Any]
    recorded: Trace | bytes = field(default_factory=Trace)
    advice: Mapping[str, Message] = field(default_factory=dict)
    printed: bool = False
    seconds: float | None = None
    drawings: list[bytes] = field(default_factory=list)
    shown: Shown | None = None

    @property
    def id(self) -> str:
        """The case's node id."""
        return str(self.report["nodeid"])

    @property
    def passed(self) -> bool:
        """Whether the submission passed the case."""
        return bool(self.report["outcome"] == "passed")

    @property
    def duration_s(self) -> float:
        """How long it took."""
        if self.seconds is not None:
            return self.seconds
        stages = (self.report.get(stage, {}) for stage in ("setup", "call"))
        return float(sum(stage.get("duration", 0.0) for stage in stages))

    @property
    def finding(self) -> Mapping[str, Any] | None:
        """What the plugin has to say of it, where it did not pass."""
        finding: Mapping[str, Any] | None = self.report.get("metadata", {}).get("finding")
        return finding

    @property
    def trace(self) -> Trace:
        """What the case saw of the submission."""
        if isinstance(self.recorded, Trace):
            return self.recorded
        return Trace.from_json(zlib.decompress(self.recorded).decode("ascii"))

    def packed(self) -> Self:
        """The same in little memory; without a Trace where it passed, for nobody will ask."""
        recorded = b"" if self.passed else self.trace.to_json().encode("ascii")
        return replace(self, recorded=zlib.compress(recorded, 1))

    def lasting(self, seconds: float) -> Self:
        """The same of another submission, which took so long."""
        return replace(self, seconds=seconds)

    def drawn(self, draw: Callable[[Trace], Comparison]) -> Comparison:
        """Its last calls beside the reference's."""
        if not self.drawings:
            said = draw(self.trace).model_dump_json(exclude_defaults=True)
            self.drawings.append(zlib.compress(said.encode(), 1))
        return Comparison.model_validate_json(zlib.decompress(self.drawings[0]))
