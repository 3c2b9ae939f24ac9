"""Exercises found, and mistakes in their manifests told."""

import shutil

import pytest
from support import ROOT, copy_of_tiny

from grader.errors import ExerciseError, UsageError
from grader.exercise import Project
from grader.i18n import LANGUAGES, Translator
from grader.session import grade_file, open_grader


@pytest.fixture
def exercise(tmp_path):
    """The tiny exercise in a project of its own, to be spoilt."""
    return copy_of_tiny(tmp_path)


def toml_of(exercise):
    """Its manifest's path."""
    return exercise.folder / "exercise.toml"


def edit(exercise, old: str, new: str):
    """Replace one passage of the manifest."""
    text = toml_of(exercise).read_text("utf-8")
    assert text.count(old) == 1
    toml_of(exercise).write_text(text.replace(old, new), "utf-8")


def fault(exercise) -> ExerciseError:
    """What is wrong with the manifest. Its text names the file and comes with a remedy."""
    with pytest.raises(ExerciseError) as raised:
        exercise.manifest  # noqa: B018
    error = raised.value
    assert error.exit_code == 3
    for language in LANGUAGES:
        say = Translator(language)
        assert "exercises/stack/exercise.toml" in say.text(error.message)
        assert say.knows(f"{error.message.id}.next")
    return error


# --- the exercises there are ---------------------------------------------------------------------


def test_p17_is_as_the_course_says(p17):
    """P17's checks, their points and its place in the course are those of the seed and the contract."""
    manifest = p17.manifest
    points = {"parity": 30, "bucket_choice": 20, "clone": 20, "padding": 15, "no_recapture": 15}
    assert {check.id: check.points for check in manifest.checks} == points
    assert sum(points.values()) == 100
    assert (manifest.order, manifest.track, manifest.minutes) == (26, "E", 40)
    assert manifest.interface.keys() == {"GraphRunner"}


def test_found_by_id():
    """A project's exercises are the folders with a manifest in them."""
    assert "p17" in Project(ROOT).ids()
    assert Project(ROOT / "tests" / "tiny").ids() == ["stack"]


def test_no_such_exercise():
    """An exercise that is not there is wrong usage, and those that are there are named."""
    with pytest.raises(UsageError) as raised:
        Project(ROOT).exercise("p99")
    for language in LANGUAGES:
        say, message = Translator(language), raised.value.message
        assert "p99" in say.text(message)
        assert "p17" in say(f"{message.id}.next", **message.params)


@pytest.mark.parametrize("id", ["", ".", "..", "p17/", "../exercises/p17", "P17"])
def test_id_is_no_path(id):
    """What looks like a path is no exercise."""
    with pytest.raises(UsageError):
        Project(ROOT).exercise(id)


def test_empty_project(tmp_path):
    """A project without exercises says so."""
    assert Project(tmp_path).ids() == []
    with pytest.raises(UsageError):
        Project(tmp_path).exercise("p17")


def test_project_found(tmp_path, monkeypatch):
    """The project is that which the grader lies in, unless another is asked for."""
    monkeypatch.chdir(tmp_path)
    assert Project.find() == Project(ROOT)
    assert Project.find(tmp_path / "a" / "..") == Project(tmp_path)


def test_files_of_an_exercise(stack):
    """Where the files of an exercise are."""
    root = stack.project.root
    assert stack.solution("python") == root / "solutions" / "stack.py"
    assert stack.mine("python") == root / "mine" / "stack.py"
    assert stack.starter("python") == stack.folder / "starter" / "stack.py"
    assert stack.check_file("order") == stack.folder / "checks" / "test_order.py"
    assert all(path.is_file() for path in (stack.solution("python"), stack.check_file("order")))


def test_language_by_ending(stack):
    """The ending of a file tells its language; one that tells none is wrong usage."""
    assert stack.language_of(ROOT / "anything.py") == "python"
    for name in ("stack.rs", "stack", "stack.PY"):
        with pytest.raises(UsageError) as raised:
            stack.language_of(ROOT / name)
        assert raised.value.message.params["endings"] == [".py"]


