"""Example 1: a string of calls, large and small, and at last why one must clone.

fn = 2x + 1 over buckets 16, 1, 4; every x is full of its batch size.
"""

from grader.checks import Subject, Tensor

HIDDEN = 3


def filled(bs: int, value: float) -> Tensor:
    """A batch full of one value."""
    return Tensor.of([[value] * HIDDEN] * bs, "float32")


def play(subject: Subject, step) -> None:
    """Seven steps; the last of them is two calls."""
    fn = subject.function("affine", scale=2, shift=1)
    runner = subject.new("GraphRunner", fn, [16, 1, 4], HIDDEN)
    runner.capture()
    for bs, forced in ((10, {}), (3, {}), (17, {}), (4, {}), (1, {"force_eager": True}), (1, {})):
        with step():
            runner.run(filled(bs, float(bs)), **forced)
    with step():
        runner.run(filled(2, 5.0))
        runner.run(filled(2, 8.0))
