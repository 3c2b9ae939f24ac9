"""A pytest session over an exercise's checks, shut off from everything around it.

The checks are collected once, and then run for one submission after the other: what pytest does
before and after takes longer than all the cases of a submission.
"""

import contextlib
import io
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

import pytest
from _pytest.config import (
    ConftestImportFailure,  # it has no public name of its own
    _prepareconfig,  # as pytest-xdist's workers begin their sessions
)
from pytest_jsonreport.plugin import JSONReport

from grader.checks.hearing import Hearing
from grader.checks.plugin import GradingPlugin
from grader.errors import ExerciseError

#: No cache, no settings but ours, no plugins but what is needed. The terminal's would keep every
#: report there ever was.
_ARGUMENTS = (
    "-c", str(Path(__file__).parent / "pytest.ini"),
    "--import-mode=importlib", "--assert=plain", "--capture=no",
    "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:logging", "-p", "no:terminal",
    "-p", "no:threadexception", "-p", "no:unraisableexception",
    "-p", "pytest_jsonreport.plugin", "--json-report-file=none",
    "--json-report-omit", "collectors", "log", "streams", "warnings", "keywords", "traceback",
)  # fmt: skip

#: How a user may change what pytest does.
_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_CURRENT_TEST")
_NO_AUTOLOAD = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"

#: Characters of what pytest said that a message shows.
_SHOWN = 2000

#: What pytest's terminal part says where there is no case.
_NONE = "no tests collected"


class Session:
    """The checks of an exercise, collected.

    Args:
        files: the check files, all in one folder.

    Attributes:
        cases: the node ids of all cases, in their order.

    Raises:
        ExerciseError: they cannot be collected.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        folder = files[0].parent
        # A check's module is named after its path below the root, and kept under that name: two
        # exercises may have checks of one name, so the root is that of the file system.
        where = ("--rootdir", folder.anchor, "--confcutdir", str(folder))
        arguments = [*map(str, files), *_ARGUMENTS, *where]
        self._plugin, self._closing = GradingPlugin(), contextlib.ExitStack()
        with _alone(), contextlib.redirect_stdout(io.StringIO()):
            try:
                self._config = _prepareconfig(arguments, [self._plugin])
            except ConftestImportFailure as error:
                raise ExerciseError("exercise.collect", detail=str(error)) from None
            self._reports = _Reports(self._config)
            self._config.pluginmanager.register(self._reports)
            self._closing.callback(self._config._ensure_unconfigure)  # noqa: SLF001 - likewise
            self._session = pytest.Session.from_config(self._config)
            self._session.exitstatus = pytest.ExitCode.OK
            self._config._do_configure()  # noqa: SLF001 - as pytest.main does it
            self._config.hook.pytest_sessionstart(session=self._session)
            finish = self._config.hook.pytest_sessionfinish
            self._closing.callback(finish, session=self._session, exitstatus=0)
            try:
                self._config.hook.pytest_collection(session=self._session)
            except pytest.UsageError as error:
                self._plugin.trouble.append(str(error))
        self.cases = [item.nodeid for item in self._session.items]
        if self._plugin.trouble or not self.cases:
            detail = "\n".join(self._plugin.trouble).strip()[-_SHOWN:] or _NONE
            self.close()
            raise ExerciseError("exercise.collect", detail=detail)

    def __enter__(self) -> Self:
        """The session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.close()

    def close(self) -> None:
        """End it, unless it has ended."""
        self._closing.close()

    def cases_of(self, id: str) -> list[str]:
        """The cases in the file of a check or a demonstration."""
        return [case for case in self.cases if case.partition("::")[0].endswith(f"/test_{id}.py")]

    def hear(self, hearing: Hearing, cases: Collection[str]) -> None:
        """Run cases on a submission; what comes of it is in the hearing.

        Args:
            hearing: the submission.
            cases: the node ids of those to run.

        Raises:
            ExerciseError: the reference failed.
            KeyboardInterrupt: somebody pressed Ctrl-C. The session has ended then, for there are
                places where pytest cannot go on after that.
        """
        self._plugin.hearing = hearing
        items = [item for item in self._session.items if item.nodeid in cases]
        try:
            for item, following in zip_longest(items, items[1:]):
                self._config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                for report in self._reports.take():
                    hearing.rule(report)
                if hearing.over:
                    break
        except BaseException:
            self.close()
            raise
        self._session._setupstate.teardown_exact(None)  # noqa: SLF001 - cut short or not
        if hearing.fault is not None:
            raise hearing.fault


class _Reports(JSONReport):  # type: ignore[misc] # it carries no types
    """pytest-json-report, asked after every case instead of at the end of the session."""

    def take(self) -> list[Mapping[str, Any]]:
        """How the cases went since the last time."""
        reports = list(self._json_tests.values())
        self._json_tests.clear()
        return reports


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
