"""A hostile subject: whatever comes over the pipe, there is a score, and never more than is due.

On top a man in the middle of a whole grading of P17's reference solution; below, one operation
at a time against a channel that says what Hypothesis wants.
"""

import contextlib
import copy
import json
import signal
import socket
import threading
import time
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ROOT, runner, stack_doing

from grader.checks import CheckFailed, expect_equal, expect_same
from grader.checks.expect import show
from grader.errors import SubmissionError
from grader.exercise import Project
from grader.grading import Grader
from grader.i18n import Translator
from grader.protocol import MAX_EVENTS, MAX_LINE, encode_line, unseal
from grader.render.terminal import glyphs_for, render
from grader.score import Score, Status
from grader.subject import channel as channel_module
from grader.subject.channel import Channel
from grader.subject.faults import SubjectRaised
from grader.subject.proxies import RemoteObject, RemoteTensor, from_wire
from grader.subject.python.launcher import launch
from grader.subject.source import Built, Source
from grader.subject.subject import Interface, Limits, Subject
from grader.submission import Submission
from grader.tensor import Tensor
from grader.trace import Trace

#: Characters that no score's page may be longer than, however much a subject says.
PAGE = 300_000

# --- odd values, and replies with one of them somewhere --------------------------------------------

#: Literals that ``json`` does not write, each by the text that stands for it meanwhile.
RAW = {
    "@nan@": "NaN", "@inf@": "-Infinity", "@1e999@": "-1e999", "@digits@": "9" * 5000,
    "@deep@": "[" * 900 + "]" * 900, "@deep map@": '{"a":' * 70 + "1" + "}" * 70,
}  # fmt: skip

TENSOR = {"$": "tensor", "ref": 5, "dtype": "float32", "shape": [2, 3], "strides": [3, 1], "offset": 0,
          "data": Tensor("float32", (2, 3), bytes(24)).to_wire()["data"]}  # fmt: skip
OBJECT = {"$": "object", "ref": 6, "type": "Box"}
STATS = {
    "$": "map",
    "items": [["replays", 1], ["eager", 0], ["last_bucket", {"$": "float", "value": "4.0"}]],
}

numbers = st.sampled_from(
    [0, 1, -1, 2, 3, 7, 2**31, 2**62, 2**63, -(2**63), 10**4299, 1 - 10**4299, True, False, 0.0, 1.0, 2.9, -0.5, 1e308]
)  # fmt: skip
texts = st.sampled_from(
    ["", "1", "2.9", "nan", "float32", "quint8", "tensor", "error", "dropped", "capture", "\ud800", "\x1b[31m\0\n中", "!!", "AAA="]
)  # fmt: skip
plain = st.none() | numbers | texts | st.sampled_from(list(RAW))
tags = st.sampled_from(
    ["float", "dtype", "tensor", "map", "object", "ref", "error", "none", 1, None, [], {}]
)
tagged = st.one_of(
    st.fixed_dictionaries({"$": tags}, optional={"value": plain, "name": plain, "ref": plain, "type": plain}),
    st.builds(lambda keys: {"$": "map", "items": [[key, i] for i, key in enumerate(keys)]},
              st.lists(plain | st.sampled_from([TENSOR, OBJECT, STATS, [], [STATS]]), max_size=3)),
    st.builds(lambda shape: TENSOR | {"shape": shape, "data": ""},
              st.lists(st.sampled_from([0, 2**62, 2**63, 10**4299, -1, True, "3", 3.0]), min_size=1, max_size=3)),
    st.just(TENSOR | {"shape": [2**40, 0], "data": ""}),
    st.just(TENSOR | {"offset": 10**4299}),
    st.just(TENSOR | {"strides": []}),
)  # fmt: skip
errors = st.fixed_dictionaries(
    {"kind": st.sampled_from(["exception", "exit", "memory", "syntax", "missing", "signature", "x", "\ud800", 1, None])},
    optional={"type": plain, "message": plain, "line": plain, "code": plain, "lines": plain, "name": tagged, "\ud800": tagged},
)  # fmt: skip
odd = plain | tagged | st.sampled_from([[], {}, [[]], OBJECT, TENSOR, STATS])


