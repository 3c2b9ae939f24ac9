"""The texts of a page: read in order, and held to what they must share between languages."""

import pytest
from support import copy_of_tiny

from grader.errors import ExerciseError, UsageError
from grader.i18n import LANGUAGES, Translator
from grader.section import KINDS, Section, facts, problems, read_hint, read_sections, text_hash

TEXTS = ["summary", "overview", "l1", "l2", "l3"]


@pytest.fixture
def exercise(tmp_path):
    """The tiny exercise in a project of its own, to be spoilt."""
    return copy_of_tiny(tmp_path)


def edit(exercise, language: str, id: str, old: str, new: str):
    """Replace one passage of a text."""
    file = exercise.text_file(language, id)
    text = file.read_text("utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), "utf-8")


def record(exercise):
    """Say that the translations were made from the sources as they stand."""
    lines = [f'{id} = "{hash_of(exercise, id)}"\n' for id in TEXTS]
    (exercise.texts_in("en") / "translated.toml").write_text("".join(lines), "utf-8")


def hash_of(exercise, id: str) -> str:
    """The hash of a source."""
    return text_hash(exercise.text_file("zh", id).read_text("utf-8"))


def told(exercise, hints=()) -> list[tuple[str, dict[str, object]]]:
    """What is wrong, as ids and parameters; each has a text that names what it is about."""
    found = problems(exercise, hints)
    for language in LANGUAGES:
        say = Translator(language)
        for problem in found:
            assert say.knows(problem.id)
            file = problem.params.get("file", problem.params.get("language"))
            assert str(file) in say.text(problem)
            assert not {f"{{{name}}}" for name in problem.params} & set(say.text(problem).split())
    return [(problem.id, dict(problem.params)) for problem in found]


def kinds(exercise, hints=()) -> list[str]:
    """The ids of what is wrong."""
    return [id for id, _ in told(exercise, hints)]


# --- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_order(stack, language):
    """The texts come in the order of the page, the summary before all."""
    sections = read_sections(stack, language)
    assert list(sections) == TEXTS
    assert {section.language for section in sections.values()} == {language}
    assert [section.id for section in sections.values()] == TEXTS


def test_title_and_body(stack):
    """The first line is the title; the summary has none."""
    sections = read_sections(stack, "zh")
    assert sections["l2"].title == "L2 · 骨架"
    assert sections["l2"].body.startswith("{#l2-store}\n### ")
    assert sections["summary"].title == ""
    assert sections["summary"].body.startswith("一个栈")


def test_examples_have_texts(exercise):
    """The text of an example is read where the examples stand."""
    toml = exercise.folder / "exercise.toml"
    text = toml.read_text("utf-8").replace('"overview", "l1"', '"overview", "examples", "l1"')
    toml.write_text(f'{text}\n[[examples]]\nid = "ex1"\n', "utf-8")
    (exercise.folder / "examples").mkdir()
    exercise.example_file("ex1").write_text("def play(subject, step): ...\n", "utf-8")
    for language in LANGUAGES:
        exercise.text_file(language, "ex1").write_text("# Ex 1\n\nText.\n", "utf-8")
    assert list(read_sections(exercise, "en")) == ["summary", "overview", "ex1", "l1", "l2", "l3"]
    assert read_sections(exercise, "en")["ex1"] == Section("ex1", "en", "Ex 1", "Text.\n")
    assert kinds(exercise, ["examples", "ex1"]) == ["validate.unrecorded"]


@pytest.mark.parametrize("content", [None, "答案".encode("gbk")], ids=["missing", "gbk"])
def test_text_that_cannot_be_read(exercise, content):
    """A text that is missing or no UTF-8 is named, with what to do."""
    file = exercise.text_file("en", "l2")
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(ExerciseError) as raised:
        read_sections(exercise, "en")
    assert raised.value.message.id == "exercise.no_section"
    assert raised.value.message.params["file"] == "exercises/stack/pages/en/l2.md"
    assert list(read_sections(exercise, "en", only=("l1",))) == ["l1"]


def test_windows_file(exercise):
    """A mark of byte order and the line ends of Windows change nothing."""
    before, file = read_sections(exercise, "zh"), exercise.text_file("zh", "l1")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert read_sections(exercise, "zh") == before
    assert problems(exercise) == []


def test_levels(exercise):
    """A level comes with the first, which asks; levels that are not there are wrong usage."""
    assert list(read_hint(exercise, "zh", 3)) == ["l1", "l3"]
    assert list(read_hint(exercise, "zh", 1)) == ["l1"]
    toml = exercise.folder / "exercise.toml"
    toml.write_text(toml.read_text("utf-8").replace(', "l2"', ""), "utf-8")
    again = copy(exercise)
    with pytest.raises(UsageError) as raised:
        read_hint(again, "zh", 2)
    assert raised.value.message.params["known"] == ["1", "3"]


def test_no_levels(exercise):
    """An exercise without pages has no hints, and says so."""
    toml = exercise.folder / "exercise.toml"
    toml.write_text(toml.read_text("utf-8").partition("[pages]")[0], "utf-8")
    with pytest.raises(UsageError) as raised:
        read_hint(exercise, "zh", 1)
    assert raised.value.message.id == "usage.no_hints"
    assert read_sections(exercise, "zh") == {}
    assert problems(exercise) == []


def copy(exercise):
    """The exercise as it stands in its folder now."""
    return exercise.project.exercise(exercise.id)


# --- what is wrong with them ---------------------------------------------------------------------


def test_sound(stack):
    """The tiny exercise's texts are sound."""
    assert problems(stack) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_missing(exercise, language):
    """A text that is missing in any language is named."""
    exercise.text_file(language, "l2").unlink()
    ((id, params),) = told(exercise)
    assert (id, params["file"]) == (
        "exercise.no_section",
        f"exercises/stack/pages/{language}/l2.md",
    )


@pytest.mark.parametrize("name", ["l4.md", "overview.txt", "examples.md", "L1.md"])
def test_stray(exercise, name):
    """A file that no section names is told."""
    (exercise.texts_in("zh") / name).write_text("# x\n", "utf-8")
    assert told(exercise) == [("validate.stray", {"file": f"exercises/stack/pages/zh/{name}"})]


def test_untitled(exercise):
    """A section that does not begin with its title is told."""
    edit(exercise, "en", "overview", "# What this exercise asks for\n", "")
    assert kinds(exercise) == ["validate.untitled"]


def test_stale(exercise):
    """A source that has changed makes its translation stale, until the new hash is written."""
    edit(exercise, "zh", "l2", "用一个列表", "用列表")
    ((id, params),) = told(exercise)
    assert id == "validate.stale"
    assert (params["file"], params["source"]) == (
        "exercises/stack/pages/en/l2.md", "exercises/stack/pages/zh/l2.md",
    )  # fmt: skip
    assert params["hash"] == hash_of(exercise, "l2")
    for language in LANGUAGES:
        assert f'l2 = "{params["hash"]}"' in Translator(language)(id, **params)
    record(exercise)
    assert problems(exercise) == []


def test_changed_translation(exercise):
    """A translation may be reworded."""
    edit(exercise, "en", "l2", "In a list", "Use a list")
    assert problems(exercise) == []


def test_unrecorded(exercise):
    """A translation of which nobody says what it was made from is told; so for all of them."""
    toml = exercise.texts_in("en") / "translated.toml"
    lines = toml.read_text("utf-8").splitlines(keepends=True)
    toml.write_text("".join(line for line in lines if "l3" not in line), "utf-8")
    assert [(id, params["section"]) for id, params in told(exercise)] == [
        ("validate.unrecorded", "l3")
    ]
    toml.unlink()
    assert kinds(exercise) == ["validate.unrecorded"] * len(TEXTS)


def test_record_of_nothing(exercise):
    """A record of what is no text is told, and so is one that is no TOML."""
    toml = exercise.texts_in("en") / "translated.toml"
    toml.write_text(toml.read_text("utf-8") + 'l9 = "0"\n', "utf-8")
    assert kinds(exercise) == ["validate.no_source"]
    toml.write_text("l1 =", "utf-8")
    assert kinds(exercise) == ["validate.translated"]


def test_other_source(exercise):
    """With English as the source, the Chinese texts are the translations."""
    toml = exercise.folder / "exercise.toml"
    toml.write_text(
        toml.read_text("utf-8").replace("[pages]\n", '[pages]\nsource = "en"\n'), "utf-8"
    )
    (exercise.texts_in("en") / "translated.toml").unlink()
    found = told(copy(exercise))
    assert {id for id, _ in found} == {"validate.unrecorded"}
    assert {params["toml"] for _, params in found} == {"exercises/stack/pages/zh/translated.toml"}


def test_id_twice(exercise):
    """An id that is in a page twice is told, were it in two texts, or that of a section."""
    edit(exercise, "en", "l2", "{#l2-store}", "{#l1-order}")
    edit(exercise, "zh", "l2", "{#l2-store}", "{#l2}")
    record(exercise)
    found = told(exercise)
    assert ("validate.id_twice", {"language": "en", "id": "l1-order"}) in found
    assert ("validate.id_twice", {"language": "zh", "id": "l2"}) in found


@pytest.mark.parametrize("id", ["答案", "L2", "2-store", "l2:store"])
def test_id_of_another_form(exercise, id):
    """An id is small ASCII letters, digits and dashes."""
    for language in LANGUAGES:
        edit(exercise, language, "l2", "{#l2-store}", f"{{#{id}}}")
    record(exercise)
    assert kinds(exercise) == ["validate.id"] * 2


def test_hints_lead_somewhere(exercise):
    """What a check or a case names as its hint must be in the page of every language."""
    assert kinds(exercise, ["l1", "l2-store", "l3-a2"]) == []
    assert told(exercise, ["l2-nowhere"]) == [
        ("validate.no_hint", {"language": language, "id": "l2-nowhere"}) for language in LANGUAGES
    ]
    for language in LANGUAGES:
        edit(exercise, language, "l1", "{#l1-order}", "{#l1-other}")
    record(exercise)
    assert kinds(exercise) == ["validate.no_hint"] * 2


def test_links_lead_somewhere(exercise):
    """A link into the page must lead to an id that is there."""
    for language in LANGUAGES:
        edit(exercise, language, "l3", "#l1-empty", "#l1-emtpy")
    record(exercise)
    assert kinds(exercise) == ["validate.no_target"] * 2


# --- twins ---------------------------------------------------------------------------------------

TWINS = {
    "number": ("l1", "Put on 1 and 2", "Put on 1 and 3", "numbers", ["3"], ["2"]),
    "fewer_numbers": ("l1", "Put on 1 and 2", "Put on them", "numbers", [], ["1", "2"]),
    "decimal": ("l1", "Put on 1 and 2", "Put on 1.2", "numbers", ["1.2"], ["1", "2"]),
    "code_span": ("summary", "`push`", "`Push`", "code", ["`Push`"], ["`push`"]),
    "code_span_gone": ("summary", "`push`", "push", "code", [], ["`push`"]),
    "code_line": ("l2", "self.items = []", "self.items = list()", "code", ["`self.items = list()`"], ["`self.items = []`"]),
    "code_more": ("l2", "self.items = []", "self.items = []\nx", "code", ["`x`"], []),
    "link": ("overview", "stdtypes.html#list", "stdtypes.html", "links",
             ["https://docs.python.org/3/library/stdtypes.html"], ["https://docs.python.org/3/library/stdtypes.html#list"]),
    "fragment": ("l3", "(#l1-empty)", "(#l1-order)", "links", ["#l1-order"], ["#l1-empty"]),
    "id": ("l2", "{#l2-store}", "{#l2-keep}", "ids", ["l2-keep"], ["l2-store"]),
    "item": ("l3", "1. At", "1. At the end.\n2. At", "ids", ["l3-a3"], []),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_unlike(exercise, name):
    """What differs between a text and its translation is told exactly, with both files."""
    text, old, new, kind, more, less = TWINS[name]
    edit(exercise, "en", text, old, new)
    ((id, params),) = told(exercise)
    assert id == f"validate.unlike_{kind}"
    assert params == {
        "file": f"exercises/stack/pages/en/{text}.md", "source": f"exercises/stack/pages/zh/{text}.md",
        "more": more, "less": less,
    }  # fmt: skip


GROUP = """
```python
x = [1]  # {0}
```

```cpp
#include <vector>
std::vector<int> x{{1}};  // {0}
```

```java
int[] x = {{1}}; /* {0} */
```
"""


@pytest.mark.parametrize(
    ("old", "new", "more", "less"),
    [
        ("x = [1]", "x = [2]", ["`x = [2]`"], ["`x = [1]`"]),
        ("x{1}", "x{2}", ["`std::vector<int> x{2};`"], ["`std::vector<int> x{1};`"]),
        ("#include <vector>", "#include <list>", ["`#include <list>`"], ["`#include <vector>`"]),
        ("```java\nint[] x = {1}; /* two */\n```\n", "", [], ["`int[] x = {1};`"]),
        ("```java\n", "```go\ny := 1\n```\n\n```java\n", ["`y := 1`"], []),
    ],
    ids=["first", "other", "directive", "gone", "more"],
)
def test_unlike_code_of_several_languages(exercise, old, new, more, less):
    """Code is the same in every language that it is told in; its comments are the reader's."""
    for language, comment in (("zh", "二"), ("en", "two")):
        file = exercise.text_file(language, "l2")
        file.write_text(file.read_text("utf-8") + GROUP.format(comment), "utf-8")
    record(exercise)
    assert problems(exercise) == []
    edit(exercise, "en", "l2", old, new)
    ((id, params),) = told(exercise)
    assert (id, params["more"], params["less"]) == ("validate.unlike_code", more, less)


def said(text: str) -> dict[str, list[str]]:
    """What a text has of each kind, in order; nothing of what it has none."""
    return {kind: sorted(found.elements()) for kind, found in facts(text).items() if found}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("bs=3，第 10 行，2.5 倍，v1.2.3。", {"numbers": ["1.2.3", "10", "2.5", "3"]}),
        ("第三行 ３", {}),
        ("{#a1}\nText [9]{#b2}", {"ids": ["a1", "b2"], "numbers": ["9"]}),
        ("[第 7 页](https://x.y/8)", {"numbers": ["7"], "links": ["https://x.y/8"]}),
        ("`a[3]` `a[3]`", {"code": ["`a[3]`", "`a[3]`"]}),
        ("```python\nx = '#1'  # 注释 2\n\n# 3\n```", {"code": ["`x = '#1'`"]}),
        ("```sh\n./check.sh p17  # 运行\n```", {"code": ["`./check.sh p17`"]}),
        ("```\n4 # 5\n```", {"code": ["`4 # 5`"]}),
        (
            '```cpp\n#include "a.h"  // 注释\n/* 注释 */ x;\n```',
            {"code": ["` x;`", '`#include "a.h"`']},
        ),
        ("```rust\n#[derive(Clone)]\n// 注释\nx\n```", {"code": ["`#[derive(Clone)]`", "`x`"]}),
        ("1. a\n2. b", {}),
    ],
)
def test_facts(text, found):
    """Numbers are those in words; comments in code and the numbers of a list are none."""
    assert said(text) == found


