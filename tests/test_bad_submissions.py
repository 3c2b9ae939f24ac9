"""Submissions that cannot be graded: a clear error, a score of 0, and the grader goes on.

Each is the reference solution with one passage replaced, so that the line at fault is known.
"""

import dataclasses

import pytest

from grader.i18n import LANGUAGES, Translator
from grader.score import Status
from grader.submission import Submission, read

RUN = "        bs = x.shape[0]\n"
CAPTURE = "        for b in reversed(self.buckets):\n"
TOP = "import torch\n"
RETURN = "        return self.static_out[:bs].clone()"

#: name -> (kind of the error, message id, what is replaced, by what, the text of the line at fault)
BAD = {
    # At import.
    "syntax": ("syntax", "error.syntax", "def run(self,", "def run(self(,", "def run(self(,"),
    "import_raises": ("import", "error.import", TOP, TOP + "1 / 0\n", "1 / 0"),
    "import_missing": ("import", "error.import", TOP, TOP + "import helpers\n", "import helpers"),
    "import_sys_exit": ("exit", "error.exit", TOP, TOP + "import sys; sys.exit(0)\n", "sys.exit(0)"),
    "import_os_exit": ("exit", "error.exit", TOP, TOP + "import os; os._exit(0)\n", "os._exit(0)"),
    "import_endless": ("timeout", "error.timeout", TOP, TOP + "while True: pass\n", "while True"),
    "import_input": ("import", "error.import", TOP, TOP + "input()\n", "input()"),
    # What is missing.
    "no_class": ("missing", "error.missing", "class GraphRunner", "class GraphRuner", None),
    "no_method": ("missing", "error.missing", "def capture(", "def captur(", None),
    "other_signature": (
        "signature", "error.signature", ", force_eager: bool = False", "", "def run(",
    ),
    "capture_takes_more": (
        "signature", "error.signature", "def capture(self)", "def capture(self, b)", "def capture(",
    ),
    # In a call.
    "raises": ("exception", "error.exception", RUN, "        raise ValueError(x)\n", "raise ValueE"),
    "capture_raises": ("exception", "error.exception", CAPTURE, "        for b in 3:\n", "for b in 3"),
    "unfinished": (
        "exception", "error.unfinished", RUN, "        raise NotImplementedError\n",
        "raise NotImplementedError",
    ),
    "sys_exit": ("exit", "error.exit", RUN, "        raise SystemExit(0)\n", "raise SystemExit"),
    "os_exit": ("exit", "error.exit", RUN, "        import os; os._exit(0)\n", "os._exit(0)"),
    "recursion": ("exception", "error.exception", RUN, "        return self.run(x)\n", "self.run(x)"),
    "endless": ("timeout", "error.timeout", RUN, "        while True: pass\n", "while True"),
    "endless_catching_all": (
        "timeout", "error.timeout", RUN,
        "        while True:\n            try:\n                while True: pass\n"
        "            except BaseException: pass\n" + RUN,
        "while True",
    ),
    "capture_endless": ("timeout", "error.timeout", CAPTURE, "        while True: b = 1\n        for b in ():\n", "while True"),
    "input": ("exception", "error.input", RUN, "        input()\n" + RUN, "input()"),
    "flood": ("output", "error.output", RUN, "        print('x' * 100_000_000)\n" + RUN, "print("),
    "flood_in_capture": (
        "output", "error.output", CAPTURE,
        "        while True: print('x' * 99)\n        for b in ():\n", "print(",
    ),
    "crash": ("crash", "error.crash", RUN, "        import os; os.abort()\n", "os.abort"),
    "closes_pipes": ("hung_up", "error.hung_up", RUN, "        import os; os.closerange(3, 99)\n", None),
    "calls_without_end": (
        "events", "error.events", RUN, RUN + "        for _ in range(20000): self.fn(x)\n", None,
    ),
    "message_raises": (
        "exception", "error.exception", RUN,
        "        class E(Exception):\n            def __str__(self): raise self\n        raise E\n",
        "raise E",
    ),
    "message_controls": (
        "exception", "error.exception", RUN, "        raise ValueError('\\x1b[2J\\0\\ud800')\n",
        "raise ValueError",
    ),
    # What is returned.
    "returns_none": ("result", "error.result", RETURN, RETURN.replace("return ", ""), None),
    "returns_list": ("result", "error.result", RETURN, RETURN + ".tolist()", None),
    "returns_subclass": (
        "result", "error.result", RETURN, RETURN + ".as_subclass(torch.nn.Buffer)", None,
    ),
    "returns_sparse": ("result", "error.result", RETURN, RETURN + ".to_sparse()", None),
}  # fmt: skip