def places(value: object, at: tuple = ()) -> list[tuple]:
    """Where something stands inside a JSON value, as the keys that lead there."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [at, *(place for key, item in inner for place in places(item, (*at, key)))]


def changed(value, which: int, what: str, by: object):
    """A JSON value with something replaced, left out or added at one of its places."""
    value = {"": copy.deepcopy(value)}
    found = places(value)[1:]
    *path, last = found[which % len(found)]
    holder = value
    for key in path:
        holder = holder[key]
    if what == "delete" and path:
        del holder[last]
    elif what == "add" and isinstance(holder[last], dict):
        holder[last]["added"] = by
    elif what == "add" and isinstance(holder[last], list):
        holder[last].append(by)
    else:
        holder[last] = by
    return value[""]


def line_of_json(value: object) -> bytes:
    """A JSON value as a line, whatever JSON has no literal for among it."""
    text = json.dumps(value)
    for name, literal in RAW.items():
        text = text.replace(f'"{name}"', literal)
    return text.encode() + b"\n"


changes = st.tuples(
    st.integers(0, 10_000), st.sampled_from(["replace", "replace", "delete", "add"]), odd | errors
)


# --- one operation at a time -----------------------------------------------------------------------


class Scripted:
    """A channel without a process that answers every request with the same line."""

    device = "cpu"

    def __init__(self, line: bytes) -> None:
        self._line = line

    def send(self, op: str, **fields: object) -> int:
        """Take a request that could be sent."""
        encode_line({"op": op, **fields})
        return 1

    def receive(self, number: int, **_limits: object) -> dict[str, object]:
        """The line as a reply."""
        return channel_module._decode_reply(self._line.removesuffix(b"\n"), number, b"")


VALUE = Tensor.of([[1.0, 2.0, 3.0]] * 2, "float32")


def scripted(reply: object) -> Subject:
    """A subject that answers every request alike."""
    interface = Interface(
        classes={"Runner": {"run": ["x"]}}, returns={"Runner.run": "tensor"}, watch={"Runner": ["stats"]}
    )  # fmt: skip
    limits = Limits(load_s=1, call_s=1, grading_s=60, output_mb=1, deadline=time.monotonic() + 60)
    channel = Scripted(reply if isinstance(reply, bytes) else line_of_json(reply))
    return Subject(channel, Built(Source(b"", "my.py", "my")), interface, limits)


#: What may be asked of a subject, and a reply that is well-formed.
OPERATIONS = {
    "load": (lambda s: s.load(), {"value": None}),
    "forget": (lambda s: s.forget(), {"value": None}),
    "new": (lambda s: s.new("Runner", [1], 3), {"value": OBJECT}),
    "function": (lambda s: s.function("affine", scale=1.5), {"value": OBJECT}),
    "tensor": (lambda s: s.tensor(VALUE, strides=(1, 2)), {"value": TENSOR}),
    "call": (lambda s: RemoteObject(s, 6, "Runner").run(VALUE), {"value": TENSOR, "after": {"stats": STATS}}),
    "after": (lambda s: (RemoteObject(s, 6, "Box")(), s.after("stats"))[1], {"value": None, "after": {"stats": STATS}}),
    "get": (lambda s: RemoteObject(s, 6, "Box").stats, {"value": [STATS, OBJECT, "x", 3]}),
    "read": (lambda s: s.read(5), {"value": TENSOR}),
    "write": (lambda s: s.write(5, VALUE), {"value": None}),
    "shares_storage": (lambda s: s.shares_storage(tensor_of(s), tensor_of(s)), {"value": True}),
    "error": (lambda s: s.new("Runner"), {"error": {"kind": "exception", "type": "E", "message": "m", "line": 3, "code": "c"}}),
}  # fmt: skip
EVENTS = [{"event": "replay", "within": None, "graph": OBJECT, "input": TENSOR, "output": TENSOR}]


def tensor_of(subject: Subject) -> RemoteTensor:
    """Some tensor of a subject."""
    return RemoteTensor(subject, TENSOR)


def ask(name: str, reply: object) -> object:
    """What an operation gives for a reply, used as a check may use it; or why there is nothing."""
    subject = scripted(reply)
    try:
        value = OPERATIONS[name][0](subject)
        for event in subject.events:
            _ = [event.name + str(event.within), event.graph, event.input, event.output]
        use(value)
    except (SubmissionError, SubjectRaised, CheckFailed) as error:
        value = error
    trace = subject.trace
    for step in trace:
        assert isinstance(step.events, list)
        assert isinstance(step.after, dict)
    assert all(isinstance(trace.spell(step), str) for step in trace.calls())
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()
    return value


def use(value: object) -> None:
    """What checks do with a value."""
    assert isinstance(show(value), str)
    with contextlib.suppress(CheckFailed):
        expect_equal(value, value, "id")
    if isinstance(value, RemoteTensor):
        value = value.value
    if isinstance(value, Tensor):
        assert isinstance(show(value), str)
        assert (value[1:].first_nonzero_row(), value.first_difference(value)) is not None
        with contextlib.suppress(CheckFailed):
            expect_same(value, VALUE, "id")
    elif isinstance(value, RemoteObject):
        assert value == value  # noqa: PLR0124 - its own
        assert hash(value) is not None
    elif isinstance(value, list | dict):
        for item in list(value.values() if isinstance(value, dict) else value):
            use(item)


def well_formed(name: str) -> dict[str, object]:
    """The reply to an operation."""
    return {"id": 1, "events": EVENTS, **OPERATIONS[name][1]}


@pytest.mark.parametrize("name", OPERATIONS)
def test_well_formed(name):
    """The replies that are changed below are taken as they are."""
    outcome = ask(name, well_formed(name))
    assert not isinstance(outcome, SubmissionError)
    assert isinstance(outcome, SubjectRaised) == (name == "error")


@given(st.sampled_from(list(OPERATIONS)), st.lists(changes, min_size=1, max_size=3))
@example("get", [(2, "replace", {"$": "float", "value": 10**4299})])
@example("get", [(2, "replace", "@deep@")])
@example("call", [(2, "replace", TENSOR | {"shape": [9] * 70_000})])
@example("call", [(8, "replace", TENSOR | {"shape": [2**63, 0], "data": ""})])
@example("call", [(8, "replace", TENSOR | {"shape": [2**62, 0], "data": ""})])
@settings(max_examples=800)
def test_changed_reply(name, changes_):
    """Whatever is changed in a reply, an operation gives a value or one of the errors it may."""
    reply = well_formed(name)
    for change in changes_:
        reply = changed(reply, *change)
    ask(name, reply)


@given(
    st.sampled_from(list(OPERATIONS)),
    odd | errors,
    st.sampled_from(["value", "error", "after", "events"]),
)
@settings(max_examples=400)
def test_odd_part(name, part, key):
    """So it is where a whole part of the reply is something else."""
    ask(name, well_formed(name) | {key: part})


@given(
    st.sampled_from(list(OPERATIONS)),
    st.binary(max_size=60),
    st.integers(0, 10**6),
    st.integers(0, 60),
)
@settings(max_examples=300)
def test_changed_bytes(name, data, at, length):
    """So it is where bytes are put in place of others."""
    line = line_of_json(well_formed(name))
    at %= len(line)
    ask(name, line[:at] + data.replace(b"\n", b"") + line[at + length :])


@given(changes)
@example((1, "replace", 10**4299))
@example((4, "replace", [9] * 100_000))
@settings(max_examples=300)
def test_tensor_from_wire(change):
    """A tensor is one, or it is refused with an error that is told."""
    wire = json.loads(json.dumps(changed(TENSOR, *change)))
    try:
        tensor = Tensor.from_wire(wire)
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    use(tensor)
    assert all(type(length) is int for length in tensor.shape)


@given(
    st.sampled_from([TENSOR, OBJECT, STATS, [STATS, TENSOR], {"$": "dtype", "name": "bool"}]),
    changes,
)
@settings(max_examples=400)
def test_from_wire(wire, change):
    """A value is one, or breaks the protocol."""
    with contextlib.suppress(SubmissionError):
        use(from_wire(scripted({}), changed(wire, *change)))


@pytest.mark.parametrize(
    "wire",
    [OBJECT | {"ref": True}, OBJECT | {"ref": "6"}, OBJECT | {"ref": 2.9}, OBJECT | {"type": 3}, 1.0,
     TENSOR | {"ref": True}, TENSOR | {"ref": None}, TENSOR | {"shape": "23"}, TENSOR | {"shape": [2, 3.0]},
     TENSOR | {"shape": [True] * 6}, TENSOR | {"strides": [1]}, TENSOR | {"strides": "31"},
     TENSOR | {"strides": [3, 10**4299]}, TENSOR | {"offset": "0"}, TENSOR | {"offset": False},
     TENSOR | {"offset": 2**63}, TENSOR | {"shape": [0] + [9] * 64, "data": ""}, {"$": "float", "value": 1},
     {"$": "float", "value": 10**400}, {"$": "float", "value": True}, {"$": "dtype", "name": [1]},
     {"$": "map", "items": ["ab"]}, {"$": "map", "items": {"ab": 1}}, {"$": "map", "items": [[{"$": "map", "items": []}, 1]]},
     {"$": ["tensor"]}, {"$": "ref", "ref": 1}, {"$": True}, {}],
    ids=lambda wire: repr(wire)[:60],
)  # fmt: skip
def test_no_value(wire):
    """A number in the guise of another, a text for a number, what does not fit: no value at all."""
    with pytest.raises(SubmissionError) as raised:
        from_wire(scripted({}), wire)
    assert raised.value.kind == "protocol"


@pytest.mark.parametrize("line", [True, 0, -1, 10**9, 10**4299, "3", 3.0, None, [3]])
def test_no_line(line):
    """A line that no file has is none."""
    raised = ask("error", {"id": 1, "events": [], "error": {"kind": "exception", "line": line}})
    assert raised.line is None


def test_forget_that_failed():
    """A subject that cannot forget is not gone on with as if it had."""
    assert isinstance(
        ask("forget", {"id": 1, "events": [], "error": {"kind": "exception"}}), SubjectRaised
    )


@pytest.mark.parametrize(
    ("seen", "wanted"), [([True, 4], [1, 4]), ([1.0], [1]), ({True: 1}, {1: 1}), ({1: True}, {1: 1}), ({"a": [0]}, {"a": [False]})]
)  # fmt: skip
def test_alike_but_not_equal(seen, wanted):
    """Kinds are told apart inside values as well."""
    assert seen == wanted
    with pytest.raises(CheckFailed):
        expect_equal(seen, wanted, "id")
    expect_equal(seen, copy.deepcopy(seen), "id")


@given(odd, odd)
def test_spelled_whatever_was_recorded(value, result):
    """A recording of nonsense is spelled, too; one that refers to itself comes to an end."""
    value, result = (json.loads(json.dumps(item)) for item in (value, result))
    trace = Trace()
    trace.add({"op": "function"}, {"events": [], "value": result})
    trace.add({"op": "get"}, {"events": [], "value": {"$": "ref", "ref": 1}})
    step = trace.add(
        {"op": "call", "ref": 1, "args": [value, {"$": "ref", "ref": 1}]}, {"events": []}
    )
    assert isinstance(trace.spell(step), str)


# --- a man in the middle of a whole grading --------------------------------------------------------


class HangUp(Exception):
    """The man in the middle leaves."""


class Middle:
    """A launcher whose subjects, all but the reference, speak through a man in the middle.

    Attributes:
        meddle: number of the reply, request, reply's line -> what is said in its stead.
        heard: the word of each request to the first subject of a grading, the one that counts.
    """

    kind, device = "fork", "cpu"
    anew = plays = True

    def __init__(self, launcher) -> None:
        self._launcher, self._thread = launcher, None
        self.meddle, self.heard = None, []

    def build(self, source: Source) -> Built:
        """A submission as it is."""
        return self._launcher.build(source)

    def open(self, built: Built, *, lasting: bool = False) -> Channel:
        """A channel; the first one, the reference's, is left alone."""
        honest = self._launcher.open(built, lasting=lasting)
        if self.meddle is None:
            self.meddle = passed_on
            return honest
        # He has the key, as a submission that reaches into the host might.
        honest.await_walls(10)
        ours, theirs = socket.socketpair()
        honest._selector.close()
        honest._pipe.setblocking(True)
        heard: list[str] = []
        self.heard = self.heard or heard
        self._thread = threading.Thread(
            target=self._serve, args=(theirs, honest._pipe, honest._key, self.meddle, heard)
        )
        self._thread.start()
        channel = Channel(ours, honest._streams, honest._process)
        channel.isolation = honest.isolation
        return channel

    def release(self, channel: Channel) -> None:
        """End a subject."""
        channel.close()
        if self._thread is not None:
            self._thread.join(10)
            assert not self._thread.is_alive()

    def close(self) -> None:
        """End everything."""
        self._launcher.close()

    def _serve(
        self, grader: socket.socket, subject: socket.socket, key: bytes, meddle, heard: list[str]
    ) -> None:
        with grader, subject, grader.makefile("rb") as requests, subject.makefile("rb") as replies:
            try:
                for number, request in enumerate(requests):
                    heard.append(json.loads(request)["op"])
                    subject.sendall(request)
                    reply = unseal(replies.readline().removesuffix(b"\n"), key) + b"\n"
                    for said in meddle(number, json.loads(request), reply):
                        grader.sendall(said)
            except (OSError, HangUp):
                return


