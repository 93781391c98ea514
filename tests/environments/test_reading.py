"""Reading answers as values of every type: what is read, and what never is."""

import itertools
import json
import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from races.environments.errors import Unparseable
from races.environments.types import VOCABULARY, Type
from tests.support.type_values import BIG, each_kind, read, samples, values_of


@each_kind
def test_canonical_json_is_read_back_as_the_same_value(kind: Type[Any]) -> None:
    for value in values_of(kind):
        text = kind.dumps(value)
        assert "\n" not in text
        for again in (kind.loads(text), kind.parse(text), kind.decode(json.loads(text))):
            assert again == value
            assert repr(again) == repr(value), "equal is not enough: 1 == True == 1.0"
            assert kind.dumps(again) == text


def wrapped(text: str) -> Iterator[str]:
    """The ways to write a JSON text that a prompt permits."""
    yield from (f"  {text} ", f"\n{text}\n", f"\t{text}\r\n", f"{text}.", f"{text} .", f"\u00a0{text}")
    yield from (f"```\n{text}\n```", f"```json\n{text}\n```", f"```json\n{text}\n```\n", f"```{text}```")
    yield from (f"${text}$", f"$${text}$$", f"\\({text}\\)", f"\\[ {text} \\]", f"**{text}**", f"**{text}**.")
    yield from (f"\\boxed{{{text}}}", f"\\text{{{text}}}", f"$\\boxed{{\\text{{{text}}}}}$.", f"\\mathrm{{{text}}}")
    if "`" not in text:
        yield f"`{text}`"


@each_kind
def test_every_wrapping_that_the_prompt_permits_is_read(kind: Type[Any]) -> None:
    for value in values_of(kind):
        for spelling in wrapped(kind.dumps(value)):
            assert kind.parse(spelling) == value, spelling


@each_kind
def test_json_may_be_spaced_and_escaped_as_one_likes(kind: Type[Any]) -> None:
    for value in values_of(kind):
        data = json.loads(kind.dumps(value))
        for text in (
            json.dumps(data, separators=(",", ":")),
            json.dumps(data, indent=2),
            json.dumps(data, indent="\t"),
        ):
            assert kind.parse(text) == value, text
        escaped = re.sub("[a-z]", lambda letter: f"\\u{ord(letter[0]):04x}", kind.dumps(value))
        if kind.dumps(value).startswith('"') and "\\" not in kind.dumps(value):
            assert kind.parse(escaped) == value, escaped


@each_kind
def test_quotes_around_the_whole_are_forgiven(kind: Type[Any]) -> None:
    for value in values_of(kind):
        text = kind.dumps(value)
        if not text.startswith('"'):
            assert kind.parse(json.dumps(text)) == value
            if '"' not in text:
                assert kind.parse(f"\u201c{text}\u201d") == value


@each_kind
def test_strings_may_stand_without_their_quotes(kind: Type[Any]) -> None:
    for value in samples(kind):
        text = kind.dumps(value)
        if text.startswith('"'):
            assert kind.parse(text[1:-1]) == value
            assert kind.parse(f"```\n{text[1:-1]}\n```") == value


@each_kind
def test_the_keys_of_an_object_may_stand_in_any_order(kind: Type[Any]) -> None:
    for number, value in enumerate(values_of(kind)):
        data = json.loads(kind.dumps(value))
        if isinstance(data, dict):
            keys = Random(f"keys {kind} {number}").sample(sorted(data), len(data))
            assert kind.parse(json.dumps({key: data[key] for key in keys})) == value


@pytest.mark.parametrize("name", ["Graph", "WeightedGraph", "DiGraph", "DAG"])
def test_edges_may_stand_in_any_order_and_arcs_not_in_any_direction(name: str) -> None:
    kind = VOCABULARY[name]
    for number, value in enumerate(values_of(kind)):
        rng, data = Random(f"edges {name} {number}"), json.loads(kind.dumps(value))
        key = "edges" if "edges" in data else "arcs"
        data[key] = rng.sample(data[key], len(data[key]))
        if key == "edges":
            data[key] = [[v, u, *rest] if rng.random() < 0.5 else [u, v, *rest] for u, v, *rest in data[key]]
            assert kind.parse(json.dumps(data)) == value
        else:
            assert kind.parse(json.dumps(data)) == value
            data[key] = [[v, u] for u, v in data[key]]
            turned = {(v, u) for u, v in value.arcs}
            assert kind.parse(json.dumps(data)) == value or turned != set(value.arcs)


def as_floats(data: Any) -> Any:
    match data:
        case bool() | str() | None:
            return data
        case int():
            return float(data)
        case list():
            return [as_floats(item) for item in data]
        case dict():
            return {key: as_floats(item) for key, item in data.items()}
    raise AssertionError(data)


