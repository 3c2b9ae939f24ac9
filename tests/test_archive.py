"""Archives of strangers: what is sound is read, what is not is refused, nothing is unpacked."""

import contextlib
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib

import pytest
import support  # noqa: F401 - Hypothesis without deadlines
from downloads import WORK, special, tarred, zipped, zipped_as
from hypothesis import given
from hypothesis import strategies as st

from grader.batch.intake import archive
from grader.batch.intake.archive import Budget, Limits, is_archive, opened_archive, spooled
from grader.batch.intake.member import Member, Refused, TooLarge

AT = ("class.zip",)
MANY = Limits(members=1000, unpacked=64 * 1024 * 1024)


def listed(content: bytes, limits: Limits = MANY) -> tuple[dict[str, bytes | str], dict[str, str]]:
    """What an archive holds, and what is said of the rest.

    Returns:
        Path -> a member's bytes, or the id of why it cannot be read; path -> the id of a note.
    """
    members: dict[str, bytes | str] = {}
    with opened_archive(io.BytesIO(content), AT, Budget(limits)) as listing:
        for member in listing.members():
            try:
                members[member.path] = member.read(10**6)
            except Refused as refusal:
                members[member.path] = refusal.message.id
        return members, {note.path: note.message.id for note in listing.notes()}


def refused(content: bytes, limits: Limits = MANY) -> str:
    """Why an archive as a whole is refused."""
    with pytest.raises(Refused) as caught, opened_archive(io.BytesIO(content), AT, Budget(limits)):
        pass
    return caught.value.message.id


PACKERS = {
    "zip": zipped,
    "stored": lambda files: zipped(files, zipfile.ZIP_STORED),
    "pax": tarred,
    "gnu": lambda files: tarred(files, form=tarfile.GNU_FORMAT),
    "ustar": lambda files: tarred(files, form=tarfile.USTAR_FORMAT),
    "tar.gz": lambda files: tarred(files, packed=True),
}
packers = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


# --- what is sound -------------------------------------------------------------------------------


@packers
def test_members(pack):
    """Members are read as they are, in the order of their names, whatever the archive's kind."""
    files = {"b/x.py": b"2", "a.py": WORK, "b/a/empty": b"", "ünï/中文.py": b"\0\xff"}
    members, notes = listed(pack(files))
    assert members == {f"class.zip/{name}": content for name, content in sorted(files.items())}
    assert list(members) == sorted(members)
    assert notes == {}


@packers
@pytest.mark.parametrize(
    "name",
    ["a b.py", "it's \"x\".py", "[x](y).py", "😀.py", "张 三.py", "a\nb.py", "-rf.py", "%s{x}.py", " .py",
     "..py", "...", "a..b", "x." + "y" * 60],
)  # fmt: skip
def test_odd_names(pack, name):
    """A name that people may give is kept, whatever a shell or a spreadsheet would make of it."""
    assert listed(pack({f"ada/{name}": WORK}))[0] == {f"class.zip/ada/{name}": WORK}


@packers
def test_is_archive(pack, tmp_path):
    """An archive is known by what it holds, whatever its name."""
    path = tmp_path / "download"
    path.write_bytes(pack({"PK\x03.py": WORK}))
    assert is_archive(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK", b"PK\x03\x04 and no more", b"\x1f\x8b", b"Rar!\x1a\x07\x00", b"import os\n" * 200,
     zipped({"a": b"x" * 100})[:60]],
    ids=["empty", "two_bytes", "zip", "gzip", "rar", "text", "cut_off"],
)  # fmt: skip
def test_is_no_archive(content, tmp_path):
    """Other files, and archives that are cut off before their list, are none."""
    path = tmp_path / "class.zip"
    path.write_bytes(content)
    assert not is_archive(path)


