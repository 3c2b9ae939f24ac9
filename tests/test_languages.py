"""P17 in every language: the same checks, the student's own files, a class in several of them."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from downloads import attempts, found, laid_out, notes
from support import ROOT

from grader.batch.intake import take
from grader.cli import main
from grader.errors import ExerciseError, UsageError
from grader.exercise import Project
from grader.i18n import LANGUAGES
from grader.score import Outcome, Status
from grader.session import grade_file, lacks, own_files, start
from grader.subject import launcher
from grader.subject.languages import known, language
from grader.subject.program.language import Diagnostic

P17 = Project(ROOT).exercise("p17")
OTHERS = [name for name in P17.languages() if name != "python"]

#: A line of each reference's that can be put into words that no compiler takes.
BROKEN = {
    "cpp": ("++stats.eager;", "++stats.lazy;"),
    "rust": ("self.stats.eager += 1;", "self.stats.lazy += 1;"),
    "java": ("stats.eager++;", "stats.lazy++;"),
    "javascript": ("export class GraphRunner {", "export class GraphRunner {{"),
}

#: What compilers warn of, put at a line's beginning.
ODD = {
    "cpp": ("const int bs = x.rows();", "int unused = 0; "),
    "rust": ("let bs = x.rows();", "let unused = 0; "),
    "java": ("int bs = x.rows();", "java.util.List raw = null; "),
}

#: A method that is no more there under its name.
RENAMED = {
    "cpp": "  void capture() {",
    "rust": "    pub fn capture(&mut self) {",
    "java": "    void capture() {",
    "javascript": "  capture() {",
}


def needs(name: str) -> None:
    """Skip where this machine has no programs for a language; CI has all of them."""
    if lacks(P17, name) and not os.environ.get("CI"):
        pytest.skip(f"no programs for {name} here")


@pytest.fixture
def project(tmp_path):
    """The project with a ``mine/`` of its own, as it ships."""
    for name in ("exercises", "solutions"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "mine").mkdir()
    shutil.copy(P17.starter("python"), tmp_path / "mine")
    return Project(tmp_path)


@pytest.fixture
def run(project, monkeypatch, capsys):
    """Runs the command line in that project; its exit code and what it printed."""
    monkeypatch.setenv("LANGUAGE", "")  # which the command line sets
    monkeypatch.chdir(project.root)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--lang", "en", "--project", str(project.root)])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


def edited(name: str, folder: Path, old: str, new: str) -> Path:
    """The reference with something else in it."""
    source = P17.solution(name)
    text = source.read_text("utf-8")
    assert text.count(old) == 1
    path = folder / source.name
    path.write_text(text.replace(old, new), "utf-8")
    return path


# --- the same checks -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", OTHERS)
def test_reference(name):
    """Full score behind all walls; what needs a dtype that is not there costs nothing."""
    needs(name)
    score = grade_file(P17, P17.solution(name), seed=3, level="require")
    assert (score.status, score.score, score.submission.language) == (Status.PASSED, 100, name)
    left_out = [
        f"{check.id}.{case.id}"
        for check in score.checks
        for case in check.cases
        if not case.applies
    ]
    assert left_out == ["parity.every_batch_size[bfloat16]", "padding.dtype[bfloat16]"]
    for check in score.checks:
        assert check.status is Outcome.PASSED
        for case in check.cases:
            wanted = Outcome.PASSED if case.applies else Outcome.NOT_RUN
            assert case.status is wanted, case
            assert case.applies or case.message.id == "language.no_dtype"
    assert name in score.versions
    assert score.isolation.missing == []
    assert score.demonstrations == []


@pytest.mark.parametrize("name", OTHERS)
def test_many_solutions(name):
    """At least twelve that are wrong, over all five checks, and three that are right."""
    suffix = Path(P17.languages()[name]).suffix
    assert len(list((P17.folder / "wrong").glob(f"*{suffix}"))) >= 12
    assert len(list((P17.folder / "right").glob(f"*{suffix}"))) >= 3


@pytest.mark.parametrize("name", OTHERS)
def test_not_done_yet(name, tmp_path):
    """A starter of which but a comment was changed is told that it is not finished, where it is."""
    needs(name)
    path = tmp_path / P17.languages()[name]
    path.write_bytes(P17.starter(name).read_bytes() + b"\n// begun\n")
    score = grade_file(P17, path, seed=3)
    assert (score.status, score.score) == (Status.ERROR, 0)
    assert score.error.message.id == "error.unfinished"


@pytest.mark.parametrize("name", OTHERS)
def test_starter(name):
    """An untouched starter is recognised, and nothing is compiled."""
    error = grade_file(P17, P17.starter(name), seed=3).error
    assert error.kind == "starter"


@pytest.mark.parametrize("name", OTHERS)
def test_aliasing(name):
    """One fault is one fault in every language: a view that is returned fails that check alone."""
    needs(name)
    suffix = Path(P17.languages()[name]).suffix
    score = grade_file(P17, P17.folder / "wrong" / f"aliasing_returns_view{suffix}", seed=3)
    assert [check.id for check in score.checks if check.status is not Outcome.PASSED] == ["clone"]
    clone = next(check for check in score.checks if check.id == "clone")
    assert clone.message.id in ("clone.shares_static", "clone.value_changed")
    assert clone.case().evidence.drawing is not None


@pytest.mark.parametrize("name", OTHERS)
def test_where_forking_is_unsafe(name, monkeypatch):
    """Without forks, and so without walls, it is the same score."""
    needs(name)
    monkeypatch.setattr(launcher, "FORKS", False)
    score = grade_file(P17, P17.solution(name), seed=3)
    assert (score.score, score.isolation.process) == (100, "process")


@pytest.mark.skipif(sys.platform != "linux", reason="the walls are of Linux")
@pytest.mark.parametrize("walls", [("landlock", "seccomp", "rlimit"), ("seccomp",), ("namespace",)])
def test_behind_some_walls(walls, monkeypatch, tmp_path):
    """What a machine has not is missing, and nothing else goes wrong: building, too."""
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    monkeypatch.setattr(launcher, "WALLS", walls)
    for name in ("rust", "javascript"):
        needs(name)
        score = grade_file(P17, P17.solution(name), seed=3)
        assert score.score == 100
        assert ("system_calls" in score.isolation.missing) == ("seccomp" not in walls)
        assert ("network" in score.isolation.missing) == (not {"seccomp", "namespace"} & set(walls))


# --- compilers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OTHERS)
def test_does_not_compile(name, tmp_path):
    """The student's own file and line, and the line's text."""
    needs(name)
    old, new = BROKEN[name]
    path = edited(name, tmp_path, old, new)
    score = grade_file(P17, path, seed=3)
    assert (score.status, score.score) == (Status.ERROR, 0)
    assert score.error.kind in ("compile", "syntax")
    lines = path.read_text("utf-8").splitlines()
    assert score.error.line == 1 + next(i for i, line in enumerate(lines) if new in line)
    assert score.error.code.strip() == lines[score.error.line - 1].strip()
    assert score.error.file == str(path)
    assert all(check.status is Outcome.NOT_RUN for check in score.checks)


@pytest.mark.parametrize("name", OTHERS)
def test_lacks_a_method(name, tmp_path):
    """What the checks ask for and is not there is told by its name."""
    needs(name)
    old = RENAMED[name]
    path = edited(name, tmp_path, old, old.replace("capture", "record"))
    error = grade_file(P17, path, seed=3).error
    assert error.kind in ("interface", "missing")
    assert "capture" in json.dumps(error.message.params)


@pytest.mark.parametrize("name", ODD)
def test_warnings_are_advice(name, tmp_path):
    """They cost nothing, and name the line."""
    needs(name)
    old, more = ODD[name]
    path = edited(name, tmp_path, old, more + old)
    score = grade_file(P17, path, seed=3)
    assert score.score == 100
    lines = path.read_text("utf-8").splitlines()
    line = 1 + next(i for i, line in enumerate(lines) if more in line)
    assert [(said.id, said.params["line"]) for said in score.advice][:1] == [
        ("advice.warning", line)
    ]


@pytest.mark.parametrize("name", [name for name in OTHERS if language(name).text])
def test_other_encoding(name, tmp_path):
    """A file in GBK says so, and at which line."""
    path = tmp_path / P17.languages()[name]
    path.write_bytes(P17.solution(name).read_bytes() + "\n// 最小的\n".encode("gbk"))
    error = grade_file(P17, path, seed=3).error
    assert (error.kind, error.message.params["encoding"]) == ("encoding", "utf-8")
    assert error.line == len(P17.solution(name).read_bytes().splitlines()) + 2


def test_crlf_and_bom(tmp_path):
    """What Windows makes of a file is the same file."""
    for name in OTHERS:
        needs(name)
        path = tmp_path / P17.languages()[name]
        text = P17.solution(name).read_bytes().replace(b"\n", b"\r\n")
        path.write_bytes(b"\xef\xbb\xbf" + text)
        assert grade_file(P17, path, seed=3).score == 100, name


@pytest.mark.parametrize(
    ("name", "said", "seen"),
    [
        ("cpp", "a.cpp:3:7: error: 'x' was not declared in this scope",
         [Diagnostic("a.cpp", 3, "error", "'x' was not declared in this scope")]),
        ("cpp", "a.cpp: In function 'int f()':\na.cpp:3:7: warning: unused variable 'x' [-Wunused-variable]",
         [Diagnostic("a.cpp", 3, "warning", "unused variable 'x' [-Wunused-variable]")]),
        ("java", "a.java:3: error: ';' expected\n        x\n         ^\n1 error",
         [Diagnostic("a.java", 3, "error", "';' expected")]),
        ("rust", "not json", []),
        ("cpp", "", []),
    ],
)  # fmt: skip
def test_diagnostics(name, said, seen):
    """What compilers print is read as data."""
    assert list(language(name).diagnose(said)) == seen


# --- the student's own files ---------------------------------------------------------------------


def test_start(run, project):
    """Lays a starter beside what is there, and never over it."""
    code, out, _ = run("start", "p17", "cpp")
    assert (code, "mine/p17_graph_runner.cpp" in out, "./check.sh p17" in out) == (0, True, True)
    laid = project.root / "mine" / "p17_graph_runner.cpp"
    assert laid.read_bytes() == P17.starter("cpp").read_bytes()
    laid.write_text("mine", "utf-8")
    code, out, err = run("start", "p17", "cpp")
    assert (code, out, laid.read_text("utf-8")) == (2, "", "mine")
    assert "nothing was changed" in err


def test_start_says_what_there_is(run):
    """Without a language: all that there are, and the file of each."""
    code, out, _ = run("start", "p17")
    assert code == 0
    assert [line.partition(":")[0] for line in out.splitlines()] == list(P17.languages())
    assert "C++17, mine/p17_graph_runner.cpp" in out


def test_start_in_no_language_of_ours(run):
    """Those that there are, are named."""
    code, _, err = run("start", "p17", "cobol")
    assert (code, "rust" in err) == (2, True)


def test_start_without_its_compiler(run, monkeypatch):
    """The starter is laid all the same, and the package named."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "rustc" else which(name))
    code, out, _ = run("start", "p17", "rust")
    assert (code, "rustc" in out.splitlines()[-1]) == (0, True)
    code, out, _ = run("check", "p17", "--file", str(P17.solution("rust")))
    assert (code, "package rustc" in out) == (3, True)


