"""A multi-language exercise grader and autograding kit."""

__version__ = "0.1.0"
