"""Submissions asked everything at one go: the scores are those of a grading step by step."""

import json
import textwrap
import zlib
from collections.abc import Callable

import pytest
from support import ROOT, copy_of_tiny

from grader.checks import precedents
from grader.checks.precedents import Precedents
from grader.checks.ruling import Ruling
from grader.errors import SubmissionError
from grader.protocol import MAX_EVENTS
from grader.score import Outcome, Score, Status
from grader.session import open_grader
from grader.subject import reference as reference_module
from grader.subject.channel import Channel
from grader.subject.faults import SubjectRaised
from grader.subject.replayed import Replayed, Strayed
from grader.subject.script import Script
from grader.submission import Submission, read
from grader.trace import Trace

SEED = 5

#: What a submission is asked that is judged by its answers alone.
AT_ONE_GO = {"seal", "load", "play", "played"}

SOLUTION = (ROOT / "tests" / "tiny" / "solutions" / "stack.py").read_text("utf-8")
POP = "        return self.items.pop()\n"
PUSH = "        self.items.append(item)\n"


def submission(source: str) -> Submission:
    """A submission with a source."""
    return Submission("my.py", "python", source.encode("utf-8", "surrogatepass"))


def doing(pop: str = "", *, push: str = "", top: str = "") -> Submission:
    """The tiny exercise's solution with something done before all else in a method."""
    source = SOLUTION
    for line, statements in ((POP, pop), (PUSH, push)):
        block = textwrap.indent(textwrap.dedent(f"{statements}\n"), " " * 8)
        source = source.replace(line, block + line)
    return submission(f"{top}\n{source}")


def told(score: Score, *, racing: bool = False) -> dict:
    """All that a score says, but for how long things took, and for demonstrations, which many
    submissions are not asked for.

    Args:
        score: the score.
        racing: whether it is chance at which word and in which line the submission was stopped.
    """
    said = json.loads(score.to_json())
    said |= {"duration_s": 0, "demonstrations": []}
    if racing:
        said["error"] |= {"output": None, "line": None, "code": None}
    for check in said["checks"]:
        for case in check["cases"]:
            case["duration_s"] = 0
    return said


class Listener:
    """Hears what submissions are asked."""

    def __init__(self, grader, monkeypatch):
        self._grader, self._asked = grader, []
        send = Channel.send

        def heard(channel, op, *written, **fields):
            self._asked.append((channel, op))
            return send(channel, op, *written, **fields)

        monkeypatch.setattr(Channel, "send", heard)

    def asked(self) -> list[str]:
        """What submissions, and not the reference, were asked since the last time."""
        asked, self._asked = self._asked, []
        return [op for channel, op in asked if channel is not self._grader._reference_channel]


@pytest.fixture(scope="module")
def many(stack):
    """A grader of the tiny exercise for many submissions, which has seen a right one."""
    with open_grader(stack, "python", precedents=Precedents(SEED)) as grader:
        for _ in range(2):
            assert grader.grade(submission(SOLUTION), seed=SEED).score == 100
        yield grader


@pytest.fixture
def listener(many, monkeypatch):
    """Hears what is asked of the submissions that ``many`` grades."""
    return Listener(many, monkeypatch)


@pytest.fixture
def same(many, stack_grader) -> Callable[[Submission], Score]:
    """Grades a submission in both ways, twice; the score must be one."""

    def grade(one: Submission, *, racing: bool = False) -> Score:
        expected = stack_grader.grade(one, seed=SEED)
        for _ in range(2):
            score = many.grade(one, seed=SEED)
            assert told(score, racing=racing) == told(expected, racing=racing)
        return expected

    return grade


# --- judged by answers alone ---------------------------------------------------------------------


