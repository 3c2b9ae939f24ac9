"""The front door: the real check.sh and bootstrap, in a small copy of the repository.

The copy's grader only says how it was started, its requirements are tiny packages from a folder
of wheels, and its PATH holds what a test puts there. Nothing is fetched from a network.
"""

import contextlib
import ctypes
import doctest
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from grader.bootstrap import __main__ as front
from grader.bootstrap import install, interpreters, places, words
from grader.i18n import LANGUAGES, Translator

ROOT = Path(__file__).resolve().parents[1]
FILES = (
    "check.sh",
    "grader/__init__.py",
    "grader/i18n.py",
    "grader/message.py",
    *(str(path.relative_to(ROOT)) for path in (ROOT / "grader" / "bootstrap").glob("*.py")),
    *(str(path.relative_to(ROOT)) for path in (ROOT / "grader" / "locale").glob("*/*/grader.mo")),
)
SHELLS = [shell for shell in ("sh", "dash", "bash", "busybox") if shutil.which(shell)]

GRADER = """
import json, os, sys
import click, torch
print(json.dumps({
    "arguments": sys.argv[1:], "cwd": os.getcwd(), "python": sys.executable, "path": sys.path,
    "click": click.__version__, "torch": torch.__file__,
}))
sys.exit(int(os.environ.get("EXIT", 0)))
"""

PYPROJECT = """
[project]
dependencies = ["click>=8.1", "torch>=2.4"]
[project.optional-dependencies]
dev = ["mypy>=1", "pytest>=8", "ruff>=0.1"]
"""

#: A module that says how it was started, and fails where the test wants it to.
TOOL = """
import os, sys
print(__package__, *sys.argv[1:], "in", os.getcwd(), flush=True)
sys.exit(__package__ in os.environ.get("FAIL", "").split())
"""

#: Unpacks the wheels that the requirements name. It notes which files of requirements it was
#: given, and may first dawdle or fail.
UV = """
import os, pathlib, sys, time, zipfile
files = [pathlib.Path(a.partition("=")[2]) for a in sys.argv if a.startswith("--requirement=")]
with open(__file__ + ".log", "a") as log:
    print(os.getpid(), *(file.stem for file in files), file=log)
time.sleep(float(os.environ.get("DAWDLE", 0)))
if said := os.environ.get("UV_FAILS"):
    sys.exit(said)
python = next(a.partition("=")[2] for a in sys.argv if a.startswith("--python="))
packages = next(pathlib.Path(python).parents[1].glob("lib/python*/site-packages"))
for pin in "".join(file.read_text() for file in files).split():
    wheel = pin.replace("==", "-") + "-py3-none-any.whl"
    zipfile.ZipFile(os.path.join(os.environ["PIP_FIND_LINKS"], wheel)).extractall(packages)
"""


