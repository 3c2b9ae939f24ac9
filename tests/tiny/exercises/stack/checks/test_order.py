"""What was pushed last is popped first."""

from grader.checks import expect_equal


def test_last_in_first_out(subject, rng):
    """Three items come back in reverse."""
    stack = subject.new("Stack")
    items = [rng.randint(0, 99) for _ in range(3)]
    for item in items:
        stack.push(item)
    for item in reversed(items):
        expect_equal(stack.pop(), item, "order.item", item=item)


def test_as_reference(subject, oracle, rng):
    """A random course of pushes and pops gives what the reference gives."""
    mine, theirs = subject.new("Stack"), oracle.new("Stack")
    for _ in range(10):
        item = rng.randint(0, 99)
        mine.push(item)
        theirs.push(item)
        if rng.random() < 0.5:
            expect_equal(mine.pop(), theirs.pop(), "order.item", item=item)