def passed_on(number, request, line):
    """Every reply as it is."""
    return [line]


@pytest.fixture(scope="module")
def middle():
    """The man in the middle, a grader that he deceives, and the exercise."""
    exercise = Project(ROOT).exercise("p17")
    launcher = Middle(launch(exercise.preload("python"), exercise.allowance(), "best"))
    with Grader(exercise, "python", launcher) as grader:
        yield launcher, grader, exercise


def graded(middle, meddle=passed_on) -> Score:
    """The score of the reference with somebody in the middle, which can be shown whatever it holds."""
    launcher, grader, exercise = middle
    path = exercise.solution("python")
    if launcher.meddle is None:
        assert grader._reference
    launcher.meddle, launcher.heard = meddle, []
    score = grader.grade(Submission("my.py", "python", path.read_bytes()), seed=3)
    can_be_shown(score, exercise)
    return score


def can_be_shown(score: Score, exercise) -> None:
    """A score is strict JSON, and a page in either language on the poorest console."""
    for language in ("zh", "en"):
        say = Translator(language, exercise.folder)
        text = score.localised(say).to_json()
        text.encode("utf-8")
        json.loads(text, parse_constant=pytest.fail)
        score.localised(say).model_dump_json()
        page = render(score, say, color=True, glyphs=glyphs_for("ascii"))
        assert len(page.encode("ascii", "backslashreplace")) < PAGE
    assert Score.model_validate_json(score.to_json()).to_json() == score.to_json()