TABLE = """```table
example = "frames"
columns = ["帧", "{bs}"]
rows = [["**填入：**`static_in[:bs]` 前 3 行", "{static_in} `{bs}`"]]
```"""


def test_table():
    """The cells of a table are text: their code, their numbers and their placeholders."""
    assert said(TABLE) == {
        "numbers": ["3"], "code": ["`static_in[:bs]`", "`{}`"], "placeholders": ["{bs}", "{bs}", "{static_in}"],
    }  # fmt: skip
    assert set(facts(TABLE)) == set(KINDS)


def test_table_in_words(exercise):
    """A table may be put into other words, but not other placeholders; one that is no TOML is told."""
    for language, word in (("zh", "帧"), ("en", "frame")):
        file = exercise.text_file(language, "overview")
        text = file.read_text("utf-8") + "\n" + TABLE.replace("帧", word)
        file.write_text(text, "utf-8")
    record(exercise)
    assert problems(exercise) == []
    edit(exercise, "en", "overview", "{static_in}", "{static_out}")
    assert kinds(exercise) == ["validate.unlike_placeholders"]
    edit(exercise, "en", "overview", "rows = [[", "rows = [[[")
    assert "validate.table" in kinds(exercise)


def test_hash():
    """The hash is the beginning of SHA-256, as `sha256sum` gives it."""
    assert text_hash("abc") == "ba7816bf8f01cfea"
