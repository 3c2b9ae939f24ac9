"""The reader's language, and messages put into words."""

import os
import subprocess
import sys

import pytest
import support
from hypothesis import given
from hypothesis import strategies as st

from grader.i18n import LANGUAGES, Translator, choose_language, printable
from grader.message import Message

# --- which language ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "variables", "language"),
    [
        # --lang before all.
        ("en", {"GRADER_LANG": "zh", "LC_ALL": "zh_CN.UTF-8"}, "en"),
        ("zh", {"GRADER_LANG": "en", "LANG": "en_US.UTF-8"}, "zh"),
        # Then GRADER_LANG.
        (None, {"GRADER_LANG": "en", "LC_ALL": "zh_CN.UTF-8"}, "en"),
        (None, {"GRADER_LANG": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
        # What neither of them can mean is passed over.
        ("fr", {"GRADER_LANG": "en"}, "en"),
        (None, {"GRADER_LANG": "fr", "LANG": "en_US.UTF-8"}, "en"),
        (None, {"GRADER_LANG": "", "LANG": "en_US.UTF-8"}, "en"),
        # Then the locale, in POSIX's order.
        (None, {"LC_ALL": "en_GB", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"}, "en"),
        (None, {"LC_MESSAGES": "en_GB", "LANG": "zh_CN"}, "en"),
        (None, {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_US.UTF-8"}, "en"),
        (None, {"LANG": "zh_TW.Big5"}, "zh"),
        (None, {"LANG": "zh"}, "zh"),
        (None, {"LANG": "en_US.UTF-8@euro"}, "en"),
        (None, {"LC_CTYPE": "en_US.UTF-8"}, "zh"),
        # C says nothing.
        (None, {"LANG": "C"}, "zh"),
        (None, {"LANG": "C.UTF-8"}, "zh"),
        (None, {"LC_ALL": "POSIX"}, "zh"),
        (None, {"LC_ALL": "C.UTF-8", "LANG": "en_US.UTF-8"}, "en"),
        (None, {"LC_ALL": "C", "LC_MESSAGES": "POSIX", "LANG": "de_DE"}, "en"),
        # Other languages get English.
        (None, {"LANG": "fr_FR.UTF-8"}, "en"),
        (None, {"LANG": "ja_JP.eucJP"}, "en"),
        (None, {"LC_MESSAGES": "de_DE", "LANG": "zh_CN"}, "en"),
        # And where nobody says anything it is Chinese.
        (None, {}, "zh"),
    ],
)
def test_choose_language(option, variables, language):
    """``--lang``, then ``GRADER_LANG``, then the locale, then Chinese."""
    assert choose_language(option, variables) == language


# --- what a terminal shows -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "plain", "line\nline\ttab", "第 3 行不是 0。", "é ✓ 😀", "back\\slash", "{braces} %s"],
)
def test_shown_as_it_is(text):
    """What can be printed stays, line ends and tabs with it."""
    assert printable(text) == text


@pytest.mark.parametrize(
    "character",
    ["\x1b", "\r", "\0", "\x07", "\x08", "\x7f", "\x9b", "\u202e", "\u2066", "\u200b", "\ufeff",
     "\ud800", "\u2028", "\U000e0041"],
    ids=ascii,
)  # fmt: skip
def test_escaped(character):
    """Control characters, lone surrogates and what turns or hides text are escaped."""
    escape = printable(f"a{character}b")[1:-1]
    assert escape.isascii()
    assert escape.encode().decode("unicode_escape") == character


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_is_obeyed(text):
    """Whatever the text, what is shown is printable and can be encoded, and stays so."""
    shown = printable(text)
    assert all(c.isprintable() or c in "\n\t" for c in shown)
    assert shown.encode().decode() == shown == printable(shown)


# --- texts ---------------------------------------------------------------------------------------


@pytest.fixture(params=LANGUAGES)
def say(request):
    """A translator in each language."""
    return Translator(request.param)


def test_text_in_each_language():
    """A known id has a text in each language, and not the same one."""
    texts = {language: Translator(language)("error.empty") for language in LANGUAGES}
    assert len({"error.empty", *texts.values()}) == 1 + len(LANGUAGES)


def test_unknown_id(say):
    """An id without a text is shown as it is, with its parameters, and is known to be unknown."""
    assert not say.knows("no.such.text")
    assert say("no.such.text") == "no.such.text"
    shown = say("no.such.text", row=3)
    assert "no.such.text" in shown
    assert "3" in shown


def test_empty_id(say):
    """The empty id is no text: gettext would give the catalog's header."""
    assert not say.knows("")
    assert say("") == ""


def test_missing_folder(tmp_path):
    """An exercise without catalogs has the grader's texts."""
    say = Translator("en", tmp_path)
    assert say("error.empty") == Translator("en")("error.empty")


def test_exercise_texts(stack, say):
    """An exercise's own texts are known with its folder alone."""
    with_exercise = Translator(say.language, stack.folder)
    assert with_exercise.knows("exercise.title")
    assert not say.knows("exercise.title")
    assert with_exercise("error.empty") == say("error.empty")


def test_exercises_apart(stack, p17):
    """Two exercises have one id each with a text of its own."""
    titles = {Translator("en", exercise.folder)("exercise.title") for exercise in (stack, p17)}
    assert len(titles) == 2


def test_message(say):
    """A message is said as its id with its parameters."""
    assert say.text(Message("error.folder", {"file": "a.py"})) == say("error.folder", file="a.py")


@pytest.mark.parametrize(
    "hostile",
    ["{", "}", "{}", "{0}", "{call}", "{file.__class__}", "{{}}", "%s %(x)s", "{detail!r:>9}"],
)
def test_braces_in_parameters(say, hostile):
    """Braces in a parameter are shown, never filled in."""
    text = say("error.exception", call=hostile, type=hostile, detail=hostile)
    assert text.count(hostile) == 3
    assert text == say("error.exception", call="@", type="@", detail="@").replace("@", hostile)


def test_missing_parameter(say):
    """A parameter that is not there is marked, and no error."""
    assert "{file}" in say("error.folder")


def test_superfluous_parameter(say):
    """A parameter that the text does not have is no error."""
    assert say("error.empty", detail="x") == say("error.empty")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(100.0, "100"), (0.1, "0.1"), (float("nan"), "nan"), (7, "7"), (True, "True"), (None, "None"),
     ("a\x1bb", "a\\x1bb"), (["a", "b"], "a, b"), (("x\n\r",), "x\n\\r"), ([], "-"), ([1.0, [2.5]], "1, 2.5")],
)  # fmt: skip
def test_parameters_as_shown(say, value, shown):
    """Numbers are short, lists are enumerated, control characters escaped."""
    assert say("error.folder", file=value) == say("error.folder", file="@").replace("@", shown)


def test_locale_of_the_machine_does_not_matter():
    """The language asked for is what is shown, whatever gettext would choose by itself."""
    code = "from grader.i18n import Translator; print(ascii(Translator('zh')('error.empty')))"
    said = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=support.ROOT, capture_output=True, text=True, check=True,
            env={**os.environ, "LANGUAGE": language, "LC_ALL": locale},
        ).stdout.strip()
        for language, locale in (("en", "C"), ("zh", "C.UTF-8"), ("", "C"))
    }  # fmt: skip
    assert said == {ascii(Translator("zh")("error.empty"))}
