"""What is one's own in a process that is shared with a submission: builtins, and classes."""

import builtins
from typing import Any


def own_builtins() -> Any:
    """The builtins as they are now, to be a module's ``__builtins__`` before it defines anything.

    Its functions ask for no others then, whatever a submission puts into ``builtins`` or finds by
    way of another function (``PyFunction_New`` takes them from the globals, since Python 3.10).
    Each module has a copy to itself: one that a submission finds says nothing to the rest.
    """
    return dict(vars(builtins))


class Own:
    """What the host's classes are derived from, so that they can be put out of sight.

    Every class is told of by ``object.__subclasses__()`` or by that of one of those it is derived
    from. A submission that finds one has its functions, and their modules; see ``guard``.
    """


class OwnError(Exception):
    """The same for exceptions."""
