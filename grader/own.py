"""Builtins of a module's own, for what runs in one process with a submission."""

import builtins
from typing import Any


def own_builtins() -> Any:
    """The builtins as they are now, to be a module's ``__builtins__`` before it defines anything.

    Its functions ask for no others then, whatever a submission puts into ``builtins`` or finds by
    way of another function (``PyFunction_New`` takes them from the globals, since Python 3.10).
    Each module has a copy to itself: one that a submission finds says nothing to the rest.
    """
    return dict(vars(builtins))
