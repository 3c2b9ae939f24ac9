"""The command line as a user meets it: output, exit codes, languages, consoles."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from support import all_written
from wcwidth import wcswidth

from grader.cli import cli
from grader.score import schema_text

ROOT = Path(__file__).resolve().parents[1]
TINY = ROOT / "tests" / "tiny"
SOLUTION = str(TINY / "solutions" / "stack.py")
WRONG = str(TINY / "exercises" / "stack" / "wrong" / "queue.py")


def run(*arguments: str, env: dict[str, str] | None = None, cwd: Path = ROOT):
    """Start the grader as check.sh does, in an environment that says nothing of the reader."""
    unset = ("LANG", "LC_ALL", "LC_MESSAGES", "GRADER_LANG", "NO_COLOR", "PYTHONIOENCODING")
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    return subprocess.run(
        [sys.executable, str(ROOT / "grader" / "__main__.py"), *arguments],
        capture_output=True, cwd=cwd, env={**clean, "PYTHONUTF8": "1", **(env or {})}, check=False,
    )  # fmt: skip


def tiny(*arguments: str, **options):
    """Grade the tiny exercise."""
    return run("stack", *arguments, "--project", str(TINY), **options)


def test_p17_reference_scores_full():
    """The README's own example."""
    done = run("p17", "--file", "solutions/p17_graph_runner.py", "--json", "-")
    assert done.returncode == 0, done.stderr
    score = json.loads(done.stdout)
    assert (score["score"], score["max_score"], score["status"]) == (100, 100, "passed")
    assert score["submission"]["path"] == "solutions/p17_graph_runner.py"


def test_exercise_is_a_command():
    """`grader stack` is `grader check stack`."""
    direct = tiny("--file", SOLUTION, "--seed", "1").stdout
    spelled = run(
        "check", "stack", "--file", SOLUTION, "--seed", "1", "--project", str(TINY)
    ).stdout
    assert direct == spelled
    assert "100/100" in direct.decode()


@pytest.mark.parametrize(
    ("file", "code"), [(SOLUTION, 0), (WRONG, 1), ("no/such/file.py", 1), (str(TINY / "mine"), 2)]
)
def test_exit_codes(file, code):
    """0 all passed, 1 a check failed or the submission cannot be graded, 2 wrong usage."""
    assert tiny("--file", file).returncode == code


@pytest.mark.parametrize(
    "arguments",
    [("nope",), ("check",), ("check", "stack", "--seed", "x"), ("check", "stack", "--what"),
     ("check", "stack", "--lang", "fr")],
)  # fmt: skip
def test_wrong_usage(arguments):
    """Wrong usage ends with 2 and says what to do on stderr, in the reader's language."""
    for language, word in (("zh", "："), ("en", ":")):
        done = run(*arguments, "--project", str(TINY), env={"GRADER_LANG": language})
        assert done.returncode == 2
        assert done.stdout == b""
        assert word in done.stderr.decode()
        assert b"Traceback" not in done.stderr


def test_no_cuda_is_an_environment_fault():
    """What this machine or version cannot do ends with 3."""
    done = tiny("--device", "cuda")
    assert done.returncode == 3
    assert "--device cpu" in done.stderr.decode()


def test_json_to_stdout_is_alone(tmp_path):
    """`--json -` writes the score to stdout and nothing else; the schema describes it."""
    done = tiny("--file", WRONG, "--json", "-", env={"FORCE_COLOR": "1"})
    score = json.loads(done.stdout)
    jsonschema.validate(score, json.loads(schema_text()))
    assert score["status"] == "failed"
    assert "\x1b" not in done.stdout.decode()
    path = tmp_path / "score.json"
    done = tiny("--file", WRONG, "--json", str(path))
    assert json.loads(path.read_text(encoding="utf-8"))["status"] == "failed"
    assert done.stdout != b""


def test_json_that_cannot_be_written():
    """A path that cannot be written is said, with exit code 2."""
    done = tiny("--file", SOLUTION, "--json", "/no/such/folder/score.json")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_seed_repeats_a_run():
    """The same seed draws the same data; without one it is drawn and told."""
    first = json.loads(tiny("--file", WRONG, "--json", "-").stdout)
    again = json.loads(tiny("--file", WRONG, "--json", "-", "--seed", str(first["seed"])).stdout)
    assert again["checks"][0]["message"] == first["checks"][0]["message"]
    assert again["checks"][0]["cases"][0]["evidence"] == first["checks"][0]["cases"][0]["evidence"]


