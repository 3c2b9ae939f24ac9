"""The catalogs: nothing missing, empty, fuzzy or out of date, and every id in use has its text."""

import ast
import inspect
import io
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po
from support import ROOT, TINY

from grader import checks
from grader.exercise import Exercise, Project
from grader.i18n import LANGUAGES, Translator

EXERCISES = [
    project.exercise(id) for project in (Project(ROOT), Project(TINY)) for id in project.ids()
]
#: Where texts are: a folder for each set of catalogs.
LOCALES = [ROOT / "grader" / "locale", *(exercise.folder / "locale" for exercise in EXERCISES)]
CATALOGS = [path for locale in LOCALES for path in sorted(locale.glob("*/LC_MESSAGES/*.po"))]

#: Modules of the grader; bootstrap has its own texts, for it runs where there is no catalog.
MODULES = [
    path
    for path in sorted(ROOT.glob("grader/**/*.py"))
    if not path.relative_to(ROOT / "grader").parts[0].startswith("bootstrap")
]

#: Literals that look like an id.
_ID = re.compile(r"[a-z_]+(\.[a-z0-9_-]+)+")

#: What else looks so: the name of a template.
_FILES = (".html", ".js", ".css")

#: Who takes an id, as which argument.
_TAKES_ID = dict.fromkeys(
    ("Message", "UsageError", "EnvironmentFault", "ExerciseError", "Unseen", "say", "_say", "advise"), 0
) | {
    name: list(inspect.signature(getattr(checks, name)).parameters).index("id")
    for name in checks.__all__ if name.startswith("expect")
}  # fmt: skip
#: Who takes but the beginning of ids, and how these go on.
_TAKES_BEGINNING = "expect_same"
_ENDINGS = ("shape", "dtype", "values")
_ERRORS = ("SubmissionError", "LoadError")


def shown(path: Path) -> str:
    """A path as the name of a case."""
    return str(path.relative_to(ROOT))


