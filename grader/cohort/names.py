"""Names of people, made comparable: systems write one person's name in many ways."""

import re
import unicodedata

_NO_LETTERS = re.compile(r"[\W_]+")


def folded(text: str) -> str:
    """A text without what people do not tell apart: case, width, blanks at its ends and doubled.

    >>> folded("  Ａda   LOVELACE ")
    'ada lovelace'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def spoken(name: str) -> str:
    """A name as it is said: ``Lovelace, Ada`` is ``ada lovelace``.

    Only one comma is taken for that of a list; ``King, Jr, Martin`` stays in its order.
    """
    last, comma, first = folded(name).partition(",")
    swapped = f"{first} {last}" if comma and "," not in first else f"{last} {first}"
    return " ".join(swapped.replace(",", " ").split())


def unordered(name: str) -> tuple[str, ...]:
    """A name's words, in whatever order a system puts them."""
    return tuple(sorted(spoken(name).split()))


def squeezed(name: str) -> frozenset[str]:
    """How a name may look as one word of letters, as Canvas names files by sortable names.

    In the order of writing, and with the last word or the first at the other end.
    """
    words = spoken(name).split()
    orders = (words, words[-1:] + words[:-1], words[1:] + words[:1])
    return frozenset(_NO_LETTERS.sub("", "".join(order)) for order in orders)


def letters(text: str) -> str:
    """A text's letters and digits alone, folded."""
    return _NO_LETTERS.sub("", folded(text))
