"""What lives in a subject and reads like one's own: objects, tensors, events.

Values go over the pipe as ``grader.protocol`` spells them; here they become proxies and back.
"""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from grader.errors import SubmissionError
from grader.protocol import TAG, Json, of_type
from grader.protocol import Message as WireMessage
from grader.tensor import Tensor

if TYPE_CHECKING:
    from grader.subject.subject import Subject


class DType(str):
    """The name of a dtype, as an argument: ``dtype=DType("float64")``."""

    __slots__ = ()


class RemoteObject:
    """An object of the subject's process.

    Its methods are those of the interface; every other attribute is read over the pipe at
    each access. Two proxies are equal if they stand for the same object.
    """

    def __init__(self, subject: "Subject", ref: int, type_name: str) -> None:
        self._subject = subject
        self.ref = ref
        self.type = type_name

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the object itself."""
        return self._subject.call(self, None, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """A bound method, or what the attribute holds now."""
        if name in self._subject.methods_of(self.type):
            return partial(self._subject.call, self, name)
        return self._subject.get(self, name)

    def __repr__(self) -> str:
        """By its class, as a message shows it."""
        return f"<{self.type}>"

    def __eq__(self, other: object) -> bool:
        """Whether it is the same object."""
        return (
            isinstance(other, RemoteObject)
            and self.ref == other.ref
            and self._subject is other._subject
        )

    def __hash__(self) -> int:
        """By identity of the object."""
        return hash(self.ref)


class RemoteTensor:
    """A tensor of the subject's process.

    Attributes:
        value: what it held when it was last told of.
        strides: in elements, one a dimension.
        offset: of its first element in its storage, in elements.
        storage: address and bytes of its storage when it was first told of; None where the
            subject's language has no such thing.
    """

    def __init__(self, subject: "Subject", wire: WireMessage) -> None:
        self._subject = subject
        self.ref = of_type(int, wire["ref"])
        self.value = Tensor.from_wire(wire)
        self.strides = tuple(_word(stride) for stride in of_type(list, wire["strides"]))
        self.offset = _word(wire["offset"])
        if len(self.strides) != len(self.shape):
            msg = f"{len(self.strides)} strides for {len(self.shape)} dimensions"
            raise ValueError(msg)
        self.storage: tuple[int, int] | None = None
        if "storage" in wire:
            start, size = of_type(list, wire["storage"])
            self.storage = of_type(int, start), of_type(int, size)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape when it was last told of."""
        return self.value.shape

    @property
    def dtype(self) -> str:
        """The dtype's name."""
        return self.value.dtype

    def __repr__(self) -> str:
        """By its shape, as a message shows it."""
        return f"Tensor{list(self.shape)}"

    def again(self) -> "RemoteTensor":
        """The same tensor, whose ``value`` stays as it is when this one is read anew."""
        made = object.__new__(RemoteTensor)
        made.__dict__.update(self.__dict__)
        return made

    def read(self) -> Tensor:
        """What it holds now."""
        self.value = self._subject.read(self.ref)
        return self.value

    def write(self, value: Tensor) -> None:
        """Overwrite it in place."""
        self._subject.write(self.ref, value)

    def shares_storage(self, other: "RemoteTensor") -> bool:
        """Whether it has memory in common with another tensor of the same subject: now, or when
        each was first told of. A tensor can be given other memory afterwards.
        """
        if self.storage is not None and other.storage is not None:
            (start, size), (other_start, other_size) = self.storage, other.storage
            if start < other_start + other_size and other_start < start + size:
                return True
        return self._subject.shares_storage(self, other)


class Event:
    """Something that the given library was seen to do.

    Attributes:
        name: ``capture``, ``replay``, ``function``, … ; other fields are attributes, too.
        within: the name of what it happened inside of, or None.
    """

    def __init__(self, subject: "Subject", entry: WireMessage) -> None:
        self._subject, self._entry = subject, entry
        self._tensors: dict[str, RemoteTensor] = {}
        name, within = entry.get("event"), entry.get("within")
        if not isinstance(name, str) or not (within is None or isinstance(within, str)):
            raise SubmissionError("protocol", {"detail": "an event that does not say which"})
        self.name, self.within = name, within

    def __getattr__(self, field: str) -> Any:
        """A field of the event.

        Raises:
            SubmissionError: kind ``protocol``: the event has no such field.
        """
        if field not in self._entry:
            raise SubmissionError("protocol", {"detail": f"{self.name} event without {field}"})
        if field in self._tensors:
            return self._tensors[field].again()
        value = from_wire(self._subject, self._entry[field])
        if isinstance(value, RemoteTensor):
            self._tensors[field] = value.again()
        return value


def to_wire(value: object) -> Any:
    """A value as the protocol spells it."""
    match value:
        case RemoteObject() | RemoteTensor():
            return {TAG: "ref", "ref": value.ref}
        case DType():
            return {TAG: "dtype", "name": str(value)}
        case Tensor():
            return value.to_wire()
        case float():
            return {TAG: "float", "value": repr(value)}
        case list() | tuple():
            return [to_wire(item) for item in value]
    return value


def from_wire(subject: "Subject", wire: Json) -> Any:
    """What the protocol spells, as a value or a proxy.

    Raises:
        SubmissionError: kind ``protocol``: it spells nothing.
    """
    try:
        return _from_wire(subject, wire)
    except (KeyError, TypeError, ValueError) as error:
        raise SubmissionError("protocol", {"detail": f"no value: {error}"}) from None


def _from_wire(subject: "Subject", wire: Json) -> Any:
    if isinstance(wire, list):
        return [_from_wire(subject, item) for item in wire]
    if isinstance(wire, float):
        raise TypeError("a float without its tag")
    if not isinstance(wire, dict):
        return wire
    match wire[TAG]:
        case "float":
            return float(of_type(str, wire["value"]))
        case "dtype":
            return DType(of_type(str, wire["name"]))
        case "tensor":
            return RemoteTensor(subject, wire)
        case "map":
            pairs = (of_type(list, pair) for pair in of_type(list, wire["items"]))
            return {_key(_from_wire(subject, k)): _from_wire(subject, v) for k, v in pairs}
        case "object":
            return RemoteObject(subject, of_type(int, wire["ref"]), of_type(str, wire["type"]))
    msg = f"unknown tag {wire[TAG]!r}"
    raise ValueError(msg)


def _word(value: Json) -> int:
    """A stride or an offset: a number that fits a machine's word."""
    number = of_type(int, value)
    if abs(number) > sys.maxsize:
        raise ValueError("a stride or an offset beyond all memory")
    return number


def _key(value: Any) -> Any:
    return tuple(map(_key, value)) if isinstance(value, list) else value


def kind_of(wire: Json) -> str:
    """What a value is, in a word a student knows."""
    if isinstance(wire, dict):
        return str(wire.get("type") or {"map": "dict"}.get(wire.get(TAG, ""), wire.get(TAG)))
    return type(wire).__name__ if wire is not None else "None"
