"""Where Python and its libraries lie: what a Python subject imports from, and has to read."""

import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.subject.system import LIBRARIES

_ROOT = Path(__file__).resolve().parents[3]


def search_path(preload: Sequence[str]) -> list[str]:
    """This interpreter's ``sys.path`` for a subject: the installed libraries and no other folder.

    Left out are the project, script folders and what ``PYTHONPATH`` adds, but for folders that a
    library to be imported lies in.
    """
    installed = [
        *sysconfig.get_paths().values(), *site.getsitepackages(), site.getusersitepackages(),
        f"{sys.base_prefix}/{sys.platlibdir}", *_homes(preload),
    ]  # fmt: skip
    roots = [Path(folder).resolve() for folder in installed]
    kept = []
    for entry in filter(None, sys.path):
        folder = Path(entry).resolve()
        if folder not in (_ROOT, _ROOT / "grader") and any(map(folder.is_relative_to, roots)):
            kept.append(entry)
    return kept


def readable(search_path: Sequence[str]) -> list[str]:
    """What a subject has to read, to import what lies on its search path."""
    found = [*search_path, sysconfig.get_path("stdlib"), *LIBRARIES, *_folders_of_libraries()]
    found += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return sorted({str(Path(path).absolute()) for path in found if path and Path(path).exists()})


def _homes(modules: Sequence[str]) -> Iterator[str]:
    """The folders that modules lie in, without importing them."""
    for name in modules:
        spec = importlib.util.find_spec(name.partition(".")[0])
        if spec is not None and spec.origin is not None:
            file = Path(spec.origin)
            yield str(file.parents[1 if spec.submodule_search_locations is not None else 0])


def _folders_of_libraries() -> Iterator[str]:
    """The folders of the C libraries that this process has loaded, Linux only."""
    maps = Path("/proc/self/maps")
    if maps.exists():
        for line in maps.read_text("utf-8", "surrogateescape").splitlines():
            path = line.partition("/")[2]
            if ".so" in path:
                yield str(Path("/", path).parent)
