"""One pytest session over an exercise's checks, shut off from everything around it."""

import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from grader.checks.plugin import GradingPlugin
from grader.errors import ExerciseError

#: No cache, no settings but ours, no plugins but what is needed: what others do before and after
#: every session and every case takes longer than a case.
_ARGUMENTS = (
    "-c", str(Path(__file__).parent / "pytest.ini"),
    "--import-mode=importlib", "--assert=plain", "--capture=no", "-q",
    *(
        word
        for name in (
            "cacheprovider", "debugging", "doctest", "faulthandler", "junitxml", "logging",
            "pastebin", "setuponly", "setupplan", "stepwise", "threadexception", "tmpdir",
            "unittest", "unraisableexception", "monkeypatch", "recwarn", "warnings",
        )
        for word in ("-p", f"no:{name}")
    ),
    "-p", "pytest_jsonreport.plugin",
    "--json-report", "--json-report-file=none",
    "--json-report-omit", "collectors", "log", "streams", "warnings", "keywords", "traceback",
)  # fmt: skip

#: How a user may change what pytest does.
_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_CURRENT_TEST")
_NO_AUTOLOAD = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"

#: Characters of what pytest said that a message shows.
_SHOWN = 2000


def run(files: Sequence[Path], plugin: GradingPlugin) -> None:
    """Run check files, all in one folder; what comes of it is in the plugin.

    Raises:
        ExerciseError: they cannot be collected, or the reference failed.
        KeyboardInterrupt: somebody pressed Ctrl-C.
    """
    folder = files[0].parent
    # A check's module is named after its path below the root, and kept under that name: two
    # exercises may have checks of one name, so the root is that of the file system.
    where = ("--rootdir", folder.anchor, "--confcutdir", str(folder))
    said = io.StringIO()
    with _alone(), contextlib.redirect_stdout(said):
        pytest.main([*map(str, files), *_ARGUMENTS, *where], plugins=[plugin])
    if plugin.interrupted:
        raise KeyboardInterrupt  # pytest keeps it to itself
    if plugin.fault is not None:
        raise plugin.fault
    if not plugin.rulings:
        raise ExerciseError("exercise.collect", detail=said.getvalue().strip()[-_SHOWN:])


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Inside, pytest sees nothing of what the user's environment says to it."""
    saved = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    before = os.environ.get(_NO_AUTOLOAD)
    os.environ[_NO_AUTOLOAD] = "1"
    try:
        yield
    finally:
        del os.environ[_NO_AUTOLOAD]
        os.environ.update(saved if before is None else {**saved, _NO_AUTOLOAD: before})