@pytest.fixture(scope="module")
def hasty(p17_grader):
    """The limits of the exercise, shortened, so that endless submissions end soon."""
    manifest = p17_grader._exercise.manifest
    limits = manifest.limits.model_copy(update={"load_s": 1.0, "call_s": 1.0})
    p17_grader._exercise.__dict__["manifest"] = manifest.model_copy(update={"limits": limits})
    yield p17_grader
    p17_grader._exercise.__dict__["manifest"] = manifest


def broken(reference: Submission, old: str, new: str) -> Submission:
    """The reference solution with one passage replaced."""
    text = reference.source.decode()
    assert old in text
    return dataclasses.replace(reference, path="my.py", source=text.replace(old, new, 1).encode())


@pytest.mark.parametrize("name", BAD)
def test_scores_zero_and_says_why(hasty, reference, p17, name, monkeypatch):
    """The error's kind, a text and a remedy in both languages, the student's own file and line."""
    kind, message, old, new, fault = BAD[name]
    submission = broken(reference, old, new)
    if kind == "events":  # so many calls take their time
        manifest = hasty._exercise.manifest
        limits = manifest.limits.model_copy(update={"call_s": 30.0})
        patient = manifest.model_copy(update={"limits": limits})
        monkeypatch.setitem(hasty._exercise.__dict__, "manifest", patient)
    score = hasty.grade(submission, seed=1)
    assert (score.status, score.score) == (Status.ERROR, 0)
    assert (score.error.kind, score.error.message.id) == (kind, message)
    assert score.error.file == "my.py"
    if fault is not None:
        line = submission.source.decode("utf-8", "surrogatepass").splitlines()[score.error.line - 1]
        assert fault in line
    for language in LANGUAGES:
        say = Translator(language, p17.folder)
        assert say.knows(message)
        assert say.knows(f"{message}.next")
        assert "{" not in score.localised(say).error.message.text.replace("{}", "")


def test_next_submission_is_graded(hasty, reference):
    """After one that crashed, the next is graded as if nothing had been."""
    for name in ("crash", "endless", "closes_pipes"):
        _, _, old, new, _ = BAD[name]
        hasty.grade(broken(reference, old, new), seed=1)
        assert hasty.grade(reference, seed=1).score == 100


def test_flood_is_counted(hasty, reference):
    """Head and tail of endless output are kept; what lies between is counted, never silent."""
    old, new = BAD["flood_in_capture"][2:4]
    printed = hasty.grade(broken(reference, old, new), seed=1).error.output.stdout
    assert printed.head.startswith("x" * 99 + "\n")
    assert printed.tail.endswith("x\n") or printed.tail.endswith("x")
    assert printed.left_out > 1_000_000


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf\r\n", "empty"),
        ("import torch".encode("utf-16"), "encoding"),
        (b"import torch\0\n", "encoding"),
        ("# 填充\nimport torch\n".encode("gbk"), "encoding"),
        (b"# -*- coding: klingon -*-\nimport torch\n", "encoding"),
    ],
    ids=["empty", "bom_only", "utf16", "nul", "undeclared_gbk", "unknown_encoding"],
)
def test_not_decodable(hasty, p17, tmp_path, content, kind):
    """Bytes that are no source say what they are, with the line where there is one."""
    path = tmp_path / "my.py"
    path.write_bytes(content)
    score = hasty.grade(read(path, p17, "python"), seed=1)
    assert (score.status, score.score, score.error.kind) == (Status.ERROR, 0, kind)
    if kind == "encoding" and not content.startswith(b"\xff"):
        assert score.error.line == 1


def test_starter(hasty, p17):
    """The starter, unchanged, is told to begin."""
    score = hasty.grade(read(p17.starter("python"), p17, "python"), seed=1)
    assert (score.status, score.score, score.error.kind) == (Status.ERROR, 0, "starter")


def test_fault_of_one_branch_is_no_error(hasty, reference):
    """A run that raises above the largest bucket alone fails the checks that go there."""
    old = "        if bucket not in self.graphs:\n"
    new = "        if bs > self.buckets[-1]: raise RuntimeError('too large')\n" + old
    score = hasty.grade(broken(reference, old, new), seed=1)
    assert score.status == Status.FAILED
    lost = {check.id for check in score.checks if check.points == 0}
    assert lost == {"parity", "bucket_choice"}
    parity = next(check for check in score.checks if check.id == "parity")
    case = next(case for case in parity.cases if case.status != "passed")
    assert case.message.params["detail"] == "too large"
    assert "too large" in case.evidence.code