def test_a_tar_that_ends_with_a_zip_is_a_tar():
    """A zip file is found by its end as well, but it is how an archive begins that counts."""
    content = tarred({"ada/work.zip": zipped({"inside.py": b"1"}), "b": b"2"})
    assert set(listed(content)[0]) == {"class.zip/ada/work.zip", "class.zip/b"}


@pytest.mark.parametrize("name", ["a.zip", "A.ZIP", "a.tar", "a.tar.gz", "a.tgz"])
def test_names_of_archives(name):
    """Archives that are opened are told by their endings, which are no part of their names."""
    assert archive.has_archive_name(name)
    assert not archive.has_foreign_archive_name(name)
    assert archive.stem(name).lower() == "a"


@pytest.mark.parametrize("name", ["a.rar", "a.7z", "a.gz", "a.tar.xz", "A.TAR.BZ2"])
def test_names_of_foreign_archives(name):
    """So are those of kinds that are not read."""
    assert archive.stem(name).lower() == "a"
    assert archive.has_foreign_archive_name(name)
    assert not archive.has_archive_name(name)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "gb18030"])
@pytest.mark.parametrize("name", ["张三/作业.py", "李四_p17.py", "王五（2）.py"])
def test_chinese_names_without_a_flag(encoding, name):
    """Names that a zip file says are in cp437 are read as what Chinese Windows and macOS write."""
    assert listed(zipped_as(name.encode(encoding)))[0] == {f"class.zip/{name}": WORK}


@pytest.mark.parametrize("name", ["André.py", "Müller/Ñandú.py", "Søren.py".replace("ø", "ö")])
def test_western_names_without_a_flag(name):
    """Names that really are in cp437 stay what they are."""
    assert listed(zipped_as(name.encode("cp437")))[0] == {f"class.zip/{name}": WORK}


def test_chinese_names_in_tar():
    """Names in a tar file are in GBK where Chinese Windows packed it."""
    info = tarfile.TarInfo("张三.py".encode("gbk").decode("utf-8", "surrogateescape"))
    content = tarred([(info, WORK)], form=tarfile.GNU_FORMAT)
    assert listed(content)[0] == {"class.zip/张三.py": WORK}


def test_names_in_no_encoding():
    """Bytes that are text in no encoding are spelled out: no name ever holds what cannot be written."""
    (path,) = listed(zipped_as(b"a\xff\xff.py"))[0]
    path.encode()


@pytest.mark.parametrize("name", [b"ada\\p17.py", b"ada\\\\p17.py", b".\\ada\\.\\p17.py"])
def test_backslashes_separate(name):
    """Some programs on Windows write backslashes where slashes belong."""
    assert listed(zipped_as(name))[0] == {"class.zip/ada/p17.py": WORK}


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "a/../../evil.py", "..", "/etc/passwd", "//host/x", "C:/x.py", "c:x.py", "..\\evil.py",
     "\\x.py", "\\\\host\\x", "a\\..\\b"],
)  # fmt: skip
@pytest.mark.parametrize("pack", [lambda name: zipped_as(name.encode()), lambda name: tarred({name: WORK})], ids=["zip", "tar"])  # fmt: skip
def test_names_that_lead_out(pack, name):
    """A name that leads out of its archive is refused; its path still begins with the archive's."""
    members, notes = listed(pack(name))
    assert members == {}
    assert list(notes.values()) == ["intake.outside"]
    assert all(path.startswith("class.zip/") for path in notes)


def test_nul_in_a_name():
    """What stands behind a NUL is not cut off in silence."""
    assert listed(zipped_as(b"p17.py\0.txt"))[1] == {"class.zip/p17.py\0.txt": "intake.nameless"}


def test_no_name():
    """A member without a name is refused."""
    for name in ("", "././"):
        assert "intake.nameless" in listed(zipped({name: b"", "a.py": WORK}))[1].values()


@packers
def test_the_packed_folder_itself(pack):
    """That an archive holds its own folder as ``./`` is nothing to speak of."""
    assert listed(pack({"./a.py": WORK})) == ({"class.zip/a.py": WORK}, {})


