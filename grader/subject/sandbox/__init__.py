"""The walls around a subject on Linux; ``docs/security.md`` says what each keeps out.

Everything here runs in the processes that subjects are forked from, and in the subjects before
any code of a student's. It imports the standard library, ``landlock`` and ``pyseccomp`` alone.
"""
