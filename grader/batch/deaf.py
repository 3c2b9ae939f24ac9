"""Ctrl-C goes to all processes of a terminal at once, and is for the one who gives out tasks."""

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Processes started inside do not hear Ctrl-C, from their first moment on.

    Signals are held back from both, and not ignored: this process gets its Ctrl-C afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # started inside, it would let them through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hear_nothing() -> None:
    """In a process started so: ignore Ctrl-C, and hold back nothing from what is started here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