def test_same_answers(stack, stack_grader, monkeypatch):
    """The first is asked step by step, the second at one go, and of the third the digest will do."""
    with open_grader(stack, "python", precedents=Precedents(SEED)) as grader:
        listener, scores = Listener(grader, monkeypatch), []
        for expected in ({"new", "call"}, {"play", "played"}, {"play"}):
            scores.append(grader.grade(submission(SOLUTION), seed=SEED))
            assert set(listener.asked()) - {"seal", "load"} == expected
    plain = told(stack_grader.grade(submission(SOLUTION), seed=SEED))
    assert [told(score) for score in scores] == [plain] * 3


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("items", "held"),
        lambda text: "# mine\nimport collections\n\n\n" + text,
        lambda text: text.replace("[]", "list()").replace("append(item)", "extend([item])"),
        lambda text: text.replace("self.items.pop()", "self.items.pop(len(self.items) - 1)"),
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    ],
    ids=["renamed", "moved", "reworded", "other_way", "other_bytes"],
)
def test_other_words(same, listener, change):
    """Whatever it looks like inside, it is the answers that count."""
    same(submission(SOLUTION))
    listener.asked()
    score = same(submission(change(SOLUTION)))
    assert score.score == 100


def test_reworded_is_not_asked_twice(many, listener):
    """A solution in other words that gives answers known by now is judged by their digest."""
    reworded = SOLUTION.replace("items", "held")  # a line of it is in an answer
    many.grade(submission(reworded), seed=SEED)
    listener.asked()
    many.grade(submission(f"{reworded}\nagain = True\n"), seed=SEED)
    assert listener.asked() == ["seal", "load", "play"]


WRONG = {
    "queue": POP.replace("pop()", "pop(0)"),
    "silent": POP.replace("\n", " if self.items else None\n"),
    "nothing": POP.replace("return ", ""),
    "other_number": POP.replace("\n", " + 1\n"),
    "other_kind": POP.replace("self", "float(self").replace("pop()", "pop())"),
    "object": POP.replace("self.items.pop()", "[self, self.items.pop()]"),
    "other_error": POP.replace("return", "if not self.items: raise KeyError('空')\n        return"),
    "odd_error": POP.replace(
        "return", "if not self.items: raise ValueError('\\ud800\\0\\x1b[2J')\n        return"
    ),
    "text": POP.replace("return self.items.pop()", "return '\\ud800' * self.items.pop()"),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_answers(same, many, listener, name):
    """Answers that nobody gave before are looked at as if they were being given; then known."""
    wrong = submission(SOLUTION.replace(POP, WRONG[name]))
    listener.asked()
    assert told(many.grade(wrong, seed=SEED))
    assert set(listener.asked()) <= AT_ONE_GO
    many.grade(wrong, seed=SEED)
    assert set(listener.asked()) == AT_ONE_GO - {"played"}
    score = same(wrong)
    assert score.status is Status.FAILED
    failed = [case for check in score.checks for case in check.cases if case.message is not None]
    assert failed
    assert all(case.evidence.calls for case in failed)


# --- what is printed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [{"push": "print('pushed', item)"}, {"pop": "print('popped')"}, {"top": "print('imported')"},
     {"pop": "import sys; print('err', file=sys.stderr)"}, {"push": "print('x' * 20_000)"}],
    ids=["push", "pop", "import", "stderr", "much"],
)  # fmt: skip
def test_prints_and_fails(same, where):
    """What was printed up to where it failed is shown, and nothing of what came after."""
    right = doing(**where).source.decode()
    score = same(submission(right.replace(POP, WRONG["queue"])))
    case = score.checks[0].cases[0]
    assert case.status is Outcome.FAILED
    assert case.output.stdout.head or case.output.stderr.head


def test_prints_after_a_silent_one(many, same):
    """One that prints and fails is not told what a silent one with the same answers was told."""
    silent = submission(SOLUTION.replace(POP, WRONG["other_number"]))
    assert same(silent).checks[0].cases[0].output is None
    loud = submission(silent.source.decode().replace(PUSH, f"        print(item)\n{PUSH}"))
    assert same(loud).checks[0].cases[0].output.stdout.head
    assert same(silent).checks[0].cases[0].output is None


def test_prints_and_passes(many, same, listener):
    """What passes shows nothing of what it printed, and is asked no more for it."""
    loud = doing("print('popped')", push="print(item)", top="print('hello')")
    many.grade(loud, seed=SEED)
    listener.asked()
    many.grade(loud, seed=SEED)
    assert set(listener.asked()) == AT_ONE_GO - {"played"}
    assert same(loud).score == 100


