"""A message to a person: an id and parameters, put into words only when it is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    """What is to be said, in no language yet.

    Attributes:
        id: the key of its text in a catalog, such as ``padding.stale``.
        params: what the text's ``{names}`` stand for; JSON values.
    """

    id: str
    params: Mapping[str, object] = field(default_factory=dict)
