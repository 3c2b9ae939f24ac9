"""Devices: which there are, one submission graded on several, and what comes of it together.

No GPU is needed: a subject that is said to compute on one computes on the CPU here, or finds that
CUDA cannot be used.
"""

import dataclasses
import importlib.util
import types

import pytest
import torch
from support import ROOT, runner, value_of

from exercises.p17 import conformance, cpu_graph, cuda_graph
from grader import session
from grader.checks import CheckFailed, expect_same
from grader.devices import together
from grader.errors import EnvironmentFault
from grader.i18n import LANGUAGES, Translator
from grader.message import Message
from grader.render.feedback import feedback_page
from grader.render.terminal import glyphs_for, render
from grader.score import Error, OnDevice, Outcome, Score, Status, Text
from grader.session import grade_file
from grader.subject import device
from grader.subject.allowance import Allowance
from grader.subject.isolation import WALLS, Isolation
from grader.subject.python import launcher, tensors
from grader.tensor import Tensor

SEED = 3
REFERENCE = ROOT / "solutions" / "p17_graph_runner.py"


def shown(score: Score, exercise, language: str) -> str:
    """A score in the terminal."""
    say = Translator(language, exercise.folder)
    return render(score, say, color=False, glyphs=glyphs_for("utf-8"), hints=True)


# --- which there are -----------------------------------------------------------------------------


@pytest.fixture
def dev(tmp_path):
    """A folder of device files with a GPU in it."""
    for name in ("null", "nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-modeset", "sda"):
        (tmp_path / name).touch()
    return tmp_path


def test_cpu_is_always_there():
    """It needs no files but those that every program counts on."""
    assert device.missing("cpu") is None
    assert device.files_of("cpu") == []


def test_a_gpu(dev, monkeypatch):
    """A GPU with its driver's files, and a torch built for it."""
    monkeypatch.setattr(device, "_cuda_of_torch", lambda: "13.0")
    assert device.missing("cuda", dev) is None
    assert device.files_of("cuda", dev) == [
        str(dev / name) for name in ("nvidia-uvm", "nvidia0", "nvidia1", "nvidiactl")
    ]


@pytest.mark.parametrize("gone", ["nvidiactl", "nvidia0 nvidia1"])
def test_no_gpu(dev, monkeypatch, gone):
    """No GPU, or no driver."""
    monkeypatch.setattr(device, "_cuda_of_torch", lambda: "13.0")
    for name in gone.split():
        (dev / name).unlink()
    assert device.missing("cuda", dev) == Message("device.no_gpu", {"folder": str(dev)})


def test_torch_without_cuda(dev, monkeypatch):
    """A GPU is of no use to a CPU build of torch; nor on another system."""
    monkeypatch.setattr(device, "_cuda_of_torch", lambda: None)
    assert device.missing("cuda", dev) == Message("device.cpu_build")
    monkeypatch.setattr(device.sys, "platform", "darwin")
    assert device.missing("cuda", dev) == Message("device.linux_only", {"system": "darwin"})


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("cuda: Optional[str] = '13.0'", "13.0"),
        ("cuda = '12.8'", "12.8"),
        ("cuda: Optional[str] = None", None),
        ("debug = False", None),
    ],
)
def test_cuda_of_torch(tmp_path, monkeypatch, line, found):
    """What torch was built for stands in a file of it, which is read and not run."""
    (tmp_path / "version.py").write_text(f"raise SystemExit\n{line}\nhip = '1.0'\n", "utf-8")
    spec = types.SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda _: spec)
    assert device._cuda_of_torch() == found


def test_this_torch():
    """Of the torch that is installed it says what torch says."""
    assert device._cuda_of_torch() == torch.version.cuda


# --- how a subject is shut in --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_plan(p17, dev, monkeypatch, name):
    """On a GPU a subject sees the GPU's files, and no limit of address space, which its driver
    takes by the terabyte. All else is as on a CPU.
    """
    monkeypatch.setattr(launcher, "files_of", lambda name: device.files_of(name, dev))
    plan = launcher.start_of(p17.preload("python", name), Allowance(), WALLS).plan(
        WALLS, "/scratch"
    )
    assert plan.walls == WALLS
    assert plan.memory_mb == (Allowance.memory_mb if name == "cpu" else None)
    files = [path for path in plan.devices if path.startswith(str(dev))]
    assert files == device.files_of(name, dev)
    assert bool(set(device.facts_of("cuda")) & set(plan.readable)) == (name == "cuda")


