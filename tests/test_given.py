"""Given modules: what a submission may do to them unnoticed, and what not."""

import types

import pytest

from grader.subject.python.given import Given

SOURCE = """
LIMIT = 3
seen = []

def outer(step):
    def inner(x):
        return x + step
    return inner

inner = outer(1)

def plain(x):
    return x

class Graph:
    name = "graph"

    def run(self):
        return 1

    def stop(self):
        return 2

class Other:
    pass
"""


class Scribe:
    """Something that submissions reach by way of what is given."""

    def __init__(self):
        self.emit = print

    def note(self):
        """A method of its own."""


class Lookalike(Scribe):
    """A class that an object may be made one of."""


class Asked(dict):
    """A dict that answers for itself."""

    asked = 0

    def values(self):
        """What it says it holds."""
        type(self).asked += 1
        return super().values()

    __iter__ = keys = items = values


@pytest.fixture
def module():
    """A module as an exercise gives it."""
    made = types.ModuleType("given")
    exec(SOURCE, vars(made))
    return made


@pytest.fixture
def scribe():
    """An object within reach."""
    return Scribe()


@pytest.fixture
def given(module, scribe):
    """What looks after both."""
    return Given([module], [scribe])


def emptied(cell):
    """Leave a closure's cell without content."""
    del cell.cell_contents


#: What a submission does to a module -> how.
MODULE = {
    "function_replaced": lambda m: setattr(m, "plain", lambda x: x),
    "function_removed": lambda m: delattr(m, "plain"),
    "function_added": lambda m: setattr(m, "more", lambda x: x),
    "function_by_a_number": lambda m: setattr(m, "plain", 3),
    "class_replaced": lambda m: setattr(m, "Graph", type("Graph", (), dict(vars(m.Graph)))),
    "class_removed": lambda m: delattr(m, "Other"),
    "class_by_subclass": lambda m: setattr(m, "Graph", type("Graph", (m.Graph,), {})),
    "classes_swapped": lambda m: vars(m).update(Graph=m.Other, Other=m.Graph),
    "functions_swapped": lambda m: vars(m).update(inner=m.plain, plain=m.inner),
    "method_replaced": lambda m: setattr(m.Graph, "run", lambda _: 2),
    "method_removed": lambda m: delattr(m.Graph, "run"),
    "methods_swapped": lambda m: [
        setattr(m.Graph, name, method)
        for name, method in (("run", m.Graph.stop), ("stop", m.Graph.run))
    ],
    "attribute_added": lambda m: setattr(m.Graph, "__getattribute__", lambda _self, _name: 1),
    "attribute_replaced": lambda m: setattr(m.Graph, "name", "other"),
    "attribute_removed": lambda m: delattr(m.Graph, "name"),
    "attribute_renamed": lambda m: (delattr(m.Graph, "stop"), setattr(m.Graph, "halt", m.plain)),
    "cell_replaced": lambda m: setattr(m.inner.__closure__[0], "cell_contents", 2),
    "cell_emptied": lambda m: emptied(m.inner.__closure__[0]),
}

#: What a submission does to an object within reach -> how.
OBJECT = {
    "attribute_replaced": lambda s: setattr(s, "emit", len),
    "attribute_added": lambda s: setattr(s, "note", len),
    "attribute_removed": lambda s: delattr(s, "emit"),
    "dict_replaced": lambda s: setattr(s, "__dict__", {"emit": len}),
    "dict_of_a_subclass": lambda s: setattr(s, "__dict__", Asked(vars(s))),
    "class_assigned": lambda s: setattr(s, "__class__", Lookalike),
}


def test_left_alone(given):
    """What nobody touched is intact, however often it is asked."""
    assert all(given.intact() for _ in range(3))


@pytest.mark.parametrize("how", MODULE)
def test_module_changed(module, given, how):
    """No function, class, attribute of a class or cell can be another one unnoticed."""
    MODULE[how](module)
    assert not given.intact()


@pytest.mark.parametrize("how", OBJECT)
def test_object_changed(scribe, given, how):
    """What can be reached is the same object, of the same class, and holds the same."""
    OBJECT[how](scribe)
    assert not given.intact()


def test_method_of_object_changed(scribe, given, monkeypatch):
    """Nor can a method of its class be another."""
    monkeypatch.setattr(Scribe, "note", lambda _self: None)
    assert not given.intact()
    assert scribe


def test_undone(module, given):
    """What is as it was is intact again, so that nothing hangs on when one looks."""
    was, module.plain = module.plain, lambda _: 2
    assert not given.intact()
    module.plain = was
    assert given.intact()


@pytest.mark.parametrize(
    "change",
    [
        lambda m: setattr(m, "LIMIT", 4),
        lambda m: setattr(m, "__doc__", "new"),
        lambda m: m.seen.append(1),
        lambda m: setattr(m, "more", [1]),
        lambda m: delattr(m, "seen"),
        lambda m: setattr(m.Graph(), "name", "of one"),
    ],
    ids=["number", "docstring", "list_grows", "value_added", "value_removed", "instance"],
)
def test_module_at_work(module, given, change):
    """A module may put down other things as it goes, and objects are their owners' affair."""
    change(module)
    assert given.intact()


def test_new_object_at_an_old_place(module, given):
    """What is thrown away is held, so that no other thing gets its number."""
    for _ in range(50):
        module.Graph.run = eval("lambda self: 2")
        assert not given.intact()


def test_nothing_of_theirs_runs(scribe, given):
    """Looking asks no object anything: neither a dict of another kind nor a property."""

    class Telling(Scribe):
        __dict__ = property(lambda _: Asked.values(Asked()))

    Asked.asked = 0
    scribe.__dict__ = Asked(emit=print)
    assert not given.intact()
    scribe.__class__ = Telling
    assert not given.intact()
    assert Asked.asked == 0
