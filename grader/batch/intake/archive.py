"""Archives, read in place: zip, tar and tar.gz, of which strangers may have made anything.

Nothing is unpacked under a name. A member's bytes are counted as they come, for what an archive
says of its own sizes is not to be believed.
"""

import gzip
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from grader.batch.intake.member import Listing, Member, Parts, Refused, unreadable
from grader.batch.intake.names import decoded, parts_of
from grader.message import Message

_MB = 1024 * 1024

_NAMES = re.compile(r"\.(zip|tar|tar\.gz|tgz)$", re.IGNORECASE)
_OTHERS = re.compile(r"(\.tar)?\.(rar|7z|gz|bz2|xz|zst|tbz2?|txz|iso|cab|lzh)$", re.IGNORECASE)

#: How a zip file begins: with a member, or, where it has none, with its list's end
#: (APPNOTE.TXT 4.3.7 and 4.3.16).
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"

#: The flag of a member that needs a password, and that of a name in UTF-8 (APPNOTE.TXT 4.4.4).
_ENCRYPTED = 0x0001
_UTF_8 = 0x0800

#: How members may be packed. Python's other unpackers give all that a piece holds at once, which
#: may be gigabytes.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

#: Bytes that a member takes in a zip file's list: 46 and its name, with room for comments.
_LISTED = 600

#: Up to so many bytes, what comes out of an archive is held in memory (beyond, in a file without a
#: name), and how tightly it was packed is no matter.
_SMALL = 16 * _MB
_CHUNK = 256 * 1024

#: What the readers of archives raise on garbage.
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error, EOFError, OSError, ValueError,
    ArithmeticError, LookupError, RuntimeError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """How much archives may hold.

    Attributes:
        members: how many things, all archives together.
        unpacked: bytes that come out of them, all together.
        ratio: bytes that come out for each that went in, where they are more than ``_SMALL``.
        claimed: whether a zip file is judged by the sizes that it tells as well. One that a
            platform made is not: for what one student put in, not all are to be refused.
    """

    members: int
    unpacked: int
    ratio: int = 200
    claimed: bool = True


class Budget:
    """What of the limits is left.

    Args:
        limits: how much there may be in all.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._members = self._unpacked = 0

    def count(self, members: int) -> None:
        """So many more members have been listed.

        Raises:
            Refused: they are too many.
        """
        self._members += members
        if self._members > self.limits.members:
            raise self.too_many()

    def spend(self, unpacked: int) -> None:
        """So many more bytes have come out of an archive.

        Raises:
            Refused: they are too many.
        """
        self._unpacked += unpacked
        if self._unpacked > self.limits.unpacked:
            raise self._too_much()

    def judge(self, unpacked: int, packed: int) -> None:
        """See whether an archive of ``packed`` bytes may hold ``unpacked``.

        Raises:
            Refused: it may not.
        """
        if unpacked > self.limits.unpacked:
            raise self._too_much()
        if unpacked > _SMALL and unpacked > packed * self.limits.ratio:
            raise Refused(Message("intake.ratio", {"limit": self.limits.ratio}))

    def too_many(self) -> Refused:
        """There are more members than there may be."""
        return Refused(Message("intake.too_many", {"limit": self.limits.members}))

    def _too_much(self) -> Refused:
        return Refused(Message("intake.too_much", {"limit": self.limits.unpacked // _MB}))


def has_archive_name(name: str) -> bool:
    """Whether a file of this name is one that ``opened_archive`` may open."""
    return bool(_NAMES.search(name))


def has_foreign_archive_name(name: str) -> bool:
    """Whether a file of this name is an archive of a kind that is not read."""
    return bool(_OTHERS.search(name)) and not has_archive_name(name)


def stem(name: str) -> str:
    """An archive's name without its ending."""
    return _OTHERS.sub("", _NAMES.sub("", name))


