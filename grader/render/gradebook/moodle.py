"""Moodle's grading worksheet, which an assignment hands out and takes in for grading offline.

The facts are those of Moodle's ``mod/assign`` and its language packs. Headings are in the language
that the teacher reads Moodle in, and must come back in it. An identifier is a word of that
language with a number behind it, which is the number of the submission's folder in the download.
"""

import re
from collections.abc import Sequence

from grader.render.gradebook.column import called, first
from grader.render.gradebook.place import Place
from grader.render.gradebook.sheet import Cell, Sheet

# Headings in English and, from Moodle's language packs of several years, in Chinese.
_IDENTIFIER = ("Identifier", "标识符", "识别码", "識別碼")
_NAME = ("Full name", "全名", "姓名")
_EMAIL = ("Email address", "电子邮件地址", "Email地址", "電子郵件信箱")
_OTHER_IDS = ("ID number", "Username", "学号", "用户名", "學號", "帳號")
_GRADE = ("Grade", "成绩", "分数", "成績", "分數")
_MAXIMUM = ("Maximum grade", "最高分", "最高成绩", "最高成績", "最高分數")

_NUMBER = re.compile(r"\d+$")


def recognises(heading: Sequence[str]) -> bool:
    """Whether a heading is that of a grading worksheet."""
    return first(heading, _IDENTIFIER) is not None


def places(sheet: Sheet, column: str | None) -> list[Place]:
    """Where the points of the assignment go that the worksheet is of.

    Args:
        sheet: the worksheet.
        column: the heading of the grades' column, where an instructor has named it.

    Raises:
        UsageError: there is no such column, or there are several, or a row is at fault.
    """
    choice = list(enumerate(sheet.heading))
    target = first(sheet.heading, _GRADE) if column is None else None
    if target is None:
        target = called(sheet.path, choice, column or _GRADE[0])
    for row in sheet.rows:
        sheet.check(row)
    return [_place(sheet.heading, row, row[target]) for row in sheet.rows]


def _place(heading: Sequence[str], row: Sequence[Cell], cell: Cell) -> Place:
    def value(headings: Sequence[str]) -> str:
        place = first(heading, headings)
        return "" if place is None else row[place].value.strip()

    identifier = value(_IDENTIFIER)
    ids = [value([other]) for other in _OTHER_IDS]
    ids += _NUMBER.findall(identifier)
    return Place(
        cell,
        value(_MAXIMUM),
        value(_NAME) or identifier,
        ids=tuple(filter(None, ids)),
        emails=tuple(filter(None, [value(_EMAIL)])),
    )