def test_memory_that_is_not_limited():
    """It is missing from the protections, and nothing else is."""
    assert Isolation(frozenset({*WALLS, "rlimit_threads"})).missing == ["memory"]
    assert Isolation(frozenset({*WALLS, "rlimit_threads", "rlimit_memory"})).missing == []


# --- a subject on another device -----------------------------------------------------------------


def test_tensors_on_a_device(monkeypatch):
    """Values become tensors on the device that is computed on, whatever their layout."""
    monkeypatch.setattr(tensors, "_device", tensors._device)
    tensors.compute_on("meta")
    x = value_of(torch.arange(6.0).view(2, 3))
    wire = x.to_wire()
    for more in ({}, {"strides": [1, 2]}, {"shape": [0, 3], "data": ""}):
        made = tensors.decode(wire | more)
        assert made.device.type == "meta"
        assert list(made.shape) == (wire | more)["shape"]
    tensors.compute_on("cpu")
    assert value_of(tensors.decode(wire)) == x


class Log:
    """The log of a subject on a device, which has nothing done on the host's thread."""

    def __init__(self, device):
        self.device, self.seen = device, []

    def perform(self, *_):
        """Nothing is done on the host's thread."""
        return ()

    def begin(self, event, **fields):
        """Note an event that lasts."""
        self.seen.append((event, fields))

    emit = begin

    def end(self, **fields):
        """It is over."""
        self.seen.append(("end", fields))


@pytest.fixture
def observed(monkeypatch):
    """Has P17's module for the subject's side observe graphs on a device: the module and the log."""
    monkeypatch.setattr(cpu_graph, "CpuGraph", cpu_graph.CpuGraph)
    for graph_class in (cpu_graph.CpuGraph, cuda_graph.CudaGraph):
        for name in ("capture", "replay"):
            monkeypatch.setattr(graph_class, name, getattr(graph_class, name))
    path = ROOT / "exercises" / "p17" / "subject.py"
    spec = importlib.util.spec_from_file_location("subject_of_p17", path)
    subject = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(subject)

    def observe(device):
        log = Log(device)
        subject.observe(log)
        return subject, log

    return observe


@pytest.mark.parametrize("name", conformance.BEHAVIOURS)
def test_observed_graphs(observed, name):
    """A graph that is observed behaves as the same one does that is not."""
    _, log = observed("cpu")
    assert conformance.see(name, "cpu") == conformance.BEHAVIOURS[name].expected
    assert "capture" in [event for event, _ in log.seen] or name == "replay_before_capture"


def test_the_name_that_submissions_import(observed, monkeypatch):
    """On a GPU ``CpuGraph`` is the class that captures there; functions run where the submission
    does, and note their calls, with no look at what is not computed yet.
    """
    subject, log = observed("cuda")
    assert cpu_graph.CpuGraph is cuda_graph.CudaGraph
    assert subject.PLAIN.keys() == {*subject.FUNCTIONS, "decode_step", "launch_ratio"}
    fn, x = subject.PLAIN["affine"](scale=2, shift=1), torch.ones(1, 1)
    capturing = [True, False]
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", capturing.pop)
    assert [float(fn(x)), float(fn(x))] == [3, 3]
    assert log.seen == [
        ("function", {"function": fn, "input": x}),
        ("function", {"function": fn, "input": None}),
    ]


# --- results that may be off ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "tolerance", "row"),
    [
        ([[1.0], [2.0]], [[1.0], [2.0]], 0, None),
        ([[1.0], [2.0002]], [[1.0], [2.0]], 1e-3, None),
        ([[1.0], [2.0002]], [[1.0], [2.0]], 1e-5, 1),
        ([[1.0], [2.0002]], [[1.0], [2.0]], 0, 1),
        ([[-1.0]], [[1.0]], 0.5, 0),
        ([[1e-9]], [[0.0]], 0.5, 0),
        ([[float("inf")]], [[1e30]], 0.5, 0),
        ([[1e30]], [[float("inf")]], 0.5, 0),
        ([[float("nan")]], [[1.0]], 0.5, 0),
        ([[float("nan")]], [[float("nan")]], 0, None),
    ],
)
def test_tolerance(mine, theirs, tolerance, row):
    """A part of what is expected, by which an element may be off; of nothing it is nothing."""
    a, b = Tensor.of(mine, "float64"), Tensor.of(theirs, "float64")
    assert a.first_difference(b, tolerance) == row
    if row is None:
        expect_same(a, b, "parity", tolerance=tolerance)
    else:
        with pytest.raises(CheckFailed):
            expect_same(a, b, "parity", tolerance=tolerance)