def test_the_packed_folder_itself_in_tar():
    """As above, as ``tar c .`` writes it."""
    content = tarred([special("./", tarfile.DIRTYPE), ("./ada/p17.py", WORK)])
    assert listed(content) == ({"class.zip/ada/p17.py": WORK}, {})


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_two_of_one_name(pack):
    """Of two members of one name the later counts, as it does for whoever unpacks; that is noted."""
    members, notes = listed(
        pack([("a.py", b"1"), ("b.py", b"2"), ("a.py", b"3"), ("./a.py", b"4")])
    )
    assert members == {"class.zip/a.py": b"4", "class.zip/b.py": b"2"}
    assert notes == {"class.zip/a.py": "intake.twice"}


# --- junk ----------------------------------------------------------------------------------------

JUNK = [
    "__MACOSX/ada/._p17.py", "ada/.DS_Store", "ada/._p17.py", "Thumbs.db", "ada/desktop.ini",
    "ada/__pycache__/p17.cpython-311.pyc", "ada/.git/config", "ada/.ipynb_checkpoints/p17-checkpoint.py",
]  # fmt: skip


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("name", JUNK)
def test_junk(pack, name):
    """What systems and tools leave behind is passed over; of a whole folder, that is said once."""
    members, notes = listed(
        pack({"ada/p17.py": WORK, name: WORK, f"{name}2/x": WORK, name + "3": b""})
    )
    assert "class.zip/ada/p17.py" in members
    assert not any(path == f"class.zip/{name}" for path in members)
    assert "intake.junk" in notes.values()
    assert set(notes.values()) == {"intake.junk"}


def test_junk_is_noted_once():
    """Of a folder of junk with many files in it there is one note."""
    content = zipped({f"ada/.git/objects/{i}": b"" for i in range(9)})
    with opened_archive(io.BytesIO(content), AT, Budget(MANY)) as listing:
        assert [note.path for note in listing.notes()] == ["class.zip/ada/.git"]


@pytest.mark.parametrize("name", ["_x.py", "git/p17.py", "DS_Store", "macosx/p17.py", "pycache.py"])
def test_not_junk(name):
    """What only looks like junk is somebody's."""
    assert listed(zipped({name: WORK})) == ({f"class.zip/{name}": WORK}, {})


def test_empty_folders():
    """A folder with nothing in it is noted; one with only junk in it is not called empty."""
    content = zipped(
        [("ada/", b""), ("bob/", b""), ("bob/x/", b""), ("cy/p17.py", b"1"), ("dan/.DS_Store", b"")]
    )
    assert listed(content)[1] == {
        "class.zip/ada": "intake.empty_folder",
        "class.zip/bob/x": "intake.empty_folder",
        "class.zip/dan/.DS_Store": "intake.junk",
    }


def test_an_archive_with_nothing_in_it():
    """An empty archive is like an empty folder."""
    assert listed(zipped({})) == ({}, {"class.zip": "intake.empty_folder"})
    assert listed(tarred({})) == ({}, {"class.zip": "intake.empty_folder"})


# --- what is no file -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "id"),
    [(tarfile.SYMTYPE, "intake.link"), (tarfile.LNKTYPE, "intake.link"), (tarfile.CHRTYPE, "intake.special"),
     (tarfile.BLKTYPE, "intake.special"), (tarfile.FIFOTYPE, "intake.special")],
)  # fmt: skip
def test_specials_in_tar(kind, id):
    """Links and devices are refused, the rest is taken."""
    members, notes = listed(
        tarred([("a.py", WORK), special("p17.py", kind, "/etc/passwd"), ("b.py", WORK)])
    )
    assert members == {"class.zip/a.py": WORK, "class.zip/b.py": WORK, "class.zip/p17.py": id}
    assert notes == {"class.zip/p17.py": id}


