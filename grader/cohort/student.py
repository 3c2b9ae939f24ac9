"""A student, by the id that their platform knows them by."""

import hashlib
import re

from grader.model import Model

#: Characters of an id that a file's name may be made of; the rest would be an order to some shell,
#: spreadsheet or file system.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*")
_LONGEST = 60


class Student(Model):
    """Who handed something in, or should have.

    Attributes:
        id: what tells students of a class apart: the platform's number, the login, or, where
            there is neither, the name.
        name: as people say it; empty where nobody has told.
        email: likewise.
    """

    id: str
    name: str = ""
    email: str = ""

    @property
    def shown(self) -> str:
        """What a list calls them by."""
        return self.name or self.id

    @property
    def file_stem(self) -> str:
        """A file name of their own without its ending, the same on every system.

        An id of anything but small letters, digits, ``_`` and ``-`` has the rest replaced, and a
        piece of its hash added, for two ids may differ in just that.
        """
        if _PLAIN.fullmatch(self.id) and len(self.id) <= _LONGEST:
            return self.id
        plain = "-".join(_PLAIN.findall(self.id.lower()))[:_LONGEST]
        digest = hashlib.sha256(self.id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"{plain}-{digest}" if plain else digest