# --- together ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def right(p17_grader, reference) -> Score:
    """What the reference gets on the CPU."""
    return p17_grader.grade(reference, seed=SEED)


def on(score: Score, name: str, failed: tuple[str, ...] = (), /, **update: object) -> Score:
    """A score as if from another device, where some checks failed."""
    checks = [
        check.model_copy(
            update={"device": name}
            | ({"status": Outcome.FAILED, "points": 0} if check.id in failed else {})
        )
        for check in score.checks
    ]
    points = float(sum(check.points for check in checks))
    update = {
        "device": name, "checks": checks, "score": points,
        "status": Status.FAILED if failed else score.status,
    } | update  # fmt: skip
    here = OnDevice(device=name, status=update["status"], score=update["score"])
    return score.model_copy(update=update | {"devices": [here]})


def test_fewest_points_of_every_check(right):
    """What failed on one device fails for all, and is shown as it failed there."""
    score = together([on(right, "cpu", ("padding",)), on(right, "cuda", ("clone",))], {})
    assert (score.score, score.status, score.device) == (65, Status.FAILED, "cpu+cuda")
    by_id = {check.id: check for check in score.checks}
    assert (by_id["padding"].device, by_id["clone"].device) == ("cpu", "cuda")
    assert by_id["parity"].device == "cpu"
    assert [(one.device, one.score) for one in score.devices] == [("cpu", 85), ("cuda", 80)]


def test_error_on_one_device(right):
    """What cannot be graded on one device scores nothing."""
    error = Error(kind="crash", message=Text(id="error.crash"))
    bad = on(
        right, "cuda", tuple(check.id for check in right.checks), status=Status.ERROR, error=error
    )
    score = together([right, bad], {})
    assert (score.score, score.status, score.error) == (0, Status.ERROR, error)
    assert score.devices[1].message == error.message


def test_fault_on_one_device(right):
    """Where a device fails the grader, what it got on the other stands, and the fault is told."""
    error = Error(kind="grader", message=Text(id="environment.no_cuda", params={"detail": "?"}))
    bad = on(right, "cuda", status=Status.UNGRADED, score=None, error=error)
    score = together([right, bad], {})
    assert (score.score, score.status, score.error, score.device) == (100, "passed", None, "cpu")
    assert score.devices[1].message == error.message
    alone = together([bad], {})
    assert (alone.score, alone.status, alone.error) == (None, Status.UNGRADED, error)


def test_absent_device(right):
    """It is listed with the reason."""
    score = together([right], {"cuda": Message("device.no_gpu", {"folder": "/dev"})})
    assert score.score == 100
    assert [(one.device, one.status) for one in score.devices] == [
        ("cpu", "passed"),
        ("cuda", None),
    ]
    assert score.devices[1].message == Text(id="device.no_gpu", params={"folder": "/dev"})


# --- from end to end -----------------------------------------------------------------------------


@pytest.fixture
def pretended(monkeypatch):
    """A GPU that is a CPU: the launchers that were opened, by device."""
    opened = {}

    def launch(preload, allowance, level):
        made = launcher.launch(dataclasses.replace(preload, device="cpu"), allowance, level)
        made.device = preload.device
        opened[preload.device] = made
        return made

    monkeypatch.setattr(session, "missing", lambda _: None)
    monkeypatch.setattr(session, "launch", launch)
    return opened


