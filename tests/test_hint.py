"""`grader hint`: a level of the hints in a terminal, and the question before a spoiler."""

import os
import pty
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support import ROOT, TINY, all_written, copy_of_tiny

from grader.i18n import LANGUAGES, Translator
from grader.render.hint import WIDEST, breaks, fitted, render
from grader.section import Section, read_hint

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(
    body: str, *, level: int = 2, first: str = "", code: str = "python",
    color: bool = False, width: int = 60,
) -> str:  # fmt: skip
    """A text as a terminal shows it, without its heading and its foot."""
    sections = {"l1": Section("l1", "en", "T", first)} if first else {}
    sections[f"l{level}"] = Section(f"l{level}", "en", "T", body)
    say = Translator("en")
    text = render(sections, level, say, exercise="x", code=code, color=color, width=width)
    return text.partition("\n\n")[2].rpartition("\n\nThe step diagrams")[0] + "\n"


# --- a level as text -----------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("level", "zh", "en"),
    [
        (1, "轻度剧透", "light spoiler"),
        (2, "中度剧透", "moderate spoiler"),
        (3, "重度剧透", "heavy spoiler"),
    ],
)
def test_heading(stack, language, level, zh, en):
    """The heading names the exercise, the level, its title, and how much it gives away."""
    sections = read_hint(stack, language, level)
    say = Translator(language)
    text = render(sections, level, say, exercise="stack", code="python", color=False, width=80)
    heading = text.splitlines()[0]
    for part in ("STACK", f"L{level}", sections[f"l{level}"].title, {"zh": zh, "en": en}[language]):
        assert part in heading


@pytest.mark.parametrize("language", LANGUAGES)
def test_foot(stack, language):
    """Last stands where there is more to be seen."""
    sections = read_hint(stack, language, 1)
    say = Translator(language)
    text = render(sections, 1, say, exercise="stack", code="python", color=False, width=80)
    assert "./check.sh open stack" in text.splitlines()[-1]


def test_answers_stand_by_their_questions():
    """In level 3 each question comes before its answer, whatever lies between the two texts."""
    first = "{#l1-q}\n1. [Why **x，**真?]{#l1-x}\n2. How?\n3. Never answered.\n"
    body = "Intro.\n\n{#l3-a}\n1. Because.\n2. So.\n\n   And so.\n\nEnd.\n"
    assert shown(body, level=3, first=first) == (
        "Intro.\n\n 1 ▌ Why x，真?\n   Because.\n\n 2 ▌ How?\n   So.\n\n   And so.\n\nEnd.\n"
    )


def test_tight_answers():
    """Answers written line by line stand apart, too; a list within one does not."""
    first, body = "{#l1-q}\n1. Q?\n2. R?\n", "{#l3-a}\n1. A.\n   - b\n   - c\n2. D.\n"
    assert shown(body, level=3, first=first) == (
        " 1 ▌ Q?\n   A.\n\n    • b\n    • c\n\n 2 ▌ R?\n   D.\n"
    )


def test_answers_without_questions():
    """An answer to which there is no question stands alone."""
    assert shown("{#l3-a}\n1. A.\n2. B.\n", level=3, first="{#l1-q}\n2. Q?\n") == (
        " 1 A.\n 2 ▌ Q?\n   B.\n"
    )
    assert shown("{#l3-a}\n1. A.\n", level=3) == " 1 A.\n"


def test_markup():
    """Emphasis and ids leave no trace; code is told by its quotes, a block by its place."""
    text = shown(
        "{#a}\n**真，**她 [w]{#b} `run`\n他\n\n```python\nx = [1]  # y\n```\n\n### H `c`\n\n- one\n"
    )
    assert text == "真，她 w `run` 他\n\n  x = [1]  # y\n\nH `c`\n\n • one\n"


def test_links():
    """Where a link leads is shown, unless it is what the link says or lies in the page."""
    text = shown("[a](https://x.y) <https://z.y> [b](#c)", width=100)
    assert text == "a (https://x.y) https://z.y b\n"


def test_colors():
    """With colours the text is the same, without the quotes that tell code."""
    body = "**a** `b` [c](https://x.y)\n\n```python\nx = 1\n```\n"
    assert "\x1b[" in shown(body, color=True)
    assert ANSI.sub("", shown(body, color=True)) == shown(body).replace("`", "")
    assert "\x1b" not in shown(body)