# --- what cannot be graded -----------------------------------------------------------------------

#: name -> (kind of the error; None where it is a matter of the cases, the submission)
BAD = {
    "syntax": ("syntax", submission("class Stack(:\n    pass\n")),
    "import_raises": ("import", doing(top="1 / 0")),
    "import_exits": ("exit", doing(top="import os; os._exit(0)")),
    "import_hangs": ("timeout", doing(top="while True: pass")),
    "no_class": ("missing", submission("class Stock: pass\n")),
    "other_signature": ("signature", submission(SOLUTION.replace("push(self, item)", "push(self)"))),
    "raises_always": (None, doing("raise ValueError('no')", push="raise ValueError('no')")),
    "raises": (None, doing("raise ValueError('no')")),
    "unfinished": (None, doing("raise NotImplementedError")),
    "recurses": (None, doing("return self.pop()")),
    "reads_input": (None, doing("input()")),
    "sys_exit": ("exit", doing("import sys; sys.exit(0)")),
    "os_exit": ("exit", doing("import os; os._exit(0)")),
    "exits_when_empty": ("exit", doing("if not self.items: import os; os._exit(0)")),
    "exits_without_a_word": ("crash", doing("import os; os.kill(os.getpid(), 9)")),
    "crashes": ("crash", doing("import os; os.abort()")),
    "hangs": ("timeout", doing("while True: pass")),
    "hangs_when_empty": ("timeout", doing("while not self.items: pass")),
    "floods": ("output", doing("while True: print('x' * 9999)")),
    "floods_slowly": ("output", doing(push="print('x' * 1_500_000)")),
    "hangs_up": ("hung_up", doing("import os; os.closerange(3, 99)")),
    "takes_all_memory": ("memory", doing("bytearray(10 ** 12)")),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_submission(same, name):
    """Whatever goes wrong is said as it is said step by step: kind, words, line, output."""
    kind, bad = BAD[name]
    score = same(bad, racing=kind == "output")
    assert (score.error.kind if score.error else None) == kind
    if kind:
        assert (score.status, score.score) == (Status.ERROR, 0)


def test_right_after_bad(many, same):
    """After all of that a right one is right, and a wrong one wrong."""
    many.grade(BAD["crashes"][1], seed=SEED)
    assert same(submission(SOLUTION)).score == 100
    assert same(submission(SOLUTION.replace(POP, WRONG["queue"]))).score == 40


FORGED = """
import json, os
def forge():
    for fd in range(3, 64):
        try:
            os.set_blocking(fd, False)
            for number in range(200):
                reply = {"id": number, "value": %s, "events": []}
                os.write(fd, json.dumps(reply).encode() + b"\\n")
        except OSError:
            pass
"""


@pytest.mark.parametrize("value", ['"0" * 64', '"%s"', "[]", "None"])
def test_forged_digest(many, same, value):
    """Who writes to the pipe is found out; even a digest known to be right is no reply."""
    (known, *_) = [digest for (_, digest), kept in many.precedents._rulings.items() if kept.passed]
    value = value.replace("%s", known)
    score = same(doing(f"forge(); return {value}", top=FORGED % value))
    assert (score.status, score.error.kind) == (Status.ERROR, "protocol")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_printed_replies(many, same, stream):
    """What is printed is no reply, whatever it looks like."""
    (_, digest), _ = next(iter(many.precedents._rulings.items()))
    lines = [{"id": n, "value": digest, "events": []} for n in range(20)]
    score = same(doing(f"import sys; print(*{lines}, sep='\\n', file=sys.{stream}); return 0"))
    assert score.status is Status.FAILED


# --- limits --------------------------------------------------------------------------------------


def test_slow_in_all(same):
    """A submission whose calls are each within their limit is given the time that they take."""
    assert same(doing("import time; time.sleep(0.4)")).score == 100


def test_slow_call(same):
    """A call above its limit is too slow, even if all cases would be soon over."""
    score = same(doing("import time; time.sleep(0 if self.items else 1.3)"))
    assert (score.status, score.error.kind) == (Status.ERROR, "timeout")


def test_slow_import(same):
    """A file that is slow to import is executed once, and keeps to itself what it keeps."""
    kept = "import time; time.sleep(0.3)\nkept = []"
    score = same(doing("if kept and not self.items: return 0", push="kept.append(item)", top=kept))
    assert score.status is Status.FAILED or score.score == 100


def test_output_just_above_the_limit(same):
    """The last case may print too much, too."""
    flood = "if not self.items: print('x' * 10_000_500)"
    score = same(doing(flood), racing=True)
    assert (score.status, score.error.kind) == (Status.ERROR, "output")


# --- not the same the second time ----------------------------------------------------------------


def counted(condition: str, *, where: str) -> str:
    """Code that is wrong on some executions of the file, which it counts."""
    count = {
        "builtins": "import builtins\nbuiltins.n = n = getattr(builtins, 'n', 0) + 1",
        "file": "with open('n', 'a+') as file:\n    file.write('x'); n = file.tell()",
    }[where]
    return f"{count}\nwrong = {condition}\n"


@pytest.mark.parametrize("where", ["builtins", "file"])
@pytest.mark.parametrize("first", range(1, 7))
def test_wrong_from_some_time_on(many, stack_grader, where, first):
    """An answer that is wrong when it is given is never a pass, and is what it is."""
    one = doing("if wrong: return -1", top=counted(f"n >= {first}", where=where))
    cases = [case for check in many.grade(one, seed=SEED).checks for case in check.cases]
    always = doing("return -1")
    wrong = [
        case
        for check in told(stack_grader.grade(always, seed=SEED))["checks"]
        for case in check["cases"]
    ]
    for case, failed in zip(cases, wrong, strict=True):
        if case.status is not Outcome.PASSED:
            assert case.message.id == failed["message"]["id"]
    if first == 1:  # wrong whenever it is asked anything
        assert all(case.status is Outcome.FAILED for case in cases)


@pytest.mark.parametrize("where", ["builtins", "file"])
@pytest.mark.parametrize("first", [2, 3])
def test_not_loaded_again(many, where, first):
    """One that can be executed just so often answers nothing more, even where it could."""
    top = counted(f"n >= {first}", where=where)
    source = doing(top=top).source.decode() + "\nif wrong: raise ValueError('again')\n"
    score = many.grade(submission(source), seed=SEED)
    assert (score.status, score.error.kind) == (Status.ERROR, "import")


def test_offers_less_the_second_time(same):
    """What a submission must offer it must offer at every execution."""
    source = f"import builtins\n{SOLUTION}\n"
    source += "if hasattr(builtins, 'again'): Stack.push = lambda self, item, more: None\n"
    score = same(submission(source + "builtins.again = 1\n"))
    assert (score.status, score.error.kind) == (Status.ERROR, "signature")


def test_wrong_by_chance(many):
    """What is wrong now and then passes no case in which it was wrong."""
    one = doing("import random\nif self.items and random.random() < 0.5: return -1")
    for _ in range(5):
        score = many.grade(one, seed=SEED)
        assert score.status in (Status.PASSED, Status.FAILED)
        for case in (case for check in score.checks for case in check.cases):
            assert case.status is Outcome.PASSED or case.evidence.seen == "-1"


# --- precedents ----------------------------------------------------------------------------------


def test_another_seed(many, stack_grader, listener):
    """Precedents are those of one seed; with another, all is asked step by step, and is right."""
    scripts, kept = dict(many.precedents.scripts), len(many.precedents._rulings)
    for one in (submission(SOLUTION), submission(SOLUTION.replace(POP, WRONG["queue"]))):
        expected = told(stack_grader.grade(one, seed=SEED + 1))
        listener.asked()
        assert told(many.grade(one, seed=SEED + 1)) == expected
        assert not {"play", "played"} & set(listener.asked())
    assert (many.precedents.scripts, len(many.precedents._rulings)) == (scripts, kept)


def ruling(case: str = "a.py::test", outcome: str = "passed", steps: int = 0) -> Ruling:
    """A ruling on some case."""
    trace = Trace()
    for number in range(steps):
        trace.add({"op": "call", "ref": 0}, {"value": "x" * 1000, "id": number, "events": []})
    return Ruling({"nodeid": case, "outcome": outcome}, trace)


def test_rulings_are_bounded(monkeypatch):
    """Of many rulings those are kept that were looked for last."""
    monkeypatch.setattr(precedents, "_KEPT", 3)
    known = Precedents(SEED)
    for digest in "abc":
        known.keep(ruling(), digest)
    assert known.find("a.py::test", "a", printed=False)
    known.keep(ruling(), "d")
    kept = [digest for digest in "abcd" if known.find("a.py::test", digest, printed=False)]
    assert kept == ["a", "c", "d"]
    for number in range(50):
        known.keep(ruling(), str(number))
    assert len(known._rulings) == 3


def test_rulings_are_packed():
    """What is kept takes little memory, and of what failed all can be told that was seen."""
    known = Precedents(SEED)
    passed, failed = ruling(steps=100), ruling(outcome="failed", steps=100)
    known.keep(passed, "passed")
    known.keep(failed, "failed")
    kept = known.find("a.py::test", "failed", printed=False)
    assert kept.trace == failed.trace
    assert len(kept.recorded) < len(failed.trace.to_json()) / 20
    assert zlib.decompress(known.find("a.py::test", "passed", printed=True).recorded) == b""


def test_one_case_is_not_another():
    """The same answers to another case are another matter."""
    known = Precedents(SEED)
    known.keep(ruling("a.py::test"), "digest")
    assert known.find("a.py::test_2", "digest", printed=False) is None


def test_drawn_once(many, monkeypatch):
    """The drawing of a case is kept with it: the reference is not asked again."""
    wrong = submission(SOLUTION.replace(POP, WRONG["queue"]))
    first = many.grade(wrong, seed=SEED)
    first = many.grade(wrong, seed=SEED)
    monkeypatch.setattr(type(many), "_draw", None)
    assert told(many.grade(wrong, seed=SEED)) == told(first)


# --- replays -------------------------------------------------------------------------------------


@pytest.fixture
def replayed(stack_grader):
    """Answers to a new, a push of 1 and a pop, as a subject to be asked."""
    with stack_grader.open(submission(SOLUTION)) as subject:
        stack = subject.new("Stack")
        stack.push(1)
        stack.pop()
        replies = [step.reply for step in subject.trace]
        yield Replayed(subject, Script.of(subject.trace), replies)


def test_replayed(replayed):
    """Asked the same, it answers the same, and its Trace is what the subject's was."""
    stack = replayed.new("Stack")
    assert stack.push(1) is None
    assert stack.pop() == 1
    assert not replayed.strayed
    assert [step.op for step in replayed.trace] == ["reload", "new", "call", "call"]


@pytest.mark.parametrize(
    "ask",
    [lambda s, _: s.push(2), lambda s, _: s.push(True), lambda s, _: s.push(1.0),
     lambda s, _: s.push("1"), lambda s, _: s.pop(), lambda s, _: s.push(1, more=None),
     lambda s, _: s.items, lambda _, subject: subject.new("Stack"), lambda _, subject: subject.forget(),
     lambda s, _: [s.push(1), s.pop(), s.pop()]],
    ids=["value", "bool", "float", "text", "method", "keyword", "attribute", "new", "forget", "more"],
)  # fmt: skip
def test_strays(replayed, ask):
    """Whatever else is asked, it is known, also where the check minds nothing."""
    stack = replayed.new("Stack")
    with pytest.raises(Strayed):
        ask(stack, replayed)
    assert replayed.strayed
    with pytest.raises(Strayed):
        stack.push(1)


def test_replayed_failed_load(replayed):
    """What could not be loaded again answers nothing."""
    script = Script([{"op": "reload"}], [[]])
    for kind in ("import", "missing", "exit", "tampered"):
        reply = {"id": 0, "error": {"kind": kind, "message": ""}, "events": []}
        with pytest.raises(SubmissionError):
            Replayed(replayed, script, [reply])


@pytest.mark.parametrize("name", ["dropped", "function"])
def test_replayed_without_end(replayed, name):
    """More events than a reply may tell of end a replay, too, whatever was answered."""
    events = [{"event": name, "within": None}] * (1 if name == "dropped" else MAX_EVENTS + 1)
    asks = [
        {"op": "reload"},
        {"op": "new", "class": "Stack", "watch": [], "args": [], "kwargs": {}},
    ]
    made = {"$": "object", "ref": 0, "type": "Stack"}
    replies = [{"id": 0, "value": None, "events": []}, {"id": 1, "value": made, "events": events}]
    again = Replayed(replayed, Script(asks, [[], []]), replies)
    with pytest.raises(SubmissionError) as raised:
        again.new("Stack")
    assert raised.value.kind == "events"


SWALLOWING = """
from grader.checks import expect

def test_last_in_first_out(subject):
    stack = subject.new("Stack")
    stack.push(1)
    seen = stack.pop()
    again = None
    try:
        stack.push(seen)
        again = stack.pop()
    except Exception:
        pass
    expect(again in (1, 2), "order.item", seen=again, expected=1, item=1)
"""


def test_check_that_asks_by_answers(tmp_path):
    """A case that asks one submission this and another that is asked step by step, even if it
    takes no notice of being refused.
    """
    exercise = copy_of_tiny(tmp_path)
    (exercise.folder / "checks" / "test_order.py").write_text(SWALLOWING)
    with (
        open_grader(exercise, "python") as plain,
        open_grader(exercise, "python", precedents=Precedents(1)) as many,
    ):
        for source in (SOLUTION, SOLUTION.replace(POP, WRONG["other_number"]), SOLUTION):
            one = submission(source)
            expected = plain.grade(one, seed=1)
            assert told(many.grade(one, seed=1)) == told(expected)
            assert expected.checks[0].status is (
                Outcome.PASSED if source == SOLUTION else Outcome.FAILED
            )


def test_check_at_fault(tmp_path):
    """A check that fails itself on some answer is the exercise's fault, however it comes to light."""
    exercise = copy_of_tiny(tmp_path)
    check = "def test_it(subject):\n    s = subject.new('Stack')\n    s.push(1)\n    1 / s.pop()\n"
    (exercise.folder / "checks" / "test_order.py").write_text(check)
    with open_grader(exercise, "python", precedents=Precedents(1)) as many:
        assert many.grade(submission(SOLUTION), seed=1).status is Status.PASSED
        zero = submission(SOLUTION.replace(POP, POP.replace("\n", " * 0\n")))
        for _ in range(2):
            score = many.grade(zero, seed=1)
            assert (score.status, score.score) == (Status.UNGRADED, None)
            assert score.error.message.id == "exercise.check_fault"


def test_raised_is_data(replayed):
    """An exception that was answered is raised as it would be."""
    error = {"kind": "exception", "type": "IndexError", "message": "empty", "line": 3, "code": "x"}
    asks = [
        {"op": "reload"},
        {"op": "new", "class": "Stack", "watch": [], "args": [], "kwargs": {}},
    ]
    replies = [{"id": 0, "value": None, "events": []}, {"id": 1, "error": error, "events": []}]
    again = Replayed(replayed, Script(asks, [[], []]), replies)
    with pytest.raises(SubjectRaised, match="IndexError: empty"):
        again.new("Stack")
    assert not again.strayed


# --- P17 -----------------------------------------------------------------------------------------

P17 = ROOT / "exercises" / "p17"

#: Every fifth of P17's solutions, right and wrong.
SAMPLE = [*sorted((P17 / "right").glob("*.py")), *sorted((P17 / "wrong").glob("*.py"))][::5]

RUN = "        bs = x.shape[0]\n"
RETURN = "        return self.static_out[:bs].clone()"


@pytest.fixture(scope="session")
def many_runners(p17, reference):
    """A grader of P17 for many submissions, which has seen a right one."""
    with open_grader(p17, "python", precedents=Precedents(SEED)) as grader:
        assert grader.grade(reference, seed=SEED).score == 100
        yield grader


def coarse(said: dict) -> list:
    """What a score comes to: status, points, and which messages."""
    checks = [
        (c["status"], c["points"], c["message"] and c["message"]["id"]) for c in said["checks"]
    ]
    return [said["status"], said["score"], checks, said["error"] and said["error"]["kind"]]


def test_runner_of_known_answers(many_runners, reference, monkeypatch):
    """Of a right runner like those before, digests are all that is asked."""
    score = many_runners.grade(reference, seed=SEED)
    listener = Listener(many_runners, monkeypatch)
    assert told(many_runners.grade(reference, seed=SEED)) == told(score)
    assert set(listener.asked()) == {"seal", "load", "play"}


#: name -> (kind of the error, what is replaced in the reference solution, by what)
BAD_RUNNERS = {
    "tampers": ("tampered", RUN, f"        CpuGraph.replay = lambda self: None\n{RUN}"),
    "tampers_with_the_log": (
        "tampered", RUN,
        f"""
        given = [cell.cell_contents for cell in CpuGraph.replay.__closure__]
        [log] = [one for one in given if hasattr(one, 'emit')]
        log.__dict__ = vars(log) | {{'_emit': print}}
{RUN}""",
    ),
    "returns_nothing": ("result", RETURN, RETURN.replace("return ", "")),
    "returns_list": ("result", RETURN, f"{RETURN}.tolist()"),
    "calls_without_end": (
        "events", RUN,
        f"""
        try:
            for _ in range(20000): self.fn(x)
        except BaseException: pass
{RUN}""",
    ),
    "takes_all_memory": ("memory", RUN, f"        torch.zeros(10 ** 12)\n{RUN}"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_RUNNERS)
def test_bad_runner(many_runners, p17_grader, reference, name):
    """What ends a grading step by step ends it just so."""
    kind, old, new = BAD_RUNNERS[name]
    source = reference.source.decode()
    assert old in source
    bad = submission(source.replace(old, new, 1))
    expected = p17_grader.grade(bad, seed=SEED)
    assert (expected.status, expected.error.kind) == (Status.ERROR, kind)
    assert told(many_runners.grade(bad, seed=SEED)) == told(expected)


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_solutions(many_runners, p17_grader, p17, path):
    """The first time and when its answers are known, a solution fares as it fares without. What is
    not the same from one grading to the next anyway, as it reads memory that holds what was there
    before, comes to the same in points and messages.
    """
    one = read(path, p17, "python")
    plain = told(p17_grader.grade(one, seed=SEED))
    for _ in range(2):
        seen = told(many_runners.grade(one, seed=SEED))
        if seen != plain:
            again = [told(p17_grader.grade(one, seed=SEED)) for _ in range(4)]
            assert seen in again or any(other != plain for other in again)
            assert coarse(seen) in map(coarse, [plain, *again])


# --- the reference -------------------------------------------------------------------------------


def asked_of(reference, *items):
    """What a stack of the reference gives back, last in first out."""
    stack = reference.recalled().new("Stack")
    for item in items:
        stack.push(item)
    return [stack.pop() for _ in items]


def test_reference_is_asked_nothing_twice(stack, monkeypatch):
    """Its answers hang on what a case asked so far; what is new is asked from the beginning."""
    with open_grader(stack, "python") as grader:
        reference, sent = grader._reference, []
        send = Channel.send

        def heard(channel, op, *written, **fields):
            sent.append(op)
            return send(channel, op, *written, **fields)

        monkeypatch.setattr(Channel, "send", heard)
        assert asked_of(reference, 1, 2) == [2, 1]
        assert sent == ["forget", "new", "call", "call", "call", "call"]
        sent.clear()
        assert asked_of(reference, 1, 2) == [2, 1]
        assert sent == []
        assert asked_of(reference, 1, 3) == [3, 1]
        assert sent == ["forget", "new", "call", "call", "call", "call"]
        sent.clear()
        assert [asked_of(reference, 1, 2), asked_of(reference, 1, 3)] == [[2, 1], [3, 1]]
        assert sent == []


def test_reference_remembers_so_much(stack, monkeypatch):
    """What it remembers is bounded, and what it forgot is asked again."""
    monkeypatch.setattr(reference_module, "_REMEMBERED", 4)
    with open_grader(stack, "python") as grader:
        for _ in range(2):
            for last in (2, 3, 4):
                assert asked_of(grader._reference, 1, last) == [last, 1]
        assert len(grader._reference._remembered) <= 4
