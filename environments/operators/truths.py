"""The shape that a truth must have: rows may come from anyone, and a malformed row is not a wrong answer."""

from string import ascii_uppercase
from typing import Any, TypeGuard

from races.environments.errors import InvalidValue
from races.environments.types import VOCABULARY


def check(truth: Any) -> None:
    """InvalidValue, with what was expected, for a truth that no operator could have written."""
    if not isinstance(truth, dict):
        raise InvalidValue(f"expected an object, got {type(truth).__name__}")
    match truth.get("operator"):
        case "single" | "sequential" | "parallel":
            _check_results(truth)
        case "sort" | "select":
            _check_order(truth)


def _check_results(truth: dict[str, Any]) -> None:
    types, answers = truth.get("types"), truth.get("answers")
    if not (_texts(types) and _texts(answers) and len(types) == len(answers)):
        raise InvalidValue("expected as many names of types as answers, each a text, and at least one")
    terminals = truth.get("terminals", {})
    if not isinstance(terminals, dict) or not all(map(_is_terminal, terminals.values())):
        raise InvalidValue("expected for each terminal environment its name and its start, each a text")


def _is_terminal(terminal: object) -> bool:
    return isinstance(terminal, dict) and _texts([terminal.get("environment"), terminal.get("start")])


def _check_order(truth: dict[str, Any]) -> None:
    names, fingerprints = truth.get("environments"), truth.get("fingerprints")
    if not (_texts(names) and _texts(fingerprints) and len(names) == len(fingerprints) <= len(ascii_uppercase)):
        raise InvalidValue(f"expected 1 to {len(ascii_uppercase)} names of environments with a fingerprint each")
    if not _texts([truth.get("start"), truth.get("target"), kind := truth.get("type")]) or kind not in VOCABULARY:
        raise InvalidValue("expected a start and a target as texts, and the name of a type")


def _texts(values: Any) -> TypeGuard[list[str]]:
    return isinstance(values, list) and len(values) > 0 and all([isinstance(each, str) for each in values])
