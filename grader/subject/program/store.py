"""What was built before, by the content of all that it was built from."""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs

#: Changes where what is kept, or how it is built, is of another form than before.
_FORM = "1"

#: Bytes that are kept. What was not used for longest goes first.
_KEPT_BYTES = 1_000_000_000

#: Where somebody wants it to lie.
VARIABLE = "GRADER_CACHE"


def key_of(*parts: object) -> str:
    """A name for what is built from some parts: JSON, in which bytes stand for themselves."""
    told = json.dumps([_FORM, *parts], sort_keys=True, default=_digest)
    return hashlib.sha256(told.encode()).hexdigest()


def _digest(part: object) -> str:
    if isinstance(part, bytes):
        return hashlib.sha256(part).hexdigest()
    raise TypeError(f"{type(part).__name__} is no part of a key")


class Store:
    """Folders by their keys, each there whole or not at all.

    Args:
        root: where they lie; unless said otherwise where this user's programs keep what they can
            make again, or where ``GRADER_CACHE`` says.

    Attributes:
        root: where they lie.
    """

    def __init__(self, root: Path | None = None) -> None:
        said = os.environ.get(VARIABLE)
        cache = Path(said) if said else platformdirs.user_cache_path("grader-kit")
        self.root = root or cache / "builds"

    def find(self, key: str) -> Path | None:
        """The folder that has a key, if it is there."""
        place = self._place(key)
        with contextlib.suppress(OSError):
            os.utime(place)  # when it was used last
            return place
        return None

    def drop(self, key: str) -> None:
        """Let go of a folder, which is not whole."""
        shutil.rmtree(self._place(key), ignore_errors=True)

    @contextlib.contextmanager
    def making(self, key: str) -> Iterator[Path]:
        """A folder to fill, that has a key from the end of the block on.

        Whoever comes second finds what the first has made, which is the same.

        Raises:
            OSError: nothing can be written there.
        """
        place = self._place(key)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
        try:
            yield new
            with contextlib.suppress(OSError):
                new.rename(place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        self._prune(place)

    def _place(self, key: str) -> Path:
        return self.root / key[:2] / key

    def _prune(self, last: Path) -> None:
        """Let go of what was not used for longest, where there is too much."""
        found = []
        for place in self.root.glob("[0-9a-f][0-9a-f]/*"):
            with contextlib.suppress(OSError):  # somebody else may be at it
                size = sum(file.stat().st_size for file in place.rglob("*"))
                found.append((place.stat().st_mtime, size, place))
        room: Any = _KEPT_BYTES
        for _, size, place in sorted(found, reverse=True):
            room -= size
            if room < 0 and place != last:
                shutil.rmtree(place, ignore_errors=True)
