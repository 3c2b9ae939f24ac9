"""What one case of a check asks of a subject, so that another subject can be asked it at one go.

A Trace names objects by numbers, which another subject gives otherwise. A script names each by
where it was last heard of: the value of the third reply, the input of its second event.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from grader.protocol import REFS, TAG, Message, encode_line
from grader.trace import Trace

Path = tuple[str | int, ...]

#: Parts of a reply that speak of objects.
_TELLING = ("value", "after", "events")


@dataclass(frozen=True)
class Script:
    """The requests of one case, in order.

    Attributes:
        asks: the requests, from executing the submission anew; where one names an object,
            there is a 0.
        origins: for each request what belongs in the place of the zeros: where it stands in
            the request, the number of the reply that told of the object last, and where there.
    """

    asks: Sequence[Message]
    origins: Sequence[Sequence[tuple[Path, int, Path]]]

    @classmethod
    def of(cls, trace: Trace) -> Self | None:
        """The script of a case's Trace.

        Returns:
            None where there can be none: the submission was not executed for this case, or a
            request names an object that no reply has told of.
        """
        known: dict[int, tuple[int, Path]] = {}
        asks, origins = [], []
        for number, step in enumerate(trace):
            if (step.op == "load") != (number == 0):
                return None
            named = list(_named_by(step.request))
            if any(ref not in known for _, ref in named):
                return None
            ask = step.request
            if not number:
                ask = {"op": "reload", "interface": ask["interface"]}
            for path, _ in named:
                ask = _with(ask, path, 0)
            asks.append(ask)
            origins.append([(path, *known[ref]) for path, ref in named])
            for path, ref in _told_by(step.reply):
                known[ref] = number, path
        return cls(asks, origins)

    @cached_property
    def written(self) -> bytes:
        """The script as the protocol spells it."""
        pairs = zip(self.asks, self.origins, strict=True)
        requests = [{"ask": ask} | ({"refs": origins} if origins else {}) for ask, origins in pairs]
        return encode_line({"requests": requests})[:-1]

    def followed(self, replies: Sequence[Message]) -> Trace:
        """The Trace of a subject that was asked this, and gave these replies."""
        trace = Trace()
        for ask, origins, reply in zip(self.asks, self.origins, replies, strict=False):
            request = ask
            for path, number, told in origins:
                request = _with(request, path, _get(replies[number], told)["ref"])
            trace.add(request, reply)
        return trace


@dataclass(frozen=True)
class Answers:
    """What a subject answered to a script, all at once.

    Attributes:
        digest: a hash of all that can be told from the answers; the same for the same answers.
        seconds: how long they took.
    """

    digest: str
    seconds: float


def written(scripts: Iterable[Script]) -> bytes:
    """Scripts as the protocol spells them: the field of a request."""
    return b'"scripts":[' + b",".join(script.written for script in scripts) + b"]"


def _named_by(request: Message) -> Iterator[tuple[Path, int]]:
    """The objects that a request names, with the place of each number in it."""
    for name, value in request.items():
        if name in REFS:
            yield (name,), value
        else:
            yield from _refs_in(value, (name,), ("ref",))


def _told_by(reply: Message) -> Iterator[tuple[Path, int]]:
    """The objects that a reply tells of, with the place of each in it."""
    for name in _TELLING:
        for path, ref in _refs_in(reply.get(name), (name,), ("tensor", "object")):
            yield path[:-1], ref


def _refs_in(value: Any, path: Path, tags: Sequence[str]) -> Iterator[tuple[Path, int]]:
    if isinstance(value, Mapping):
        if value.get(TAG) in tags:
            yield (*path, "ref"), value["ref"]
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _refs_in(item, (*path, name), tags)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            if isinstance(item, (dict, list)):
                yield from _refs_in(item, (*path, i), tags)


def _get(value: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        value = value[key]
    return value


def _with(value: Any, path: Sequence[str | int], ref: int) -> Any:
    """A value with another number in a place, and the old one unchanged."""
    if not path:
        return ref
    changed = value.copy()
    changed[path[0]] = _with(value[path[0]], path[1:], ref)
    return changed
