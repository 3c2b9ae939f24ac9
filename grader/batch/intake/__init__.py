"""From what an instructor has, folders and archives of a download, to attempts."""

from grader.batch.intake.take import take

__all__ = ["take"]