def package(folder: Path, name: str, version: str, code: str = "", main: str = "") -> None:
    """Install a package into a folder: a module, and the folder that describes it."""
    code = code or f"__version__ = {version!r}"
    info = f"{name}-{version}.dist-info"
    for path, text in (
        (f"{name}/__init__.py", code),
        (f"{name}/__main__.py", main),
        (f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
        (f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (f"{info}/RECORD", ""),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def wheel(folder: Path, name: str, version: str, code: str = "", main: str = "") -> None:
    """Put a wheel of such a package into a folder."""
    content = folder / name
    package(content, name, version, code, main)
    archive = shutil.make_archive(str(content), "zip", content)
    Path(archive).rename(folder / f"{name}-{version}-py3-none-any.whl")
    shutil.rmtree(content)


def script(path: Path, text: str) -> None:
    """Write an executable script."""
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def environment(folder: Path, **packages: str) -> Path:
    """A virtual environment that holds these packages and no others, not even pip."""
    venv.create(folder, symlinks=True)
    for name, version in packages.items():
        package(site_packages(folder), name, version)
    return folder


def site_packages(folder: Path) -> Path:
    """The folder of an environment's packages."""
    return next(folder.glob("lib/python*/site-packages"))


class Checkout:
    """A small copy of the repository, and the surroundings that its check.sh is run in."""

    def __init__(self, folder: Path, shop: Path) -> None:
        self.root = folder / "a 仓库"
        self.tools = folder / "tools"
        self.venv = self.root / ".venv"
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "grader" / "__main__.py").write_text(GRADER)
        (self.root / "pyproject.toml").write_text(PYPROJECT)
        self.pin("base", "click==8.2")
        self.pin("torch", "torch==2.9")
        self.pin("dev", "mypy==1.1", "pytest==8.1", "ruff==0.1")
        self.tools.mkdir()
        for name in ("cmp", "readlink", "cat", *SHELLS):
            (self.tools / name).symlink_to(str(shutil.which(name)))
        self.variables = {
            "PATH": str(self.tools),
            "HOME": str(folder),
            "GRADER_LANG": "en",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(shop),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_CACHE_DIR": "1",
        }

    def pin(self, part: str, *requirements: str) -> None:
        """Rewrite a file of requirements/."""
        (self.root / "requirements").mkdir(exist_ok=True)
        (self.root / "requirements" / f"{part}.txt").write_text("\n".join((*requirements, "")))

    def has(self, name: str, target: Path) -> None:
        """Put a command on the PATH that starts this program."""
        script(self.tools / name, f'#!/bin/sh\nexec "{target}" "$@"\n')

    def with_uv(self) -> "Checkout":
        """Put a uv on the PATH that installs from the shop, and notes that it did."""
        script(self.tools / "uv", f'#!/bin/sh\nexec "{sys.executable}" -I "$0.py" "$@"\n')
        (self.tools / "uv.py").write_text(UV)
        return self

    def uv_log(self) -> list[list[str]]:
        """What uv was asked for, run by run."""
        log = self.tools / "uv.py.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line.split()[1:] for line in lines]

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Start check.sh in the background."""
        return subprocess.Popen(
            [self.root / "check.sh", *arguments],
            env=self.variables | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, **variables: str) -> "Outcome":
        """Run check.sh to its end."""
        process = self.start(*arguments, **variables)
        return Outcome(process, *process.communicate(timeout=60))


class Outcome:
    """How a run of check.sh ended, and what it said."""

    def __init__(self, process: subprocess.Popen[str], out: str, err: str) -> None:
        self.code = process.returncode
        self.out = out
        self.err = err

    @property
    def grader(self) -> dict[str, object]:
        """What the grader says of how it was started; fails where it was not."""
        assert self.out, self.err
        answer: dict[str, object] = json.loads(self.out)
        return answer


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of wheels."""
    folder = tmp_path_factory.mktemp("shop")
    wheel(folder, "click", "8.2")
    wheel(folder, "click", "8.3")
    wheel(folder, "torch", "2.9")
    wheel(folder, "torch", "2.10", code="raise ImportError('no libgomp')")
    for name, version in (("mypy", "1.1"), ("pytest", "8.1"), ("ruff", "0.1")):
        wheel(folder, name, version, main=TOOL)
    return folder


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python whose environment holds no packages at all."""
    return environment(tmp_path_factory.mktemp("bare")) / "bin" / "python"


@pytest.fixture
def empty(tmp_path: Path, shop: Path) -> Checkout:
    """A fresh clone where there is no Python at all."""
    return Checkout(tmp_path, shop)


@pytest.fixture
def fresh(empty: Checkout, bare: Path) -> Checkout:
    """A fresh clone where ``python3`` has no packages at all."""
    empty.has("python3", bare)
    return empty


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory, shop: Path, bare: Path) -> Path:
    """A ./.venv that check.sh has made."""
    checkout = Checkout(tmp_path_factory.mktemp("complete"), shop)
    checkout.has("python3", bare)
    assert checkout.with_uv().run("p17").code == 0
    return checkout.venv


@pytest.fixture
def installed(empty: Checkout, complete: Path) -> Checkout:
    """A clone whose ./.venv is complete, and where no other Python and no uv works any more."""
    shutil.copytree(complete, empty.venv, symlinks=True)
    for name in ("uv", "python3"):
        script(empty.tools / name, f'#!/bin/sh\necho {name} >>"$0.called"; exit 1\n')
    return empty


@contextlib.contextmanager
def installing(checkout: Checkout, word: str = "p17") -> Iterator[subprocess.Popen[str]]:
    """A run of check.sh that is in the middle of an install and would be for long."""
    process = checkout.start(word, DAWDLE="60")
    deadline = time.monotonic() + 20
    while not checkout.uv_log() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert checkout.uv_log()
    yield process
    process.communicate()


def files(folder: Path) -> Mapping[str, object]:
    """Every file below a folder with its time, to see whether any was touched."""
    paths = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {str(path): path.lstat().st_mtime_ns for path in paths if not path.is_dir()}


# --- the script ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_runs_it_from_anywhere(installed: Checkout, shell: str, tmp_path: Path) -> None:
    """Whatever POSIX shell it is, the arguments arrive whole and the folder stays the user's."""
    arguments = ["p17", "--file", "a b/*.py", "", "$HOME", "中\n文"]
    answer = subprocess.check_output(
        [*by(shell), f"{installed.root}/check.sh", *arguments],
        cwd=tmp_path / "tools",
        env=installed.variables,
    )
    seen = json.loads(answer)
    assert seen["arguments"] == arguments
    assert seen["cwd"] == str(tmp_path / "tools")
    assert seen["python"] == str(installed.venv / "bin" / "python")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("place", [".", "a 仓库", "/"])
def test_relative_names(installed: Checkout, shell: str, place: str, tmp_path: Path) -> None:
    """A relative name leads to it from any folder, also where CDPATH leads to another like it."""
    decoy = tmp_path / "decoy"
    (decoy / "a 仓库").mkdir(parents=True)
    start = installed.root / ".." if place == "a 仓库" else installed.root / place
    name = os.path.relpath(installed.root / "check.sh", start)
    variables = installed.variables | {"CDPATH": str(decoy)}
    assert subprocess.check_output([*by(shell), name, "p17"], cwd=start, env=variables)


def by(shell: str) -> list[str]:
    """The command that starts a shell."""
    return ["busybox", "sh"] if shell == "busybox" else [shell]


def test_through_links(installed: Checkout, tmp_path: Path) -> None:
    """A link to a relative link to it, started by way of the PATH, finds the repository."""
    (tmp_path / "near").symlink_to("a 仓库/check.sh")
    (installed.tools / "check").symlink_to(tmp_path / "near")
    assert subprocess.check_output(["/bin/sh", "-c", "check p17"], cwd="/", env=installed.variables)


def test_it_can_be_started_and_is_short() -> None:
    """The file is executable, is for any POSIX shell, has Unix line ends, and is short."""
    content = (ROOT / "check.sh").read_bytes()
    assert content.startswith(b"#!/bin/sh\n")
    assert b"\r" not in content
    assert content.count(b"\n") < 60
    assert (ROOT / "check.sh").stat().st_mode & stat.S_IXUSR


def test_exit_code_is_the_graders(installed: Checkout) -> None:
    """The exit code of the grader comes out unchanged."""
    assert [installed.run("p17", EXIT=code).code for code in "012"] == [0, 1, 2]


def test_search_path(installed: Checkout, tmp_path: Path) -> None:
    """The user's PYTHONPATH counts, the user's folder does not: a ``torch.py`` there is no harm."""
    (tmp_path / "torch.py").write_text("raise SystemExit('the wrong torch')")
    answer = subprocess.check_output(
        [installed.root / "check.sh"], cwd=tmp_path, env=installed.variables | {"PYTHONPATH": "/x"}
    )
    path = json.loads(answer)["path"]
    assert "/x" in path
    assert str(tmp_path) not in path


def test_real_grader_ignores_modules_in_the_users_folder(tmp_path: Path) -> None:
    """The real grader starts in a folder full of files named like what it imports."""
    for name in ("torch", "click", "json", "pathlib", "grader"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('the wrong {name}')")
    command = [sys.executable, str(ROOT / "grader" / "__main__.py"), "--help"]
    assert subprocess.check_output(command, cwd=tmp_path)


def test_fast_path_probes_nothing(installed: Checkout) -> None:
    """Where ./.venv is complete, no interpreter but its own is started, and no installer."""
    assert installed.run("p17").err == ""
    assert not list(installed.tools.glob("*.called"))


def test_without_cmp(installed: Checkout) -> None:
    """Where there is no ``cmp``, a complete ./.venv is found complete all the same."""
    (installed.tools / "cmp").unlink()
    assert installed.run("p17").err == ""


def test_no_python(empty: Checkout) -> None:
    """Without any Python it says so in both languages, a line each."""
    outcome = empty.run("p17")
    assert outcome.code == 3
    zh, en = outcome.err.splitlines()
    assert "Python 3.11" in zh
    assert "Install one" in en


# --- choosing an environment ---------------------------------------------------------------------


def test_takes_what_is_there(fresh: Checkout, tmp_path: Path) -> None:
    """An environment that has what is needed is used as it is; none is made."""
    fresh.has(
        "python3.12", environment(tmp_path / "good", click="8.1.7", torch="2.4") / "bin/python"
    )
    outcome = fresh.run("p17")
    assert outcome.grader["python"] == str(tmp_path / "good/bin/python")
    assert outcome.err == ""
    assert not fresh.venv.exists()


def test_active_environment_comes_first(empty: Checkout, tmp_path: Path) -> None:
    """$VIRTUAL_ENV is preferred to the python3 on the PATH."""
    for name in ("active", "other"):
        environment(tmp_path / name, click="8.1", torch="2.4+cpu")
    empty.has("python3", tmp_path / "other/bin/python")
    outcome = empty.run("p17", VIRTUAL_ENV=str(tmp_path / "active"))
    assert outcome.grader["python"] == str(tmp_path / "active/bin/python")


def test_skips_an_old_python(fresh: Checkout, bare: Path) -> None:
    """A python3 that is too old is passed over for the next name."""
    (fresh.tools / "python3").rename(fresh.tools / "python3.13")
    pretend = "import sys; sys.version_info = (3, 10, 14); exec(sys.argv[1])"
    script(
        fresh.tools / "python3",
        f'#!/bin/sh\n[ "$1" = -c ] || exit 9\nexec "{bare}" -c "{pretend}" "$2"\n',
    )
    assert fresh.with_uv().run("p17").code == 0


def test_neighbours_are_no_standard_library(fresh: Checkout) -> None:
    """A file of the grader named like a module of the standard library is in no one's way."""
    (fresh.root / "grader" / "tomllib.py").write_text("raise SystemExit('the wrong tomllib')")
    assert fresh.with_uv().run("p17").code == 0


def test_first_on_the_path_counts(empty: Checkout, tmp_path: Path) -> None:
    """Of two versions on Python's path, the one that would be imported has to be new enough."""
    good = environment(tmp_path / "good", click="8.1", torch="2.4")
    package(tmp_path / "old", "click", "7.0")
    empty.has("python3", good / "bin/python")
    outcome = empty.with_uv().run("p17", PYTHONPATH=str(tmp_path / "old"))
    assert "lacks click>=8.1" in outcome.err


@pytest.mark.parametrize("torch", ["2.3.1", "2"])
def test_too_old_a_package_will_not_do(fresh: Checkout, tmp_path: Path, torch: str) -> None:
    """An environment with an older torch than the minimum is neither used nor lent from."""
    old = environment(tmp_path / "old", click="8.1", torch=torch)
    fresh.has("python3", old / "bin/python")
    outcome = fresh.with_uv().run("p17")
    assert "lacks torch>=2.4" in outcome.err
    assert outcome.grader["torch"] == str(site_packages(fresh.venv) / "torch/__init__.py")


def test_makes_one_and_says_so(fresh: Checkout) -> None:
    """Where nothing will do, ./.venv is made with the pinned versions; stdout stays clean."""
    outcome = fresh.with_uv().run("p17")
    assert outcome.grader["python"] == str(fresh.venv / "bin/python")
    assert outcome.grader["click"] == "8.2"
    assert str(fresh.venv) in outcome.err
    assert "200 MB" in outcome.err


def test_touches_no_other_environment(fresh: Checkout, tmp_path: Path) -> None:
    """Making ./.venv changes nothing in the environment that it is made from."""
    environment(tmp_path / "half", torch="2.5")
    before = files(tmp_path / "half")
    fresh.with_uv().run("p17", VIRTUAL_ENV=str(tmp_path / "half"))
    assert files(tmp_path / "half") == before


def test_lends_torch(fresh: Checkout, tmp_path: Path) -> None:
    """An environment with torch but little else lends its torch; ./.venv's own packages win."""
    lender = environment(tmp_path / "lender", torch="2.5", click="7.0")
    outcome = fresh.with_uv().run("p17", VIRTUAL_ENV=str(lender))
    assert outcome.grader["torch"] == str(site_packages(lender) / "torch/__init__.py")
    assert outcome.grader["click"] == "8.2"
    assert fresh.uv_log() == [["base"]]


def test_lends_torch_from_a_later_interpreter(fresh: Checkout, tmp_path: Path) -> None:
    """The interpreter that has torch is found also behind one that has none."""
    lender = environment(tmp_path / "lender", torch="2.5")
    fresh.has("python3.11", lender / "bin/python")
    fresh.with_uv().run("p17")
    assert fresh.uv_log() == [["base"]]


def test_torch_that_cannot_be_lent(fresh: Checkout, tmp_path: Path) -> None:
    """A torch that does not import from ./.venv is reported and replaced by one of its own."""
    lender = environment(tmp_path / "lender", torch="2.5")
    (site_packages(lender) / "torch/__init__.py").write_text("raise ImportError('no libcuda')")
    outcome = fresh.with_uv().run("p17", VIRTUAL_ENV=str(lender))
    assert "no libcuda" in outcome.err
    assert outcome.grader["torch"] == str(site_packages(fresh.venv) / "torch/__init__.py")


def test_lender_that_is_gone(fresh: Checkout, tmp_path: Path) -> None:
    """When the environment that lent its torch was deleted, ./.venv is made anew."""
    lender = environment(tmp_path / "lender", torch="2.5")
    fresh.with_uv().run("p17", VIRTUAL_ENV=str(lender))
    shutil.rmtree(lender)
    outcome = fresh.run("p17")
    assert outcome.grader["torch"] == str(site_packages(fresh.venv) / "torch/__init__.py")


# --- keeping ./.venv -----------------------------------------------------------------------------


def test_new_pins_are_installed(installed: Checkout) -> None:
    """When a pin has changed, only that part of ./.venv is brought up to date."""
    installed.with_uv().pin("base", "click==8.3")
    outcome = installed.run("p17", VIRTUAL_ENV=str(installed.venv))
    assert outcome.grader["click"] == "8.3"
    assert installed.uv_log() == [["base"]]


def test_moved_checkout(fresh: Checkout) -> None:
    """A checkout that was moved together with its ./.venv goes on without an install."""
    fresh.with_uv().run("p17")
    fresh.root = fresh.root.rename(fresh.root.parent / "moved")
    assert fresh.run("p17").err == ""


def test_base_interpreter_is_gone(installed: Checkout, bare: Path) -> None:
    """When the interpreter behind ./.venv was removed, ./.venv is made anew from another."""
    for link in (installed.venv / "bin").glob("python*"):
        link.unlink()
        link.symlink_to("/nowhere/python3")
    installed.with_uv().has("python3", bare)
    assert installed.run("p17").grader["python"] == str(installed.venv / "bin/python")


def test_foreign_venv_is_left_alone(fresh: Checkout) -> None:
    """A ./.venv made by hand that lacks things is not touched; the message gives both ways out."""
    environment(fresh.venv, torch="2.5")
    before = files(fresh.venv)
    outcome = fresh.with_uv().run("p17")
    assert outcome.code == 3
    assert "lacks click>=8.1" in outcome.err
    assert "Rename it" in outcome.err
    assert "-m pip install 'click>=8.1'" in outcome.err
    assert files(fresh.venv) == before


def test_foreign_venv_that_will_do(fresh: Checkout) -> None:
    """A ./.venv made by hand that has what is needed is used, though it is not active."""
    environment(fresh.venv, torch="2.5", click="8.1")
    assert fresh.run("p17").grader["python"] == str(fresh.venv / "bin/python")


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "")]
)
def test_interrupted(fresh: Checkout, number: signal.Signals, code: int, said: str) -> None:
    """An interrupted install ends its installer, and the next run starts it over."""
    fresh.with_uv()
    with installing(fresh) as process:
        process.send_signal(number)
        outcome = Outcome(process, *process.communicate(timeout=10))
    assert outcome.code == code
    assert said in outcome.err
    pid = int((fresh.tools / "uv.py.log").read_text().split()[0])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert fresh.run("p17").code == 0