#: The same in three languages, and something else in two.
TOLD = "```python\nx = 1\n```\n\n```cpp\nint x = 1;\n```\n\n```rust\nlet x = 1;\n```\n"
AGAIN = "```python\ny = 2\n```\n\n```cpp\nint y = 2;\n```\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("python", ["x = 1", "y = 2"]),
        ("cpp", ["int x = 1;", "int y = 2;"]),
        ("rust", ["let x = 1;", "y = 2"]),
        ("java", ["x = 1", "y = 2"]),
    ],
)
def test_code_of_several_languages(code, lines):
    """Code is shown in the language asked for; where there is none in it, in the first."""
    body = f"A:\n\n{TOLD}\nB:\n\n{AGAIN}\n```\n3\n```\n"
    text = f"A:\n\n  {lines[0]}\n\nB:\n\n  {lines[1]}\n\n  3\n"
    assert shown(body, code=code) == text
    assert ANSI.sub("", shown(body, code=code, color=True)) == text


def test_code_of_several_languages_in_a_question():
    """A question that is repeated above its answer has its code in that language, too."""
    first = "{#l1-q}\n1. Why?\n\n" + re.sub("^", "   ", TOLD, flags=re.MULTILINE)
    text = shown("{#l3-a}\n1. A.\n", level=3, first=first, code="rust")
    assert "let x = 1;" in text
    assert "int x" not in text
    assert "x = 1\n" not in text


def test_environment_has_no_say(monkeypatch):
    """What asks for colours or a width elsewhere changes nothing that was said here."""
    before = shown("**a** `b`", width=60), shown("**a** `b`", color=True)
    for name, value in {
        "FORCE_COLOR": "1",
        "COLUMNS": "7",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }.items():
        monkeypatch.setenv(name, value)
    assert (shown("**a** `b`", width=60), shown("**a** `b`", color=True)) == before


# --- lines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("真真真真", 5, ["真真", "真真"]),
        ("真真，真", 4, ["真", "真，", "真"]),
        ("真（真）真", 6, ["真", "（真）", "真"]),
        ("真“真”真", 5, ["真", "“真”", "真"]),
        ("用 run(x) 真", 7, ["用", "run(x)", "真"]),
        ("真run真", 4, ["真", "run", "真"]),
        ("真 (真)。真", 7, ["真", "(真)。", "真"]),
        ("one two three", 7, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
    ],
)
def test_breaks(text, width, lines):
    """Lines end between Chinese characters and between words; none begins with a comma."""
    assert lines_of(text, width) == lines


@given(
    st.text(st.sampled_from("真，。（）“”ab. (\u3000"), max_size=40), st.integers(4, 30)
)  # fmt: skip
def test_lines_fit(text, width):
    """No line is wider than asked, and nothing is lost."""
    assert all(cell_len(line) <= width for line in lines_of(text, width))
    assert "".join("".join(lines_of(text, width)).split()) == "".join(text.split())


def lines_of(text: str, width: int) -> list[str]:
    """A text cut at its breaks."""
    places = [0, *breaks(text, width), len(text)]
    return [text[i:j].rstrip() for i, j in pairwise(places)]


def test_width():
    """A text is as wide as the terminal, but never wider than can be read."""
    long = "真的 words " * 80
    assert max(cell_len(line) for line in shown(long, width=40).splitlines()) <= 40
    assert 90 < max(cell_len(line) for line in shown(long, width=400).splitlines()) <= WIDEST


# --- consoles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "utf-8", "latin-1", None, "nonsense"])
def test_fitted(encoding):
    """What rich draws has stand-ins where an encoding lacks it."""
    body = "- a\n  - b\n\n> c\n\n---\n\n“d” → … ≥ ≠ — ‘e’ ×\n"
    text = fitted(shown(body), encoding)
    known = encoding if encoding in ("gbk", "utf-8", "latin-1") else "ascii"
    assert text.encode(known).decode(known) == text
    assert len(text.splitlines()) == len(shown(body).splitlines())


