r"""How an answer may be spelled: what may stand around a value, and what LaTeX and Markdown make of its characters.

`spellings` peels such things off, one after another, and says nothing of which reading is meant; `reading` does.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_SPELLINGS = 16
MOST_PEELED = 8  # wrappings around wrappings
MOST_LATEX = 600  # commands, escapes and braces of one value


class Spelling(NamedTuple):
    """A text that an answer may stand for.

    stop: it is the text before it without a final full stop or the stars of italic type, which may be part of a string.
    named: words that announce an answer ("The answer is") were taken off, which may be too.
    """

    text: str
    stop: bool = False
    named: bool = False


# Replaced one after another: str.translate looks every character up, which takes a hundred times as long.
_TYPOGRAPHY = (
    *(("\u2212", "-"), ("\u2010", "-"), ("\u2011", "-"), ("\u2013", "-")),
    *(("\u201c", '"'), ("\u201d", '"'), ("\u2018", "'"), ("\u2019", "'")),
    *(("\u00a0", " "), ("\u2009", " "), ("\u202f", " "), ("\ufeff", ""), ("\u200b", ""), ("\u2060", "")),
    # What the commands of LaTeX for the same signs are read as, too.
    *(("\u2192", ">"), ("\u27f6", ">"), ("\u21d2", ">"), ("\u27f9", ">")),
    *(("\u00ac", "~"), ("\u2227", "&"), ("\u2228", "|"), ("\u00d7", "*"), ("\u00b7", "*"), ("\u22c5", "*")),
    *(("\u2044", "/"), ("\u2215", "/")),
)
_THIN = re.compile(r"[\u00a0\u2009\u202f](?<=[0-9].)(?=[0-9]{3}(?![0-9]))")
_LANGUAGES = "json|python|py|text|txt|plaintext|plain|latex|tex|math|javascript|js|yaml|markdown|md|none|output"
_GROUPS = (
    *("boxed", "fbox", "framebox", "mbox", "text", "textrm", "textbf", "textit", "texttt", "textsf", "textnormal"),
    *("mathrm", "mathbf", "mathit", "mathtt", "mathsf", "mathnormal", "boldsymbol", "bm", "operatorname", "underline"),
    "emph",
)
_SLANTED = re.compile(r"\*(?!\*)(.*)(?<!\*)\*", re.DOTALL)  # italic type, or the stars of a string
_WRAPPINGS = (
    re.compile(r"```(.*)```", re.DOTALL),
    re.compile(r"~~~(.*)~~~", re.DOTALL),
    re.compile(r"``([^`]*)``", re.DOTALL),
    re.compile(r"`([^`]*)`", re.DOTALL),
    re.compile(r"\$\$(.*)\$\$", re.DOTALL),
    re.compile(r"\$(.*)\$", re.DOTALL),
    re.compile(r"\\\((.*)\\\)", re.DOTALL),
    re.compile(r"\\\[(.*)\\\]", re.DOTALL),
    re.compile(rf"\\(?:{'|'.join(_GROUPS)})\s*+\{{(.*)\}}", re.DOTALL),
    re.compile(r"\*\*\*(.*)\*\*\*", re.DOTALL),
    re.compile(r"\*\*(.*)\*\*", re.DOTALL),
    re.compile(r"__(.*)__", re.DOTALL),
    _SLANTED,
    re.compile(r"<\s?answer\s?>(.*)<\s?/\s?answer\s?>", re.DOTALL | re.IGNORECASE),
)
# On a line of its own any word may name the language of a fence, before the answer only one that is known.
_LANGUAGE = re.compile(
    rf"(?:[a-zA-Z][a-zA-Z0-9+#._-]*+[ \t]*+\n|(?:{_LANGUAGES})\s|(?:json|python)(?=[\[{{(\"'0-9-]))\s*+(?=\S)",
    re.IGNORECASE,
)
_WRAPPED = frozenset("`~$\\*_<")
_NAMED = re.compile(
    r"(?:\*\*)?(?:(?:the|my)\s{1,3})?(?:(?:final|correct|right)\s{1,3})?(?:answer|result|output|solution)(?:\*\*)?\s{0,3}(?:[:=]|is\b\s{0,3}:?)"
    r"(?:\*\*(?=\s))?\s*+(?=\S)",
    re.IGNORECASE,
)


def typewritten(text: str) -> str:
    """The text with plain quotes, hyphens, spaces and arrows; no value of any type has others."""
    if text.isascii():
        return text
    text = _THIN.sub("{,}", text)  # between digits a thin space separates thousands, as {,} does in LaTeX
    for typographic, plain in _TYPOGRAPHY:
        text = text.replace(typographic, plain)
    return text


def spellings(text: str) -> list[Spelling]:
    """The text and what is left of it when wrappings, announcing words, a final stop and LaTeX are taken off.

    The most literal comes first; there is none twice.
    """
    found: dict[str, Spelling] = {}
    for each in _peeled(typewritten(text).strip(), named=False):
        found.setdefault(each.text, each)
    if "\\" in text or "{,}" in text or not text.isascii():
        for each in list(found.values()):
            plain = without_latex(each.text)
            if plain is not None and plain != each.text:
                for inner in _peeled(plain.strip(), each.named):
                    found.setdefault(inner.text, inner)
            if len(found) >= MOST_SPELLINGS:
                break
    return list(found.values())[:MOST_SPELLINGS]


def _peeled(current: str, named: bool) -> Iterator[Spelling]:
    slanted = False
    for _ in range(MOST_PEELED):
        yield Spelling(current, stop=slanted, named=named)
        stripped = current[:-1].rstrip() if current.endswith(".") else current
        if stripped != current:
            yield Spelling(stripped, stop=True, named=named)
        inside = _inside(stripped)
        slanted = bool(inside) and _SLANTED.fullmatch(stripped) is not None
        if not inside:
            announced = _NAMED.match(current)
            if announced is None:
                return
            inside, named = [current[announced.end() :]], True
        yield from (Spelling(each.strip(), named=named) for each in inside[:-1])
        current = inside[-1].strip()


def _inside(text: str) -> list[str]:
    """What a wrapping around the whole holds; a fence may begin with the name of a language: with it and without."""
    if text[:1] not in _WRAPPED:
        return []
    inner = next((match.group(1) for wrap in _WRAPPINGS if (match := wrap.fullmatch(text))), None)
    if inner is None:
        return []
    language = _LANGUAGE.match(inner) if text.startswith(("```", "~~~")) else None
    return [inner] if language is None else [inner, inner[language.end() :]]


_FRACTION = re.compile(
    r"\\(?<![\w)}\\]\\)[dtc]?frac\s?(?:\{\s?([+-]?[0-9]{1,12})\s?\}|([0-9]))\s?(?:\{\s?([0-9]{1,12})\s?\}|([0-9]))(?!\w)"
)
_THOUSANDS = re.compile(r"(?<![0-9.,}])[0-9]{1,3}(?:(?:\{,\}|\\,|,\\!)[0-9]{3}){1,4}(?!\{,\}|,\\!|[0-9.])")
_LATEX = re.compile(r"\\[a-zA-Z]++\s*+\{?|\\.|\{|\}", re.DOTALL)
_ESCAPES = {f"\\{each}": each for each in "{}#_%&$*~^"} | {f"\\{each}": " " for each in ",;: \n"}
_KEPT = frozenset({"\\\\", '\\"', "\\'", "\\/"})  # of a string of JSON or Python
_COMMANDS = {
    **dict.fromkeys(("left", "right", "big", "bigl", "bigr", "Big", "Bigl", "Bigr", "displaystyle", "textstyle"), ""),
    **dict.fromkeys(("quad", "qquad", "thinspace", "enspace", "space"), " "),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow", "Rightarrow", "implies", "gt"), ">"),
    **dict.fromkeys(("cdot", "times", "ast"), "*"),
    **dict.fromkeys(("land", "wedge"), "&"),
    **dict.fromkeys(("lor", "vee"), "|"),
    **dict.fromkeys(("lnot", "neg", "sim", "textasciitilde"), "~"),
    "lbrace": "{",
    "rbrace": "}",
    "lbrack": "[",
    "rbrack": "]",
}


def without_latex(text: str) -> str | None:
    r"""What LaTeX shows for a text, with a fraction as p/q; None where it has what is not known here.

    Backslashes of JSON strings stay as they are.
    """
    if "{,}" in text or "\\," in text or "\\!" in text:
        text = _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number.group()), text)
    if "\\" not in text:
        return text
    text = _FRACTION.sub(lambda m: f"{m[1] or m[2]}/{m[3] or m[4]}", text)
    parts, begin, closing = list[str](), 0, list[str]()
    for number, match in enumerate(_LATEX.finditer(text)):
        piece = match.group()
        shown = _shown(piece, closing)
        if shown is None or number >= MOST_LATEX:
            return None
        parts += (text[begin : match.start()], shown)
        begin = match.end()
    return "".join(parts) + text[begin:] if not closing else None


def _shown(piece: str, closing: list[str]) -> str | None:
    """What one command, escape or brace shows; `closing` holds what the braces that are open will show at their end."""
    if piece == "{":
        closing.append("}")
        return "{"
    if piece == "}":
        return closing.pop() if closing else None
    if piece in _KEPT:
        return piece
    if piece in _ESCAPES:
        return _ESCAPES[piece]
    name = piece[1:].rstrip("{").rstrip()
    if name in _GROUPS and piece.endswith("{"):
        closing.append("")
        return ""
    if name not in _COMMANDS:
        return None
    if piece.endswith("{"):
        closing.append("}")
    return _COMMANDS[name] + piece[1 + len(name) :]