def test_killed(fresh: Checkout) -> None:
    """Not even an install that was killed leaves a ./.venv that passes for complete."""
    fresh.with_uv()
    with installing(fresh) as process:
        os.killpg(process.pid, signal.SIGKILL)
    assert fresh.run("p17").grader["click"] == "8.2"


def test_killed_while_adding_extras(installed: Checkout) -> None:
    """A killed install of the extras is started over from nothing; exercises work meanwhile."""
    installed.with_uv()
    with installing(installed, "test") as process:
        os.killpg(process.pid, signal.SIGKILL)
    assert installed.run("p17").err == ""
    assert installed.run("test").code == 0
    assert installed.uv_log() == [["dev"], ["base", "torch", "dev"]]


def test_two_first_runs(fresh: Checkout) -> None:
    """Of two simultaneous first runs one installs, the other waits, and both go on to grade."""
    fresh.with_uv()
    runs = [fresh.start("p17", DAWDLE="0.5") for _ in range(2)]
    outcomes = [Outcome(run, *run.communicate(timeout=30)) for run in runs]
    assert [outcome.code for outcome in outcomes] == [0, 0]
    assert len(fresh.uv_log()) == 1
    assert sum("waiting" in outcome.err for outcome in outcomes) == 1


# --- installers ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def by_pip(
    tmp_path_factory: pytest.TempPathFactory, shop: Path, bare: Path
) -> tuple[Checkout, Outcome]:
    """A clone whose ./.venv was filled by the real pip, and how that went."""
    checkout = Checkout(tmp_path_factory.mktemp("pip"), shop)
    checkout.has("python3", bare)
    package(checkout.tools / "lib", "click", "8.2")
    variables = {"UV_FAILS": "no route to the index", "PYTHONPATH": str(checkout.tools / "lib")}
    return checkout, checkout.with_uv().run("p17", **variables)