def test_both(p17, pretended):
    """Every check runs on both, and so does what is shown for no points."""
    score = grade_file(p17, REFERENCE, seed=SEED)
    assert pretended.keys() == {"cpu", "cuda"}
    assert (score.score, score.device, score.status) == (100, "cpu+cuda", "passed")
    checks = dict.fromkeys([check.id for check in score.checks], Outcome.PASSED)
    assert [one.checks for one in score.devices] == [checks, checks]
    assert [(one.id, one.device, one.status) for one in score.demonstrations] == [
        ("decode", "cpu", "passed"), ("decode", "cuda", "passed"), ("launches", "cuda", "passed"),
    ]  # fmt: skip
    for language in LANGUAGES:
        text = shown(score, p17, language)
        page = feedback_page(score, Translator(language, p17.folder), hints=True)
        for line in ("cpu: 100/100", "cuda: 100/100"):
            assert line in text.replace("：", ": ")
            assert line in page.replace("：", ": ")
        assert text.count("47") == 2
        assert "× " not in page
        assert page.count("×</td>") == 3


def test_one_by_name(p17, pretended):
    """Only the device that was asked for."""
    score = grade_file(p17, REFERENCE, seed=SEED, wanted="cuda")
    assert pretended.keys() == {"cuda"}
    assert (score.score, score.device) == (100, "cuda")
    assert {check.device for check in score.checks} == {"cuda"}


def test_which_device_failed(p17, pretended, tmp_path):
    """Where there are two, a failed check says on which it is shown."""
    path = tmp_path / "mine.py"
    wrong = p17.folder / "wrong" / "padding_never_zeroed.py"
    path.write_bytes(wrong.read_bytes())
    score = grade_file(p17, path, seed=SEED)
    assert score.score == 85
    assert [one.score for one in score.devices] == [85, 85]
    assert "padding · cpu · " in shown(score, p17, "en")


@pytest.mark.parametrize(
    ("off", "points"),
    [((1e-6, "!="), [70, 100]), ((1e-6, "=="), [70, 70]), ((1e-3, "!="), [70, 70])],
)
@pytest.mark.usefixtures("pretended")
def test_last_places(p17, tmp_path, off, points):
    """On a GPU a padded batch may come out of another kernel: its last places are not looked at.
    Those of a batch of a bucket's own size are, and so are all on the CPU.
    """
    path = tmp_path / "mine.py"
    text = REFERENCE.read_text("utf-8")
    line = "        return self.static_out[:bs].clone()"
    assert line in text
    more = f"        out = self.static_out[:bs].clone()\n        return out * {1 + off[0]} "
    more += f"if bs {off[1]} bucket and out.dtype == torch.float32 else out"
    path.write_text(text.replace(line, more), "utf-8")
    score = grade_file(p17, path, seed=SEED)
    assert [one.score for one in score.devices] == points


def test_failed_capture_spoils_one_case(p17, pretended, monkeypatch, tmp_path):
    """After an exception on a GPU the next case gets a process of its own; on the CPU it does not."""
    opened = {"cpu": 0, "cuda": 0}
    true_open = launcher.ForkServer.open

    def count(self, *args, **keywords):
        opened[self.device] += 1
        return true_open(self, *args, **keywords)

    monkeypatch.setattr(launcher.ForkServer, "open", count)
    path = tmp_path / "mine.py"
    path.write_bytes(
        REFERENCE.read_bytes().replace(
            b"            graph.capture()",
            b"            assert b != 4\n            graph.capture()",
        )
    )
    score = grade_file(p17, path, seed=SEED)
    assert score.status == "failed"
    errors = sum(case.status is Outcome.ERROR for check in score.checks for case in check.cases)
    assert errors > 5
    assert opened["cuda"] > opened["cpu"] + errors / 2


def test_no_cuda_after_all(p17, monkeypatch):
    """Where the driver turns out to be of no use, what was graded on the CPU stands."""
    monkeypatch.setattr(session, "missing", lambda _: None)
    score = grade_file(p17, REFERENCE, seed=SEED)
    assert (score.score, score.device) == (100, "cpu")
    (cuda,) = [one for one in score.devices if one.device == "cuda"]
    assert cuda.status is Status.UNGRADED
    assert cuda.message.id == "environment.no_cuda"
    assert "cuda: -/100" in shown(score, p17, "en")
    alone = grade_file(p17, REFERENCE, seed=SEED, wanted="cuda")
    assert (alone.status, alone.score) == ("ungraded", None)
    assert alone.error.message.id == "environment.no_cuda"


