"""`grader doctor`: the machine told, and the graphs of exercises held to what they should do."""

import ast
import json
import re
import time
from pathlib import Path

import pytest
from support import ROOT, copy_of_tiny, processes_at_home_in
from wcwidth import wcswidth

from grader import __version__, doctor
from grader.cli import main
from grader.doctor import Behaviour, Conformance, Device, Diagnosis, conformances
from grader.exercise import Project
from grader.i18n import LANGUAGES, Translator
from grader.message import Message
from grader.render.doctor import render
from grader.render.terminal import glyphs_for
from grader.subject import device as devices

P17 = ROOT / "exercises" / "p17"
NO_GPU = Message("device.no_gpu", {"folder": "/dev"})


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs `grader doctor`; its exit code, and what it printed."""
    monkeypatch.setenv("LANGUAGE", "")  # which the command line sets

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["doctor", *arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


@pytest.fixture
def no_gpu(monkeypatch):
    """A machine that has no GPU."""
    there(monkeypatch, NO_GPU)


@pytest.fixture
def gpu(monkeypatch):
    """A machine that has one."""
    there(monkeypatch, None)


def there(monkeypatch, why: Message | None):
    """Have CUDA be there, or not."""
    monkeypatch.setattr(devices, "missing", lambda name: why if name == "cuda" else None)


@pytest.fixture
def fake(tmp_path):
    """Puts a program into a copy of the tiny exercise; the options that name its project."""

    def put(program: str) -> list[str]:
        exercise = copy_of_tiny(tmp_path)
        toml = exercise.folder / "exercise.toml"
        toml.write_text(f'conformance = "conformance.py"\n{toml.read_text("utf-8")}', "utf-8")
        (exercise.folder / "conformance.py").write_text(program, "utf-8")
        return ["--graphs", "--lang", "en", "--project", str(exercise.project.root)]

    return put


def saying(**words: dict[str, str]) -> str:
    """A program of two rows that says what it should, but for some words on a device."""
    return f"""
