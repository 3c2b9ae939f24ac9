"""Which protections were in force around a subject, and whether they are enough."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

#: How much isolation there must be: all of it, what the machine has, or none.
Level = Literal["require", "best", "none"]
LEVELS: tuple[Level, ...] = get_args(Level)

#: The walls that a subject on Linux can be given; ``grader.subject.sandbox`` builds them.
WALLS = ("namespace", "landlock", "seccomp", "rlimit")

#: protection -> the sets of walls that give it, each set by itself.
_GIVEN_BY: Mapping[str, tuple[frozenset[str], ...]] = {
    "network": (frozenset({"namespace"}), frozenset({"seccomp"})),
    # Landlock knows nothing of stat and chmod, so it counts only with the filter beside it.
    "files": (frozenset({"namespace"}), frozenset({"landlock", "seccomp"})),
    "scratch": (frozenset({"namespace"}), frozenset({"landlock", "seccomp"})),
    "processes": (frozenset({"namespace"}), frozenset({"landlock", "seccomp"})),
    "system_calls": (frozenset({"seccomp"}),),
    # A GPU's driver takes address space by the terabyte: there it cannot be limited.
    "memory": (frozenset({"rlimit_memory"}),),
    "cpu": (frozenset({"rlimit"}),),
    "threads": (frozenset({"rlimit_threads"}),),
    "open_files": (frozenset({"rlimit"}),),
    "file_size": (frozenset({"rlimit"}),),
}


@dataclass(frozen=True)
class Isolation:
    """What stood around a subject.

    Attributes:
        walls: the walls that stood.
        lacking: wall -> why it could not be built.
    """

    walls: frozenset[str] = frozenset()
    lacking: Mapping[str, str] = field(default_factory=dict)

    @property
    def protections(self) -> dict[str, list[str]]:
        """Protection -> the walls that give it; none where it is missing."""
        return {
            protection: sorted(set().union(*(s for s in ways if s <= self.walls)))
            for protection, ways in _GIVEN_BY.items()
        }

    @property
    def missing(self) -> list[str]:
        """The protections that no wall gives."""
        return [protection for protection, walls in self.protections.items() if not walls]
