"""Examples: an author's calls, played on real subjects."""

import pytest
from support import copy_of_tiny

from grader.errors import ExerciseError
from grader.example import play_all
from grader.session import open_grader

PLAY = """
def play(subject, step):
    stack = subject.new("Stack")
    stack.push(1)
    with step():
        stack.push(2)
    with step():
        stack.pop()
        stack.pop()
"""


@pytest.fixture
def tiny(tmp_path):
    """The tiny exercise with one example, and a way to play it."""

    def make(source: str, more: str = ""):
        exercise = copy_of_tiny(tmp_path)
        toml = exercise.folder / "exercise.toml"
        toml.write_text(f'{toml.read_text("utf-8")}\n[[examples]]\nid = "twice"\n{more}', "utf-8")
        folder = exercise.folder / "examples"
        folder.mkdir(exist_ok=True)
        (folder / "twice.py").write_text(source, "utf-8")
        with open_grader(exercise, "python") as grader:
            return play_all(exercise, grader, "python")

    return make


def test_steps_and_what_goes_before(tiny):
    """Each step has its calls; what was called before the first is preparation."""
    (example,) = tiny(PLAY)
    assert example.setup == ["Stack()", "push(1)"]
    assert [list(step.calls) for step in example.steps] == [["push(2)"], ["pop()", "pop()"]]


def test_a_step_is_drawn_as_it_was_at_its_end(tiny):
    """Of several calls in one step, the frame is of the last."""
    (example,) = tiny(PLAY)
    assert example.steps[1].frame.call == "pop()"
    assert example.steps[1].frame.result.text == "1"


def test_variants_are_wrong_solutions_under_the_same_calls(tiny):
    """A variant has as many steps, and what a wrong solution gave in them."""
    (example,) = tiny(PLAY, 'variants.queue = "queue.py"')
    assert len(example.variants["queue"]) == 2
    assert example.variants["queue"][1].frame.result.text == "2"


def test_the_same_again(p17, p17_grader):
    """An example says the same whenever it is played, though addresses change."""
    first, second = (play_all(p17, p17_grader, "python") for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert (one.steps, one.variants, one.facts) == (other.steps, other.variants, other.facts)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def play(subject", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("", "no function play"),
        ("play = 1", "no function play"),
        ("def play(subject, step):\n    subject.new('Stack')", "it has no step"),
        ("def play(subject, step):\n    with step():\n        pass", "no call"),
        ("def play(subject, step):\n    with step():\n        subject.new('Stack').pop()", "IndexError"),
        ("def play(subject, step):\n    with step():\n        subject.new('Heap')", "Heap"),
        ("def play(subject, step):\n    with step():\n        1 / 0", "ZeroDivisionError"),
    ],
    ids=["syntax", "raises", "no_play", "play_is_no_function", "no_step", "empty_step", "student_raise",
         "no_such_class", "raises_in_step"],
)  # fmt: skip
def test_what_is_wrong_with_an_example(tiny, source, said):
    """The fault is the exercise's, and names the file."""
    with pytest.raises(ExerciseError) as caught:
        tiny(source)
    assert caught.value.message.id == "exercise.example"
    assert str(caught.value.message.params["file"]).endswith("twice.py")
    assert said in str(caught.value.message.params["detail"])