@each_kind
def test_a_whole_number_may_be_spelled_with_a_point_zero(kind: Type[Any]) -> None:
    for value in values_of(kind):
        assert kind.parse(json.dumps(as_floats(json.loads(kind.dumps(value))))) == value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Int", "+5", 5),
        ("Int", "5.0.", 5),
        ("Int", "1,234", 1234),
        ("Int", "-1,000,000", -BIG),
        ("Int", "\u22125", -5),
        ("Int", '"5"', 5),
        ("Int", "007", 7),
        ("Rational", "3", Fraction(3)),
        ("Rational", '"3"', Fraction(3)),
        ("Rational", "-22/7.", Fraction(-22, 7)),
        ("Rational", "\u221222 / 7", Fraction(-22, 7)),
        ("Rational", r"\frac{5}{12}", Fraction(5, 12)),
        ("Rational", r"$-\dfrac{22}{7}$", Fraction(-22, 7)),
        ("Bool", "True", True),
        ("Bool", "no.", False),
        ("Bool", '"Yes"', True),
        ("Date", "2031-05-09.", date(2031, 5, 9)),
        ("TimeOfDay", "7:05", (7, 5)),
        ("BitString", "0110", "0110"),
        ("BitString", "1000", "1000"),
        ("Word", "Lamp".lower() + ".", "lamp"),
        ("Word", r"\text{lamp}", "lamp"),
        ("Text", "some words here", "some words here"),
        ("BinTree", "null.", None),
        ("IntList", "[4.0, -7, 1e1]", (4, -7, 10)),
    ],
)
def test_these_spellings_are_read_too(name: str, text: str, value: Any) -> None:
    assert VOCABULARY[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Int", "5.5"),
        ("Int", "12,34"),
        ("Int", "1,2345"),
        ("Int", "0x10"),
        ("Int", "1_000"),
        ("Int", "5 apples"),
        ("Int", "[5]"),
        ("Int", "true"),
        ("Int", "2+3"),
        ("Int", "10**2"),
        ("Int", "9**9**9**9"),
        ("Int", "--5"),
        ("Int", "1000001"),
        ("Int", "1e999"),
        ("Int", "\u0665"),
        ("Int", "\uff15"),
        ("Int", "five"),
        ("Int", "5..5"),
        ("Rational", "6/4"),
        ("Rational", "1/0"),
        ("Rational", "3/-4"),
        ("Rational", "0.75"),
        ("Rational", "1/2/3"),
        ("Bool", "1"),
        ("Bool", "true or false"),
        ("Bool", "maybe"),
        ("Date", "2031-5-9"),
        ("Date", "2023-02-29"),
        ("Date", "09.05.2031"),
        ("TimeOfDay", "24:00"),
        ("TimeOfDay", "7:5"),
        ("TimeOfDay", "7:05 pm"),
        ("IntList", "4, 7"),
        ("IntList", "(4)"),
        ("IntList", "[4, 7,,]"),
        ("IntList", "[,]"),
        ("IntList", "[4 7]"),
        ("IntList", "[4, true]"),
        ("IntList", "[4, '7']"),
        ("IntList", "[4, null]"),
        ("IntList", "[4, NaN]"),
        ("IntList", "[4, Infinity]"),
        ("IntList", "[4, 7.5]"),
        ("IntList", "[4, 7] or [7, 4]"),
        ("IntList", "list(range(3))"),
        ("IntSet", "[5, 2]"),
        ("IntSet", "[2, 2]"),
        ("IntSet", "{2, 5}"),
        ("WordList", '["lamp", 5]'),
        ("WordList", "lamp, stone"),
        ("Tally", '{"lamp": 1, "lamp": 2}'),
        ("Tally", '{"lamp": 1, "lamp": 1}'),
        ("Tally", '{"lamp": 1.5}'),
        ("Tally", '{"lamp": true}'),
        ("Tally", '[["lamp", 1]]'),
        ("Graph", '{"n": 3, "n": 3, "edges": []}'),
        ("Graph", '{"n": 3, "edges": [[0, 1], [1, 0]]}'),
        ("Graph", '{"n": 3, "edges": [[0, 0]]}'),
        ("Graph", '{"n": 3, "edges": [[0, 3]]}'),
        ("Graph", '{"n": 3, "edges": [[0, 1]], "more": 1}'),
        ("Graph", '{"n": 3}'),
        ("Graph", '{"n": true, "edges": []}'),
        ("DAG", '{"n": 2, "arcs": [[0, 1], [1, 0]]}'),
        ("BinTree", "[5]"),
        ("BinTree", "[5, null, null, null]"),
        ("Poly", "[1, 0]"),
        ("Poly", "1 + x"),
    ],
)
def test_these_texts_are_never_read(name: str, text: str) -> None:
    with pytest.raises(Unparseable):
        VOCABULARY[name].parse(text)


