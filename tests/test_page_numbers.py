"""Every number in a diagram is what the Trace of a run says: rows, states, counters, results.

The oracle here is made from Traces alone, row by row, without grader.frames.
"""

import contextlib
import importlib.util
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from browser import EXERCISE_PAGES, Visits, language_of, words

from grader.exercise import Exercise
from grader.grading import Grader
from grader.submission import Submission
from grader.tensor import Tensor
from grader.trace import Step, Trace

#: Reads the figures of a player: what is drawn in each step, by variant.
READ = """player => [...player.querySelectorAll(".steps > li")].map(step =>
    Object.fromEntries([...step.querySelectorAll("figure")].map(figure => [figure.dataset.variant ?? "", {
        notes: [...figure.querySelectorAll(".note")].map(one => one.textContent),
        ran: [...figure.querySelectorAll(".ran code")].map(one => one.textContent),
        buffers: [...figure.querySelectorAll("table.buffer")].map(table => ({
            name: table.caption.querySelector("code").textContent,
            kind: table.caption.querySelector("small").textContent,
            rows: [...table.rows].map(row => ({
                label: row.cells[0].textContent,
                kind: row.className,
                cells: [...row.cells].slice(1, -1).map(cell =>
                    [cell.textContent, cell.classList.contains("differs")]),
                state: [...row.cells].at(-1).childNodes[0]?.textContent,
                read: [...row.cells].at(-1).querySelector("br") ? [...row.cells].at(-1).textContent : "",
            })),
        })),
        counters: [...figure.querySelectorAll(".counters div")].map(one =>
            [...one.children].map(part => part.textContent)),
        results: [...figure.querySelectorAll("p.result")].map(one => one.textContent),
        kept: [...figure.querySelectorAll(".kept li")].map(one => one.textContent),
    }])))"""

Rows = list[list[float]]


# --- the oracle ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """What a figure must show; None stands for what is not shown yet."""

    ran: list[str]
    kind: str
    rows: dict[str, Rows]
    states: dict[str, list[str]]
    covered: list[int]
    x: Rows | None
    counters: dict[str, str]
    result: Rows | None
    alias: bool
    rewritten: dict[int, tuple[str, Rows, Rows]]
    same: list[int]


def rows_of(wire: Any) -> Rows:
    """A tensor of the Trace, row by row."""
    return Tensor.from_wire(wire).rows()