@pytest.mark.parametrize(
    ("mode", "id"),
    [(stat.S_IFLNK, "intake.link"), (stat.S_IFCHR, "intake.special"), (stat.S_IFIFO, "intake.special"),
     (stat.S_IFSOCK, "intake.special")],
)  # fmt: skip
def test_specials_in_zip(mode, id):
    """So they are in a zip file, which keeps what Unix says of a file."""
    info = zipfile.ZipInfo("p17.py")
    info.external_attr = (mode | 0o777) << 16
    members, notes = listed(zipped([(info, b"/etc/passwd"), ("b.py", WORK)]))
    assert members == {"class.zip/p17.py": id, "class.zip/b.py": WORK}
    assert notes == {"class.zip/p17.py": id}


def test_encrypted_members():
    """A member that needs a password is refused, the rest is taken."""
    content = bytearray(zipped({"a.py": b"1", "b.py": b"2"}))
    listing = content.index(b"PK\x01\x02")
    for flags in (6, listing + 8):  # in the member's own header and in the list
        content[flags] |= 1
    members, notes = listed(bytes(content))
    assert members == {"class.zip/a.py": "intake.encrypted", "class.zip/b.py": b"2"}
    assert notes == {"class.zip/a.py": "intake.encrypted"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing(method):
    """Python's unpackers of these give all that a piece holds at once: a few bytes may be gigabytes."""
    assert listed(zipped({"a.py": WORK}, method))[1] == {"class.zip/a.py": "intake.method"}


# --- what is broken ------------------------------------------------------------------------------


def test_a_bad_checksum():
    """A member that is not what it was is refused, the rest is taken."""
    content = zipped({"a.py": b"x = 1111", "b.py": b"2"}, zipfile.ZIP_STORED).replace(
        b"x = 1111", b"x = 2222"
    )
    assert listed(content)[0] == {"class.zip/a.py": "intake.broken", "class.zip/b.py": b"2"}


def test_a_size_that_is_not_true():
    """A member that says it is smaller than it is is not cut off in silence."""
    content = bytearray(zipped({"a.py": b"x" * 1000}))
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", 10)
    assert listed(bytes(content))[0] == {"class.zip/a.py": "intake.broken"}


@pytest.mark.parametrize("claimed", [0, 10, 2**31])
def test_no_more_is_read_than_is_asked_for(claimed):
    """A member with more bytes than it may have is not read whole, whatever it says of its size."""
    content = bytearray(zipped({"a.py": bytes(10**6)}))
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", claimed or 10**6)
    with opened_archive(
        io.BytesIO(bytes(content)), AT, Budget(Limits(10, 2**32, claimed=False))
    ) as listing:
        (member,) = listing.members()
        with pytest.raises(TooLarge if claimed != 10 else Refused):
            member.read(1000)


def test_just_as_large_as_it_may_be():
    """A member of exactly the limit is read."""
    with opened_archive(io.BytesIO(zipped({"a.py": b"x" * 1000})), AT, Budget(MANY)) as listing:
        assert listing.members()[0].read(1000) == b"x" * 1000
        with pytest.raises(TooLarge):
            listing.members()[0].read(999)


@pytest.mark.parametrize("left", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("packed", [False, True])
def test_a_tar_that_is_cut_off(left, packed):
    """What is left of a half-copied tar file is taken, and it is said that there was more."""
    files = {f"s{i:02}.py": os.urandom(3000) for i in range(20)}
    content = tarred(files, packed=packed)
    members, notes = listed(content[: int(len(content) * left)])
    whole = {path: content for path, content in members.items() if isinstance(content, bytes)}
    assert whole == {f"class.zip/{name}": files[name] for name in sorted(files)[: len(whole)]}
    assert len(whole) >= int(20 * left) - 2
    assert notes == {"class.zip": "intake.cut_off"}


def test_a_tar_with_a_broken_header():
    """A header that is none is not taken for the end."""
    content = bytearray(tarred({f"s{i}.py": WORK for i in range(9)}, form=tarfile.USTAR_FORMAT))
    content[4 * 1024 : 4 * 1024 + 10] = b"\xff" * 10
    members, notes = listed(bytes(content))
    assert list(members) == [f"class.zip/s{i}.py" for i in range(4)]
    assert notes == {"class.zip": "intake.cut_off"}


def test_a_tar_gz_with_a_bad_checksum():
    """Which of its members is not what it was cannot be told: all are refused."""
    content = bytearray(tarred({"a.py": WORK}, packed=True))
    content[-8] ^= 1
    assert refused(bytes(content)) == "intake.broken"


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", zipped({"a": b"1"})[:-30], b"\x1f\x8b\x08\0garbage", b"PK\x05\x06" + bytes(3)],
    ids=["empty", "text", "cut_off", "gzip", "end_alone"],
)  # fmt: skip
def test_no_archive(content):
    """What is none, or lacks the list at its end, is refused as a whole."""
    assert refused(content) == "intake.broken"


def test_endless_headers():
    """A tar file of nothing but headers for the next header ends the reading, not the reader."""
    block = special("././@LongLink", tarfile.GNUTYPE_LONGNAME)[0].tobuf(tarfile.GNU_FORMAT)
    assert refused(block * 20_000) == "intake.broken"


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.REGTYPE])
@pytest.mark.parametrize("size", [2**33 - 1, 2**40, 2**62, 2**70])
def test_a_header_that_claims_too_much(kind, size, tmp_path):
    """What a tar file says of a header's own size takes no memory."""
    info, _ = special("p17.py", kind)
    info.size = size
    content = tarred({"a.py": WORK}, form=tarfile.GNU_FORMAT)[:1024]
    content += info.tobuf(tarfile.GNU_FORMAT) + bytes(512)
    path = tmp_path / "class.tar"
    path.write_bytes(content)
    assert is_archive(path)
    with (
        contextlib.suppress(Refused),
        path.open("rb") as stream,
        opened_archive(stream, AT, Budget(MANY)) as listing,
    ):
        assert listing.members()[0].read(1000) == WORK


