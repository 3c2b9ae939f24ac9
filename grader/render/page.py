"""Hint pages: an exercise's manifest, its texts and its examples as HTML."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from grader.errors import ExerciseError
from grader.example import Example
from grader.exercise import Exercise
from grader.frames import State
from grader.i18n import Translator
from grader.manifest import EXAMPLES, SUMMARY
from grader.markdown import codes, inline_html, items, parts, plain, to_html, tokens
from grader.render.templates import languages, render
from grader.section import TABLE, Section, read_sections

#: The sections that are closed at first.
_LEVELS = {"l1": 1, "l2": 2, "l3": 3}

#: The lists of key questions and of their answers.
_QUESTIONS, _ANSWERS = ("l1", "l1-q"), ("l3", "l3-a")

_TABLE_BLOCK = re.compile(rf"^```{TABLE}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """What is said of one step of an example."""

    title: Markup
    html: Markup


def exercise_page(
    exercise: Exercise, say: Translator, examples: Sequence[Example], there: Collection[str]
) -> str:
    """The page of an exercise.

    Args:
        exercise: which; it has pages.
        say: puts ids into the reader's language; it knows the exercise's.
        examples: as they were played.
        there: the exercises that there are pages of.

    Raises:
        ExerciseError: a text is missing, or a table asks for what there is not.
    """
    texts = read_sections(exercise, say.language)
    played = {example.id: example for example in examples}
    manifest, files = exercise.manifest, list(exercise.languages().values())
    page = _head(exercise, say) | {
        "course": manifest.course,
        "book_page": manifest.book_page,
        "book_hints": manifest.book_hints,
        "book_solution": manifest.book_solution,
        "file": files[0],
        "endings": [PurePath(file).suffix for file in files[1:]],
        "languages": languages(but=say.language),
        "codes": {
            id: name for text in texts.values() for id, name in codes(tokens(text.body)).items()
        },
        "states": [state.value for state in State],
        "summary": _html(to_html(texts[SUMMARY].body)),
        "ways": [
            {"kind": kind, "id": id, "there": id in there}
            for kind, id in (("prev", manifest.previous), ("next", manifest.next))
        ],
    }
    page["sections"] = [
        _examples(say, texts, examples) if id == EXAMPLES else _section(texts, id, played, say)
        for id in (manifest.pages.sections if manifest.pages else ())
    ]
    return render("exercise.html", say, page=page)


def index_page(exercises: Sequence[Exercise], language: str) -> str:
    """The list of all exercises that have pages, in the course's order."""
    listed = []
    for exercise in sorted(exercises, key=lambda one: one.manifest.order):
        say = Translator(language, exercise.folder)
        summary = read_sections(exercise, language, [SUMMARY])[SUMMARY].body
        listed.append(_head(exercise, say) | {"summary": _html(to_html(summary))})
    say = Translator(language)
    return render("index.html", say, exercises=listed, languages=languages(but=language))


def languages_page(language: str) -> str:
    """The way in: the choice of a language."""
    titles = [Translator(one.id)("page.index_title") for one in languages()]
    return render("languages.html", Translator(language), titles=titles, languages=languages())


def _head(exercise: Exercise, say: Translator) -> dict[str, Any]:
    manifest = exercise.manifest
    return {
        "id": exercise.id,
        "number": exercise.id.upper(),
        "title": say("exercise.title"),
        "order": manifest.order,
        "track": manifest.track,
        "minutes": manifest.minutes,
        "difficulty": manifest.difficulty,
    }


