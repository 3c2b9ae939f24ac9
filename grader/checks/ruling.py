"""What was found in one case of a check."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from grader.frames import Comparison
from grader.message import Message
from grader.trace import Trace


@dataclass
class Ruling:
    """How one case went.

    Attributes:
        report: what pytest-json-report says of it.
        trace: what the case saw of the submission.
        advice: what the submission might do better, by id.
        printed: whether the submission printed anything meanwhile.
        drawing: its last calls beside the reference's, once they are drawn.
    """

    report: Mapping[str, Any]
    trace: Trace = field(default_factory=Trace)
    advice: Mapping[str, Message] = field(default_factory=dict)
    printed: bool = False
    drawing: Comparison | None = None

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
        stages = (self.report.get(stage, {}) for stage in ("setup", "call"))
        return float(sum(stage.get("duration", 0.0) for stage in stages))

    @property
    def finding(self) -> Mapping[str, Any] | None:
        """What the plugin has to say of it, where it did not pass."""
        finding: Mapping[str, Any] | None = self.report.get("metadata", {}).get("finding")
        return finding

    def shortened(self) -> Self:
        """The same without what the case saw, where nobody will ask."""
        return replace(self, trace=Trace())

    def drawn(self, draw: Callable[[Trace], Comparison]) -> Comparison:
        """Its last calls beside the reference's."""
        if self.drawing is None:
            self.drawing = draw(self.trace)
        return self.drawing
