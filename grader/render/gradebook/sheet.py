"""A sheet: a CSV file whose cells can be replaced while all else stays as it is, to the byte.

Python's ``csv`` reads cells but does not say where they stand, nor whether they were quoted, so
what it writes anew differs from the file in just those things.
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from grader.errors import UsageError

#: By its BOM, what a file is encoded in.
_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
#: What a file without a BOM may be encoded in; the latter is what Excel writes in China.
_ENCODINGS = ("utf-8", "gb18030")

#: What cells are separated by: the latter by Excel, where it saves as "Unicode text".
DELIMITERS = (",", ";", "\t")


class Cell(NamedTuple):
    """A cell.

    Attributes:
        value: what it says, without quotes.
        start: where it begins in the text, in characters; its quotes are part of it.
        end: where it ends.
    """

    value: str
    start: int
    end: int


@dataclass(frozen=True)
class Text:
    """A file's text, and how to write it back.

    Attributes:
        path: the file, for messages.
        text: what it says, line ends as they are.
        bom: the bytes before the text.
        encoding: what the text is encoded in.
    """

    path: Path
    text: str
    bom: bytes
    encoding: str

    def line(self, position: int) -> int:
        """The number of the line that a character is on, from 1."""
        return len(re.findall(r"\r\n|\r|\n", self.text[:position])) + 1


def read_text(path: Path) -> Text:
    """Read a file of text in an encoding that spreadsheets and platforms write.

    Raises:
        UsageError: it cannot be read, or is no such text.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            "usage.gradebook_unreadable", file=str(path), detail=error.strerror
        ) from None
    bom = next((bom for bom in _BOMS if data.startswith(bom)), b"")
    data = data.removeprefix(bom)
    for encoding in (_BOMS[bom],) if bom else _ENCODINGS:
        try:
            return Text(path, data.decode(encoding), bom, encoding)
        except UnicodeDecodeError:
            continue
    raise UsageError("usage.gradebook_encoding", file=str(path))


def heading(text: Text, delimiter: str) -> list[str]:
    """The cells of the first row, without blanks around them."""
    return [cell.value.strip() for cell in next(_rows(text, delimiter), [])]


class Sheet:
    """A text as rows of cells.

    Args:
        text: the file's text.
        delimiter: what separates its cells.

    Attributes:
        path: the file, for messages.
        heading: the cells of the first row, without blanks around them.
        rows: the others that hold anything.
    """

    def __init__(self, text: Text, delimiter: str) -> None:
        self._text, self._delimiter = text, delimiter
        self.path = str(text.path)
        self.heading: Sequence[str] = heading(text, delimiter)
        self.rows: Sequence[Sequence[Cell]] = [
            row for row in list(_rows(text, delimiter))[1:] if any(c.value.strip() for c in row)
        ]

    def check(self, row: Sequence[Cell]) -> None:
        """Whether a row has a cell for every column.

        Raises:
            UsageError: it has more or fewer, so that what stands in it may belong to other columns.
        """
        cells, columns = len(row), len(self.heading)
        if cells != columns:
            line = self._text.line(row[0].start)
            raise UsageError(
                "usage.gradebook_row", file=self.path, line=line, cells=cells, columns=columns
            )

    def filled(self, values: Mapping[Cell, str]) -> bytes:
        """The file with other values in some of its cells.

        A cell that was quoted stays quoted; others are where they must be.
        """
        pieces, end = [], 0
        for cell, value in sorted(values.items(), key=lambda item: item[0].start):
            quoted = self._text.text.startswith('"', cell.start) or self._delimiter in value
            pieces += [self._text.text[end : cell.start], f'"{value}"' if quoted else value]
            end = cell.end
        text = "".join((*pieces, self._text.text[end:]))
        return self._text.bom + text.encode(self._text.encoding)


def _rows(text: Text, delimiter: str) -> Iterator[list[Cell]]:
    """Rows as ``csv.reader`` finds them, with the cells' places.

    Raises:
        UsageError: a quote is never closed.
    """
    # A quote within a cell that does not begin with one is a character like others, as is
    # whatever follows a closing quote. Where lines end in two characters, an empty row is between.
    cell = re.compile(rf'(?:"((?:[^"]|"")*+)("?))?([^{delimiter}\r\n]*+)([\r\n{delimiter}]?)')
    row: list[Cell] = []
    position = 0
    while position < len(text.text) or row:
        found = cell.match(text.text, position)
        assert found is not None  # noqa: S101 - it matches nothing at all as well
        quoted, closed, rest, end = found.groups()
        if closed == "":
            line = text.line(position)
            raise UsageError("usage.gradebook_quote", file=str(text.path), line=line)
        value = (quoted or "").replace('""', '"') + rest
        row.append(Cell(value, position, found.start(4)))
        position = found.end()
        if end != delimiter:
            yield row
            row = []
