"""Example 2: one replay in slow motion: two rows go to bucket 3 after a batch of five.

fn = 3x - 1 over buckets 1, 3, 6; the earlier batch is full of 5, this one of 2.
"""

from grader.checks import Subject, Tensor

HIDDEN = 2


def filled(bs: int, value: float) -> Tensor:
    """A batch full of one value."""
    return Tensor.of([[value] * HIDDEN] * bs, "float32")


def play(subject: Subject, step) -> None:
    """One step; what leaves five rows behind goes before it."""
    fn = subject.function("affine", scale=3, shift=-1)
    runner = subject.new("GraphRunner", fn, [1, 3, 6], HIDDEN)
    runner.capture()
    runner.run(filled(5, 5.0))
    with step():
        runner.run(filled(2, 2.0))