def run(*arguments: str, env: dict[str, str] | None = None):
    """The command, without a terminal."""
    unset = (
        "LANG",
        "LC_ALL",
        "LC_MESSAGES",
        "GRADER_LANG",
        "NO_COLOR",
        "PYTHONIOENCODING",
        "COLUMNS",
    )
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        [sys.executable, str(ROOT / "grader" / "__main__.py"), "hint", *arguments], check=False,
        capture_output=True, env={**clean, "PYTHONUTF8": "1", **(env or {})}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def tiny(*arguments: str, **options):
    """The tiny exercise's hints."""
    return run("stack", *arguments, "--project", str(TINY), **options)


@pytest.mark.parametrize("encoding", ["gbk", "ascii"])
@pytest.mark.parametrize("level", ["1", "2", "3"])
def test_poor_console(encoding, level):
    """A console that lacks characters, or Chinese, still shows every level."""
    done = tiny(level, env={"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert ("剧透" if encoding == "gbk" else "spoiler") in text
    assert "\\u" not in text


def test_pipe():
    """Without a terminal nobody is asked, and nothing but text is written."""
    for level in ("1", "2", "3"):
        done = tiny(level, env={"FORCE_COLOR": "1"})
        assert (done.returncode, done.stderr) == (0, b"")
        assert "[y/N]" not in done.stdout.decode()
        assert b"\x1b" not in done.stdout
    assert tiny().stdout == tiny("1").stdout
    assert "light spoiler" in tiny("--lang", "en").stdout.decode()


@pytest.mark.parametrize(
    "arguments", [("nope",), ("stack", "0"), ("stack", "4"), ("stack", "x"), ()]
)
def test_wrong_usage(arguments):
    """No such exercise, no such level: wrong usage, said in the reader's language."""
    for language, word in (("zh", "："), ("en", ":")):
        done = run(*arguments, "--project", str(TINY), env={"GRADER_LANG": language})
        assert (done.returncode, done.stdout) == (2, b"")
        assert word in done.stderr.decode()
        assert b"Traceback" not in done.stderr


def test_no_hints(tmp_path):
    """An exercise without pages, or without the level, says what there is instead."""
    exercise = copy_of_tiny(tmp_path)
    toml, project = exercise.folder / "exercise.toml", ("--project", str(exercise.project.root))
    text = toml.read_text("utf-8")
    toml.write_text(text.replace(', "l2"', ""), "utf-8")
    done = run("stack", "2", "--lang", "en", *project)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "1, 3" in done.stderr.decode()
    toml.write_text(text.partition("[pages]")[0], "utf-8")
    done = run("stack", "--lang", "en", *project)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "./check.sh stack" in done.stderr.decode()


def test_missing_text(tmp_path):
    """A level whose text is missing is the exercise's fault, and named."""
    exercise = copy_of_tiny(tmp_path)
    exercise.text_file("en", "l2").unlink()
    done = run("stack", "2", "--lang", "en", "--project", str(exercise.project.root))
    assert (done.returncode, done.stdout) == (3, b"")
    assert "exercises/stack/pages/en/l2.md" in done.stderr.decode()


@pytest.fixture
def twofold(tmp_path):
    """The tiny exercise for Python and C++, its second level with code in three languages."""
    exercise = copy_of_tiny(tmp_path)
    toml = exercise.folder / "exercise.toml"
    python = '[languages.python]\nfile = "stack.py"\n'
    text = toml.read_text("utf-8").replace(
        python, f'{python}\n[languages.cpp]\nfile = "stack.cpp"\nkit = "cpp"\n'
    )
    toml.write_text(text, "utf-8")
    (exercise.folder / "cpp").mkdir()
    for file in (exercise.starter("cpp"), exercise.solution("cpp")):
        file.write_text("class Stack {};\n", "utf-8")
    for language in LANGUAGES:
        exercise.text_file(language, "l2").write_text(f"# T\n\n{TOLD}", "utf-8")
    return exercise


def code_in(exercise, *arguments: str) -> str:
    """The code of the second level, by which its language is known."""
    done = run("stack", "2", *arguments, "--project", str(exercise.project.root))
    assert (done.returncode, done.stderr) == (0, b"")
    (line,) = re.findall(r"^  (.*x = 1;?)$", done.stdout.decode(), re.MULTILINE)
    return line


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_asked_for(twofold, language):
    """--code says in which of the exercise's languages code is shown, whatever the reader's."""
    assert code_in(twofold, "--code", "cpp", "--lang", language) == "int x = 1;"
    assert code_in(twofold, "--code", "python", "--lang", language) == "x = 1"


def test_code_of_ones_own_file(twofold):
    """Unless it is asked for, code is in the language of one's own file, once that is begun."""
    mine = twofold.mine("cpp")
    assert code_in(twofold) == "x = 1"
    mine.write_text("class Stack {};\n", "utf-8")
    twofold.mine("python").unlink()
    assert code_in(twofold) == "int x = 1;"
    twofold.mine("python").write_bytes(twofold.starter("python").read_bytes())
    assert code_in(twofold) == "x = 1"
    mine.write_text("class Stack { int mine; };\n", "utf-8")
    assert code_in(twofold) == "int x = 1;"
    assert code_in(twofold, "--code", "python") == "x = 1"


@pytest.mark.parametrize(
    "spoilt", [b"", b"\0", b"\xff\xfe", None], ids=["empty", "nul", "utf16", "folder"]
)
def test_own_file_that_cannot_be_graded(twofold, spoilt):
    """Hints are for those whose file cannot be graded, too."""
    twofold.mine("python").unlink()
    mine = twofold.mine("cpp")
    mine.mkdir() if spoilt is None else mine.write_bytes(spoilt)
    assert code_in(twofold) == "int x = 1;"


@pytest.mark.parametrize("code", ["rust", "C++", "", "no such"])
def test_code_of_no_such_language(twofold, code):
    """A language that the exercise has not is wrong usage, and those that it has are named."""
    done = run("stack", "2", "--code", code, "--lang", "en", "--project", str(twofold.project.root))
    assert (done.returncode, done.stdout) == (2, b"")
    assert "cpp" in done.stderr.decode()
    assert "python" in done.stderr.decode()
    assert b"Traceback" not in done.stderr


# --- at a terminal -------------------------------------------------------------------------------


def at_a_terminal(*arguments: str, typed: bytes = b"\x04", **env: str) -> tuple[int, str]:
    """Exit code and output of the command at a pseudo-terminal where somebody types, or Ctrl-D."""
    command = [sys.executable, "-m", "grader", "hint", "stack", *arguments, "--project", str(TINY)]
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    started = subprocess.Popen(
        command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm", "GRADER_LANG": "en", **env},
    )  # fmt: skip
    os.close(theirs)
    written = all_written(ours)
    return started.wait(timeout=20), written.decode()


@pytest.mark.parametrize("typed", [b"\n", b"n\n", b"no\n", b"what\n", b"\x04"])
@pytest.mark.parametrize(("level", "secret"), [("2", "self.items"), ("3", "IndexError")])
def test_no(level, secret, typed):
    """Whoever does not say yes is shown nothing, and that is no failure."""
    code, text = at_a_terminal(level, typed=typed)
    assert code == 0
    assert "spoiler" in text
    assert "[y/N]" in text
    assert secret not in text


@pytest.mark.parametrize("typed", [b"y\n", b"YES\n"])
def test_yes(typed):
    """Whoever says yes is shown the level."""
    code, text = at_a_terminal("3", typed=typed)
    assert code == 0
    assert "heavy spoiler: L3" in text
    assert "IndexError" in text


def test_not_asked():
    """Level 1 is not asked about, and nor is anything with --yes."""
    for arguments in (("1",), (), ("2", "--yes"), ("3", "--yes")):
        code, text = at_a_terminal(*arguments)
        assert code == 0
        assert "[y/N]" not in text
        assert "spoiler" in text


def test_colors_at_a_terminal():
    """There are colours at a terminal, unless NO_COLOR or --no-color says no."""
    assert "\x1b[" in at_a_terminal("1")[1]
    assert "\x1b[" not in at_a_terminal("1", "--no-color")[1]
    assert "\x1b[" not in at_a_terminal("1", NO_COLOR="1")[1]
    assert "\x1b[" not in at_a_terminal("1", TERM="dumb")[1]


def test_width_of_the_terminal():
    """The lines are as wide as the terminal is."""
    _, text = at_a_terminal("3", "--yes", "--no-color", COLUMNS="30")
    assert max(cell_len(line) for line in text.splitlines()[1:]) <= 30
