"""Texts of others on a terminal: what it would obey, or turn around, instead of showing it is written as an escape."""

from unicodedata import category

# Controls, formats (they turn the direction of reading, or are not seen at all), halves of surrogate pairs, separators
# of lines and paragraphs.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
KEPT = frozenset("\n\t\u200c\u200d")  # the last two join letters and the pieces of an emoji


def visible(text: str) -> str:
    """The text as a terminal may print it, escapes as Python writes them; ends of lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(each if each in KEPT or category(each) not in UNSEEN else _escape(each) for each in text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