def test_pip_where_uv_fails(by_pip: tuple[Checkout, Outcome]) -> None:
    """Where uv cannot install, it is said why, and pip installs the pins, PYTHONPATH or not."""
    checkout, outcome = by_pip
    assert "no route to the index" in outcome.err
    assert "going on with pip" in outcome.err
    assert outcome.code == 0
    assert (site_packages(checkout.venv) / "click-8.2.dist-info").is_dir()


def test_pip_fails(by_pip: tuple[Checkout, Outcome]) -> None:
    """Where pip fails too, its own words and the remedy are shown, and nothing is spoilt."""
    checkout, _ = by_pip
    checkout.pin("base", "click==8.99")
    outcome = checkout.run("p17", UV_FAILS="no route to the index")
    assert outcome.code == 3
    assert "No matching distribution found for click==8.99" in outcome.err
    assert "run this again" in outcome.err
    checkout.pin("base", "click==8.2")
    assert checkout.run("p17").err == ""


def test_extras_that_cannot_be_had(installed: Checkout) -> None:
    """When the extras cannot be had, exercises can be checked, and only the extras are missing."""
    package(site_packages(installed.venv), "pip", "1", main="raise SystemExit('no network')")
    outcome = installed.run("test")
    assert outcome.code == 3
    assert "no network" in outcome.err
    assert installed.run("p17").err == ""
    assert installed.with_uv().run("test").code == 0
    assert installed.uv_log() == [["dev"]]


