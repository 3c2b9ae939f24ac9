"""Memory in large pages, so that a fork has less to copy."""

import ctypes
import sys
from pathlib import Path

#: Linux's ``MADV_COLLAPSE``, since 6.1, and the bytes of a large page.
_COLLAPSE = 25
_LARGE = 2 * 1024 * 1024


def gather() -> None:
    """Have the kernel put this process's own memory into large pages, where it can.

    A fork copies an entry for every page there is: with torch imported some 36,000 small ones,
    which takes longer than starting the process otherwise does, and taking them down again too.
    """
    if sys.platform != "linux":
        return
    advise = ctypes.CDLL(None).madvise
    for start, end in _own_memory():
        for place in range(-(-start // _LARGE) * _LARGE, end - _LARGE + 1, _LARGE):
            advise(ctypes.c_void_p(place), ctypes.c_size_t(_LARGE), _COLLAPSE)


def _own_memory() -> list[tuple[int, int]]:
    """Where there is memory that no file stands behind, and that is written to."""
    found = []
    for line in Path("/proc/self/maps").read_text("ascii", "replace").splitlines():
        place, access, _, _, file, *name = line.split(maxsplit=5)
        if access == "rw-p" and file == "0" and (not name or name[0] == "[heap]"):
            start, end = (int(number, 16) for number in place.split("-"))
            found.append((start, end))
    return found