def _html(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - made by our own Markdown, which escapes what it is given


def _section(
    texts: Mapping[str, Section], id: str, played: Mapping[str, Example], say: Translator
) -> dict[str, Any]:
    section = texts[id]
    html = _with_tables(section, played)
    if id == _QUESTIONS[0]:
        html = _lead_to_answers(html, texts, say)
    if id == _ANSWERS[0]:
        html = _repeat_questions(html, texts, say)
    return {
        "id": id,
        "title": _html(inline_html(section.title)),
        "level": _LEVELS.get(id),
        "html": _html(html),
    }


# --- questions and answers -----------------------------------------------------------------------


def _listed(texts: Mapping[str, Section], where: tuple[str, str]) -> list[str]:
    section, list_id = where
    return items(texts[section].body, list_id) if section in texts else []


def _lead_to_answers(html: str, texts: Mapping[str, Section], say: Translator) -> str:
    """Each question with a link to its answer."""
    for number in range(1, len(_listed(texts, _ANSWERS)) + 1):
        item = f'<li id="{_QUESTIONS[1]}{number}">'
        link = f'<a class="answer" href="#{_ANSWERS[1]}{number}">'
        label = escape(say("page.answer", number=number))
        html = html.replace(item, f"{item}{link}{label}</a>")
    return html


def _repeat_questions(html: str, texts: Mapping[str, Section], say: Translator) -> str:
    """Each answer below its question."""
    for number, question in enumerate(_listed(texts, _QUESTIONS), 1):
        item = f'<li id="{_ANSWERS[1]}{number}">'
        inner = question.removeprefix("<p>").removesuffix("</p>")
        label = escape(say("page.question", number=number))
        back = f'<a href="#{_QUESTIONS[1]}{number}" aria-label="{label}">↑</a>'
        html = html.replace(item, f'{item}<p class="asked">{inner} {back}</p>')
    return html


# --- tables as data ------------------------------------------------------------------------------


def _with_tables(section: Section, played: Mapping[str, Example]) -> str:
    """A section as HTML, with its tables filled in from the examples that they name."""
    pieces = _TABLE_BLOCK.split(section.body)
    return "".join(
        _table(section, piece, played) if i % 2 else to_html(piece)
        for i, piece in enumerate(pieces)
    )


def _table(section: Section, text: str, played: Mapping[str, Example]) -> str:
    try:
        table = tomllib.loads(text)
        facts = played[table["example"]].facts if "example" in table else {}
        rows = [[inline_html(cell.format_map(facts)) for cell in row] for row in table["rows"]]
        columns = [inline_html(column) for column in table["columns"]]
    except (tomllib.TOMLDecodeError, LookupError, ValueError, AttributeError, TypeError) as error:
        raise ExerciseError(
            "exercise.table", section=section.id, language=section.language, detail=repr(error)
        ) from None
    heads = "".join(f'<th scope="col">{column}</th>' for column in ("#", *columns))
    lines = "\n".join(
        f'<tr><th scope="row">{number}</th>' + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
        for number, row in enumerate(rows, 1)
    )
    return (
        f'<table class="frames"><thead><tr>{heads}</tr></thead>\n<tbody>{lines}</tbody></table>\n'
    )


# --- examples ------------------------------------------------------------------------------------


def _examples(
    say: Translator, texts: Mapping[str, Section], examples: Sequence[Example]
) -> dict[str, Any]:
    shown = [{"example": one, "text": _example_text(one, texts[one.id])} for one in examples]
    return {"id": EXAMPLES, "title": say("page.examples"), "level": None, "examples": shown}


def _example_text(example: Example, section: Section) -> dict[str, Any]:
    """What is said of an example: below the heading ``<id>-step-3`` stands what goes with step 3.

    Raises:
        ExerciseError: a step has no text.
    """
    intro, *said = parts(section.body)
    by_id = {part.id: Step(_html(part.title), _html(part.html)) for part in said}
    names = {number: f"{example.id}-step-{number}" for number in range(1, len(example.steps) + 1)}
    missing = [name for name in names.values() if name not in by_id]
    if missing:
        raise ExerciseError(
            "exercise.no_step", section=section.id, language=section.language, missing=missing
        )
    return {
        "title": _html(inline_html(section.title)),
        "plain_title": plain(section.title),
        "intro": _html(intro.html),
        "steps": {number: by_id[name] for number, name in names.items()},
    }
