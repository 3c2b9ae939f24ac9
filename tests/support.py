"""What several test modules use: small submissions, tensors by way of torch, processes found."""

import ctypes
import os
import shutil
import textwrap
import warnings
from pathlib import Path
from typing import Any

from hypothesis import settings

from grader.exercise import Exercise, Project
from grader.submission import Submission
from grader.tensor import Tensor

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch says that there is no NumPy, which nothing here needs
    import torch

# How long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parents[1]
TINY = ROOT / "tests" / "tiny"


# --- submissions ---------------------------------------------------------------------------------


def runner(
    run: str = "return x", *, init: str = "pass", top: str = "", more: str = ""
) -> Submission:
    """A submission to P17 whose methods do what a test wants.

    Args:
        run: the body of ``run``.
        init: the body of ``__init__``.
        top: statements before the class.
        more: further members of the class.
    """
    lines = [
        "import torch",
        top,
        "class GraphRunner:",
        "    def __init__(self, fn, buckets, hidden, dtype=torch.float32):",
        _indented(init, 8),
        "    def capture(self):",
        "        pass",
        "    def run(self, x, force_eager=False):",
        _indented(run, 8),
        _indented(more, 4),
    ]
    return Submission("my.py", "python", "\n".join(lines).encode("utf-8", "surrogatepass"))


def stack_of(expression: str, *, top: str = "") -> Submission:
    """A submission to the tiny exercise: what is popped is what an expression gives."""
    return stack_doing(f"return {expression}", top=top)


def stack_doing(body: str, *, top: str = "") -> Submission:
    """A submission to the tiny exercise whose ``pop`` does what a test wants."""
    lines = [
        top,
        "class Stack:",
        "    def push(self, item):",
        "        self.item = item",
        "    def pop(self):",
        _indented(body, 8),
    ]
    return Submission("my.py", "python", "\n".join(lines).encode())


def line_of(submission: Submission, text: str) -> int:
    """The number of the first line that holds a text, from 1."""
    lines = submission.source.decode().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if text in line)


def _indented(text: str, columns: int) -> str:
    return textwrap.indent(textwrap.dedent(text), " " * columns)


# --- exercises -----------------------------------------------------------------------------------


def copy_of_tiny(folder: Path) -> Exercise:
    """The tiny exercise in a copy of its project, to be changed."""
    shutil.copytree(TINY, folder / "tiny")
    return Project(folder / "tiny").exercise("stack")


# --- tensors -------------------------------------------------------------------------------------


def bytes_of(x: torch.Tensor) -> bytes:
    """The elements of a tensor as they lie in memory, row by row."""
    x = x.contiguous()
    return ctypes.string_at(x.data_ptr(), x.numel() * x.element_size())


def value_of(x: torch.Tensor) -> Tensor:
    """The value of a tensor of torch's."""
    return Tensor(str(x.dtype).removeprefix("torch."), tuple(x.shape), bytes_of(x))


def torch_of(value: Tensor) -> torch.Tensor:
    """A tensor of torch's with a value."""
    dtype = getattr(torch, value.dtype)
    if not value.data:
        return torch.empty(value.shape, dtype=dtype)
    return torch.frombuffer(bytearray(value.data), dtype=dtype).reshape(value.shape)


# --- processes and descriptors ---------------------------------------------------------------------


def processes_at_home_in(folder: Path) -> list[int]:
    """The processes whose HOME, when they were started, lay in a folder; zombies are left out."""
    return [pid for pid in _all_processes() if f"HOME={folder}/".encode() in _environment_of(pid)]


def all_written(terminal: int) -> bytes:
    """What is written to a pseudo-terminal until its other end is closed; ours is, then."""
    written = b""
    try:
        while data := os.read(terminal, 65536):
            written += data
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    return written


def descriptors() -> int:
    """How many files, pipes and sockets this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def _all_processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _environment_of(pid: int) -> bytes:
    """What a process was started with; nothing where it has gone meanwhile."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def without_places(value: Any) -> Any:
    """A value of the protocol without the places in memory that tensors happen to lie at."""
    if isinstance(value, list):
        return [without_places(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: without_places(item) for name, item in value.items() if name != "storage"}