def test_asked_for_and_not_there(p17, stack):
    """It is an error that says why, also where the exercise is not graded there."""
    with pytest.raises(EnvironmentFault) as raised:
        grade_file(p17, REFERENCE, seed=SEED, wanted="cuda")
    assert raised.value.message == Message("environment.no_device", {"device": "cuda"})
    assert [problem.id for problem in raised.value.problems] == ["device.no_gpu"]
    with pytest.raises(EnvironmentFault) as raised:
        grade_file(stack, stack.solution("python"), seed=SEED, wanted="cuda")
    assert [problem.id for problem in raised.value.problems] == ["device.not_of_exercise"]


def test_not_there(p17, stack):
    """One line says so, and nothing fails; where nobody expects a GPU, nothing is said."""
    score = grade_file(p17, REFERENCE, seed=SEED)
    assert score.status == "passed"
    lines = shown(score, p17, "en").splitlines()
    assert [line for line in lines if "cuda" in line] == [
        "cuda: not graded there. There is no NVIDIA GPU in /dev."
    ]
    score = grade_file(p17, REFERENCE, seed=SEED, wanted="cpu")
    assert "cuda" not in shown(score, p17, "en")
    score = grade_file(stack, stack.solution("python"), seed=SEED)
    assert "cuda" not in shown(score, stack, "en")


# --- what is shown for no points -----------------------------------------------------------------


DOES = {
    "raises": ("raise ValueError('no')", "ValueError"),
    "exits": ("import os; os._exit(3)", "3"),
    "hangs": ("while True: pass", "run"),
    "gives_nothing": ("return None", "None"),
}


@pytest.mark.parametrize("does", DOES)
def test_demonstration_costs_nothing(p17, p17_grader, does):
    """Whatever goes wrong in it is told, and takes no points."""
    body, said = DOES[does]
    source = REFERENCE.read_text("utf-8").replace(
        "        bs = x.shape[0]\n",
        f"        bs = x.shape[0]\n        if self.buckets == [2, 4, 8]:\n            {body}\n",
        1,
    )
    score = p17_grader.grade(dataclasses.replace(runner(), source=source.encode()), seed=SEED)
    assert (score.score, score.status, score.error) == (100, "passed", None)
    (decode,) = score.demonstrations
    assert decode.status in (Outcome.ERROR, Outcome.FAILED)
    for language in LANGUAGES:
        say = Translator(language, p17.folder)
        text = say(decode.message.id, **decode.message.params)
        assert said in text
        assert text.splitlines()[0] in shown(score, p17, language)


def test_demonstration_of_a_wrong_runner(p17_grader):
    """A token that is not the one of eager is told of, with its request and step."""
    source = REFERENCE.read_text("utf-8").replace(".clone()  #", ".roll(1, 0)  #")
    score = p17_grader.grade(dataclasses.replace(runner(), source=source.encode()), seed=SEED)
    (decode,) = score.demonstrations
    assert (decode.status, decode.message.id) == (Outcome.FAILED, "decode.token")
    assert decode.message.params["step"] == 0


def test_tokens_are_shown(p17, right):
    """A row a request, each token by token: as long as the request, and one to begin with."""
    (decode,) = right.demonstrations
    assert [len(row.values) for row in decode.rows] == [13, 12, 10, 9, 6, 3]
    tokens = {value for row in decode.rows for value in row.values}
    assert len(tokens) > 10
    page = feedback_page(right, Translator("en", p17.folder), hints=True)
    assert f"<td>{decode.rows[0].values[-1]}</td>" in page
    assert "Request 5" in page


def test_demonstrations_are_no_checks(p17_grader, reference):
    """They are asked of nobody who is graded among many, and of nobody who could not be graded."""
    assert {case.id.partition("[")[0] for case in right_cases(p17_grader, reference)}.isdisjoint(
        {"token_for_token", "ratio"}
    )
    broken = p17_grader.grade(dataclasses.replace(runner(), source=b"import nothing"), seed=SEED)
    assert not broken.demonstrations


def right_cases(grader, submission):
    """The cases of all checks."""
    return [case for check in grader.grade(submission, seed=SEED).checks for case in check.cases]
