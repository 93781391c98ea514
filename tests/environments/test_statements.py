"""What statements and notations say, held against what values of their types are and how they are shown."""

import re
from itertools import product
from random import Random
from typing import Any

import pytest

from races.environments import Environment, pool
from races.environments.types import VOCABULARY, Type

# How a statement may not call what it is applied to, by domain: a value of the type is something else.
WRONG = {
    "Ragged": r"\b(the|every|each|some|any) rows?\b",
    "PairList": r"\bintervals? of the list\b|\b(the|every|each) points? of\b",
    "IntervalList": r"\bpairs?\b",
    "PointList": r"\bpairs\b|\bcells of the list\b",
    "CellList": r"\bpairs\b|\bpoints?\b",
    "IntSet": r"\bthe list\b|\bentr(y|ies)\b",
    "IntMatrix": r"\bthe list\b|\binner lists?\b",
    "SquareMatrix": r"\bthe list\b|\binner lists?\b",
    "Graph": r"\bthe arcs\b",
    "WeightedGraph": r"\bthe arcs\b",
    "DiGraph": r"\bthe edges\b",
    "DAG": r"\bthe edges\b",
    "Tally": r"\bthe list\b",
    "Text": r"\bthe string\b",
    "Word": r"\bthe (string|text)\b",
}
TREES = ("Expr", "BoolExpr")


@pytest.mark.parametrize("kind", WRONG)
def test_a_statement_calls_what_it_is_applied_to_by_its_name(kind: str) -> None:
    for name, brick in pool().items():
        if brick.domain.name == kind:
            assert not re.search(WRONG[kind], brick.statement, re.IGNORECASE), name


def test_no_statement_has_brackets_written_that_an_expression_does_not_show() -> None:
    """An expression is shown with the brackets that it needs; whoever works on a text says which text."""
    spoken = {name: brick.statement for name, brick in pool().items() if brick.codomain.name in TREES}
    assert len(spoken) > 15
    for name, statement in spoken.items():
        if "bracket" in statement and not statement.startswith("Remove all brackets"):
            assert "only those brackets that its grouping needs" in statement, name


def test_no_pair_of_different_things_is_meant_where_its_parts_differ() -> None:
    assert not [name for name, brick in pool().items() if re.search(r"pairs? of different", brick.statement)]


def with_all_brackets(tree: Any) -> str:
    """The text of a tree with brackets around every operation, the last one too."""
    match tree:
        case (sign, part):
            return f"({sign}{with_all_brackets(part)})"
        case (sign, left, right):
            return f"({with_all_brackets(left)}{sign}{with_all_brackets(right)})"
    return str(tree)


@pytest.mark.parametrize("name", TREES)
def test_more_brackets_than_the_grouping_needs_do_no_harm(name: str) -> None:
    kind = VOCABULARY[name]
    for level, number in product(range(1, 6), range(40)):
        value = kind.sample(Random(f"brackets {level} {number}"), level)
        assert kind.parse(with_all_brackets(value)) == value
        assert len(with_all_brackets(value)) >= len(kind.dumps(value).strip('"'))


@pytest.mark.parametrize("name", TREES)
def test_every_bracket_that_is_shown_is_needed(name: str) -> None:
    """Without any one of its pairs a text means another value, or none."""
    kind, pairs = VOCABULARY[name], 0
    for level, number in product(range(1, 6), range(40)):
        value = kind.sample(Random(f"needed {level} {number}"), level)
        text = kind.dumps(value).strip('"')
        for start, end in bracket_pairs(text):
            pairs += 1
            assert not means(kind, text[:start] + text[start + 1 : end] + text[end + 1 :], value), text
    assert pairs > 100


def bracket_pairs(text: str) -> list[tuple[int, int]]:
    opened, found = [], []
    for place, character in enumerate(text):
        if character == "(":
            opened.append(place)
        elif character == ")":
            found.append((opened.pop(), place))
    return found


