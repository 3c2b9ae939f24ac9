"""Frames: a Trace as a person looks at it, call by call."""

from grader.frames.compare import compare, fold
from grader.frames.draw import facts, frames, phases
from grader.frames.frame import Comparison, Frame, State, Values

__all__ = ["Comparison", "Frame", "State", "Values", "compare", "facts", "fold", "frames", "phases"]
