"""Scores as an instructor's tables have them: a table of our own, and a platform's filled in."""

from grader.render.gradebook.fill import Filled, fill
from grader.render.gradebook.table import scores_csv

__all__ = ["Filled", "fill", "scores_csv"]
