"""Finds or makes a Python environment that has what the grader needs, and starts the grader in it.

check.sh comes here whenever ./.venv is not known to be complete, and for ``test`` and ``all``.
Nothing is installed yet at that time, so this package lives on the standard library alone, and of
the grader on its languages, which do so, too. An environment that someone else made is used as it
is or not at all.
"""