def test_disk_full(fresh: Checkout) -> None:
    """A full disk is called that, with the space needed, instead of a failure of the network."""
    outcome = fresh.with_uv().run("p17", UV_FAILS="error: No space left on device (os error 28)")
    assert outcome.code == 3
    assert "1.2 GB" in outcome.err
    assert "going on with pip" not in outcome.err


def test_torch_that_does_not_import(fresh: Checkout) -> None:
    """A torch that was installed but cannot be imported is an error of the environment."""
    fresh.with_uv().pin("torch", "torch==2.10")
    outcome = fresh.run("p17")
    assert outcome.code == 3
    assert "no libgomp" in outcome.err


def drop_root() -> None:
    """Give up what lets root write to read-only folders, for the program started next."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def test_read_only_checkout(fresh: Checkout) -> None:
    """In a checkout that cannot be written to it is said what could not be written, and why."""
    fresh.root.chmod(0o555)
    answer = subprocess.run(
        [fresh.root / "check.sh", "p17"],
        env=fresh.variables,
        preexec_fn=drop_root,
        capture_output=True,
        text=True,
        check=False,
    )
    fresh.root.chmod(0o755)
    assert answer.returncode == 3
    assert f"cannot write {fresh.venv}: Permission denied" in answer.stderr
    assert "Copy the whole folder" in answer.stderr


def test_no_ensurepip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where Python was shipped without ensurepip, the message names Debian's package."""
    environment(tmp_path)
    monkeypatch.setattr(install, "VENV", tmp_path)
    monkeypatch.setattr(install, "PYTHON", tmp_path / "bin/python")
    monkeypatch.setattr(install, "run", lambda command: "ensurepip" not in command)
    (tmp_path / "bin/python").unlink()
    (tmp_path / "bin/python").symlink_to("/usr/bin/python3.12")
    with pytest.raises(words.Refusal) as refused:
        install.fetch(["base"])
    assert "apt install python3.12-venv" in words.text(refused.value.id, **refused.value.params)


