"""Examples: calls that an exercise's author chose, played on real subjects to be drawn."""

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from grader import manifest
from grader.errors import ExerciseError, GraderError, SubmissionError
from grader.exercise import Exercise
from grader.frames import Frame, facts, fold, frames, phases
from grader.grading import Grader
from grader.protocol import TAG
from grader.subject.faults import SubjectRaised
from grader.subject.subject import Subject
from grader.submission import Submission
from grader.trace import Trace


@dataclass(frozen=True)
class ExampleStep:
    """One step of a step diagram.

    Attributes:
        calls: the calls made in it.
        frame: how things stood after the last of them.
    """

    calls: Sequence[str]
    frame: Frame


@dataclass(frozen=True)
class Example:
    """An example, as it went.

    Attributes:
        id: its name.
        setup: the calls made before the first step.
        steps: what the reference did, step by step.
        variants: variant -> what a wrong solution did in the same steps.
        facts: the last call in numbers; see ``grader.frames.facts``.
        trace: the reference's Trace that all of it was drawn from.
    """

    id: str
    setup: Sequence[str]
    steps: Sequence[ExampleStep]
    variants: Mapping[str, Sequence[ExampleStep]]
    facts: Mapping[str, Any]
    trace: Trace


def play_all(exercise: Exercise, grader: Grader, language: str) -> list[Example]:
    """Every example of an exercise, on the reference and on the wrong solutions beside it.

    Raises:
        ExerciseError: an example is at fault.
    """
    return [play(exercise, grader, language, said) for said in exercise.manifest.examples]


def play(exercise: Exercise, grader: Grader, language: str, said: manifest.Example) -> Example:
    """One example, on the reference and on the wrong solutions beside it.

    Raises:
        ExerciseError: it is at fault.
    """
    wrong = {name: exercise.folder / "wrong" / file for name, file in said.variants.items()}
    module = _module(exercise.example_file(said.id))
    takes = {
        name: _take(module, grader, Submission(path.name, language, path.read_bytes()))
        for name, path in {"": exercise.solution(language), **wrong}.items()
    }
    drawn = {name: take.frames(slowly=said.phases) for name, take in takes.items()}
    folded = dict(zip(drawn, fold(*drawn.values()), strict=True))
    right = takes[""]
    steps = {
        name: [
            ExampleStep(calls, frame)
            for calls, frame in zip(right.calls(slowly=said.phases), folded[name], strict=True)
        ]
        for name in drawn
    }
    return Example(
        id=said.id,
        setup=right.setup,
        steps=steps.pop(""),
        variants=steps,
        facts=facts(right.trace),
        trace=right.trace,
    )


@dataclass(frozen=True)
class _Take:
    """One subject's run through an example.

    Attributes:
        trace: all of it.
        bounds: how many calls had been made at the beginning of each step, and at the end.
    """

    trace: Trace
    bounds: Sequence[int]

    @property
    def setup(self) -> list[str]:
        return self._spelled(0, self.bounds[0])

    def calls(self, *, slowly: bool) -> list[list[str]]:
        """The calls made in each step."""
        if slowly:
            last = self._spelled(self.bounds[-1] - 1, self.bounds[-1])
            return [last] * len(phases(self.trace))
        return [self._spelled(a, b) for a, b in pairwise(self.bounds)]

    def frames(self, *, slowly: bool) -> list[Frame]:
        """How things stood after each step; after each phase of the one step there is."""
        if slowly:
            return phases(self.trace)
        drawn = frames(self.trace)
        return [drawn[end - 1] for end in self.bounds[1:]]

    def _spelled(self, first: int, end: int) -> list[str]:
        return [self.trace.spell(step) for step in self.trace.calls()[first:end]]


def _take(module: ModuleType, grader: Grader, submission: Submission) -> _Take:
    """An example, played on one submission."""
    bounds: list[int] = []
    try:
        with grader.open(submission) as subject:

            @contextlib.contextmanager
            def step() -> Iterator[None]:
                bounds.append(len(subject.trace.calls()))
                yield
                _look_again(subject)

            _player(module)(subject, step)
            bounds.append(len(subject.trace.calls()))
    except GraderError:
        raise
    except (SubmissionError, SubjectRaised) as error:
        detail = f"{submission.path}: {error.message.id} {dict(error.message.params)}"
        raise _fault(module, detail) from error
    except Exception as error:
        raise _fault(module, repr(error)) from error
    if len(bounds) == 1:
        raise _fault(module, "it has no step")
    if any(first == end for first, end in pairwise(bounds)):
        raise _fault(module, "there is no call in one of its steps")
    return _Take(subject.trace, bounds)


def _look_again(subject: Subject) -> None:
    """See what all results hold that were handed out before."""
    for done in subject.trace.calls():
        wire = done.result
        if isinstance(wire, dict) and wire.get(TAG) == "tensor":
            subject.read(wire["ref"])


def _player(
    module: ModuleType,
) -> Callable[[Subject, Callable[[], AbstractContextManager[None]]], None]:
    found = getattr(module, "play", None)
    if not callable(found):
        raise _fault(module, "no function play(subject, step)")
    player: Callable[[Subject, Callable[[], AbstractContextManager[None]]], None] = found
    return player


def _module(path: Path) -> ModuleType:
    """An example's file, executed."""
    spec = importlib.util.spec_from_file_location(f"grader_example_{path.stem}", path)
    assert spec is not None  # noqa: S101 - a path that ends in .py always has one
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ExerciseError("exercise.example", file=str(path), detail=repr(error)) from error
    finally:
        del sys.modules[spec.name]
    return module


def _fault(module: ModuleType, detail: str) -> ExerciseError:
    return ExerciseError("exercise.example", file=str(module.__file__), detail=detail)
