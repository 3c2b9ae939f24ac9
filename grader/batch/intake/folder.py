"""The files in a folder and in the folders below it. No link is followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from grader.batch.intake.member import Listing, Parts, Refused, unreadable
from grader.batch.intake.names import decoded
from grader.message import Message

#: Between a file's being listed and its being opened, a link may take its place, which is not to be
#: followed, or a pipe, which is not to be waited for. Bytes are to come as they are. No system has
#: all of these flags, nor needs them.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
)


def list_folder(path: Path, at: Parts) -> Listing:
    """What lies in a folder.

    Args:
        path: the folder.
        at: its place.
    """
    listing = Listing(at)
    waiting: list[tuple[str, Parts]] = [(str(path), ())]
    while waiting:
        folder, inner = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                # Two names may read alike, and of these the later counts.
                for entry in sorted(entries, key=lambda entry: entry.name):
                    name = (*inner, decoded(os.fsencode(entry.name)))
                    if entry.is_dir(follow_symlinks=False):
                        if listing.add_folder(name):
                            waiting.append((entry.path, name))
                    else:
                        _add(listing, entry, name)
        except OSError as error:
            listing.refuse_folder(inner, unreadable(error))
    return listing


def _add(listing: Listing, entry: "os.DirEntry[str]", name: Parts) -> None:
    """Whatever is no folder."""
    if entry.is_symlink():
        listing.refuse(name, Message("intake.link"))
    elif entry.is_file(follow_symlinks=False):
        listing.add(name, partial(open_file, entry.path))
    else:
        listing.refuse(name, Message("intake.special"))


@contextmanager
def open_file(path: str) -> Iterator[IO[bytes]]:
    """A regular file, opened and read.

    Raises:
        Refused: it cannot be, or it has become something else meanwhile.
    """
    try:
        with open(os.open(path, _FLAGS), "rb") as stream:  # noqa: PTH123 - it has no path
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise Refused(Message("intake.special"))
            yield stream
    except OSError as error:
        raise Refused(unreadable(error)) from None