@pytest.mark.parametrize(
    ("system", "with_uv", "said"),
    [
        (("Linux", "x86_64"), False, "3 GB. For the CPU build of about 200 MB"),
        (("Linux", "x86_64"), True, "about 100 to 200 MB"),
        (("Darwin", "arm64"), False, "about 100 to 200 MB"),
    ],
)
def test_size_is_told_first(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    system: tuple[str, str],
    with_uv: bool,
    said: str,
) -> None:
    """Before a download its size is told: CUDA's where pip would fetch that, else the CPU's."""
    name, machine = system
    monkeypatch.setenv("GRADER_LANG", "en")
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((name, "", "", "", machine)))
    install.announce(["base", "torch"], with_uv=with_uv)
    assert said in capsys.readouterr().err


# --- `test` and `all` ----------------------------------------------------------------------------


def test_test(installed: Checkout) -> None:
    """``test`` adds the development extras, then runs pytest in the root with what follows."""
    outcome = installed.with_uv().run("test", "-k", "a b")
    assert outcome.out.strip() == f"pytest -k a b in {installed.root}"
    assert installed.uv_log() == [["dev"]]
    assert installed.run("test", FAIL="pytest").code == 1


@pytest.mark.parametrize(
    ("failing", "closing"), [("", "5 passed, 0 failed"), ("ruff mypy", "2 passed, 3 failed")]
)
def test_all(installed: Checkout, failing: str, closing: str) -> None:
    """``all`` goes through every check, past those that fail, and sums up in the exit code."""
    outcome = installed.with_uv().run("all", FAIL=failing)
    lines = outcome.out.splitlines()
    ran = [line.removeprefix("== ") for line in lines if line.startswith("== ")]
    assert ran == list(front.CHECKS)
    assert lines[-1] == closing
    assert outcome.code == (1 if failing else 0)
    assert outcome.out.count("FAILED") == (3 if failing else 0)