def at(number: int, change):
    """Meddles with one reply."""
    return lambda n, _request, line: change(line) if n == number else [line]


@cache
def numbers_of(op: str | None, heard: tuple[str, ...]) -> list[int]:
    """The numbers of the requests of a kind, the last one of all left out."""
    return [n for n, word in enumerate(heard[:-1]) if op in (None, word)]


@pytest.fixture(scope="module")
def heard(middle) -> tuple[str, ...]:
    """What is asked in an honest grading."""
    score = graded(middle)
    assert (score.status, score.score) == (Status.PASSED, 100)
    return tuple(middle[0].heard)


def with_fields(line: bytes, **fields: object) -> bytes:
    """A reply with other fields."""
    return line_of_json(json.loads(line) | fields)


def without(line: bytes, *names: str, **fields: object) -> bytes:
    """A reply that lacks fields."""
    return line_of_json({k: v for k, v in json.loads(line).items() if k not in names} | fields)


def number_of(line: bytes) -> int:
    """The number of a reply."""
    return json.loads(line)["id"]


def hang_up(line: bytes):
    """Half a line, then nobody."""
    yield line[: len(line) // 2]
    raise HangUp


#: What is said in place of a reply: none of it is one.
BROKEN = {
    "cut": lambda line: [line[: len(line) // 2] + b"\n"],
    "empty": lambda _line: [b"\n"],
    "utf8": lambda line: [line[:-2] + b',"x":"\xff"}\n'],
    "nul": lambda line: [b"\0" + line],
    "utf16": lambda line: [line.decode().strip().encode("utf-16") + b"\n"],
    "twice": lambda line: [line + line],
    "ahead": lambda line: [line + with_fields(line, id=number_of(line) + 1)],
    "extra": lambda line: [line + b"{"],
    "late": lambda line: [with_fields(line, id=number_of(line) - 1)],
    "early": lambda line: [with_fields(line, id=number_of(line) + 1)],
    "id_text": lambda line: [with_fields(line, id=str(number_of(line)))],
    "id_float": lambda line: [with_fields(line, id=float(number_of(line)))],
    "id_bool": lambda line: [with_fields(line, id=True)],
    "no_id": lambda line: [without(line, "id")],
    "no_events": lambda line: [without(line, "events")],
    "events_map": lambda line: [with_fields(line, events={})],
    "many_events": lambda line: [with_fields(line, events=[{}] * 100_000)],
    "too_many_events": lambda line: [with_fields(line, events=[{}] * (MAX_EVENTS + 1))],
    "neither": lambda line: [without(line, "value", "error")],
    "both": lambda line: [with_fields(line, value=1, error={"kind": "exception"})],
    "after_list": lambda line: [with_fields(line, after=[])],
    "error_kind": lambda line: [without(line, "value", error={"kind": "\ud800", "message": "x" * 10**6})],
    "exit": lambda line: [without(line, "value", error={"kind": "exit", "message": {"$": "@digits@"[:3]}, "line": True})],
    "memory": lambda line: [without(line, "value", error={"kind": "memory", "line": 10**4000, "code": "\ud800"})],
    "no_json": lambda _line: [b"HTTP/1.1 200 OK\r\n"],
    "list": lambda line: [b"[" + line.strip() + b"]\n"],
    "long": lambda line: [with_fields(line, x="x" * MAX_LINE)],
    "hang_up": hang_up,
    "endless": lambda _line: [b"x" * (MAX_LINE + 1)],
} | {f"literal {name}": lambda line, name=name: [with_fields(line, x=name)] for name in RAW}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
@settings(max_examples=2)
@given(data=st.data())
def test_broken_protocol(middle, heard, kind, data):
    """A reply that is none, at whichever request, is an error and scores nothing."""
    number = data.draw(st.integers(0, 10**6)) % (len(heard) - 1)
    number += kind == "id_bool" and number == 0  # True for 1 is another test's
    score = graded(middle, at(number, BROKEN[kind]))
    assert (score.status, score.score) == (Status.ERROR, 0)


def test_true_is_no_1(middle, heard):
    """The first reply's number is 1, and True is not."""
    assert graded(middle, at(0, BROKEN["id_bool"])).status == Status.ERROR


def test_swapped_replies(middle, heard):
    """Two replies in each other's place are an error."""
    held = []

    def meddle(number, request, line):
        held.append(line)
        return [with_fields(held[-2], id=number_of(line) - 1) if number == 9 else line]

    assert (graded(middle, meddle).status, len(held)) == (Status.ERROR, 10)


@pytest.mark.parametrize("said", [b"", b'{"id":'], ids=["nothing", "half"])
def test_hang(middle, heard, monkeypatch, said):
    """A subject that stops in the middle of a line is not waited for longer than the limits say."""
    exercise = middle[2]
    limits = exercise.manifest.limits.model_copy(update={"call_s": 0.3})
    changed_ = exercise.manifest.model_copy(update={"limits": limits})
    monkeypatch.setitem(vars(exercise), "manifest", changed_)
    started = time.monotonic()
    score = graded(middle, at(6, lambda _line: [said]))
    assert (score.status, score.error.kind) == (Status.ERROR, "timeout")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "op", ["load", "new", "function", "tensor", "call", "get", "read", "write", "shares_storage"]
)
@settings(max_examples=2)
@given(which=st.integers(0, 10**6), change=changes)
def test_changed_values(middle, heard, op, which, change):
    """Something changed in a well-formed reply of each kind gives a score, and none for nothing."""
    found = numbers_of(op, heard)
    number = found[which % len(found)]

    def meddle(line):
        return [line_of_json(changed(json.loads(line), *change))]

    score = graded(middle, at(number, meddle))
    assert score.status in (Status.PASSED, Status.FAILED, Status.ERROR)
    assert score.status != Status.PASSED or score.score == 100
    assert score.status != Status.ERROR or score.score == 0


@settings(max_examples=5)
@given(
    where=st.integers(0, 10**4), change=changes, key=st.sampled_from(["events", "after", "value"])
)
def test_changed_everywhere(middle, heard, where, change, key):
    """The same thing changed in the replies to all calls: a subject that is consistent."""

    def meddle(number, request, line):
        reply = json.loads(line)
        if request["op"] in ("call", "get") and reply.get(key):
            reply[key] = changed(reply[key], where, *change[1:])
        return [line_of_json(reply)]

    assert graded(middle, meddle).status in (Status.PASSED, Status.FAILED, Status.ERROR)


def events_with(**fields: object):
    """Meddles with the fields of every event of a graph."""

    def meddle(number, request, line):
        reply = json.loads(line)
        for event in reply["events"]:
            if event["event"] != "function":
                event.update(fields)
        return [line_of_json(reply)]

    return meddle


@pytest.mark.parametrize(
    "fields",
    [{"graph": [1]}, {"graph": STATS}, {"graph": None}, {"output": 3}, {"output": OBJECT}, {"output": STATS},
     {"input": TENSOR | {"shape": [2**40, 0], "strides": [1, 1], "data": ""}}, {"output": TENSOR | {"shape": [], "strides": [], "data": "AAAAAA=="}},
     {"input": TENSOR | {"dtype": "float64", "shape": [20, 3], "data": Tensor.of([[1e300] * 3] * 20, "float64").to_wire()["data"]}},
     {"output": TENSOR | {"offset": 10**4299}}, {"output": TENSOR | {"strides": []}}, {"within": [1]}, {"event": None}],
    ids=lambda fields: repr(fields)[:50],
)  # fmt: skip
def test_odd_events(middle, heard, fields):
    """Events whose graph is no object, whose views are none or gigantic: the submission's fault."""
    assert graded(middle, events_with(**fields)).status in (Status.FAILED, Status.ERROR)


# --- what an honest host can be made to say --------------------------------------------------------


@pytest.mark.parametrize("digits", [5, 5000])
def test_line_with_many_digits(stack, stack_grader, digits):
    """A process that dies after it has written what looks like a stack is not believed any line."""
    said = f'File "my.py", line {"9" * digits} in x'
    body = f"import os, sys; print({said!r}, file=sys.stderr, flush=True); os.kill(os.getpid(), {int(signal.SIGKILL)})"
    score = stack_grader.grade(stack_doing(body), seed=1)
    can_be_shown(score, stack)
    assert (score.status, score.error.kind) == (Status.ERROR, "crash")


def test_long_texts(stack, stack_grader):
    """Ten megabytes of text, wherever they are said, are told in bounds."""
    for body in (
        "raise ValueError('x' * 10**7)",
        "raise type('x' * 10**7, (Exception,), {})",
        "return 'x' * 10**7",
    ):
        score = stack_grader.grade(stack_doing(body), seed=1)
        can_be_shown(score, stack)
        assert score.status in (Status.FAILED, Status.ERROR)


@pytest.mark.parametrize(
    "key", ["object()", "float('nan')", r"'\ud800'", "(1, object())", "10 ** 1000", "'x' * 10**6"]
)
def test_graphs_with_odd_keys(p17, p17_grader, reference, key):
    """Graphs under keys that JSON has not, new ones at each look, are told all the same."""
    more = f"""
class GraphRunner(GraphRunner):
    def capture(self):
        super().capture(); self._kept = self.graphs
        GraphRunner.graphs = property(lambda self: {{{key}: object()}}, lambda self, value: None)
"""
    score = p17_grader.grade(
        Submission("my.py", "python", reference.source + more.encode()), seed=3
    )
    can_be_shown(score, p17)
    assert score.status == Status.FAILED


def test_long_class_name(p17, p17_grader):
    """A class with a name that nobody reads to its end is told when one of its objects stands where a tensor should."""
    submission = runner(
        "return torch.zeros(x.shape)", init=r"self.static_in = self.static_out = self.stats = self.graphs = type('x' * 10**6, (), {})()",
    )  # fmt: skip
    score = p17_grader.grade(submission, seed=3)
    can_be_shown(score, p17)
    assert score.status == Status.FAILED
