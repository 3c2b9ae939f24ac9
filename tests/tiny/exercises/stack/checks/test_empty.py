"""An empty stack says so."""

from grader.checks import SubjectRaised, expect


def test_pop_raises(subject):
    """Popping nothing raises IndexError."""
    stack = subject.new("Stack")
    try:
        seen = stack.pop()
    except SubjectRaised as raised:
        name = raised.message.params["type"]
        expect(name == "IndexError", "empty.other_error", seen=name, expected="IndexError")
    else:
        expect(False, "empty.no_error", seen=seen, expected="IndexError")