def means(kind: Type[Any], data: Any, value: Any) -> bool:
    try:
        return bool(kind.decode(data) == value)
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        ("Expr", "x+(3+4)", "x+3+4"),
        ("Expr", "x*(3*4)", "x*3*4"),
        ("Expr", "x+(3-4)", "x+3-4"),
        ("BoolExpr", "a&(b&c)", "a&b&c"),
        ("BoolExpr", "a|(b|c)", "a|b|c"),
        ("BoolExpr", "(a>b)>c", "a>(b>c)"),
    ],
)
def test_the_grouping_of_an_expression_counts(name: str, text: str, other: str) -> None:
    kind = VOCABULARY[name]
    assert kind.decode(text) != kind.decode(other)
    assert kind.dumps(kind.decode(text)) == f'"{text}"'


@pytest.mark.parametrize(
    ("name", "text", "grouped"),
    [
        ("Expr", "x-3-4", "(x-3)-4"),
        ("Expr", "x-3+4", "(x-3)+4"),
        ("Expr", "x+3*4", "x+(3*4)"),
        ("BoolExpr", "~a&b", "(~a)&b"),
        ("BoolExpr", "a|b&c", "a|(b&c)"),
        ("BoolExpr", "a>b|c", "a>(b|c)"),
        ("BoolExpr", "a&b&c", "(a&b)&c"),
    ],
)
def test_precedence_is_as_the_notation_says(name: str, text: str, grouped: str) -> None:
    kind = VOCABULARY[name]
    assert kind.decode(text) == kind.decode(grouped)


def test_implications_are_never_chained_without_brackets() -> None:
    with pytest.raises(ValueError, match="expected"):
        VOCABULARY["BoolExpr"].decode("a>b>c")


def test_accepting_states_may_stand_in_any_order_and_each_once() -> None:
    kind, rows = VOCABULARY["DFA"], "[[0, 1], [2, 0], [1, 1]]"
    given, turned = (kind.parse(f'{{"delta": {rows}, "accept": {order}}}') for order in ("[0, 2]", "[2, 0]"))
    assert given == turned
    with pytest.raises(ValueError, match="expected"):
        kind.decode({"delta": [[0, 1], [2, 0], [1, 1]], "accept": [0, 0]})


@pytest.mark.parametrize("name", ["Graph", "WeightedGraph", "DiGraph", "DAG", "DFA"])
def test_a_notation_says_which_order_is_free(name: str) -> None:
    kind = VOCABULARY[name]
    assert "in any order" in kind.notation
    assert ("either way round" in kind.notation) == (name in ("Graph", "WeightedGraph"))


@pytest.mark.parametrize("name", ["IntSet", "IntervalList", "Partition", "Permutation"])
def test_a_list_in_another_order_is_another_value_where_the_notation_names_one(name: str) -> None:
    kind = VOCABULARY[name]
    value = kind.sample(Random(f"order {name}"), 3)
    assert not means(kind, list(map(list_of, value[::-1])), value)
    assert re.search(r"increasing order|sorted|none larger than|each of 0, 1", kind.notation)


def list_of(item: Any) -> Any:
    return list(item) if isinstance(item, tuple) else item


def applied(brick: Environment, text: str) -> str:
    """What a brick makes of the expression in a text, as it is shown."""
    return brick.codomain.dumps(brick(brick.domain.decode(text))).strip('"')


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("x_replaced_by_x_plus_one", "x+30", "x+1+30"),
        ("x_replaced_by_x_plus_one", "30+x", "30+(x+1)"),
        ("operators_cycled", "3+(2*x)", "3-2+x"),  # of 3+2*x, which is the same expression
        ("reversed_expression", "(x-3)-x", "x-3-x"),
        ("last_operands_exchanged", "x-(3+x)", "3+x-x"),
        ("a_replaced_by_implication", "a", "c>a"),
        ("a_replaced_by_implication", "b>a", "b>(c>a)"),
        ("implications_replaced", "a&b>c", "~(a&b)|c"),
        ("alternatives_as_implications", "a|b|c", "~(~a>b)>c"),
        ("and_exchanged_with_or", "(a|b)&c", "a&b|c"),
        ("and_exchanged_with_or", "(a&b)|c", "a|b&c"),
        ("negation_pushed_inwards", "a|(b|c)", "~a&(~b&~c)"),
    ],
)
def test_results_are_shown_with_the_brackets_that_they_need(name: str, text: str, result: str) -> None:
    assert applied(pool()[name], text) == result


def test_a_number_of_zero_has_a_name() -> None:
    assert pool()["number_in_words"](0) == "zero"