JUNK = (
    *("", " ", "\n", ".", "null", "None", "NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "-1e999"),
    *("[]", "{}", "[[]]", '""', "[null]", "[NaN]", "()", "undefined", "?", "...", "\x00", "\ud800", '"\\ud800"'),
    *("9" * 4_000, "9" * 100_000, "-" * 500, "[" * 19_999, "[" * 900 + "]" * 900, "[" * 9_000 + "]" * 9_000),
    *('{"n":' * 3_000 + "1" + "}" * 3_000, '{"a":' * 900 + "1" + "}" * 900, "[5," * 900 + "5" + "]" * 900),
    *("\u0667", "\uff17", "\u00b2", "x" * 300_000, "``````", "$$$$", "****", "\\boxed{}", "import os", "lambda: 0"),
)


@each_kind
def test_junk_is_unreadable_or_another_value(kind: Type[Any]) -> None:
    for text in JUNK:
        answer = read(kind, text)
        for value in values_of(kind):
            bare = value if isinstance(value, str) else kind.dumps(value)
            meant = (text.strip(), {"()": "[]", "None": "null"}.get(text.strip()))  # as it is, and as Python's spelling
            assert answer != value or {bare, kind.dumps(value)} & set(meant) or value == "", text


@each_kind
def test_a_hedge_or_a_list_of_candidates_never_means_the_value(kind: Type[Any]) -> None:
    every = samples(kind)
    for value, other in itertools.pairwise(every):
        a, b = kind.dumps(value), kind.dumps(other)
        hedges = [f"{a} or {b}", f"{b} or {a}", f"[{a}, {b}]", f"[{a}]", f"{a}, {b}", f"{a}; {b}", f"{a} {b}"]
        hedges += [f"{a}\n{b}", f"{a}{a}", f"either {a}", f"not {a}", f"{a}?", f"{a} (or {b})", f"**{a}** or **{b}**"]
        hedges += [f"```\n{a}\n```\n```\n{b}\n```", f"${a}$ or ${b}$", f"{{{a}}}", f"{a}" + " " * 30_000]
        hedges += [
            f"{a[1:-1]} # or {b[1:-1]}",
            f"{a} # or {b}",
            f"{a[1:-1]} or {b[1:-1]}",
            f"{a}; # {b}",
            f"{a} // {b}",
        ]
        for hedge in hedges:
            assert read(kind, hedge) != value, hedge


@each_kind
def test_a_key_that_comes_twice_is_never_read(kind: Type[Any]) -> None:
    for value in samples(kind):
        text = kind.dumps(value)
        if text.startswith("{"):
            first = text[1 : text.index(":")]
            again = text[:-1] + f", {first}: {json.dumps(json.loads(text)[json.loads(first)])}}}"
            assert isinstance(read(kind, again), Unparseable), again


@each_kind
@given(text=st.text(max_size=60) | st.text(alphabet='0123456789[]{}",:.-/ntruefalsedgscrab()\\$*`', max_size=30))
@settings(max_examples=60)
def test_any_text_is_read_as_a_value_of_the_type_or_is_unparseable(kind: Type[Any], text: str) -> None:
    answer = read(kind, text)
    if not isinstance(answer, Unparseable):
        assert kind.parse(kind.dumps(answer)) == answer


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 14)
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "UD", "01", "()", "2C", "1/2", "7:05", "2020-01-01", "\ud800", "\u0661"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["n", "edges", "arcs", "a"]), inner, max_size=3)
        | st.fixed_dictionaries({"n": inner, "edges": st.lists(inner, max_size=3)})
        | st.fixed_dictionaries({"n": inner, "arcs": st.lists(inner, max_size=3)})
    ),
    max_leaves=12,
)


@each_kind
@given(data=JSON)
@settings(max_examples=60)
def test_any_json_is_read_as_a_value_of_the_type_or_is_unparseable(kind: Type[Any], data: Any) -> None:
    answer = read(kind, json.dumps(data))
    if not isinstance(answer, Unparseable):
        assert kind.parse(kind.dumps(answer)) == answer
        assert repr(kind.loads(kind.dumps(answer))) == repr(answer)


@each_kind
def test_an_answer_with_one_character_changed_is_another_value_or_unparseable(kind: Type[Any]) -> None:
    rng = Random(f"damage {kind}")
    for value in samples(kind):
        text = kind.dumps(value)
        place, character = rng.randrange(len(text)), rng.choice("0123456789abxyzUDLR()[]#KQJTCDHS/:")
        damaged = text[:place] + character + text[place + 1 :]
        answer = read(kind, damaged)
        assert isinstance(answer, Unparseable) or answer != value or damaged.lower() == text.lower(), damaged