@pytest.mark.parametrize("act", ["write", "seek"])
def test_a_full_disk(monkeypatch, act):
    """That there is no room for what an archive holds is no fault of the archive's."""

    class Full(io.BytesIO):
        pass

    def refuse(*_):
        raise OSError(28, "No space left on device")

    setattr(Full, act, refuse)
    monkeypatch.setattr(archive, "SpooledTemporaryFile", lambda **_: Full())
    assert refused(tarred({"a.py": WORK}, packed=True)) == "intake.unreadable"
    with opened_archive(io.BytesIO(zipped({"a.zip": b"x"})), AT, Budget(MANY)) as listing:
        assert why_not_spooled(listing.members()[0], Budget(MANY)) == "intake.unreadable"


@given(st.data())
def test_garbled_archives(data):
    """Whatever a few wrong bytes make of an archive, it is read or refused, and nothing else happens."""
    content = bytearray(SEEDS[data.draw(st.sampled_from(sorted(SEEDS)))])
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=8)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(content)))
    with contextlib.suppress(Refused):
        members, notes = listed(bytes(content[:end] if data.draw(st.booleans()) else content))
        assert all(path.startswith("class.zip") for path in [*members, *notes])


SEEDS = {
    name: pack({"ada/p17.py": WORK, "b" * 90 + "/x.py": b"2", "é/中.py": b"3"})
    for name, pack in PACKERS.items()
}


# --- bombs ---------------------------------------------------------------------------------------


def test_too_many_members():
    """The number of members is limited, in all archives that share a budget."""
    limits = Limits(members=10, unpacked=10**6)
    files = {f"{i}.py": b"" for i in range(10)}
    for pack in (zipped, tarred):
        assert len(listed(pack(files), limits)[0]) == 10
        assert refused(pack({**files, "more.py": b""}), limits) == "intake.too_many"
    budget = Budget(limits)
    with opened_archive(io.BytesIO(zipped(files)), AT, budget):
        pass
    with pytest.raises(Refused), opened_archive(io.BytesIO(zipped({"a": b""})), AT, budget):
        pass