def test_own_files(project):
    """Those that something is written in; else the one to begin with."""
    exercise = project.exercise("p17")
    mine = project.root / "mine"
    assert [path.name for path in own_files(exercise)] == ["p17_graph_runner.py"]
    start(exercise, "cpp")
    assert [path.name for path in own_files(exercise)] == ["p17_graph_runner.py"]
    (mine / "p17_graph_runner.cpp").write_text("int x;", "utf-8")
    assert [path.name for path in own_files(exercise)] == ["p17_graph_runner.cpp"]
    (mine / "p17_graph_runner.py").write_text("x = 1", "utf-8")
    assert [path.suffix for path in own_files(exercise)] == [".py", ".cpp"]
    for path in mine.iterdir():
        path.unlink()
    assert [path.name for path in own_files(exercise)] == ["p17_graph_runner.py"]


def test_one_score_each(run, project):
    """All files of a student's, one after the other; the exit code is the worst."""
    needs("cpp")
    for name in ("python", "cpp"):
        shutil.copy(P17.solution(name), project.root / "mine")
    code, out, _ = run("p17")
    assert (code, out.count("score 100/100")) == (0, 2)
    assert out.index("p17_graph_runner.py") < out.index("p17_graph_runner.cpp")
    wrong = P17.folder / "wrong" / "aliasing_returns_view.cpp"
    shutil.copy(wrong, project.root / "mine" / "p17_graph_runner.cpp")
    code, out, _ = run("p17")
    assert (code, "score 100/100" in out, "score 80/100" in out) == (1, True, True)
    code, out, _ = run("p17", "--file", "mine/p17_graph_runner.py")
    assert (code, out.count("score")) == (0, 1)


