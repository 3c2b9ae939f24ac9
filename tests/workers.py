"""What workers do in tests of the engines, in the place of grading. It imports little, for speed."""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from grader.batch.task import Graded, Setting, Task, pack


def by_word(_setting: Setting, task: Task, heard: Sequence[bytes]) -> tuple[Graded, bytes]:
    """Does what the submission's first word says; by default it is done."""
    news = b""
    word, _, rest = task.submission.source.decode().partition(" ")
    match word:
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "die_once":
            if not Path(rest).exists():
                Path(rest).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        case "tell":
            news = rest.encode()
        case "nap":
            time.sleep(0.1)
        case "hang":
            time.sleep(1000)
        case "raise":
            raise ValueError(rest)
    # The process, and what it heard, are told by what has no other use here.
    page = pack(b" ".join(heard).decode())
    return Graded(task.key, "passed", b"", page, str(os.getpid())), news