def played(exercise: Exercise, grader: Grader, id: str, file: str) -> tuple[Trace, list[int]]:
    """An example on a solution: its Trace, and how many calls had been made before each step."""
    spec = importlib.util.spec_from_file_location(
        f"played_{id}", exercise.folder / "examples" / f"{id}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = exercise.folder / "wrong" / file if file else exercise.solution("python")
    bounds: list[int] = []
    with grader.open(Submission(path.name, "python", path.read_bytes())) as subject:

        @contextlib.contextmanager
        def step() -> Iterator[None]:
            bounds.append(len(subject.trace.calls()))
            yield
            for call in subject.trace.calls():
                if isinstance(call.result, dict) and call.result.get("shape") is not None:
                    subject.read(call.result["ref"])

        module.play(subject, step)
        return subject.trace, [*bounds, len(subject.trace.calls())]


def overlap(a: Any, b: Any) -> bool:
    """Whether two tensors lie in one piece of memory."""
    (start, size), (other, other_size) = a["storage"], b["storage"]
    return start < other + other_size and other < start + size


def looks(trace: Trace, bounds: list[int], *, slowly: bool) -> list[Look]:
    """What the figures of an example must show, step by step."""
    calls = trace.calls()
    if slowly:
        return [look_at(trace, calls, len(calls) - 1, moment) for moment in range(1, 7)]
    return [look_at(trace, calls, end - 1, 6) for end in bounds[1:]]


def look_at(trace: Trace, calls: list[Step], at: int, moment: int) -> Look:
    """A call at a moment: 1 x is there, 2 graph chosen, 3 rows written, 4 padding, 5 run, 6 done."""
    call, before = (
        calls[at],
        {name: rows_of(calls[at - 1].after[name]) for name in ("static_in", "static_out")},
    )
    after = {name: rows_of(call.after[name]) for name in before}
    x = rows_of(argument(trace, call))
    replays = [event for event in call.events if event["event"] == "replay"]
    held = {name: [list(row) for row in rows] for name, rows in before.items()}
    states = {name: ["untouched"] * len(rows) for name, rows in before.items()}
    bs, bucket, ran = len(x), 0, [f"fn(x{[len(x), len(x[0])]})"]
    if replays:
        (replay,) = replays
        bucket = len(rows_of(replay["input"]))
        ran = [f"replay static_in[0:{bucket}]"]
        if moment >= 3:
            held["static_in"][:bs] = x
            states["static_in"][:bs] = ["fresh"] * bs
        if moment >= 4:
            held["static_in"][:bucket] = rows_of(replay["input"])
            for i in range(bs, bucket):
                states["static_in"][i] = "stale" if any(held["static_in"][i]) else "zeroed"
        if moment >= 5:
            held["static_out"][:bucket] = rows_of(replay["output"])
            states["static_out"][:bucket] = ["output"] * bs + ["padding"] * (bucket - bs)
    done = moment == 6
    if done:
        assert held == after  # so that nothing else happened to the buffers
    gave = [
        one for one in calls[: at + 1] if isinstance(one.result, dict) and "shape" in one.result
    ]
    rewritten, same = kept(trace, gave, call) if done else ({}, [])
    stats = {pair[0]: str(pair[1]) for pair in call.after["stats"]["items"]} if done else {}
    return Look(
        ran=ran if moment >= 5 else [],
        kind=f"{len(after['static_in'])} × {len(x[0])} float32",
        rows=held,
        states=states,
        covered=list(range(bucket)) if moment >= 2 else [],
        x=x,
        counters=stats,
        result=rows_of(call.result) if done else None,
        alias=done and overlap(call.result, call.after["static_out"]),
        rewritten=rewritten,
        same=same,
    )


def argument(trace: Trace, call: Step) -> Any:
    """The batch that a call was given."""
    (wire,) = call.request["args"]
    if "data" in wire:
        return wire
    made = [s for s in trace if isinstance(s.result, dict) and s.result.get("ref") == wire["ref"]]
    return made[0].result


def kept(
    trace: Trace, gave: list[Step], call: Step
) -> tuple[dict[int, tuple[str, Rows, Rows]], list[int]]:
    """The results handed out before a call, by what they held when looked at after it."""
    steps = list(trace)
    now: dict[int, Rows] = {}
    for step in steps[steps.index(call) + 1 :]:
        if step.op != "read":
            break
        now[step.request["ref"]] = rows_of(step.result)
    rewritten, same = {}, []
    for number, one in enumerate(gave[:-1], 1):
        was, is_now = rows_of(one.result), now[one.result["ref"]]
        if was == is_now:
            same.append(number)
        else:
            rewritten[number] = (trace.spell(one), was, is_now)
    return rewritten, same


# --- what is drawn -------------------------------------------------------------------------------


def expanded(table: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The rows of a table by their numbers: what is drawn as 4–9 is six rows."""
    rows: dict[int, dict[str, Any]] = {}
    for row in table["rows"]:
        first, _, last = row["label"].partition("–")
        for i in range(int(first), int(last or first) + 1):
            assert i not in rows
            rows[i] = row
    return rows


def inline(text: str) -> Rows:
    """A tensor that is written in one line: ``[5 5] ×2`` is two rows."""
    rows = []
    for cells, times in re.findall(r"\[([^\]]*)\](?:\s*×(\d+))?", text):
        rows += [[float(cell) for cell in cells.split()]] * int(times or 1)
    return rows


def check_buffer(drawn: dict[str, Any], look: Look, say: Callable[..., str], right: Look) -> None:
    """A table shows a buffer: all rows, their values and states, what the graph covers, what differs."""
    name = drawn["name"]
    rows = expanded(drawn)
    assert words(drawn["kind"]) == look.kind
    assert list(rows) == list(range(len(look.rows[name])))
    for i, row in rows.items():
        assert [float(text) for text, _ in row["cells"]] == look.rows[name][i], (name, i)
        state = look.states[name][i]
        assert words(row["state"]) == say(f"state.{state}")
        kinds = ({state} - {"untouched"}) | ({"in"} if i in look.covered else set())
        assert set(row["kind"].split()) == kinds
        assert row["read"] == ""
        other = right.rows[name][i]
        assert [marked for _, marked in row["cells"]] == [
            a != b for a, b in zip(look.rows[name][i], other, strict=True)
        ]


def check_figure(
    drawn: dict[str, Any], look: Look, say: Callable[..., str], right: Look | None
) -> None:
    """A figure shows what the Trace says; what it says to be as in the reference is so there."""
    if right is not None and drawn["notes"] == [say("player.no_difference")]:
        assert look == right
        assert drawn["buffers"] == []
        return
    same = [say("frame.same_buffer", name=name) for name in look.rows]
    for name in look.rows:
        tables = [table for table in drawn["buffers"] if table["name"] == name]
        noted = say("frame.same_buffer", name=name) in drawn["notes"]
        assert len(tables) == (0 if noted else 1)
        if noted:
            assert right is not None
            assert (look.rows[name], look.states[name], look.covered) == (
                right.rows[name],
                right.states[name],
                right.covered,
            )
        for table in tables:
            check_buffer(table, look, say, right or look)
    assert set(drawn["notes"]) <= set(same)
    assert drawn["ran"] == look.ran
    assert dict(drawn["counters"]) == look.counters
    results = list(drawn["results"])
    if right is None:
        assert inline(results.pop(0)) == look.x
    assert len(results) == (look.result is not None)
    for text in results:
        assert inline(text) == look.result
        lives = say("frame.alias", buffer="static_out") if look.alias else say("frame.own")
        assert words(text).endswith(lives)
    lines = [words(line) for line in drawn["kept"]]
    if look.same:
        assert lines.pop() == words(say("frame.same", numbers=look.same))
    assert len(lines) == len(look.rewritten)
    for line, (number, (call, was, now)) in zip(lines, look.rewritten.items(), strict=True):
        head = words(say("frame.rewritten", number=number, call=call))
        assert line.startswith(head)
        before, _, after = line.removeprefix(head).partition("→")
        assert (inline(before), inline(after)) == (was, now)


# --- the tests -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wanted(p17: Exercise, p17_grader: Grader) -> dict[str, dict[str, list[Look]]]:
    """What every figure must show, by example and variant."""
    found = {}
    for example in p17.manifest.examples:
        files = {"": "", **example.variants}
        found[example.id] = {
            name: looks(*played(p17, p17_grader, example.id, file), slowly=example.phases)
            for name, file in files.items()
        }
    return found


@pytest.mark.parametrize("id", ["ex1", "ex2"])
@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_numbers(
    visit: Visits, wanted: dict[str, dict[str, list[Look]]], name: str, id: str
) -> None:
    """Each figure of each step shows the run that it is of, number by number."""
    page = visit(name)
    say = language_of(name)
    drawn = page.locator(f"#{id}").evaluate(READ)
    looks = wanted[id]
    assert len(drawn) == len(looks[""])
    for i, figures in enumerate(drawn):
        assert list(figures) == list(looks)
        for variant, figure in figures.items():
            right = looks[""][i]
            check_figure(figure, looks[variant][i], say, right if variant else None)


def test_oracle(p17: Exercise, wanted: dict[str, dict[str, list[Look]]]) -> None:
    """The variants differ from the reference where the page's texts say so, and there alone."""
    first = wanted["ex1"]
    assert [look.result for look in first["without_clone"]] == [look.result for look in first[""]]
    assert not any(look.alias or look.rewritten for look in first[""])
    assert first["without_clone"][6].rewritten.keys() == {1, 2, 4, 6, 7}
    assert "stale" in first["without_zeroing"][1].states["static_in"]
    slow = wanted["ex2"]
    assert slow[""][3].states["static_in"] == ["fresh", "fresh", "zeroed", *["untouched"] * 3]
    assert replace(slow[""][0], covered=[0, 1, 2]) == slow[""][1]


@pytest.mark.parametrize("name", EXERCISE_PAGES)
def test_setup(visit: Visits, p17: Exercise, p17_grader: Grader, name: str) -> None:
    """A player names the calls that were made before its first step."""
    page = visit(name)
    for example in p17.manifest.examples:
        trace, bounds = played(p17, p17_grader, example.id, "")
        spelled = [trace.spell(call) for call in trace.calls()[: bounds[0]]]
        assert page.locator(f"#{example.id} .setup code").all_inner_texts() == spelled
