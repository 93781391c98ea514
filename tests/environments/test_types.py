"""Every type of the vocabulary: what belongs, what contains what, fingerprints and errors."""

import math
import re
import time
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from races.environments.errors import DeclarationError, InvalidValue, Unparseable
from races.environments.types import LEVELS, VOCABULARY, Int, Nat, Type, type_of
from tests.support.type_values import BIG, EDGES, KINDS, LOOKALIKES, SUPERTYPES, each_kind, read, samples, values_of


@each_kind
def test_samples_belong_are_healthy_and_hashable_at_every_level(kind: Type[Any]) -> None:
    for value in samples(kind):
        assert kind.check(value) is value
        assert kind.healthy(value), value
        hash(value)


@each_kind
def test_a_sample_depends_on_its_generator_alone(kind: Type[Any]) -> None:
    again = tuple(kind.sample(Random(f"{kind} {level} {n}"), level) for level in LEVELS for n in range(20))
    assert again == samples(kind)
    assert len(set(again)) >= (2 if kind.name == "Bool" else 20)


@each_kind
def test_values_at_the_hard_bounds_belong(kind: Type[Any]) -> None:
    for value in EDGES[kind.name]:
        assert value in kind, value


@each_kind
def test_values_past_the_bounds_do_not_belong(kind: Type[Any]) -> None:
    anything = [[], {}, object(), math.nan, math.inf, "\x00", b"", (None,), ((),) * 200, -(10**30), 10**30]
    for value in [*LOOKALIKES[kind.name], *anything, *([] if kind.name == "BinTree" else [None])]:
        assert value not in kind, value
        with pytest.raises(InvalidValue):
            kind.check(value)


@each_kind
def test_the_supertypes_are_the_declared_ones(kind: Type[Any]) -> None:
    wider = {wide.name for wide in kind.supertypes()} - {kind.name}
    assert wider == SUPERTYPES.get(kind.name, set())
    assert {other.name for other in KINDS if kind.fits(other)} == wider | {kind.name}
    assert not any(other.fits(kind) for other in kind.supertypes() if other is not kind)


@each_kind
def test_every_value_is_a_value_of_each_supertype_with_the_same_json(kind: Type[Any]) -> None:
    for wide in kind.supertypes():
        for value in values_of(kind):
            assert value in wide, f"{kind.dumps(value)} is no {wide}"
            assert wide.dumps(value) == kind.dumps(value)
            assert wide.loads(kind.dumps(value)) == value


@each_kind
def test_the_examples_differ_and_belong(kind: Type[Any]) -> None:
    first, second = kind.examples
    assert first in kind
    assert second in kind
    assert kind.dumps(first) != kind.dumps(second)


@each_kind
def test_a_noun_and_a_notation_read_on_in_a_sentence(kind: Type[Any]) -> None:
    assert re.match(r"(a|an) ", kind.noun)
    assert not kind.notation.endswith(".")


def another(bound: Any) -> Any:
    """A bound of the same form that is not the same."""
    match bound:
        case int():
            return bound + 1
        case str():
            return bound + "x"
        case dict():
            return bound | {"more": 7}
    return (*bound[1:], 7_777)


def changed(kind: Type[Any], **bounds: Any) -> Type[Any]:
    return type(kind)(kind.name, kind.noun, kind.notation, kind.examples, kind.wider, **(kind.bounds | bounds))


@each_kind
def test_a_fingerprint_changes_with_every_bound(kind: Type[Any]) -> None:
    assert changed(kind).fingerprint == kind.fingerprint
    for name, bound in kind.bounds.items():
        other = another(bound)
        assert changed(kind, **{name: other}).fingerprint != kind.fingerprint, name


@each_kind
def test_a_fingerprint_changes_with_the_words_and_the_supertypes(kind: Type[Any]) -> None:
    parts = {"name": kind.name, "noun": kind.noun, "notation": kind.notation, "examples": kind.examples}
    for each in ({"noun": "a thing"}, {"notation": "a number"}, {"name": "Thing"}, {"wider": (*kind.wider, Int)}):
        other: Any = type(kind)(**(parts | {"wider": kind.wider} | each), **kind.bounds)
        assert other.fingerprint != kind.fingerprint


def test_no_two_types_have_the_same_name_or_fingerprint() -> None:
    assert len({kind.fingerprint for kind in KINDS}) == len({kind.name for kind in KINDS}) == len(KINDS)


