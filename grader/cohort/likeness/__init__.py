"""Submissions that are the same but for names, comments and layout: a hint to look, no verdict.

Each submission is read by itself and leaves a fingerprint; submissions with one fingerprint are a
group. So a class of any size is gone through once. Tools that find shared passages (MOSS, JPlag,
Dolos, compare50, copydetect) see more, and cost more than this is for: they compare every pair, and
are a service, a Java or Node program, or bring NumPy along. Those that read tokens (copydetect)
have one letter for all names alike, so that calling another function of a library makes no
difference; to such a tool, right solutions of a small exercise are all alike.
"""

from grader.cohort.likeness.fingerprint import fingerprint
from grader.cohort.likeness.groups import Groups

__all__ = ["Groups", "fingerprint"]
