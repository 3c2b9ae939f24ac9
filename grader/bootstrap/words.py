"""What is said to a person before the grader can be started, and why there is no environment."""

import os
import sys

from grader.bootstrap.places import VENV
from grader.i18n import Translator, choose_language, language_option


class Refusal(Exception):
    """There is no environment to be had. Carries the id of a message and what it needs."""

    def __init__(self, id: str, **params: object) -> None:
        self.id = id
        self.params = params
        super().__init__(id)


def say(id: str, **params: object) -> None:
    """Put a message on stderr: stdout is the grader's, it may be JSON."""
    print(f"check.sh: {text(id, **params)}", file=sys.stderr, flush=True)


def text(id: str, **params: object) -> str:
    """A message, by its id without ``setup.``, in the language that the grader would choose."""
    language = choose_language(language_option(sys.argv[1:]), os.environ)
    return Translator(language)(f"setup.{id}", venv=str(VENV), **params)