def placeholders(text: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@cache
def catalog(path: Path) -> Catalog:
    """A catalog's source."""
    return read_po(io.BytesIO(path.read_bytes()), abort_invalid=True)


def flat(forms: str | Sequence[str]) -> Sequence[str]:
    """An entry's id or text, or all of them where it has a plural."""
    return [forms] if isinstance(forms, str) else forms


def pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Id and text of every entry but the header."""
    for entry in catalog(path):
        if entry.id:
            yield from ((flat(entry.id)[0], text) for text in flat(entry.string))


def texts(locale: Path, language: str, domain: str) -> dict[str, str]:
    """Id -> text."""
    return dict(pairs(locale / language / "LC_MESSAGES" / f"{domain}.po"))


def domain_of(locale: Path) -> str:
    """The name of the catalogs in a folder that hold ids."""
    return "grader" if locale == LOCALES[0] else "exercise"


# --- each catalog --------------------------------------------------------------------------------


def test_catalogs_are_there():
    """There are texts of the grader, of P17 and of the tiny exercise in both languages."""
    assert {exercise.id for exercise in EXERCISES} >= {"p17", "stack"}
    for locale in LOCALES:
        for language in LANGUAGES:
            assert texts(locale, language, domain_of(locale))


@pytest.mark.parametrize("path", CATALOGS, ids=shown)
def test_complete(path):
    """No entry is fuzzy, empty, obsolete or without an id, and each passes Babel's own checks."""
    assert not catalog(path).fuzzy
    for id, text in pairs(path):
        assert text.strip(), id
    for entry in catalog(path):
        assert not (entry.fuzzy and entry.id), entry.id
        assert not list(entry.check(catalog(path))), entry.id
    assert not catalog(path).obsolete


@pytest.mark.parametrize("path", CATALOGS, ids=shown)
def test_language(path):
    """A catalog says that it is of the language that its folder is named after."""
    assert str(catalog(path).locale) == path.parts[-3]


@pytest.mark.parametrize("path", CATALOGS, ids=shown)
def test_compiled(path):
    """The compiled catalog that is shipped is what its source compiles to."""
    fresh = io.BytesIO()
    write_mo(fresh, catalog(path))
    shipped = io.BytesIO(path.with_suffix(".mo").read_bytes())
    assert compiled(shipped) == compiled(fresh)


def compiled(file: io.BytesIO) -> dict[tuple[str, ...], list[str]]:
    """What a compiled catalog says."""
    file.seek(0)
    return {tuple(flat(entry.id)): list(flat(entry.string)) for entry in read_mo(file)}


@pytest.mark.parametrize("path", [p for p in CATALOGS if p.stem != "messages"], ids=shown)
def test_placeholders_are_names(path):
    """Every text can be filled in: its placeholders are plain names, without number or format."""
    for id, text in pairs(path):
        for _, name, form, conversion in Formatter().parse(text):
            plain = name is None or (name.isidentifier() and not form and conversion is None)
            assert plain, f"{id}: {name}"


@pytest.mark.parametrize("path", [p for p in CATALOGS if p.stem == "messages"], ids=shown)
def test_clicks_own_words(path):
    """A text of click's has no placeholder that its English, singular or plural, has not."""
    for entry in catalog(path):
        known = {name for id in flat(entry.id) for name in placeholders(id)}
        for text in flat(entry.string) if entry.id else ():
            assert placeholders(text) <= known, entry.id


# --- the languages beside each other -------------------------------------------------------------


@pytest.mark.parametrize("locale", LOCALES, ids=shown)
def test_same_ids(locale):
    """Every language has the same ids."""
    zh, en = (texts(locale, language, domain_of(locale)) for language in ("zh", "en"))
    assert sorted(zh) == sorted(en)


@pytest.mark.parametrize("locale", LOCALES, ids=shown)
def test_same_placeholders(locale):
    """A text tells the same facts in every language."""
    zh, en = (texts(locale, language, domain_of(locale)) for language in ("zh", "en"))
    different = {id for id in zh.keys() & en.keys() if placeholders(zh[id]) != placeholders(en[id])}
    assert not different


@pytest.mark.parametrize("locale", LOCALES, ids=shown)
def test_written_in_its_language(locale):
    """English texts hold no Chinese characters."""
    for id, text in texts(locale, "en", domain_of(locale)).items():
        assert not re.search(r"[\u4e00-\u9fff]", text), id


# --- ids in use ----------------------------------------------------------------------------------


def ids_in(path: Path, spaces: set[str]) -> set[str]:
    """The ids of texts that a module speaks of.

    Args:
        path: the module.
        spaces: first words of ids; a literal that begins with one of them is meant as an id.
    """
    found: set[str] = set()
    beginnings: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            found |= _ids_in_call(node)
            beginnings |= _beginnings_in_call(node)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "attr", "") == "text":
            found |= {f"error.{text}" for text in _choices(node.value)}
        elif isinstance(node, ast.JoinedStr):
            beginnings |= {text for part in node.values for text in _choices(part)}
        elif isinstance(node, ast.Constant) and _looks_like_id(node.value, spaces):
            found.add(node.value)
    return found - beginnings


def _ids_in_call(call: ast.Call) -> set[str]:
    """What stands in the place of an id, whatever it looks like."""
    name = _name_of(call)
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    found = {f"hint.{text}" for text in _choices(named.get("hint"))}
    if name == _TAKES_BEGINNING:
        found |= {f"{text}.{end}" for text in _beginnings_in_call(call) for end in _ENDINGS}
    elif name in _TAKES_ID:
        found |= {
            text for argument in call.args[_TAKES_ID[name] :][:1] for text in _choices(argument)
        }
    elif name in _ERRORS:
        # The text is that of the error's kind, unless another is named.
        kind = named.get("text") or named.get("kind") or call.args[0]
        found |= {f"error.{text}" for text in _choices(kind)}
    return found


def _beginnings_in_call(call: ast.Call) -> set[str]:
    """What looks like an id and is but its beginning."""
    if _name_of(call) != _TAKES_BEGINNING:
        return set()
    return set(_choices(call.args[_TAKES_ID[_TAKES_BEGINNING]]))