@pytest.mark.parametrize(
    ("env", "arguments", "language"),
    [
        ({}, (), "zh"),
        ({"LANG": "C.UTF-8"}, (), "zh"),
        ({"LANG": "en_GB.UTF-8"}, (), "en"),
        ({"LANG": "en_GB.UTF-8", "GRADER_LANG": "zh"}, (), "zh"),
        ({"GRADER_LANG": "zh"}, ("--lang", "en"), "en"),
        ({}, ("--lang=en",), "en"),
    ],
)
def test_language(env, arguments, language):
    """--lang, then GRADER_LANG, then the locale, then Chinese; the JSON's texts as well."""
    title = {"zh": "后进先出", "en": "last in, first out"}[language]
    assert title in tiny("--file", SOLUTION, *arguments, env=env).stdout.decode()
    score = json.loads(tiny("--file", SOLUTION, "--json", "-", *arguments, env=env).stdout)
    assert score["checks"][0]["title"] == title


@pytest.mark.parametrize("encoding", ["gbk", "ascii"])
def test_poor_console(encoding):
    """A console that lacks our marks or Chinese changes what is printed, never the result."""
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    done = tiny("--file", SOLUTION, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert ("后进先出" if encoding == "gbk" else "last in, first out") in text
    assert ("√" if encoding == "gbk" else "ok") in text


def test_plain_without_a_terminal():
    """No colours and no control characters go into a pipe."""
    assert b"\x1b" not in tiny("--file", WRONG).stdout


def test_colors_on_a_terminal():
    """On a terminal there are colours, unless NO_COLOR or --no-color says no."""
    assert b"\x1b[" in on_a_terminal()
    assert b"\x1b[" not in on_a_terminal("--no-color")
    assert b"\x1b[" not in on_a_terminal(NO_COLOR="1")


def on_a_terminal(*arguments: str, **env: str) -> bytes:
    """What the grader writes to a pseudo-terminal."""
    ours, theirs = os.openpty()
    subprocess.run(
        [sys.executable, "-m", "grader", "stack", "--file", SOLUTION, *arguments,
         "--project", str(TINY)],
        stdout=theirs, cwd=ROOT, env={**os.environ, "TERM": "xterm", **env}, check=True,
    )  # fmt: skip
    os.close(theirs)
    return all_written(ours)


def test_table_is_aligned():
    """The points stand in one column, in Chinese too, where a character takes two cells."""
    for language in ("zh", "en"):
        text = tiny("--file", SOLUTION, "--lang", language).stdout.decode()
        ends = {wcswidth(line) for line in text.splitlines() if line.startswith("  ✓")}
        assert len(ends) == 1, text


def test_failure_tells_all():
    """What was called, seen and expected, where to read on: nothing cut."""
    text = tiny("--file", WRONG, "--lang", "en", "--seed", "3").stdout.decode()
    for label in ("seen", "expected", "calls", "hint"):
        assert f"    {label}" in text
    assert "Stack()" in text
    assert "▶ pop()" in text
    assert "L1 order" in text


def test_interrupt(tmp_path):
    """Ctrl-C ends with 130, without a traceback and with no process left."""
    endless = tmp_path / "stack.py"
    endless.write_text("import time\nwhile True: time.sleep(0.01)\n")
    started = subprocess.Popen(
        [sys.executable, "-m", "grader", "stack", "--file", str(endless), "--project", str(TINY)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    time.sleep(1.2)
    os.killpg(started.pid, signal.SIGINT)
    _, stderr = started.communicate(timeout=20)
    assert started.returncode == 130
    assert b"Traceback" not in stderr


def test_working_folder_shadows_nothing(tmp_path):
    """A torch.py, a conftest.py or a pytest.ini where the user stands is not looked at."""
    for name in ("torch.py", "conftest.py", "pytest.py", "click.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (tmp_path / "stack.py").write_bytes(Path(SOLUTION).read_bytes())
    done = tiny("--file", "stack.py", cwd=tmp_path, env={"PYTEST_ADDOPTS": "--also-none"})
    assert (done.returncode, done.stderr) == (0, b"")


def test_warnings_fail_nothing():
    """A user whose warnings are errors gets the same score."""
    done = tiny("--file", SOLUTION, env={"PYTHONWARNINGS": "error"})
    assert (done.returncode, done.stderr) == (0, b"")


def test_check_starts_fast():
    """What only the hints and the pages need is not imported to grade."""
    script = (
        "import sys; from grader.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print(sorted({'markdown_it', 'mdit_py_plugins', 'rich', 'jinja2'} & {*sys.modules}))"
    )
    command = [sys.executable, "-c", script, "stack", "--file", SOLUTION, "--project", str(TINY)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_is_translated():
    """Help, our words and click's, in both languages."""
    assert "用法" in run("check", "--help").stdout.decode()
    assert "Usage" in run("check", "--help", "--lang", "en").stdout.decode()
    for language in ("zh", "en"):
        for command in cli.commands:
            text = run(command, "--help", "--lang", language).stdout.decode()
            assert "help." not in text


@pytest.mark.parametrize("command", sorted(cli.commands))
@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_every_command_is_in_the_readme(command, readme):
    """Whoever reads the README meets every command."""
    words = "./check.sh p17" if command == "check" else f"./check.sh {command}"
    assert words in (ROOT / readme).read_text("utf-8")


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
def test_feedback_page(tmp_path, language):
    """--page writes the feedback in the reader's language, besides what is printed."""
    page = tmp_path / "反馈.html"
    done = tiny("--file", WRONG, "--page", str(page), "--lang", language)
    assert done.returncode == 1
    assert b"0/60" in done.stdout
    text = page.read_text("utf-8")
    assert "0/60" in text
    (language_tag,) = re.findall(r'<html lang="?([\w-]+)[" >]', text)
    assert language_tag == {"zh": "zh-CN", "en": "en"}[language]


def test_feedback_page_of_a_file_that_cannot_be_graded(tmp_path):
    """There is a page for that, too."""
    page = tmp_path / "page.html"
    (tmp_path / "broken.py").write_text("class Stack(:\n", "utf-8")
    done = tiny("--file", str(tmp_path / "broken.py"), "--page", str(page), "--lang", "en")
    assert done.returncode == 1
    assert "class Stack(:" in page.read_text("utf-8")


def test_page_on_stdout_is_alone_there():
    """With --page - nothing but the page is on standard output."""
    done = tiny("--file", WRONG, "--page", "-")
    assert done.stdout.startswith(b"<!doctype html>")
    assert done.stdout.rstrip().endswith(b"</html>")


def test_two_things_on_stdout_are_refused():
    """The score and the page do not fit one stream."""
    done = tiny("--file", WRONG, "--page", "-", "--json", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--page" in done.stderr


def test_a_page_that_cannot_be_written(tmp_path):
    """A folder that is not there: said, with what to do."""
    done = tiny("--file", WRONG, "--page", str(tmp_path / "no" / "page.html"), "--lang", "en")
    assert done.returncode == 2
    assert b"page.html" in done.stderr


def test_a_failure_says_where_to_read_on():
    """Below what is wrong stand the commands for the hints and for the page."""
    out = tiny("--file", WRONG, "--lang", "en").stdout.decode()
    assert "./check.sh hint stack 1" in out
    assert "./check.sh stack --page" in out
    assert "hint stack" not in tiny("--file", SOLUTION, "--lang", "en").stdout.decode()


def test_who_has_not_begun_is_led_to_the_page():
    """Below the word that the starter is unchanged stands the command for the exercise's page."""
    starter = str(TINY / "exercises" / "stack" / "starter" / "stack.py")
    assert "./check.sh open stack" in tiny("--file", starter, "--lang", "en").stdout.decode()
    assert "open stack" not in tiny("--file", "no/such.py", "--lang", "en").stdout.decode()


def test_pages(tmp_path):
    """The files written are named, one a line."""
    done = run("pages", "stack", "-o", str(tmp_path / "site"), "--project", str(TINY))
    assert done.returncode == 0, done.stderr
    named = [Path(line) for line in done.stdout.decode().splitlines()]
    assert sorted(str(path.relative_to(tmp_path / "site")) for path in named) == [
        "en/index.html", "en/stack.html", "index.html", "zh/index.html", "zh/stack.html",
    ]  # fmt: skip
    assert all(path.is_file() for path in named)


def test_pages_of_no_such_exercise(tmp_path):
    """Wrong usage, and nothing is written."""
    done = run("pages", "stak", "-o", str(tmp_path / "site"), "--project", str(TINY))
    assert done.returncode == 2
    assert b"stack" in done.stderr
    assert not (tmp_path / "site").exists()


def test_open(tmp_path):
    """The browser is started with the page in the reader's language."""
    shutil.copytree(TINY, tmp_path / "tiny")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/opened"\n', "utf-8")
    browser.chmod(0o755)
    done = run("open", "stack", "--lang", "en", "--project", str(tmp_path / "tiny"),
               env={"BROWSER": f"{browser} %s"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    opened = (tmp_path / "opened").read_text("utf-8").strip()
    page = tmp_path / "tiny" / "site" / "en" / "stack.html"
    assert opened == page.as_uri()
    assert done.stdout.decode().strip() == str(page)
    assert "<h1>" in page.read_text("utf-8")


def test_open_without_a_browser(tmp_path):
    """Where there is none, the page is there all the same, and it is said where."""
    shutil.copytree(TINY, tmp_path / "tiny")
    done = run("open", "stack", "--lang", "en", "--project", str(tmp_path / "tiny"),
               env={"PATH": "/nowhere", "BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""})  # fmt: skip
    assert done.returncode == 3
    page = tmp_path / "tiny" / "site" / "en" / "stack.html"
    assert str(page) in done.stderr.decode()
    assert page.is_file()