def is_archive(path: Path) -> bool:
    """Whether a file is an archive at all, by what it holds.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        start = stream.read(4)
        stream.seek(0)
        if start in _ZIP:
            return zipfile.is_zipfile(stream)
        if start.startswith(_GZIP):
            with gzip.GzipFile(fileobj=stream, mode="rb") as unpacked:
                return _is_tar(unpacked)
        return _is_tar(stream)


def _is_tar(stream: IO[bytes] | gzip.GzipFile) -> bool:
    try:
        with _tar(stream):
            return True
    except _BROKEN:
        return False


def _tar(stream: IO[bytes] | gzip.GzipFile) -> tarfile.TarFile:
    # With errors as surrogates, a name that is no UTF-8 can be had as bytes again.
    return tarfile.open(fileobj=stream, mode="r:", encoding="utf-8", errors="surrogateescape")


@contextmanager
def spooled(member: Member, budget: Budget) -> Iterator[IO[bytes]]:
    """The bytes of an archive that lies in a folder or an archive, to be read in any order.

    Raises:
        Refused: they cannot be read, or are too many.
    """
    with SpooledTemporaryFile(max_size=_SMALL) as copy:
        with _told():
            with member.open() as stream:
                while chunk := stream.read(_CHUNK):
                    budget.spend(len(chunk))
                    copy.write(chunk)
            copy.seek(0)  # which writes what is left to be written
        yield copy


@contextmanager
def opened_archive(stream: IO[bytes], at: Parts, budget: Budget) -> Iterator[Listing]:
    """The members of an archive, which can be read as long as it is open.

    Args:
        stream: the archive, to be read in any order.
        at: its place.
        budget: how much it may hold.

    Raises:
        Refused: it is no archive, is broken, or holds too much.
    """
    listing = Listing(at)
    with ExitStack() as stack:
        with _told():
            start = stream.read(4)
            stream.seek(0)
            if start in _ZIP:
                _list_zip(stream, listing, budget, stack)
            else:
                if start.startswith(_GZIP):
                    stream = _gunzipped(stream, budget, stack)
                _list_tar(stream, listing, budget, stack)
        yield listing


@contextmanager
def _told() -> Iterator[None]:
    """What the readers of archives raise, as one error."""
    try:
        yield
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno is not None:  # it is the system that fails
            raise Refused(unreadable(error)) from None
        raise Refused(Message("intake.broken", {"detail": str(error)})) from None


# --- zip -----------------------------------------------------------------------------------------


class _Sparing(io.BufferedIOBase):
    """A zip file, whose list is not read if it is too long: zipfile does so at one go.

    Attributes:
        is_listed: whether its list has been read.
    """

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream, self._budget = stream, budget
        self.is_listed = False

    def read(self, size: int | None = -1, /) -> bytes:
        """Read on, but for a list of more members than there may be."""
        longest = (self._budget.limits.members + 1) * _LISTED
        if not self.is_listed and size is not None and size > longest:
            raise self._budget.too_many()
        return self._stream.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """As in the stream."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """As in the stream."""
        return self._stream.tell()

    def seekable(self) -> bool:
        """It always is."""
        return True


def _list_zip(stream: IO[bytes], listing: Listing, budget: Budget, stack: ExitStack) -> None:
    packed = stream.seek(0, io.SEEK_END)
    sparing = _Sparing(stream, budget)
    archive = stack.enter_context(zipfile.ZipFile(sparing))
    sparing.is_listed = True
    members = archive.infolist()
    budget.count(len(members))
    if budget.limits.claimed:
        budget.judge(sum(info.file_size for info in members), packed)
    for info in members:
        _add_zipped(archive, info, listing)


def _add_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, listing: Listing) -> None:
    # ``filename`` ends at the first NUL, and has other separators on Windows.
    name = info.orig_filename
    if not info.flag_bits & _UTF_8:
        name = decoded(name.encode("cp437"), "cp437")
    try:
        inner = parts_of(name)
    except Refused as refusal:
        if not _is_root(name):
            listing.refuse_name(name, refusal.message)
        return
    kind = stat.S_IFMT(info.external_attr >> 16)
    if name.endswith(("/", "\\")) or kind == stat.S_IFDIR:
        listing.add_folder(inner)
    elif kind == stat.S_IFLNK:
        listing.refuse(inner, Message("intake.link"))
    elif kind not in (0, stat.S_IFREG):
        listing.refuse(inner, Message("intake.special"))
    elif info.flag_bits & _ENCRYPTED:
        listing.refuse(inner, Message("intake.encrypted"))
    elif info.compress_type not in _METHODS:
        listing.refuse(inner, Message("intake.method", {"method": info.compress_type}))
    else:
        listing.add(inner, partial(_open_zipped, archive, info))


def _is_root(name: str) -> bool:
    """Whether a name is that of the folder that the archive was made of."""
    return name in (".", "./")


@contextmanager
def _open_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    with _told(), archive.open(info) as stream:
        yield stream


# --- tar -----------------------------------------------------------------------------------------


def _gunzipped(stream: IO[bytes], budget: Budget, stack: ExitStack) -> IO[bytes]:
    """What was packed by gzip, as far as it goes: whether the tar ends early is for it to say."""
    copy = stack.enter_context(SpooledTemporaryFile(max_size=_SMALL))  # noqa: SIM115
    with gzip.GzipFile(fileobj=stream, mode="rb") as unpacked:
        try:
            # Not ``read``, which keeps to itself what it had when the end comes too early.
            while chunk := unpacked.read1(_CHUNK):
                budget.spend(len(chunk))
                copy.write(chunk)
                budget.judge(copy.tell(), stream.tell())
        except EOFError:
            pass
    copy.seek(0)
    return copy


def _list_tar(stream: IO[bytes], listing: Listing, budget: Budget, stack: ExitStack) -> None:
    archive = stack.enter_context(_tar(stream))
    try:
        for info in archive:
            budget.count(1)
            _add_tarred(archive, info, listing)
    except tarfile.ReadError:
        listing.note((), "refused", Message("intake.cut_off"))
        return
    # tarfile takes a header that is none for the end, which is really two blocks of zeros.
    stream.seek(archive.offset)
    if stream.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        listing.note((), "refused", Message("intake.cut_off"))


def _add_tarred(archive: tarfile.TarFile, info: tarfile.TarInfo, listing: Listing) -> None:
    name = decoded(info.name.encode("utf-8", "surrogateescape"))
    try:
        inner = parts_of(name)
    except Refused as refusal:
        if not _is_root(name):
            listing.refuse_name(name, refusal.message)
        return
    if info.isdir():
        listing.add_folder(inner)
    elif info.issym() or info.islnk():
        listing.refuse(inner, Message("intake.link"))
    elif not info.isreg():
        listing.refuse(inner, Message("intake.special"))
    else:
        listing.add(inner, partial(_open_tarred, archive, info))


@contextmanager
def _open_tarred(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[IO[bytes]]:
    with _told():
        stream = archive.extractfile(info)
        if stream is None:  # only what is no file has none
            raise Refused(Message("intake.special"))
        with stream:
            yield stream