def _name_of(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _choices(node: ast.AST | None) -> Iterator[str]:
    """The literals that an expression may be."""
    if isinstance(node, ast.IfExp):
        yield from _choices(node.body)
        yield from _choices(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _looks_like_id(value: object, spaces: set[str]) -> bool:
    return (
        isinstance(value, str)
        and bool(_ID.fullmatch(value))
        and value.partition(".")[0] in spaces
        and not value.endswith(_FILES)
    )


def spaces_of(locale: Path) -> set[str]:
    """The first words of the ids in a set of catalogs."""
    return {id.partition(".")[0] for id in texts(locale, "en", domain_of(locale))}


@pytest.mark.parametrize("module", MODULES, ids=shown)
@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_of_the_grader(module, language):
    """Every id that the grader speaks of has its text."""
    say = Translator(language)
    used = ids_in(module, spaces_of(LOCALES[0])) - {
        "exercise.title",
        "exercise.track",
    }  # the exercises have these
    assert {id for id in used if not say.knows(id)} == set()


def checks_of(exercise: Exercise) -> list[Path]:
    """The modules of an exercise's checks."""
    return sorted((exercise.folder / "checks").glob("*.py"))


@pytest.mark.parametrize(
    ("exercise", "module"), [(e, m) for e in EXERCISES for m in checks_of(e)],
    ids=lambda value: shown(value) if isinstance(value, Path) else value.id,
)  # fmt: skip
@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_of_checks(exercise, module, language):
    """Every id that a check speaks of has its text."""
    say = Translator(language, exercise.folder)
    spaces = spaces_of(exercise.folder / "locale") - {"exercise"}
    assert {id for id in ids_in(module, spaces) if not say.knows(id)} == set()


def test_ids_are_found():
    """The search finds ids by their look and by their place, or the tests above would be idle."""
    found = {id for path in (*MODULES, *checks_of(Project(ROOT).exercise("p17")))
             for id in ids_in(path, spaces_of(LOCALES[0]))}  # fmt: skip
    assert found >= {
        "error.unfinished", "error.missing_file", "error.timeout_grading", "error.too_large", "error.syntax",
        "usage.no_exercise", "environment.preload", "exercise.files", "exercise.problem.twice", "help.check",
        "validate.none", "parity.values", "clone.shares_static", "clone.no_replay", "hint.l1-q6",
    }  # fmt: skip


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_of_a_manifest(exercise, language):
    """An exercise, its checks, their hints and their cases have their texts."""
    say = Translator(language, exercise.folder)
    wanted = {"exercise.title"}
    for check in exercise.manifest.checks:
        wanted |= {f"check.{check.id}", f"hint.{check.hint}"}
        tree = ast.parse(exercise.check_file(check.id).read_text("utf-8"))
        cases = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        wanted |= {f"case.{check.id}.{name[5:]}" for name in cases if name.startswith("test_")}
    assert {id for id in wanted if not say.knows(id)} == set()


ERRORS = sorted(
    id
    for id in texts(LOCALES[0], "en", "grader")
    if re.match(r"(error|usage|environment|exercise)\.", id)
    and not re.match(r"exercise\.(problem\.|title$)|.*\.next$", id)
)


@pytest.mark.parametrize("id", ERRORS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_has_a_remedy(id, language):
    """What went wrong comes with what to do, and the remedy needs no facts that the error has not."""
    say = Translator(language)
    assert say.knows(f"{id}.next")
    known = texts(LOCALES[0], language, "grader")
    extra = placeholders(known[f"{id}.next"]) - placeholders(known[id])
    assert extra <= {"known", "endings"}  # usage errors that list what there is


#: What a template puts into words: an id, or the beginning of ids that it goes on with.
_SAID = re.compile(r"""say\(\s*"([a-z_]+\.[a-z0-9_.]*)"(\s*~)?""")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("template", sorted((ROOT / "templates").glob("*.html")), ids=shown)
def test_templates_say_what_there_is(template, language):
    """Every id in a template has its text; of an exercise's ids, P17's have."""
    say = Translator(language, ROOT / "exercises" / "p17")
    known = set(read_ids(language))
    for id, goes_on in _SAID.findall(template.read_text(encoding="utf-8")):
        if goes_on:
            assert [other for other in known if other.startswith(id)], id
        else:
            assert say.knows(id), id


def read_ids(language: str) -> Iterator[str]:
    """Every id of the grader's and of P17's catalogs in a language."""
    for locale in (ROOT / "grader" / "locale", ROOT / "exercises" / "p17" / "locale"):
        for path in locale.glob(f"{language}/LC_MESSAGES/*.po"):
            with path.open("rb") as file:
                yield from (str(message.id) for message in read_po(file) if message.id)
