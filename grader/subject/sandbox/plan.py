"""What a subject may see and use: the plan by which its sandbox is built."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

#: Which programs a subject may start: none; the one that it becomes, once; any that it may read.
Starts = Literal["nothing", "itself", "programs"]


@dataclass(frozen=True)
class Plan:
    """The plan of the sandboxes of one server.

    Attributes:
        walls: the kinds of wall that may be built (``namespace``, ``landlock``, ``seccomp``,
            ``rlimit``); none for subjects that are let be.
        readable: files and folders that subjects may read.
        devices: device files that they may read and write.
        scratch: the folder that is theirs to write to.
        scratch_mb: megabytes that it holds.
        memory_mb: megabytes of address space beyond what the server had; None for as many as it
            likes, which is what a GPU's driver takes.
        cpu_s: seconds of processor time, of all threads together.
        threads: how many there may be at once.
        open_files: how many descriptors there may be at once.
        starts: which programs may be started.
    """

    walls: Sequence[str]
    readable: Sequence[str]
    devices: Sequence[str]
    scratch: str
    scratch_mb: int
    memory_mb: int | None
    cpu_s: int
    threads: int
    open_files: int
    starts: Starts = "nothing"

    def to_json(self) -> dict[str, Any]:
        """The plan for the way to the server."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The plan as ``to_json`` spelled it."""
        return cls(**data)
