"""Valid arguments of IFEval's instructions: the ranges that the checkers of lm-evaluation-harness accept.

A checker replaces an argument that is missing or out of range by a random one, so that its verdict on the same text
varies. Such an instruction is rejected here, before any text is checked.
"""

import re
from collections.abc import Callable, Collection, Mapping
from string import ascii_lowercase
from typing import Any

from races.environments.errors import InvalidValue

RELATIONS = ("less than", "at least")
# Each kind of instruction with the arguments that its checker requires.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "change_case:capital_word_frequency": ("capital_frequency", "capital_relation"),
    "change_case:english_capital": (),
    "change_case:english_lowercase": (),
    "combination:repeat_prompt": ("prompt_to_repeat",),
    "combination:two_responses": (),
    "detectable_content:number_placeholders": ("num_placeholders",),
    "detectable_content:postscript": ("postscript_marker",),
    "detectable_format:constrained_response": (),
    "detectable_format:json_format": (),
    "detectable_format:multiple_sections": ("num_sections", "section_spliter"),
    "detectable_format:number_bullet_lists": ("num_bullets",),
    "detectable_format:number_highlighted_sections": ("num_highlights",),
    "detectable_format:title": (),
    "keywords:existence": ("keywords",),
    "keywords:forbidden_words": ("forbidden_words",),
    "keywords:frequency": ("frequency", "keyword", "relation"),
    "keywords:letter_frequency": ("let_frequency", "let_relation", "letter"),
    "language:response_language": ("language",),
    "length_constraints:nth_paragraph_first_word": ("first_word", "nth_paragraph", "num_paragraphs"),
    "length_constraints:number_paragraphs": ("num_paragraphs",),
    "length_constraints:number_sentences": ("num_sentences", "relation"),
    "length_constraints:number_words": ("num_words", "relation"),
    "punctuation:no_comma": (),
    "startend:end_checker": ("end_phrase",),
    "startend:quotation": (),
}
COUNTS = frozenset(
    {
        "capital_frequency",
        "frequency",
        "let_frequency",
        "nth_paragraph",
        "num_bullets",
        "num_highlights",
        "num_paragraphs",
        "num_placeholders",
        "num_sections",
        "num_sentences",
        "num_words",
    }
)


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that an instruction has: in the hub's copy every instruction lists all arguments, most as None."""
    return {name: value for name, value in given.items() if value is not None}


def checked(instruction: str, given: Mapping[str, Any], languages: Collection[str]) -> dict[str, Any]:
    """The arguments of an instruction, validated.

    languages: the language codes that the checkers know. Raises InvalidValue for an argument that a checker would
    replace by a random one, or cannot use.
    """
    if instruction not in ARGUMENTS:
        raise InvalidValue(f"expected one of {len(ARGUMENTS)} kinds of instructions, got {instruction!r}")
    found = {name: _whole(name, value) for name, value in arguments(given).items()}
    if found.keys() != (needed := set(ARGUMENTS[instruction])):
        raise InvalidValue(
            f"{instruction}: expected the arguments {', '.join(sorted(needed)) or 'of none'}, got {sorted(found)}"
        )
    for name, value in found.items():
        what, holds = _rule(name, languages)
        if not holds(value):
            raise InvalidValue(f"{instruction}: expected {name} to be {what}, got {value!r}")
    if not 1 <= found.get("nth_paragraph", 1) <= found.get("num_paragraphs", 1) and "nth_paragraph" in found:
        raise InvalidValue(
            f"{instruction}: expected nth_paragraph from 1 to num_paragraphs, got {found['nth_paragraph']}"
        )
    return found


def _whole(name: str, value: Any) -> Any:
    """The value; a count as an integer, also where a column of a table has turned it into a float."""
    return int(value) if name in COUNTS and isinstance(value, float) and value.is_integer() else value


def _rule(name: str, languages: Collection[str]) -> tuple[str, Callable[[Any], bool]]:
    """The condition on an argument, in words and as a predicate."""
    if name in COUNTS:
        return "an integer from 0 on", lambda value: type(value) is int and value >= 0
    if name.endswith("relation"):
        return f"one of {RELATIONS}", lambda value: isinstance(value, str) and value in RELATIONS
    if name == "letter":
        return "an English letter", lambda value: isinstance(value, str) and len(value) == 1 and _is_letter(value)
    if name == "language":
        return "the code of a known language", lambda value: isinstance(value, str) and value in languages
    if name in {"keywords", "forbidden_words"}:
        return "a list of words", _are_words
    if name in {"keyword", "section_spliter", "postscript_marker"}:
        return "a text to search for", _is_word
    return "a text", _is_text


def _is_letter(value: str) -> bool:
    return value.lower() in ascii_lowercase


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_words(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(map(_is_word, value))


def _is_word(value: Any) -> bool:
    """Whether a value is a text that can be searched for: the checkers use it as a regular expression."""
    if not _is_text(value):
        return False
    try:
        for form in (value, value.strip().lower(), rf"\b{value}\b"):
            re.compile(form)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