import json, sys
rows = {{"branch": {{"expected": "ignored", "cuda": "ignored"}}, "calls": {{"expected": "1", "cuda": "4"}}}}
on = sys.argv[1]
words = {{name: row["cuda" if on == "cuda" else "expected"] for name, row in rows.items()}}
words |= {words}.get(on, {{}})
print(json.dumps({{"rows": rows, "seen": {{"device": on, "hardware": on * 2, "torch": "9", "words": words}}}}))
"""


# --- the table of P17 ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> Conformance:
    """What the graphs of P17 do on the CPU."""
    (found,) = conformances(Project(ROOT), ["cpu"])
    return found


def test_cpu_graph_is_as_expected(table):
    """Every behaviour of CpuGraph is what the table says; nothing is said of CUDA."""
    assert table.exercise == "p17"
    assert len(table.behaviours) >= 25
    for one in table.behaviours:
        assert one.seen == {"cpu": one.expected["cpu"], "cuda": None}, one.name
    assert table.unexpected == []
    assert table.grounds.keys() == {"cpu"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_has_its_texts(table, language):
    """A title for each behaviour, a reason for each difference, each word that can be said; no more."""
    say = Translator(language, P17)
    wanted = {f"behaviour.{one.name}" for one in table.behaviours}
    wanted |= {f"difference.{one.name}" for one in table.behaviours if one.differs}
    said = words_of(P17 / "conformance.py")
    said |= {word for one in table.behaviours for word in one.expected.values()}
    wanted |= {f"word.{word.replace(' ', '_')}" for word in said if not word.isdecimal()}
    assert {id for id in wanted if not say.knows(id)} == set()
    catalog = P17 / "locale" / language / "LC_MESSAGES" / "exercise.po"
    texts = re.findall(
        r'^msgid "((?:behaviour|difference|word)\..*)"', catalog.read_text("utf-8"), re.MULTILINE
    )
    assert set(texts) == wanted


def words_of(program: Path) -> set[str]:
    """The words that the programs of a table may say: what they return, and choose between."""
    found = set()
    for function in ast.walk(ast.parse(program.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef) and names_in(function.decorator_list):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
                    found.add(node.value.value)
                elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "word":
                    found |= {choice.value for choice in node.args[1:]}
    assert {"followed", "ignored", "left alone", "replayed"} <= found
    return found


def names_in(decorators: list[ast.expr]) -> set[str]:
    """Those of the decorators that put a program into the table."""
    names = {getattr(node, "id", "") for each in decorators for node in ast.walk(each)}
    return names & {"behaviour", "refused"}


def test_docs_have_the_table(table):
    """docs/graphs.md shows what was seen of CpuGraph, and what is expected of CudaGraph."""
    text = (ROOT / "docs" / "graphs.md").read_text("utf-8")
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|"))
            for line in text.partition("| program |")[2].splitlines()[2:]]  # fmt: skip
    say = Translator("en", P17)
    assert rows == [
        (f"`{one.name}`", say(f"behaviour.{one.name}"), one.seen["cpu"], one.expected["cuda"])
        for one in table.behaviours
    ]
    known = [tuple(cell.strip() for cell in line.strip("|").split("|"))[:3]
             for line in text.partition("## Known")[2].partition("## The")[0].splitlines()
             if line.startswith("| `") and "_" in line]  # fmt: skip
    assert known == [
        (f"`{one.name}`", one.expected["cpu"], one.expected["cuda"])
        for one in table.behaviours
        if one.differs
    ]


def shown(
    table: Conformance, language: str, *, encoding: str = "utf-8", color: bool = False
) -> list[str]:
    """The lines that a table is shown as, on a machine without a GPU."""
    found = [Device(name="cpu", missing=None), Device(name="cuda", missing=NO_GPU)]
    diagnosis = Diagnosis(
        grader="1", python="3", executable="python", platform="here", torch="2", devices=found,
        graphs=[table],
    )  # fmt: skip
    say, glyphs = Translator(language), glyphs_for(encoding)
    return render(diagnosis, Project(ROOT), say, color=color, glyphs=glyphs).splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
def test_shown_in_the_readers_language(table, language):
    """One line a behaviour, its columns below each other, in words of the reader's."""
    lines = shown(table, language)
    say = Translator(language, P17)
    rows = [line for line in lines if line.startswith("  ✓")]
    assert len(rows) == len(table.behaviours)
    not_run = {"zh": "未运行", "en": "not run"}[language]
    columns = set()
    for one, row in zip(table.behaviours, rows, strict=True):
        word = one.seen["cpu"] or ""
        word = word if word.isdecimal() else say(f"word.{word.replace(' ', '_')}")
        title = say(f"behaviour.{one.name}")
        assert re.fullmatch(rf"  ✓ {re.escape(title)} +{re.escape(word)} +{not_run}", row)
        before = row[: row.index(title) + len(title)]
        rest = row.removeprefix(before)
        columns.add((wcswidth(before + rest[: rest.index(word)]), wcswidth(row)))
    assert len(columns) == 1
    # The reason is said once for all rows.
    assert sum("CUDA" in line and say.text(NO_GPU) in line for line in lines) == 1
    for one in table.behaviours:
        if one.differs:
            assert any(say(f"difference.{one.name}") in line for line in lines)


@pytest.mark.parametrize(("language", "encoding"), [("en", "ascii"), ("zh", "gbk")])
def test_poor_console(table, language, encoding):
    """What a console lacks is not written to it."""
    lines = shown(table, language, encoding=encoding)
    "\n".join(lines).encode(encoding)
    mark = {"ascii": "ok", "gbk": "√"}[encoding]
    assert sum(line.startswith(f"  {mark} ") for line in lines) == len(table.behaviours)


def test_colors(table):
    """Colours are written where they are wanted."""
    assert any("\x1b[32m" in line for line in shown(table, "en", color=True))
    assert not any("\x1b" in line for line in shown(table, "en"))


