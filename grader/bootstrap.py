"""Finds or makes a Python environment that has what the grader needs, and starts the grader in it.

check.sh comes here whenever ./.venv is not known to be complete, and for ``test`` and ``all``.
Nothing is installed yet at that time, so this file lives on the standard library alone and on no
other file of the grader. An environment that someone else made is used as it is or not at all.

What this file remembers of the environment that it makes is in ``.venv/ready/``::

    base.txt torch.txt dev.txt   copies of the requirements that were installed
    torch                        a link to the torch in use; made last
    unfinished                   stands while an install is under way
    lock                         held by the run that installs
"""

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
READY = VENV / "ready"
TORCH = READY / "torch"
UNFINISHED = READY / "unfinished"

#: Files of requirements/, without their ending.
BASE = ("base", "torch")
DEV = ("base", "torch", "dev")

#: Where to look for interpreters besides $VIRTUAL_ENV, in this order, as check.sh does.
NAMES = ("python3", "python", "python3.11", "python3.12", "python3.13", "python3.14")

#: The newest Python that the pinned torch has builds for.
NEWEST = (3, 14)

#: What `all` runs, each as ``python -m …`` in the root.
CHECKS = ("ruff format --check .", "ruff check .", "mypy", "pytest", "grader validate p17")

FAILED = 3
INTERRUPTED = 130

#: What is said to a person: what was wrong or is going on, where, and what to do next.
MESSAGES = {
    "make": {
        "zh": "没有一个 Python 环境装齐了所需的包（{python} 缺 {lacks}），所以在 {venv} 新建一个，"
        "里面装固定的版本；别的环境都不会改动。",
        "en": "no Python environment here has all that is needed ({python} lacks {lacks}), so one"
        " is made in {venv}, with pinned versions. No other environment is changed.",
    },
    "update": {
        "zh": "{venv} 里的包和 requirements/ 不一致，正在补齐。",
        "en": "{venv} does not match requirements/ yet; bringing it up to date.",
    },
    "small": {
        "zh": "即将下载约 {size} MB 的包。",
        "en": "about {size} MB of packages will be downloaded.",
    },
    "torch": {
        "zh": "即将下载 torch，约 100 到 200 MB；Linux 上有 NVIDIA 显卡时是 CUDA 版，约 3 GB。",
        "en": "torch will be downloaded, about 100 to 200 MB; on Linux with an NVIDIA GPU it is a"
        " CUDA build of about 3 GB.",
    },
    "torch_cuda": {
        "zh": "即将下载 torch。pip 在 Linux x86_64 上默认拿到的版本带 CUDA，约 3 GB。只想要约"
        " 200 MB 的 CPU 版：按 Ctrl-C 停下，先装 uv（例如 pipx install uv），再运行一次。",
        "en": "torch will be downloaded. What pip gets by default on Linux x86_64 carries CUDA,"
        " about 3 GB. For the CPU build of about 200 MB, stop with Ctrl-C, install uv first (for"
        " example pipx install uv) and run this again.",
    },
    "borrow": {
        "zh": "直接使用 {folder} 里已有的 torch，不再下载。",
        "en": "using the torch that is already in {folder}; it is not downloaded again.",
    },
    "borrow_failed": {
        "zh": "{folder} 里的 torch 无法在 {venv} 里导入（原因见上），改为另装一份。",
        "en": "the torch in {folder} cannot be imported from {venv} (see above); installing"
        " another one.",
    },
    "uv_failed": {
        "zh": "uv 没能装好（原因见上），改用 pip。",
        "en": "uv could not install (see above); going on with pip.",
    },
    "waiting": {
        "zh": "另一个 check.sh 正在往 {venv} 里安装，等它结束……",
        "en": "another check.sh is installing into {venv}; waiting for it to end …",
    },
    "done": {
        "zh": "环境已就绪，以后会直接开始。",
        "en": "the environment is ready; from now on this starts at once.",
    },
    "interrupted": {
        "zh": "安装中断了。再运行一次就会重新装好，已下载的文件会再用。",
        "en": "the install was interrupted. Run this again to start it over; files already"
        " downloaded are used again.",
    },
    "foreign": {
        "zh": "{venv} 不是 check.sh 建的，又缺 {lacks}，所以没有动它。请给它改名或移走，"
        "再运行一次；或者自己往里面装：{command}",
        "en": "{venv} was not made by check.sh and lacks {lacks}, so it is left alone. Rename it"
        " and run this again, or install into it yourself: {command}",
    },
    "no_venv": {
        "zh": "{python} 不能建虚拟环境（原因见上）。Debian、Ubuntu：sudo apt install {package}；"
        "其他系统：装 uv，或换一个带 venv 和 ensurepip 的 Python。然后再运行一次。",
        "en": "{python} cannot make a virtual environment (see above). On Debian or Ubuntu: sudo"
        " apt install {package}. Elsewhere: install uv, or a Python that has venv and ensurepip."
        " Then run this again.",
    },
    "install_failed": {
        "zh": "往 {venv} 里安装失败（最后几行见上）。请检查网络和代理，再运行一次；已下载的不会丢。"
        "如果上面说某个包没有适合这个 Python 的版本，请装 Python 3.11 到 3.14 之一。",
        "en": "installing into {venv} failed (the last lines are above). Check the network and the"
        " proxy, then run this again; what was downloaded is not lost. If a package is said to"
        " have no build for this Python, install one of Python 3.11 to 3.14.",
    },
    "torch_broken": {
        "zh": "{venv} 里的 torch 装好了却无法导入（原因见上）。请补上所缺的东西，再运行一次。",
        "en": "the torch in {venv} is installed but cannot be imported (see above). Supply what is"
        " said to be missing and run this again.",
    },
    "disk_full": {
        "zh": "磁盘满了，没能装进 {venv}。请腾出空间再运行一次：CPU 版 torch 需要约 1.2 GB，"
        "CUDA 版约 8 GB；临时文件在 {temporary}（可用 TMPDIR 换到别处）。",
        "en": "the disk is full, so {venv} could not be filled. Make room and run this again: the"
        " CPU build of torch takes about 1.2 GB, a CUDA build about 8 GB. Temporary files are in"
        " {temporary} (TMPDIR moves them).",
    },
    "unwritable": {
        "zh": "写不了 {path}：{reason}。请把整个文件夹复制到可写的地方再运行；"
        "或者先激活一个装齐了 {lacks} 的环境。",
        "en": "cannot write {path}: {reason}. Copy the whole folder to where you may write and run"
        " it there, or activate an environment that has {lacks}.",
    },
    "passed": {"zh": "通过  {check}", "en": "ok      {check}"},
    "failed": {
        "zh": "失败  {check}    单独重跑：{command}",
        "en": "FAILED  {check}    to run it alone: {command}",
    },
}