@pytest.mark.parametrize("option", ["--json", "--page"])
def test_several_want_a_name(run, project, option):
    """A file that holds one score is not written for several; nothing is graded."""
    for name in ("python", "cpp"):
        shutil.copy(P17.solution(name), project.root / "mine")
    code, out, err = run("p17", option, "out")
    assert (code, out) == (2, "")
    assert "p17_graph_runner.cpp" in err
    assert "--file" in err
    assert not (project.root / "out").exists()


# --- without a language's programs ---------------------------------------------------------------


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_not_validated(run, monkeypatch, ci, code):
    """What could not be validated is named; where nobody looks on, that is a failure."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "javac" else which(name))
    monkeypatch.setenv("CI", ci)
    got, out, _ = run("validate", "p17", "--language", "java")
    assert got == code
    assert out.splitlines() == [
        "Java 17 was not validated: there is no javac on this machine (package default-jdk-headless)."
    ]


def test_validate_in_no_language_of_ours(run):
    """A language that the exercise has not is a mistake of the user's."""
    code, out, err = run("validate", "p17", "--language", "cobol")
    assert (code, out, "rust" in err) == (2, "", True)


# --- a class in several languages ----------------------------------------------------------------


def test_class(run, project, tmp_path):
    """Each is graded in the language that the file is in."""
    needs("cpp")
    folder = laid_out(
        tmp_path / "class",
        {
            "ada/p17_graph_runner.py": P17.solution("python").read_bytes(),
            "bob/p17_graph_runner.cpp": P17.solution("cpp").read_bytes(),
            "eve/p17_graph_runner.cpp": b"int main() { return 0 }",
        },
    )
    code, _, _ = run("batch", "p17", str(folder), "-o", str(tmp_path / "out"), "--jobs", "1")
    assert code == 0
    said = json.loads((tmp_path / "out" / "scores.json").read_text("utf-8"))
    text = json.dumps(said)
    assert '"language": "cpp"' in text or '"language":"cpp"' in text
    with (tmp_path / "out" / "scores.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    points = {next(iter(row.values())): float(row["score"]) for row in rows}
    assert points == {"ada": 100, "bob": 100, "eve": 0}


def test_starter_beside_it(tmp_path):
    """Who works in another language need not take the Python starter away."""
    python, cpp = (P17.starter(name).read_bytes() for name in ("python", "cpp"))
    solution = P17.solution("cpp").read_bytes()
    folder = laid_out(
        tmp_path / "class",
        {
            "ada/p17_graph_runner.py": python, "ada/p17_graph_runner.cpp": solution,
            "bob/p17_graph_runner.py": python + b"x = 1", "bob/p17_graph_runner.cpp": solution,
            "eve/p17_graph_runner.py": python, "eve/p17_graph_runner.cpp": cpp,
        },
    )  # fmt: skip
    came = list(take([folder], P17))
    assert found(came) == {
        "ada": "class/ada/p17_graph_runner.cpp",
        "bob": "error.candidates",
        "eve": "error.candidates",
    }
    (ada,) = [one for one in attempts(came) if one.students[0].id == "ada"]
    assert (ada.submission.language, ada.submission.source) == ("cpp", solution)
    assert notes(came)["class/ada/p17_graph_runner.py"] == "intake.other"


# --- the languages themselves --------------------------------------------------------------------


def test_known():
    """Every language of the exercise has its file."""
    assert set(P17.languages()) <= set(known())
    assert [language(name).title for name in P17.languages()] == [
        "Python", "C++17", "Rust 2021", "JavaScript", "Java 17",
    ]  # fmt: skip
    with pytest.raises(ExerciseError) as raised:
        language("cobol")
    assert raised.value.message.id == "exercise.unknown_language"


def test_ending_says_it():
    """A file whose ending is none of the exercise's languages' is a mistake of the user's."""
    with pytest.raises(UsageError) as raised:
        grade_file(P17, Path("x.f90"), seed=1)
    assert ".java" in raised.value.message.params["endings"]


# --- what the page says --------------------------------------------------------------------------

#: How what the page says is tried by hand: what goes around it, the commands, where its items go.
BY_HAND = {
    "cpp": (
        "try.cpp", "{}",
        [("g++ -std=c++17 -iquote exercises/p17/cpp -iquote . try.cpp exercises/p17/cpp/p17/matrix.cpp "
         "exercises/p17/cpp/p17/cpu_graph.cpp -o try"), "./try"],
    ),
    "rust": (
        "try.rs",
        ('#[path = "mine/p17_graph_runner.rs"] mod p17_graph_runner;\n'
        "use p17::*;\nuse p17_graph_runner::*;\nuse std::rc::Rc;\n{}"),
        ["rustc --edition=2021 --crate-type=rlib --crate-name=p17 exercises/p17/rust/p17/lib.rs",
         "rustc --edition=2021 --extern p17=libp17.rlib try.rs -o try", "./try"],
    ),
    "javascript": ("try.js", "{}", ["node try.js"]),
    "java": (
        "Try.java", "import p17.*;\nclass Try {{\n{}\n}}",
        ["javac -cp exercises/p17/java -d out Try.java mine/p17_graph_runner.java",
         "java -ea -cp out Try"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("reader", LANGUAGES)
@pytest.mark.parametrize("name", BY_HAND)
def test_selfcheck(name, reader, tmp_path):
    """What the page has a student try does what it says, on the reference."""
    needs(name)
    file, around, commands = BY_HAND[name]
    for part in ("exercises", "package.json"):
        (tmp_path / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "solutions", tmp_path / "mine")
    text = P17.text_file(reader, "selfcheck").read_text("utf-8")
    first, *items = re.findall(rf"^```{name}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(items) == 3
    inside = "".join(f"{{ {item} }}\n" for item in items)
    here = re.search(r"^ *// .*(?=\n *\}\n*\Z)", first, re.MULTILINE)
    whole = first.replace(here[0], inside) if here else first + inside
    (tmp_path / file).write_text(around.format(whole), "utf-8")
    for command in commands:
        done = subprocess.run(
            command.split(), cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
