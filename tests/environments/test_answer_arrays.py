"""Arrays of results and orders of letters: what is read of an answer, and what is not."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from races.environments.errors import Unparseable
from races.environments.responses.answers import read_labels, read_results
from races.environments.types import VOCABULARY
from tests.support.reading import read

INT, TEXT = VOCABULARY["Int"], VOCABULARY["Text"]


@pytest.mark.parametrize(
    "text",
    [
        *("[1, [2, 3]]", " [1, [2, 3]] .", "```json\n[1,\n [2,3]]\n```", "```json [1, [2, 3]]```", "**[1, [2, 3]]**"),
        *("\\text{[1, [2, 3]]}.", '"[1, [2, 3]]"', "'(1, (2, 3))'", "(1, [2, 3])", "[1, (2, 3,),]", "(1, (2, 3),)"),
        *("Answer: [1, [2, 3]]", '["1", "[2, 3]"]', "['1', '[2, 3]']", "[1.0, [2, 3]]", "[1, `[2, 3]`]"),
        *("\\left[1,\\, [2, 3]\\right]", "[$1$, $[2, 3]$]", "[\\text{1}, \\text{[2, 3]}]", "[+1, [2, 3]]"),
    ],
)
def test_an_array_is_read_in_the_spellings_that_a_value_has(text: str) -> None:
    assert read_results(text, [INT, VOCABULARY["IntList"]]) == [(1,), ((2, 3),)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1, 2",
        "{}",
        '"a"',
        "[1, 2",
        "[1] [2]",
        "[1), 2]",
        "(1)",
        "[" * 9_000,
        "[[1, 2]",
        "(1, [2)",
        "{1, 2}",
        "[1], [2]",
    ],
)
def test_what_is_no_array_is_unparseable(text: str) -> None:
    with pytest.raises(Unparseable, match=r"^expected a JSON array, got "):
        read_results(text, [INT, INT])


def test_an_array_may_be_shorter_than_asked_for_and_never_longer() -> None:
    assert read_results("[1]", [INT, INT]) == [(1,)]
    assert read_results("[]", [INT, INT]) == []
    for text in ("[1, 2, 3]", "[1, 2, x]", "(1, 2, 3)"):
        with pytest.raises(Unparseable, match="expected 2 results, got 3"):
            read_results(text, [INT, INT])
    with pytest.raises(Unparseable, match="expected at most 20000 characters, got 20001"):
        read_results("[" + " " * 19_999 + "]", [INT])


@pytest.mark.parametrize(
    "item", ["True", "NaN", "lamp post", "5 or 7", "", "[", "null", "None", "{}", "...", "5.5", "[5]", "x = 5", "it's"]
)
def test_an_item_that_cannot_be_read_costs_itself_alone(item: str) -> None:
    if item != "[":
        assert read_results(f"[1, {item}, 3]", [INT, INT, INT]) == [(1,), (), (3,)]
    assert read_results(json.dumps([1, item, 3]), [INT, INT, INT]) == [(1,), (), (3,)]


def test_a_comma_inside_a_string_or_a_bracket_separates_nothing() -> None:
    for text in ('["a, b", 1]', "['a, b', 1]", "[ 'a, b' , 1 ]", '("a, b", 1)', '["a, b" , True]', "['a, b', it's]"):
        assert read_results(text, [TEXT, INT])[0][0] == "a, b"
    for text in ('["] , [", 1]', "['] , [', 1]"):
        first, second = read_results(text, [TEXT, INT])
        assert (first[0], second) == ("] , [", (1,))
    with pytest.raises(Unparseable, match="expected 2 results, got 3"):
        read_results("[a, b, 1]", [TEXT, INT])


@pytest.mark.parametrize(
    ("name", "item", "value"),
    [
        ("Int", "5", 5),
        ("Int", "5.0", 5),
        ("Int", '"5"', 5),
        ("Int", '"1,234"', 1234),
        ("Int", "1{,}234", 1234),
        ("Rational", "3", 3),
        ("Rational", "3.0", 3),
        ("Rational", "1/2", Fraction(1, 2)),
        ("Rational", r"\frac{1}{2}", Fraction(1, 2)),
        ("Rational", r'"\frac{1}{2}"', Fraction(1, 2)),
        ("BitString", "1000", "1000"),
        ("BitString", '"0110"', "0110"),
        ("BitString", "0110", "0110"),
        ("IntList", '"[1, 2]"', (1, 2)),
        ("IntList", "(1, 2)", (1, 2)),
        ("Bool", '"Yes"', True),
        ("Bool", "True", True),
        ("BinTree", "null", None),
        ("BinTree", "None", None),
        ("TimeOfDay", '"7:05"', (7, 5)),
        ("TimeOfDay", "7:05", (7, 5)),
    ],
)
def test_an_item_of_an_array_is_read_as_its_type(name: str, item: str, value: Any) -> None:
    kind = VOCABULARY[name]
    assert read_results(f"[{item}]", [kind]) == [(value,)]
    assert read_results(f"[{item}, True]", [kind, VOCABULARY["Bool"]]) == [(value,), (True,)]


JUNK: tuple[Any, ...] = (None, True, 1.5, "", "x", [], {}, [None], {"n": 1}, 10**30, [[[]]], "7 or 8", [7, 8])


@pytest.mark.parametrize("kind", VOCABULARY.values(), ids=repr)
def test_an_item_that_is_no_value_has_no_reading(kind: Any) -> None:
    for item in JUNK:
        for found in read_results(json.dumps([item]), [kind]):
            assert all(value in kind for value in found)


@pytest.mark.parametrize("depth", [*range(900, 1_000, 3), 2_000, 9_000])
def test_deep_nesting_inside_an_array_is_unparseable_at_every_depth(depth: int) -> None:
    for opened, closed in (("[", "]"), ("(", ")"), ('{"a":', "}"), ("{'a':", "}")):
        text = f"[{opened * depth}1{closed * depth}]"[:20_000]
        for kind in VOCABULARY.values():
            results = read(read_results, text, [kind])
            assert isinstance(results, Unparseable) or results == [()]


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ('["B", "A", "C"]', "BAC"),
        ('["B"]', "B"),
        ("B, A, C", "BAC"),
        ("B A C.", "BAC"),
        ("B -> A -> C", "BAC"),
        ("B \u2192 A", "BA"),
        ("B > A", "BA"),
        ("[B, A, C]", "BAC"),
        ("(B; A; C)", "BAC"),
        ("'B', 'A'", "BA"),
        ('```json\n["B", "A"]\n```', "BA"),
        ("\\text{B, A}", "BA"),
        ("$B \u2192 A$", "BA"),
        ("B\nA\nC", "BAC"),
        ('[" B", "A "]', "BA"),
        ("['B', 'A']", "BA"),
        ("('B', 'A')", "BA"),
        ("('B', 'A',)", "BA"),
        ('["B", "A",]', "BA"),
        ("('B',)", "B"),
        ('\'["B", "A"]\'', "BA"),
        ("Answer: B, A", "BA"),
        ("The order is B, A".replace("order", "answer") + ".", "BA"),
        ("**B, A**", "BA"),
        ("**B**, **A**", "BA"),
        ("`B`, `A`", "BA"),
        ("B then A, then C", "BAC"),
        ("B => A --> C", "BAC"),
        (r"$B \to A \rightarrow C$", "BAC"),
        (r"\text{B}, \text{A}", "BA"),
        (r"[\text{B}, \text{A}]", "BA"),
        (r"\left[\text{B},\ \text{A}\right]", "BA"),
        (r"\mathbf{B} \to \mathbf{A}", "BA"),
        ("\u201cB\u201d, \u201cA\u201d", "BA"),
        ("(A)", "A"),
        ('["B", "A"', "BA"),
        ("['B, 'A']", "BA"),
    ],
)
def test_letters_are_read_in_their_order(text: str, letters: str) -> None:
    assert read_labels(text, "ABC") == list(letters)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "D",
        "b, a",
        "BAC",
        "B, A, B",
        '["A", "A"]',
        '["AB"]',
        '[["A", "B"]]',
        "A or B",
        "A, B or B, A",
        "[A, B], [B, A]",
        "A,,B",
        ",A",
        "{A, B}",
        "{'A', 'B'}",
        "[(A), (B)]",
        "A < B",
        "not A",
        "A, B or C",
        "A. B. C",
        "(A, B), (B, A)",
        "A | B",
        "A and B",
        "A = B",
        "1, 2",
        '{"A": 1}',
        "[0, 1]",
        "[null]",
        '["A", 1]',
        "A, " * 400,
        "\uff21",
        "\u0391",
    ],
)
def test_what_is_no_order_of_letters_is_unparseable(text: str) -> None:
    with pytest.raises(Unparseable, match=r"^expected .+, got .+"):
        read_labels(text, "ABC")


@given(text=st.text(max_size=60) | st.text(alphabet='ABCD,;>-[]" .', max_size=20))
@settings(max_examples=400)
def test_any_text_names_different_known_letters_or_is_unparseable(text: str) -> None:
    letters = read(read_labels, text, "ABC")
    if not isinstance(letters, Unparseable):
        assert letters
        assert set(letters) <= set("ABC")
        assert len(set(letters)) == len(letters)
        assert read_labels(json.dumps(letters), "ABC") == letters