def test_preload(p17, stack):
    """What a subject has imported is what the manifest says, with the files' places."""
    preload = p17.preload("python")
    assert preload.libraries == ("torch",)
    assert preload.given == {
        f"exercises.p17.{name}": p17.folder / f"{name}.py"
        for name in ("cpu_graph", "cuda_graph", "decode_step")
    }
    assert preload.device == "cpu"
    assert preload.exercise == p17.folder / "subject.py"
    nothing = stack.preload("python")
    assert (nothing.libraries, nothing.given, nothing.exercise) == ((), {}, None)


# --- mistakes in a manifest ----------------------------------------------------------------------


def test_no_mistake(exercise):
    """The manifest of the copy is sound, so what follows is due to the edits."""
    assert exercise.manifest.id == "stack"


PREVIOUS = 'difficulty = "easy"'
#: what is replaced, by what, the kind of the problem, its key
MISTAKES = {
    "missing": ("minutes = 5\n", "", "missing", "minutes"),
    "missing_in_check": ("points = 60\n", "", "missing", "checks.0.points"),
    "missing_in_language": ('file = "stack.py"\n', "", "missing", "languages.python.file"),
    "missing_interface": (
        '[interface.Stack.methods]\n__init__ = []\npush = ["item"]\npop = []\n', "", "missing", "interface",
    ),
    "no_languages": ('[languages.python]\nfile = "stack.py"\n', "", "missing", "languages"),
    "unknown": (PREVIOUS, PREVIOUS + "\ncolour = 1", "unknown", "colour"),
    "unknown_in_limits": ("load_s = 2.0", "load_s = 2.0\nmemory = 1", "unknown", "limits.memory"),
    "unknown_in_check": ("points = 60", "points = 60\nweight = 2", "unknown", "checks.0.weight"),
    "misspelt": ("minutes = 5", "minuts = 5", "unknown", "minuts"),
    "value": (PREVIOUS, 'difficulty = "nightmare"', "value", "difficulty"),
    "kind_of_value": ("order = 1", 'order = "first"', "value", "order"),
    "zero_minutes": ("minutes = 5", "minutes = 0", "value", "minutes"),
    "zero_points": ("points = 60", "points = 0", "value", "checks.0.points"),
    "half_points": ("points = 60", "points = 0.5", "value", "checks.0.points"),
    "negative_limit": ("load_s = 2.0", "load_s = -2.0", "value", "limits.load_s"),
    "endless_limit": ("load_s = 2.0", "load_s = inf", "value", "limits.load_s"),
    "hint": ('hint = "l1-order"', 'hint = "level 1"', "value", "checks.0.hint"),
    "check_id": ('id = "order"', 'id = "../order"', "value", "checks.0.id"),
    "file_with_folder": ('file = "stack.py"', 'file = "../stack.py"', "value", "languages.python.file"),
    "given_with_folder": (
        'file = "stack.py"', 'file = "stack.py"\ngiven = { m = "../m.py" }', "value",
        "languages.python.given.m",
    ),
    "language_is_no_table": (
        '[languages.python]\nfile = "stack.py"', '[languages]\npython = "stack.py"', "value", "languages.python",
    ),
    "languages_empty": ('[languages.python]\nfile = "stack.py"', "[languages]", "value", "languages"),
    "page_source": ("[pages]", '[pages]\nsource = "fr"', "value", "pages.source"),
    "page_without_sections": ('sections = ["overview", "l1", "l2", "l3"]', "sections = []", "value", "pages.sections"),
    "page_sections_missing": ('sections = ["overview", "l1", "l2", "l3"]', "", "missing", "pages.sections"),
    "section_id": ('"overview"', '"../overview"', "value", "pages.sections.0"),
    "section_twice": ('"overview"', '"l1"', "twice", "pages.sections"),
    "section_like_the_summary": ('"overview"', '"summary"', "twice", "pages.sections"),
    "example_id": ("[pages]", '[[examples]]\nid = "1"\n\n[pages]', "value", "examples.0.id"),
    "example_twice": (
        "[pages]", '[[examples]]\nid = "ex"\n\n[[examples]]\nid = "ex"\n\n[pages]', "twice", "examples",
    ),
    "example_like_a_section": ("[pages]", '[[examples]]\nid = "l1"\n\n[pages]', "twice", "examples"),
    "variant_with_folder": (
        "[pages]", '[[examples]]\nid = "ex"\nvariants = { a = "../queue.py" }\n\n[pages]', "value",
        "examples.0.variants.a",
    ),
    "book_hints": ("minutes = 5", "minutes = 5\nbook_hints = 3", "value", "book_hints"),
    "conformance_with_folder": (PREVIOUS, PREVIOUS + '\nconformance = "../c.py"', "value", "conformance"),
    "methods_no_list": ("pop = []", 'pop = "x"', "value", "interface.Stack.methods.pop"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(exercise, name):
    """A mistake is told with its kind, its key and what to do about it."""
    old, new, kind, key = MISTAKES[name]
    edit(exercise, old, new)
    error = fault(exercise)
    assert error.message.id == "exercise.manifest"
    problems = {(problem.id, problem.params["key"]) for problem in error.problems}
    assert (f"exercise.problem.{kind}", key) in problems
    for language in LANGUAGES:
        for problem in error.problems:
            text = Translator(language).text(problem)
            assert problem.params["key"] in text
            assert not any(name in text for name in ("{key}", "{value}", "{wanted}"))


def test_value_is_shown(exercise):
    """A value that cannot be is shown, so that it is found."""
    edit(exercise, "minutes = 5", "minutes = -17")
    (problem,) = fault(exercise).problems
    assert "-17" in Translator("en").text(problem)


def test_all_mistakes_at_once(exercise):
    """Every mistake is told, not the first alone."""
    edit(exercise, "minutes = 5\n", "")
    edit(exercise, "points = 60", "points = 0")
    edit(exercise, PREVIOUS, PREVIOUS + "\ncolour = 1")
    keys = {problem.params["key"] for problem in fault(exercise).problems}
    assert keys == {"minutes", "checks.0.points", "colour"}


def test_check_twice(exercise):
    """Two checks of one id are told by their id."""
    edit(exercise, 'id = "empty"', 'id = "order"')
    (problem,) = fault(exercise).problems
    assert problem.id == "exercise.problem.twice"
    for language in LANGUAGES:
        assert "order" in Translator(language).text(problem)


@pytest.mark.parametrize(
    ("text", "detail"),
    [(b"id = stack\n", "(at line 1,"), (b'id = "stack"\nid = "stack"\n', "(at line 2,"), (b"[", "(at end of document)"),
     ('id = "填充"'.encode("gbk"), "utf-8")],
    ids=["value", "twice", "bracket", "gbk"],
)  # fmt: skip
def test_no_toml(exercise, text, detail):
    """What is no TOML, or no UTF-8, is told with the parser's own words."""
    toml_of(exercise).write_bytes(text)
    error = fault(exercise)
    assert error.message.id == "exercise.toml"
    assert detail in error.message.params["detail"]


def test_other_id(exercise):
    """An id that is not the folder's name is told beside it."""
    edit(exercise, 'id = "stack"', 'id = "heap"')
    error = fault(exercise)
    assert error.message.id == "exercise.id"
    for language in LANGUAGES:
        text = Translator(language).text(error.message)
        assert "heap" in text
        assert "stack" in text


@pytest.mark.parametrize(
    "name",
    [
        "exercises/stack/checks/test_order.py",
        "exercises/stack/starter/stack.py",
        "solutions/stack.py",
    ],
)
def test_missing_file(exercise, name):
    """A file that the manifest names and that is not there is named."""
    (exercise.project.root / name).unlink()
    error = fault(exercise)
    assert (error.message.id, error.message.params["missing"]) == ("exercise.files", [name])


def test_all_missing_files(exercise):
    """All files that are missing are named, those given to students among them."""
    edit(
        exercise,
        'file = "stack.py"',
        'file = "stack.py"\nsubject = "subject.py"\ngiven = { m = "m.py" }',
    )
    (exercise.project.root / "solutions" / "stack.py").unlink()
    assert set(fault(exercise).message.params["missing"]) == {
        "solutions/stack.py", "exercises/stack/subject.py", "exercises/stack/m.py",
    }  # fmt: skip


def test_files_of_examples(exercise):
    """The calls of an example and the wrong solutions that it shows must be there; its text need not."""
    example = (
        '[[examples]]\nid = "ex"\nvariants = { queue = "queue.py", other = "other.py" }\n\n[pages]'
    )
    edit(exercise, "[pages]", example)
    assert fault(exercise).message.params["missing"] == [
        "exercises/stack/examples/ex.py", "exercises/stack/wrong/other.py",
    ]  # fmt: skip
    exercise.example_file("ex").parent.mkdir()
    for file in (exercise.example_file("ex"), exercise.folder / "wrong" / "other.py"):
        file.write_text("", "utf-8")
    (shown,) = exercise.manifest.examples
    assert (shown.id, dict(shown.variants)) == ("ex", {"queue": "queue.py", "other": "other.py"})


def test_page(exercise):
    """A page is written in Chinese unless said otherwise; its texts have an order; it may be missing."""
    pages = exercise.manifest.pages
    assert pages is not None
    assert (pages.source, exercise.manifest.texts()) == (
        "zh", ["summary", "overview", "l1", "l2", "l3"],
    )  # fmt: skip
    text = toml_of(exercise).read_text("utf-8")
    toml_of(exercise).write_text(text.partition("[pages]")[0], "utf-8")
    manifest = exercise.project.exercise("stack").manifest
    assert (manifest.pages, manifest.texts(), manifest.course, manifest.book_solution) == (
        None,
        [],
        None,
        None,
    )


def test_grading_without_texts(exercise):
    """A page whose texts are missing is no hindrance to grading."""
    shutil.rmtree(exercise.folder / "pages")
    assert grade_file(exercise, exercise.solution("python"), seed=1).score == 100


# --- grading an exercise that is at fault --------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in MISTAKES if "language" not in MISTAKES[name][3]])
def test_grading_tells_the_mistake(exercise, name):
    """Grading tells the same mistake, although the subjects' process is started before."""
    edit(exercise, *MISTAKES[name][:2])
    with pytest.raises(ExerciseError) as raised:
        open_grader(exercise, "python")
    assert raised.value.message == fault(exercise).message


@pytest.mark.parametrize(
    "said",
    ['preload = "torch"', "preload = [1]", "given = 3", "given = { m = 3 }", "subject = 3",
     'subject = "nowhere.py"', 'given = { m = "nowhere.py" }'],
)  # fmt: skip
def test_grading_tells_what_is_of_the_wrong_form(exercise, said):
    """What is to be imported is read before the manifest is validated, and yet told as its mistake."""
    edit(exercise, 'file = "stack.py"', f'file = "stack.py"\n{said}')
    with pytest.raises(ExerciseError) as raised:
        grade_file(exercise, exercise.solution("python"), seed=1)
    assert raised.value.message.id in ("exercise.manifest", "exercise.files")


@pytest.mark.parametrize(
    "languages",
    ["", "[languages]", "languages = 3", "[[languages]]", '[languages]\npython = "stack.py"'],
)
def test_grading_without_languages(exercise, languages):
    """An exercise that declares no language cannot be graded, and says what to add."""
    edit(exercise, '[languages.python]\nfile = "stack.py"', "")
    text = toml_of(exercise).read_text("utf-8")
    top, _, rest = text.partition("[limits]")
    toml_of(exercise).write_text(f"{top}{languages}\n[limits]{rest}", "utf-8")
    with pytest.raises(ExerciseError) as raised:
        grade_file(exercise, None, seed=1)
    assert raised.value.message.id in ("exercise.no_languages", "exercise.manifest")
    assert Translator("en").knows(f"{raised.value.message.id}.next")


def test_grading_without_toml(exercise):
    """A manifest that is no TOML is told before anything is graded."""
    toml_of(exercise).write_text("[", "utf-8")
    with pytest.raises(ExerciseError) as raised:
        grade_file(exercise, None, seed=1)
    assert raised.value.message.id == "exercise.toml"