def test_new_word(table):
    """A word that no catalog has is shown as it is, and cut where it would burst the table."""
    long = "TypeError: " + "x" * 200
    other = Behaviour(
        name="branch", expected={"cpu": "ignored", "cuda": "ignored"}, seen={"cpu": long, "cuda": None}
    )  # fmt: skip
    lines = shown(table.model_copy(update={"behaviours": [other]}), "zh")
    (row,) = (line for line in lines if line.startswith("  ✗"))
    assert "TypeError: " in row
    assert wcswidth(row) < 100
    assert any(long in line and "branch" in line and "不生效" in line for line in lines)


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("language", LANGUAGES)
def test_machine(run, language):
    """Without --graphs the machine is told at once, and nothing is run."""
    code, out, err = run("--lang", language)
    assert (code, err) == (0, "")
    say = Translator(language)
    for fact in (__version__, "Python", "torch", say.text(NO_GPU), say.remedy(NO_GPU.id)):
        assert fact in out
    assert "--graphs" in out
    assert say("doctor.not_run") not in out


@pytest.mark.parametrize(
    "why", [NO_GPU, Message("device.linux_only", {"system": "darwin"}), Message("device.cpu_build")]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_why_there_is_no_gpu(run, monkeypatch, why, language):
    """What keeps CUDA away is said in words, with what to do about it; it is no failure."""
    there(monkeypatch, why)
    code, out, _ = run("--lang", language)
    say = Translator(language)
    assert code == 0
    assert say.knows(why.id)
    assert say.text(why) in out
    assert say.knows(f"{why.id}.next")
    assert say.remedy(why.id) in out


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu(run, fake):
    """Graphs are looked at on the CPU alone: one line says why, and all is well."""
    code, out, err = run(*fake(saying(cuda={"branch": "never asked"})))
    assert (code, err) == (0, "")
    assert out.count("There is no NVIDIA GPU in /dev.") == 2  # of the machine, of the table
    assert out.count("not run") == 3  # two rows, and why
    assert "never asked" not in out


@pytest.mark.usefixtures("no_gpu")
def test_wrong_word(run, fake):
    """What is not as expected fails, and is named with what was seen."""
    code, out, _ = run(*fake(saying(cpu={"branch": "followed"})))
    assert code == 1
    assert re.search(r"✗ behaviour.branch +followed", out)
    assert re.search(r"✓ behaviour.calls +1", out)
    tail = out.partition("Not as expected")[2]
    assert "branch (" in tail
    assert "followed, expected: ignored" in tail
    assert "1 of 2" in tail


@pytest.mark.usefixtures("gpu")
def test_known_difference(run, fake):
    """Where devices differ as is known, that is told and no failure."""
    code, out, _ = run(*fake(saying()))
    assert code == 0
    assert re.search(r"✓ behaviour.branch +ignored +ignored", out)
    assert re.search(r"✓ behaviour.calls +1 +4", out)
    assert "behaviour.calls: CPU 1, CUDA 4" in out.partition("Known differences")[2]
    assert "CUDA: cudacuda, torch 9" in out
    assert "not run" not in out


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("words", [{"branch": "followed"}, {"calls": "1"}])
def test_unknown_difference(run, fake, words):
    """Where they differ otherwise, or do not where they should, that is a failure of CUDA's."""
    code, out, _ = run(*fake(saying(cuda=words)))
    assert code == 1
    ((name, word),) = words.items()
    expected = {"branch": "ignored", "calls": "4"}[name]
    assert f"CUDA graph: {word}, expected: {expected}" in out
    assert "CPU graph:" not in out.partition("Not as expected")[2]


@pytest.mark.usefixtures("gpu")
def test_json(run, fake, tmp_path):
    """All of it is data: to standard output, alone there, or to a file."""
    options = fake(saying(cuda={"branch": "followed"}))
    code, out, err = run(*options, "--json", "-")
    assert (code, err) == (1, "")
    said = json.loads(out)
    assert said.keys() == {
        "grader", "python", "executable", "platform", "torch", "devices", "toolchains", "graphs",
    }  # fmt: skip
    assert (said["grader"], said["torch"]) == (__version__, doctor._version("torch"))
    assert said["devices"] == [{"name": "cpu", "missing": None}, {"name": "cuda", "missing": None}]
    assert said["graphs"] == [
        {
            "exercise": "stack",
            "grounds": {
                "cpu": {"hardware": "cpucpu", "torch": "9"},
                "cuda": {"hardware": "cudacuda", "torch": "9"},
            },
            "behaviours": [
                {"name": "branch", "expected": {"cpu": "ignored", "cuda": "ignored"},
                 "seen": {"cpu": "ignored", "cuda": "followed"}},
                {"name": "calls", "expected": {"cpu": "1", "cuda": "4"}, "seen": {"cpu": "1", "cuda": "4"}},
            ],
        }
    ]  # fmt: skip
    code, out, _ = run(*options, "--json", str(tmp_path / "doctor.json"))
    assert (code, "followed" in out) == (1, True)
    assert json.loads((tmp_path / "doctor.json").read_text("utf-8")) == said


@pytest.mark.usefixtures("no_gpu")
def test_json_without_graphs(run):
    """What nobody asked for is null; why a device is missing is a message."""
    code, out, _ = run("--json", "-")
    said = json.loads(out)
    assert (code, said["graphs"]) == (0, None)
    assert said["devices"][1] == {
        "name": "cuda", "missing": {"id": "device.no_gpu", "params": {"folder": "/dev"}},
    }  # fmt: skip


@pytest.mark.usefixtures("no_gpu")
def test_nobody_has_a_program(run, tmp_path):
    """Where no exercise says how its graphs behave, that is said."""
    project = copy_of_tiny(tmp_path).project.root
    code, out, _ = run("--graphs", "--lang", "en", "--project", str(project))
    assert code == 0
    assert "No exercise here" in out


# --- programs at fault ---------------------------------------------------------------------------

FAULTS = {
    "crash": ("raise ValueError('torn')", "ValueError: torn"),
    "exit": ("raise SystemExit(7)", "exit 7"),
    "killed": ("import os; os.kill(os.getpid(), 9)", "exit -9"),
    "silent": ("", "JSON"),
    "chat": ("print('all well')", "JSON"),
    "form": ("print('{\"rows\": {}}')", "seen"),
    "no_rows": ("print('{\"rows\": {}, \"seen\": {\"device\": \"cpu\", \"hardware\": \"\", \"torch\": \"\", \"words\": {}}}')", "a word"),
    "missing_word": (saying().replace("print(", "del words['branch']; print("), "a word"),
    "other_device": (saying().replace("on = sys.argv[1]", "on = 'cuda'"), "a word"),
}  # fmt: skip


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("fault", FAULTS)
def test_program_at_fault(run, fake, fault):
    """A program that says nothing of use is named, with what is wrong and what to do."""
    program, detail = FAULTS[fault]
    code, out, err = run(*fake(program))
    assert (code, out) == (3, "")
    assert "exercises/stack/conformance.py" in err
    assert detail in err
    assert len(err.splitlines()) == 2
    assert "Traceback" not in err


@pytest.mark.usefixtures("no_gpu")
def test_program_that_hangs(run, fake, monkeypatch, tmp_path):
    """One that does not end is ended, with all that it started."""
    monkeypatch.setattr(doctor, "LIMIT_S", 1.0)
    monkeypatch.setenv("HOME", f"{tmp_path}/home")
    program = "import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])\ntime.sleep(99)"
    started = time.monotonic()
    code, out, err = run(*fake(program))
    assert (code, out) == (3, "")
    assert "1 s" in err
    assert time.monotonic() - started < 20
    assert processes_at_home_in(tmp_path) == []


@pytest.mark.usefixtures("gpu")
def test_device_that_fails(run, fake):
    """Where a device seems to be there and nothing runs on it, that is the machine's affair."""
    program = "import sys\nif sys.argv[1] == 'cuda': sys.exit('RuntimeError: driver too old')\n"
    code, out, err = run(*fake(program + saying()))
    assert (code, out) == (3, "")
    assert "driver too old" in err
    assert "cuda" in err


@pytest.mark.usefixtures("no_gpu")
def test_program_that_is_missing(run, fake):
    """A program that the manifest names must be there."""
    options = fake("")
    (Path(options[-1]) / "exercises" / "stack" / "conformance.py").unlink()
    code, _, err = run(*options)
    assert code == 3
    assert "exercises/stack/conformance.py" in err