@each_kind
def test_errors_say_what_was_expected_and_what_came(kind: Type[Any]) -> None:
    for bad in (object(), "x" * 1_000, (1,) * 500, math.nan):
        with pytest.raises(InvalidValue, match=rf"^expected .+ \({kind.name}\), got .+") as caught:
            kind.check(bad)
        assert len(str(caught.value)) < len(kind.noun) + 150
    with pytest.raises(InvalidValue, match=rf"^brick: expected .+ \({kind.name}\), got .+"):
        kind.check(object(), "brick")
    with pytest.raises(InvalidValue, match=r"^expected .+, got .+"):
        kind.loads("[[[")
    with pytest.raises(Unparseable, match=r"^expected .+, got .+"):
        kind.parse("\x01 no answer")
    with pytest.raises(Unparseable, match=r"^expected at most 8000 characters, got 8001"):
        kind.parse("1" * 8_001)


def test_a_value_that_cannot_be_printed_is_still_an_invalid_value() -> None:
    nested: Any = ()
    for _ in range(5_000):
        nested = (nested,)
    for bad in (10**5_000, (10**5_000,), nested):
        for name in ("Int", "IntList", "Ragged", "BinTree"):
            with pytest.raises(InvalidValue):
                VOCABULARY[name].check(bad)


@pytest.mark.parametrize(("name", "leaf", "label"), [("BinTree", None, 5), ("Expr", "x", "+"), ("BoolExpr", "a", "&")])
def test_a_huge_value_made_of_shared_parts_is_refused_quickly(name: str, leaf: Any, label: Any) -> None:
    """A brick builds such a value in a few steps; whoever asks whether it belongs must not walk through all of it."""
    tree = leaf
    for _ in range(20):
        tree = (label, tree, tree)
    begin = time.perf_counter()
    assert tree not in VOCABULARY[name]
    assert time.perf_counter() - begin < 0.2


@each_kind
def test_reading_is_quick_for_texts_made_to_be_slow(kind: Type[Any]) -> None:
    hard = [
        mark * (19_900 // len(mark)) for mark in ("`", "*", "$", "\\text{", "\\boxed{", "```\n", "\n", " ", ".", '"')
    ]
    hard += [
        mark * (19_900 // len(mark)) for mark in ("[", "{", '{"a":', "1,", "a ", "\\(", "```json\n", "**$", "()", "-")
    ]
    hard += ["```" + "a" * 19_900, "```" + "\t" * 9_000 + "\n" * 9_000 + "```", "**" + "* " * 9_900, "$" + "$ " * 9_900]
    begin = time.perf_counter()
    for text in hard:
        answer = read(kind, text)
        assert isinstance(answer, Unparseable) or answer in ("", text.strip()), text[:40]
    assert time.perf_counter() - begin < 2


def test_a_type_comes_out_of_an_annotation_and_out_of_nothing_else() -> None:
    assert type_of(Nat) is VOCABULARY["Nat"]
    assert type_of(VOCABULARY["Nat"]) is VOCABULARY["Nat"]
    for wrong in (int, "Nat", None, list[int]):
        with pytest.raises(DeclarationError, match=r"^expected a type of the vocabulary .*, got "):
            type_of(wrong)


@given(day=st.dates(date(1890, 1, 1), date(2310, 1, 1)))
def test_exactly_the_days_from_1900_to_2299_are_dates(day: date) -> None:
    assert (day in VOCABULARY["Date"]) == (1900 <= day.year <= 2299)
    assert isinstance(read(VOCABULARY["Date"], (day + timedelta(0)).isoformat()), date) == (1900 <= day.year <= 2299)


@given(p=st.integers(-200_000, 200_000), q=st.integers(1, 200_000))
def test_a_fraction_is_read_in_lowest_terms_alone(p: int, q: int) -> None:
    lowest = math.gcd(p, q) == 1 and abs(p) <= 99_999 and q <= 99_999
    answer = read(VOCABULARY["Rational"], f"{p}/{q}")
    assert answer == Fraction(p, q) if lowest else isinstance(answer, Unparseable)


@given(number=st.integers(-2_000_000, 2_000_000))
def test_an_integer_is_read_with_and_without_separators(number: int) -> None:
    for text in (str(number), f"{number:,}", f"{number}.0"):
        answer = read(VOCABULARY["Int"], text)
        assert answer == number if abs(number) <= BIG else isinstance(answer, Unparseable)
