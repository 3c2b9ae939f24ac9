"""What was asked of a subject and what was seen after it: one recording, many readers."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grader.protocol import TAG, Json, Message

TRACE_VERSION = 1


@dataclass(frozen=True)
class Step:
    """One request and its reply, as they went over the pipe."""

    request: Message
    reply: Message

    @property
    def op(self) -> str:
        """What kind of request it was."""
        return str(self.request["op"])

    @property
    def fields(self) -> Message:
        """The request without what kind it is of."""
        return {name: value for name, value in self.request.items() if name != "op"}

    @property
    def events(self) -> list[Message]:
        """What the given library was seen to do meanwhile."""
        events: list[Message] = self.reply["events"]
        return events

    @property
    def result(self) -> Json:
        """What came back; None where it was an error."""
        return self.reply.get("value")

    @property
    def after(self) -> Message:
        """The watched attributes as they were afterwards."""
        after: Message = self.reply.get("after", {})
        return after


@dataclass
class Trace:
    """All steps of one subject, in order."""

    steps: list[Step] = field(default_factory=list)

    def __iter__(self) -> Iterator[Step]:
        """The steps, in order."""
        return iter(self.steps)

    def add(self, request: Message, reply: Message) -> Step:
        """Record one step."""
        step = Step(request, reply)
        self.steps.append(step)
        return step

    def calls(self) -> list[Step]:
        """The steps in which the submission's code was asked to do something."""
        return [step for step in self.steps if step.op in ("new", "call")]

    def spell(self, step: Step) -> str:
        """A step as a line of code, tensors by their shape: ``run(x[3, 4], force_eager=True)``."""
        arguments = [self._spell(value) for value in step.request.get("args", [])]
        keywords = step.request.get("kwargs", {})
        arguments += [f"{name}={self._spell(value)}" for name, value in keywords.items()]
        name = step.request.get("class") or step.request.get("method")
        name = name or self._spell({TAG: "ref", "ref": step.request["ref"]})
        return f"{name}({', '.join(arguments)})"

    def to_json(self) -> str:
        """The whole recording as JSON text."""
        steps = [{"request": step.request, "reply": step.reply} for step in self.steps]
        whole = {"trace_version": TRACE_VERSION, "steps": steps}
        return json.dumps(whole, ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Trace":
        """A recording read back.

        Raises:
            ValueError: it is no trace, or one of another version.
        """
        data = json.loads(text)
        try:
            version, steps = data["trace_version"], data["steps"]
            if version == TRACE_VERSION:
                return cls([Step(step["request"], step["reply"]) for step in steps])
        except (TypeError, KeyError):
            pass
        msg = f"this is no trace of version {TRACE_VERSION}"
        raise ValueError(msg)

    def _spell(self, value: Json) -> str:
        if isinstance(value, list):
            return f"[{', '.join(self._spell(item) for item in value)}]"
        if not isinstance(value, dict):
            return repr(value)
        match value.get(TAG):
            case "tensor":
                return f"x{value.get('shape')}"
            case "dtype":
                return str(value.get("name"))
            case "float":
                return str(value.get("value"))
            case "ref":
                return self._spell_ref(value.get("ref"))
        return str(value.get("type", "?"))

    def _spell_ref(self, ref: Json) -> str:
        """An object by where it came from: a function by its name, a tensor by its shape."""
        for step in self.steps:
            result: Any = step.result
            known = isinstance(result, dict) and result.get(TAG) != "ref"
            if known and result.get("ref") == ref:
                return "fn" if step.op == "function" else self._spell(result)
        return "?"