def test_a_long_list_is_not_even_read():
    """A zip file's list is read at one go: it is refused before, by its length."""
    content = zipped({f"{i}.py": b"" for i in range(2000)})
    end = content.rindex(b"PK\x05\x06")
    read: list[int] = []

    class Watched(io.BytesIO):
        def read(self, size=-1):
            read.append(size)
            return super().read(size)

    with (
        pytest.raises(Refused) as caught,
        opened_archive(Watched(content), AT, Budget(Limits(members=10, unpacked=10**6))),
    ):
        pass
    assert caught.value.message.id == "intake.too_many"
    assert max(read) < end - content.index(b"PK\x01\x02")


def test_a_zip_that_claims_too_much():
    """A student's zip file is judged by what it says it holds; an instructor's is not."""
    content = zipped({"a.txt": bytes(3 * 1024 * 1024)})
    limits = {"members": 10, "unpacked": 2 * 1024 * 1024}
    assert refused(content, Limits(**limits)) == "intake.too_much"
    with opened_archive(
        io.BytesIO(content), AT, Budget(Limits(**limits, claimed=False))
    ) as listing:
        assert [member.path for member in listing.members()] == ["class.zip/a.txt"]


def test_a_zip_that_is_packed_too_tightly():
    """What unpacks to hundreds of times its size is refused; small files of blanks are not."""
    assert refused(zipped({"a.txt": bytes(20 * 1024 * 1024)})) == "intake.ratio"
    assert listed(zipped({"a.txt": bytes(900_000)}))[1] == {}


def test_a_tar_gz_that_unpacks_to_too_much():
    """A packed tar file is stopped at its limit, by size and by ratio."""
    content = tarred({"a.txt": os.urandom(3 * 1024 * 1024)}, packed=True)
    assert refused(content, Limits(members=10, unpacked=2 * 1024 * 1024)) == "intake.too_much"
    assert refused(tarred({"a.txt": bytes(40 * 1024 * 1024)}, packed=True)) == "intake.ratio"


def test_many_packed_members_at_one_go():
    """What comes out of an archive in an archive counts together, whatever each says."""
    budget = Budget(Limits(members=10, unpacked=1500))
    content = zipped({"a.zip": b"x" * 1000, "b.zip": b"y" * 1000}, zipfile.ZIP_STORED)
    with opened_archive(io.BytesIO(content), AT, Budget(MANY)) as listing:
        first, second = listing.members()
        with spooled(first, budget) as stream:
            assert stream.read() == b"x" * 1000
        assert why_not_spooled(second, budget) == "intake.too_much"


def test_a_member_that_unpacks_without_end():
    """Bytes are counted as they come: a member that says it has ten and gives millions is stopped."""
    content = zipped_raw(zlib.compress(bytes(10**7), 9)[2:-4], size=2**31)
    limits = Limits(members=10, unpacked=10**6, claimed=False)
    with opened_archive(io.BytesIO(content), AT, Budget(limits)) as listing:
        assert why_not_spooled(listing.members()[0], Budget(limits)) == "intake.too_much"


def why_not_spooled(member: Member, budget: Budget) -> str:
    """Why an archive in an archive is refused."""
    with pytest.raises(Refused) as caught, spooled(member, budget):
        pass
    return caught.value.message.id


def zipped_raw(packed: bytes, size: int) -> bytes:
    """A zip file with one member of these packed bytes, which says what it likes of its size."""
    head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(packed), size, 5, 0)
    local = b"PK\x03\x04" + head + b"a.zip" + packed
    entry = (
        b"PK\x01\x02"
        + struct.pack("<H", 20)
        + head
        + struct.pack("<HHHII", 0, 0, 0, 0, 0)
        + b"a.zip"
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)
    return local + entry + end
