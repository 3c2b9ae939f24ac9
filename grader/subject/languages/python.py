"""Python, as the grader itself runs in it."""

import sys

from grader.subject.program.language import Language

LANGUAGE = Language(
    title="Python", packages={}, version=(sys.executable, "--version"), anew=True, text=None
)