def test_some_of_all(installed: Checkout) -> None:
    """``all`` runs the checks that are named, where some are."""
    outcome = installed.with_uv().run("all", "ruff", "mypy")
    ran = [line.removeprefix("== ") for line in outcome.out.splitlines() if line.startswith("== ")]
    assert ran == ["ruff format --check .", "ruff check .", "mypy"]
    assert outcome.out.splitlines()[-1] == "3 passed, 0 failed"


# --- words ---------------------------------------------------------------------------------------


def setup_ids() -> set[str]:
    """The ids of all that bootstrap says, by what its code calls."""
    pattern = re.compile(r"""(?:say|text|Refusal)\(\s*"(\w+)\"""")
    files = (ROOT / "grader" / "bootstrap").glob("*.py")
    return {id for file in files for id in pattern.findall(file.read_text("utf-8"))}


@pytest.mark.parametrize("id", sorted(setup_ids() | {"passed", "failed"}))
def test_messages(id: str) -> None:
    """Every message is there in both languages."""
    chinese, english = (Translator(language)(f"setup.{id}") for language in LANGUAGES)
    assert re.search(r"[\u4e00-\u9fff]", chinese)
    assert not re.search(r"[\u4e00-\u9fff]|^setup", english)


@pytest.mark.parametrize(
    ("arguments", "variables", "language"),
    [
        (["p17", "--lang=en"], {"LANG": "zh_CN.UTF-8"}, "en"),
        (["p17"], {"GRADER_LANG": "en"}, "en"),
        (["p17"], {"LC_ALL": "C"}, "zh"),
    ],
)
def test_language(
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variables: dict[str, str],
    language: str,
) -> None:
    """check.sh speaks the language that the grader itself would choose."""
    for name in ("GRADER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["check.sh", *arguments])
    assert words.text("waiting") == Translator(language)("setup.waiting", venv=str(places.VENV))


def test_examples() -> None:
    """The examples in bootstrap's docstrings hold."""
    assert doctest.testmod(interpreters).failed == 0


# --- what is installed ---------------------------------------------------------------------------


def pins(part: str) -> dict[str, str]:
    """A file of requirements/, as name -> version. Fails for a line that is no exact pin."""
    text = (ROOT / "requirements" / f"{part}.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [re.fullmatch(r"([a-z0-9-]+)==([0-9][0-9a-z.]*)", line) for line in lines]
    assert all(found), lines
    return {match[1]: match[2] for match in found if match}


def needs(name: str) -> Iterator[Requirement]:
    """What an installed package needs on this machine."""
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        if not requirement.marker or requirement.marker.evaluate({"extra": ""}):
            yield requirement


def test_pins_are_complete() -> None:
    """What a pinned package needs is pinned too, in the same file or one that goes before it."""
    base, torch, dev = pins("base"), pins("torch"), pins("dev")
    assert not base.keys() & torch.keys() | base.keys() & dev.keys() | torch.keys() & dev.keys()
    for part, within in ((base, base), (torch, base | torch), (dev, base | torch | dev)):
        for name in part:
            missing = {n.name.lower().replace("_", "-") for n in needs(name)} - within.keys()
            # A CUDA build of torch pins its own CUDA packages, exactly.
            assert name == "torch" or not missing, (name, missing)


@pytest.mark.parametrize("requirement", interpreters.wanted(places.DEV))
def test_pins_meet_the_minimum(requirement: str) -> None:
    """Every requirement of pyproject.toml is pinned, at a version that meets it."""
    pinned = pins("base") | pins("torch") | pins("dev")
    asked = Requirement(requirement)
    assert pinned[asked.name] in asked.specifier