class Refusal(Exception):
    """There is no environment to be had. Carries the id of a message and what it needs."""

    def __init__(self, id: str, **params: object) -> None:
        self.id = id
        self.params = params
        super().__init__(id)


class Package(NamedTuple):
    """An installed package: its version and the folder that it lies in."""

    version: str
    folder: str


class Interpreter(NamedTuple):
    """What there is to know of one interpreter.

    Attributes:
        path: what starts it.
        prefix: the environment that it belongs to.
        base: the interpreter that this environment was made from; itself, if it was not.
        version: as in (3, 11).
        lacks: what its environment lacks, such as ``click>=8.1``.
        torch: the folder that holds a torch good enough to lend; empty if none does.
    """

    path: str
    prefix: str
    base: str
    version: Sequence[int]
    lacks: Sequence[str]
    torch: str


def main(arguments: list[str]) -> int:
    """Become the grader, with these arguments, or say why not. Returns an exit code."""
    # As an exception, so that an installer under way is ended too.
    signal.signal(signal.SIGTERM, _terminated)
    word = arguments[0] if arguments else ""
    try:
        python = environment(DEV if word in ("test", "all") else BASE)
        if word == "all":
            return check_all(python)
        become(python, arguments)
    except Refusal as refusal:
        say(refusal.id, **refusal.params)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _terminated(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def become(python: str, arguments: list[str]) -> NoReturn:
    """Turn into the grader or pytest, so that signals go to it and its exit code is ours."""
    command = [python, str(ROOT / "grader" / "__main__.py"), *arguments]
    if arguments[:1] == ["test"]:
        os.chdir(ROOT)
        command = [python, "-m", "pytest", *arguments[1:]]
    os.execv(python, command)  # noqa: S606 - without a shell is what is meant


def check_all(python: str) -> int:
    """Run every check, also past one that fails, and sum up. Returns 1 if any failed."""
    failed = 0
    summary = []
    for check in CHECKS:
        command = [python, "-m", *check.split()]
        print(f"\n== {check}", flush=True)
        passed = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
        failed += not passed
        outcome = "passed" if passed else "failed"
        summary.append(text(outcome, check=check, command=" ".join(command)))
    print("", *summary, f"\n{len(CHECKS) - failed} passed, {failed} failed", sep="\n")
    return int(failed > 0)


# --- words ---------------------------------------------------------------------------------------


def say(id: str, **params: object) -> None:
    """Put a message on stderr: stdout is the grader's, it may be JSON."""
    print(f"check.sh: {text(id, **params)}", file=sys.stderr, flush=True)


def text(id: str, **params: object) -> str:
    """A message in the reader's language."""
    return MESSAGES[id][language(sys.argv[1:], os.environ)].format(venv=VENV, **params)


def language(arguments: Iterable[str], variables: Mapping[str, str]) -> str:
    """``zh`` or ``en``, chosen as the grader itself does: --lang, GRADER_LANG, the locale, zh.

    >>> language([], {"LANG": "en_US.UTF-8"}), language([], {"LANG": "C.UTF-8"})
    ('en', 'zh')
    """
    option = re.search(r"--lang[=\0](\w+)", "\0".join(arguments))
    for wish in (option and option[1], variables.get("GRADER_LANG")):
        if wish in ("zh", "en"):
            return wish
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        code = re.split(r"[._@-]", variables.get(name, ""))[0]
        if code not in ("", "C", "POSIX"):
            return "zh" if code == "zh" else "en"
    return "zh"


# --- finding an environment ----------------------------------------------------------------------


def environment(parts: Sequence[str]) -> str:
    """The interpreter of an environment that has ``parts`` of requirements/.

    ./.venv if it is complete, else an interpreter at hand that has what pyproject.toml asks for,
    else ./.venv, made complete.

    Raises:
        Refusal: neither is there, and none could be made.
    """
    if ready(parts):
        return str(PYTHON)
    found = []
    for interpreter in interpreters(parts):
        if not interpreter.lacks:
            return interpreter.path
        found.append(interpreter)
    try:
        prepare(found, parts)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise _disk_full() if full else _unwritable(error, parts) from error
    except KeyboardInterrupt:
        say("interrupted")
        raise
    return str(PYTHON)


def _unwritable(error: OSError, parts: Sequence[str]) -> Refusal:
    path = error.filename or VENV
    return Refusal("unwritable", path=path, reason=error.strerror, lacks=" ".join(wanted(parts)))


def ready(parts: Sequence[str]) -> bool:
    """Whether ./.venv holds ``parts`` at the versions that are pinned now."""
    return sound() and not stale(parts)


def sound() -> bool:
    """Whether ./.venv is one that this file once completed, and still works.

    The link to torch is dangling when an environment that lent its torch is gone.
    """
    return os.access(PYTHON, os.X_OK) and TORCH.is_dir() and not UNFINISHED.exists()


def stale(parts: Iterable[str]) -> list[str]:
    """Those of ``parts`` that are not installed as they are pinned now."""
    return [part for part in parts if _read(READY, part) != _read(ROOT / "requirements", part)]


def _read(folder: Path, part: str) -> bytes:
    try:
        return (folder / f"{part}.txt").read_bytes()
    except FileNotFoundError:
        return b""


def interpreters(parts: Sequence[str]) -> Iterator[Interpreter]:
    """The interpreters at hand that are new enough; first, this one."""
    yield inspect(parts)
    active = Path(os.environ.get("VIRTUAL_ENV", VENV), "bin", "python")
    for name in (str(PYTHON), str(active), *NAMES):
        path = shutil.which(name)
        other = ask(path, parts) if path else None
        if other:
            yield other


def ask(path: str, parts: Sequence[str]) -> Interpreter | None:
    """``inspect`` by another interpreter; None if it is too old or does not work."""
    question = (
        "import json, runpy, sys;"
        "print(json.dumps(runpy.run_path(sys.argv[1])['inspect'](sys.argv[2:])))"
    )
    command = [path, "-P", "-c", question, __file__, *parts]
    try:
        answer = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=20
        )
        return Interpreter(*json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return None


def inspect(parts: Sequence[str]) -> Interpreter:
    """What the running interpreter is and has. Imports nothing of what it looks for."""
    packages = {} if _is_ours(sys.prefix) else installed()
    lacks = [requirement for requirement in wanted(parts) if not meets(packages, requirement)]
    torch = packages["torch"].folder if "torch" in packages else ""
    lends = not any(requirement.startswith("torch>") for requirement in lacks)
    return Interpreter(
        path=sys.executable,
        prefix=sys.prefix,
        base=_base(),
        version=sys.version_info[:2],
        lacks=lacks,
        torch=torch if lends and Path(torch, "torch").is_dir() else "",
    )


def _is_ours(prefix: str) -> bool:
    """Whether this is the ./.venv made here. It is as good as what it remembers, no better."""
    return READY.is_dir() and Path(prefix).resolve() == VENV.resolve()


def _base() -> str:
    """By its full name (python3.11), which a newer Python put in its place will not bear."""
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return str(base) if base.exists() else str(Path(sys.executable).resolve())


def installed() -> dict[str, Package]:
    """What can be imported, by the names of the folders that describe it.

    importlib.metadata says the same, but importing it takes longer than all the rest here.
    """
    packages = {}
    for folder in reversed(sys.path):  # of two, the first on the path is the one imported
        for info in Path(folder).glob("*.*-info"):
            name, _, version = info.name.removesuffix(info.suffix).partition("-")
            packages[re.sub(r"[._]", "-", name).lower()] = Package(version, folder)
    return packages


def wanted(parts: Sequence[str]) -> list[str]:
    """pyproject.toml's own requirements, such as ``click>=8.1``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]["dev"] if "dev" in parts else []
    return [*project["dependencies"], *extras]


def meets(packages: Mapping[str, Package], requirement: str) -> bool:
    """Whether a requirement of the form ``name>=version`` is met.

    >>> meets({"torch": Package("2.13.0+cpu", "")}, "torch>=2.4")
    True
    """
    name, _, minimum = requirement.partition(">=")
    return name in packages and _release(packages[name].version) >= _release(minimum)


def _release(version: str) -> list[int]:
    leading = re.match(r"[\d.]*", version)
    return [int(number) for number in re.findall(r"\d+", leading[0] if leading else "")]


# --- making ./.venv ------------------------------------------------------------------------------


def prepare(found: Sequence[Interpreter], parts: Sequence[str]) -> None:
    """Make ./.venv complete, or wait until another run has done so.

    Raises:
        Refusal: it belongs to someone else, or could not be completed.
    """
    if VENV.is_dir() and any(VENV.iterdir()) and not READY.is_dir():
        raise _foreign(found, parts)
    READY.mkdir(parents=True, exist_ok=True)
    with lock():
        if not ready(parts):
            build(found, parts)
            say("done")


def _foreign(found: Sequence[Interpreter], parts: Sequence[str]) -> Refusal:
    theirs = [one.lacks for one in found if Path(one.prefix).resolve() == VENV.resolve()]
    lacks = theirs[0] if theirs else wanted(parts)
    quoted = " ".join(f"'{requirement}'" for requirement in lacks)
    command = f"'{PYTHON}' -m pip install {quoted}"
    return Refusal("foreign", lacks=", ".join(lacks), command=command)


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """Only one run installs at a time. The system lets go of it however that run ends."""
    with (READY / "lock").open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def build(found: Sequence[Interpreter], parts: Sequence[str]) -> None:
    """Bring ./.venv to the pinned versions: a sound one as it is, any other from the ground up."""
    lender = ""
    if sound():
        say("update")
    else:
        lender = create(found)
    borrowed = bool(lender) or _borrowed().exists()
    UNFINISHED.touch()
    try:
        fetch([part for part in stale(parts) if part != "torch" or not borrowed])
    except Refusal:
        UNFINISHED.unlink()  # both installers change nothing until all is downloaded
        raise
    if lender and not borrow(lender):
        fetch(["torch"])
    finish(parts)


def create(found: Sequence[Interpreter]) -> str:
    """Make ./.venv anew, empty. Returns the folder that will lend its torch, or an empty string."""
    origin = max(found, key=lambda one: (bool(one.torch), tuple(one.version) <= NEWEST))
    say("make", python=found[0].path, lacks=", ".join(found[0].lacks))
    for path in (*VENV.iterdir(), *READY.iterdir()):
        if path.is_dir() and not path.is_symlink() and path != READY:
            shutil.rmtree(path)
        elif path not in (READY, READY / "lock"):
            path.unlink()
    # pip comes later, where it is needed: that takes seconds, and Debian leaves it out.
    if not run([origin.base, "-I", "-m", "venv", "--without-pip", str(VENV)]):
        raise _no_venv(origin.base)
    return origin.torch


def _no_venv(python: str) -> Refusal:
    return Refusal("no_venv", python=python, package=f"{Path(python).name}-venv")


def fetch(parts: Sequence[str]) -> None:
    """Install ``parts`` of requirements/ into ./.venv, with uv if it is there and works, or pip.

    Raises:
        Refusal: pip could not, or the disk is full.
    """
    files = [f"--requirement={ROOT / 'requirements' / part}.txt" for part in parts]
    uv = shutil.which("uv")
    announce(parts, with_uv=bool(uv))
    if uv:
        if run([uv, "pip", "install", f"--python={PYTHON}", "--torch-backend=auto", *files]):
            return
        say("uv_failed")
    # -I: packages on the user's PYTHONPATH must not pass for installed ones.
    python = [str(PYTHON), "-I", "-m"]
    if not (_packages() / "pip").is_dir() and not run([*python, "ensurepip"]):
        raise _no_venv(str(PYTHON.readlink()))
    options = ["--no-user", "--no-input", "--disable-pip-version-check"]
    if not run([*python, "pip", "install", *options, *files]):
        raise Refusal("install_failed")


def announce(parts: Sequence[str], *, with_uv: bool) -> None:
    """Say about how much will be downloaded. The sizes are those of the pinned versions."""
    machine = os.uname()
    if "torch" not in parts:
        say("small", size=40 if "dev" in parts else 5)
    elif not with_uv and (machine.sysname, machine.machine) == ("Linux", "x86_64"):
        say("torch_cuda")
    else:
        say("torch")


def run(command: Sequence[str]) -> bool:
    """Run an installer, showing what it says. Returns whether it succeeded.

    Its stdout is passed straight to our stderr, which keeps pip's progress bars.

    Raises:
        Refusal: it failed for lack of space.
    """
    full = False
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=subprocess.PIPE
    ) as child:
        try:
            for line in child.stderr or ():
                full |= b"No space left" in line or b"quota exceeded" in line
                sys.stderr.write(line.decode("utf-8", "replace"))
        except BaseException:
            child.terminate()
            child.wait()
            raise
    if child.returncode and full:
        raise _disk_full()
    return child.returncode == 0


def _disk_full() -> Refusal:
    return Refusal("disk_full", temporary=os.environ.get("TMPDIR", "/tmp"))  # noqa: S108 - named


def borrow(folder: str) -> bool:
    """Let ./.venv see the torch in ``folder``. Returns whether it can be imported from there.

    The folder goes to the end of the path, so that ./.venv's own packages win.
    """
    say("borrow", folder=folder)
    _borrowed().write_text(f"{folder}\n", "utf-8")
    if torch_home():
        return True
    _borrowed().unlink()
    say("borrow_failed", folder=folder)
    return False


def _borrowed() -> Path:
    return _packages() / "borrowed-torch.pth"


def _packages() -> Path:
    return next(VENV.glob("lib/python*/site-packages"))


def torch_home() -> str:
    """The folder of the torch that ./.venv imports; empty, with the reason shown, if it can't."""
    question = "import torch; print(torch.__path__[0])"
    command = [str(PYTHON), "-I", "-W", "ignore", "-c", question]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def finish(parts: Iterable[str]) -> None:
    """Try torch once, then remember what was installed; the link to torch comes last."""
    home = torch_home()
    if not home:
        raise Refusal("torch_broken")
    for part in parts:
        shutil.copyfile(ROOT / "requirements" / f"{part}.txt", READY / f"{part}.txt")
    UNFINISHED.unlink()
    TORCH.unlink(missing_ok=True)
    # Relative within ./.venv, so that the whole folder can be moved.
    TORCH.symlink_to(os.path.relpath(home, READY) if Path(home).is_relative_to(VENV) else home)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
