"""Accepted spellings: every type and operator takes the right value in each, and a wrong value in none."""

import contextlib
import itertools
import json
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf.latency import PIECES
from races.environments.errors import Unparseable
from races.environments.operators import score
from races.environments.operators.problem import truth_of, wrapped
from races.environments.responses import answers
from races.environments.responses.answers import read_labels, read_results
from races.environments.types import LEVELS, VOCABULARY, Type, reading, spelling
from races.environments.types.accepted import ACCEPTED, LETTERS, REFUSED, document
from races.environments.types.base import LONGEST_ANSWER, LONGEST_VALUE
from tests.support.type_values import EDGES, KINDS, each_kind

TEXT_LIKE = ("Str", "Text")  # types whose strings may hold the marks of a spelling


def as_python(data: Any) -> str:
    """What Python prints for JSON data with its arrays as tuples."""

    def tuples(each: Any) -> Any:
        if isinstance(each, list):
            return tuple(map(tuples, each))
        return {key: tuples(value) for key, value in each.items()} if isinstance(each, dict) else each

    return repr(tuples(data))


def python(text: str) -> Iterator[str]:
    data = json.loads(text)
    yield from (repr(data), as_python(data))
    if isinstance(data, list) and data:
        yield from (f"{text[:-1]},]", f"({text[1:-1]},)", f"{text[:-1]} , ]")
    if isinstance(data, dict) and data:
        yield f"{text[:-1]},}}"


def latex(text: str) -> Iterator[str]:
    """Text as in a formula; a backslash of JSON stays one."""
    escaped = text
    for mark in "{}#_%&$":
        escaped = escaped.replace(mark, f"\\{mark}")
    yield escaped
    yield from (f"\\{name}{{{escaped}}}" for name in ("text", "mathbf", "mathrm", "texttt"))
    yield f"\\displaystyle {escaped}"
    if '"' not in text:
        yield escaped.replace(", ", ",\\, ").replace("[", "\\left[").replace("]", "\\right]")


def thousands(text: str) -> Iterator[str]:
    data = json.loads(text)
    if type(data) is int and abs(data) >= 1_000:
        for mark in (",", "{,}", "\\,", "\u2009", "\u202f", "\u00a0"):
            yield f"{data:,}".replace(",", mark)
    if isinstance(data, list) and all(type(each) is int for each in data):
        yield f"[{', '.join(f'{each:,}'.replace(',', '{,}') for each in data)}]"


def fractions(text: str) -> Iterator[str]:
    p, q = json.loads(text).split("/")
    sign, size = ("-", p[1:]) if p[0] == "-" else ("", p)
    for name in ("frac", "dfrac", "tfrac"):
        yield from (f"\\{name}{{{p}}}{{{q}}}", f"{sign}\\{name}{{{size}}}{{{q}}}", f"${sign}\\{name}{{{size}}}{{{q}}}$")
    yield from (f"{p}/{q}", f"{p} / {q}", f"\\text{{{p}/{q}}}")
    if len(size) == len(q) == 1:
        yield from (f"{sign}\\frac{size}{q}", f"{sign}\\frac {size} {q}")
    if q == "1":
        yield from (p, f"{p}.0")


def numbers(text: str) -> Iterator[str]:
    data = json.loads(text)
    yield from (text.replace("-", "\u2212"), f"{data}.0", f"{data}.", f"{data}.0.", f"{data}e0")
    if data >= 0:
        yield f"+{data}"


def letters(text: str) -> Iterator[str]:
    named = json.loads(text)
    for mark in (", ", ",", " ", ";", "; ", " -> ", "->", "\u2192", " => ", " > ", "\n", " then ", ", then ", r" \to "):
        row = mark.join(named)
        yield from (row, f"[{row}]", f"({row})")
    yield from (", ".join(f"{q}{each}{q}" for each in named) for q in ('"', "'", "`", "**", "$"))
    yield ", ".join(f"\\text{{{each}}}" for each in named)


def unquoted(text: str) -> Iterator[str]:
    if text.startswith('"'):
        yield json.loads(text)


AROUND = {
    "json": lambda text: [text, f"  {text}\n", json.dumps(json.loads(text), indent=2)],
    "stop": lambda text: [f"{text}.", f"{text} ."],
    "fence": lambda text: [
        *(f"```{language}{gap}{text}{gap}```" for language in ("json", "JSON", "python", "") for gap in ("\n", " ")),
        *([] if "`" in text else [f"`{text}`"]),
    ],
    "bold": lambda text: [f"**{text}**", f"**{text}**.", f"**{text}.**"],
    "announced": lambda text: [
        *(
            f"{words} {text}"
            for words in ("Answer:", "answer =", "The answer is", "Final answer:", "The final answer is:")
        ),
        *(f"**Answer:** {text}", f"**Answer**: {text}", f"**Answer: {text}**", f"The answer is **{text}**."),
        *(f"ANSWER:{text}", f"my answer is {text}", f"The answer is ${text}$."),
    ],
    "quotes": lambda text: [json.dumps(text), *([] if '"' in text else [f"\u201c{text}\u201d", f"'{text}'"])],
    "marks": lambda text: [
        *(f"\\{name}{{{text}}}" for name in ("boxed", "fbox", "boxed ")),
        *(f"<{name}>{text}</{name}>" for name in ("answer", "ANSWER", "Answer", "answer ")),
    ],
    "python": python,
    "maths": lambda text: [f"${text}$", f"$${text}$$", f"\\({text}\\)", f"\\[ {text} \\]", f"$\\boxed{{{text}}}$."],
    "latex": latex,
}
OF_TYPES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "fractions": (fractions, ("Rational",)),
    "thousands": (thousands, ("Int", "Nat", "IntList", "NatList", "Poly", "IntPair")),
    "numbers": (numbers, ("Int", "Nat", "SmallNat")),
    "unquoted": (unquoted, tuple(VOCABULARY)),
    "words": (lambda text: {"true": ("Yes", "yes", "TRUE"), "false": ("No", "NO.", "False")}[text], ("Bool",)),
}


def spelled(kind: Type[Any], value: Any) -> Iterator[str]:
    """A value in every spelling that applies to its type."""
    text = kind.dumps(value)
    for spell in AROUND.values():
        # A string that is JSON stands in quotes already; more of them would make another string.
        if not (spell is AROUND["quotes"] and text.startswith('"')):
            yield from spell(text)
    for name, (spell, names) in OF_TYPES.items():
        # A string that begins or ends in the marks of a spelling is tried in its quotes alone.
        if kind.name in names and not (name == "unquoted" and value in EDGES[kind.name]):
            yield from spell(text)


@cache
def some(kind: Type[Any]) -> list[Any]:
    """Different values of a type."""
    drawn = [kind.sample(Random(f"{kind} {level} {n}"), level) for level in LEVELS for n in range(3)]
    return list({kind.dumps(value): value for value in (*drawn, *kind.examples, *EDGES[kind.name])}.values())


def spread(kind: Type[Any], count: int) -> list[Any]:
    """A few of these values, bounds included, for what is slow; every one is read in every spelling elsewhere."""
    values = some(kind)
    return values[:: max(1, len(values) // count)]


def test_every_row_of_the_table_has_texts_that_try_it() -> None:
    assert [each.name for each in ACCEPTED] == [*AROUND, *OF_TYPES, "letters"]
    for name, (spell, names) in OF_TYPES.items():
        for kind in names if name != "unquoted" else ["Str", "Date", "Expr"]:
            assert any(list(spell(VOCABULARY[kind].dumps(value))) for value in some(VOCABULARY[kind])), (name, kind)


@pytest.mark.parametrize("each", ACCEPTED, ids=lambda each: each.name)
def test_the_examples_of_the_table_are_read_as_it_says(each: Any) -> None:
    for kind, text, canonical in each.examples:
        if kind == LETTERS:
            assert read_labels(text, "ABC") == list(canonical)
        else:
            assert VOCABULARY[kind].dumps(VOCABULARY[kind].parse(text)) == canonical


@pytest.mark.parametrize("each", REFUSED, ids=lambda each: f"{each.kind} {each.text}")
def test_what_the_table_refuses_is_refused(each: Any) -> None:
    with pytest.raises(Unparseable):
        read_labels(each.text, "ABC") if each.kind == LETTERS else VOCABULARY[each.kind].parse(each.text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1{,}2345",
            "1234{,}567",
            "1{,}234.5",
            "1{,}23",
            "1\\,2345",
            "0.1{,}234",
            "1\u2009234\u200956",
            "1{,}234,567",
        ),
        *("2\\frac12", "\\frac123", "\\frac{1}{2}3", "\\frac{1}{2}^2", "1\\!2", "1\\ 2", "1 2", "\\sqrt{4}", "2^{3}"),
        *(
            "Answer: 1 or 2",
            "Answer: 1, Answer: 2",
            "**1** **2**",
            "$1$ $2$",
            "\\text{1}, \\text{2}",
            "not 1",
            "Answer: ",
        ),
        *("\\left. 1", "1\\%", "1^\\circ", "XTrue", "True()", "'1' '2'", "f'1'", "1;", "1!", "`1` `2`", "1_000"),
    ],
)
def test_nearly_accepted_texts_mean_no_number(text: str) -> None:
    for name in ("Int", "Rational", "Bool", "IntList"):
        with pytest.raises(Unparseable):
            VOCABULARY[name].parse(text)


@pytest.mark.parametrize("hyphen", ["\u2010", "\u2011", "\u2013", "\u2212"])
def test_hyphens_and_minus_signs_of_typography_are_plain_ones(hyphen: str) -> None:
    for name, text in (("Date", "2031-05-09"), ("Int", "-18"), ("IntList", "[-1, 2]"), ("Str", "Qr-9x")):
        kind = VOCABULARY[name]
        assert kind.readings(text.replace("-", hyphen)) == kind.readings(text)


def test_two_readings_that_are_no_strings_are_none() -> None:
    class Doubtful:
        """Numbers, whose stars count."""

        def decode(self, data: Any) -> int:
            raise ValueError

        def bare(self, text: str) -> int:
            return len(text)

    assert reading.readings(Doubtful(), "5") == (1,)
    assert reading.readings(Doubtful(), "**5**") == ()


def test_the_page_shows_the_table() -> None:
    page = Path(__file__).parents[2] / "docs/answers.md"
    assert page.read_text() == document(), "python -m races.environments.types.accepted > docs/answers.md writes it"


@each_kind
def test_every_spelling_of_a_value_is_read_as_it_and_as_no_other(kind: Type[Any]) -> None:
    values = some(kind)
    for value, other in zip(values, [*values[1:], values[0]], strict=True):
        for text in spelled(kind, value):
            found = kind.readings(text)
            assert value in found, (text, found)
            assert kind.dumps(found[0]) == kind.dumps(value), (text, found)
            assert other not in found, (text, found)


def values_scored(truth: str, answers: Iterator[str]) -> set[float]:
    return {score(truth, wrapped(answer, style)).value for answer in answers for style in ("tags", "boxed")}


@each_kind
def test_single_takes_every_spelling_of_the_right_value_and_none_of_a_wrong_one(kind: Type[Any]) -> None:
    values = spread(kind, 5)
    for value, other in itertools.pairwise(values):
        truth = truth_of("single", types=[kind.name], answers=[kind.dumps(value)])
        assert values_scored(truth, spelled(kind, value)) == {1.0}
        assert values_scored(truth, spelled(kind, other)) == {0.0}


@pytest.mark.parametrize("operator", ["sequential", "parallel"])
@each_kind
def test_arrays_of_results_take_every_spelling_of_the_whole_and_of_an_item(kind: Type[Any], operator: str) -> None:
    values = spread(kind, 4)
    for value, other in itertools.pairwise(values):
        right, wrong = ([json.loads(kind.dumps(each)), 7] for each in (value, other))
        truth = truth_of(operator, types=[kind.name, "Int"], answers=[kind.dumps(value), "7"])
        for data, expected in ((right, 1.0), (wrong, 0.0 if operator == "sequential" else 0.5)):
            whole = json.dumps(data, ensure_ascii=False)
            texts = itertools.chain.from_iterable(spell(whole) for spell in AROUND.values())
            assert values_scored(truth, texts) == {expected}, whole
        for each, expected in ((value, 1.0), (other, 0.0 if operator == "sequential" else 0.5)):
            items = [item for item in spelled(kind, each) if "," not in item or item[:1] in '[({"']
            items = [
                item for item in items if "box" not in item and "nswer" not in item.lower()
            ]  # no answer in another
            assert values_scored(truth, iter([f"[{item}, 7]" for item in items])) == {expected}, each


@pytest.mark.parametrize("order", [["B", "A", "C"], ["C", "A"], ["B"]])
def test_orders_of_letters_take_every_spelling(order: list[str]) -> None:
    whole = json.dumps(order)
    texts = list(itertools.chain.from_iterable(spell(whole) for spell in AROUND.values()))
    rows = list(letters(whole))
    for text in (*texts, *rows, *(f"Answer: {row}." for row in rows), *(f"**{row}**" for row in rows[:-6])):
        assert read_labels(text, "ABC") == order, text


STRINGS = st.text(alphabet="aZ5'\"\\{}[](),:#$%&_*`<>/=.|~-!", min_size=1, max_size=12) | st.sampled_from(
    ["True", "None", "null", "[1,2]", "<answer>5</answer>", "\\boxed{5}", "Answer:5", "'a'", '"a"', "```a```", "{,}"]
)


@given(value=STRINGS, other=STRINGS)
@settings(max_examples=400)
def test_a_string_survives_whatever_it_holds_and_in_quotes_means_nothing_else(value: str, other: str) -> None:
    kind, text = VOCABULARY["Str"], json.dumps(value)
    quoted = [text, f" {text}.", f"```json\n{text}\n```", f"```json {text}```", f"**{text}**", f"Answer: {text}"]
    for each in quoted:
        assert kind.readings(each) == (value,), each
        if "boxed{" not in value:  # where a box stands in an answer, it is the last one
            truth = truth_of("single", "boxed", types=["Str"], answers=[text])
            assert score(truth, f"\\boxed{{{each}}}").value == 1.0
    assert value in kind.readings(repr(value))
    if value.strip("'\"") == value and not value.endswith("."):
        assert other == value or other not in kind.readings(repr(value))
    if '"' not in value:  # else the string in the quotes is meant
        assert value in kind.readings(value)
    words = [value, "b"]
    for array in (json.dumps(words), repr(words), repr(tuple(words)), f"[{text}, 'b',]"):
        truth = truth_of("parallel", types=["Str", "Str"], answers=[text, '"b"'])
        if "</answer>" not in value:
            assert score(truth, f"<answer>{array}</answer>").value == 1.0, array
            wrong = truth_of("parallel", types=["Str", "Str"], answers=[json.dumps(other + "x"), '"c"'])
            assert value == other + "x" or score(wrong, f"<answer>{array}</answer>").value == 0.0


@each_kind
def test_the_longest_values_fit_in_their_loosest_spelling(kind: Type[Any]) -> None:
    for value in EDGES[kind.name]:
        loose = f"```json\n{json.dumps(json.loads(kind.dumps(value)), indent=4)}\n```"
        assert len(loose) < LONGEST_VALUE - 1_000
        assert kind.parse(loose) == value
        assert kind.parse(f"\\boxed{{{as_python(json.loads(kind.dumps(value)))}}}") == value


def test_all_kinds_are_tried() -> None:
    assert {kind.name for kind in KINDS} == set(VOCABULARY)


def hard_texts() -> Iterator[str]:
    """Answers made to be slow to read, of every length that is read."""
    for piece in PIECES:
        for length in (LONGEST_VALUE, LONGEST_ANSWER):
            body = piece * ((length - 10) // len(piece))
            yield from (
                body,
                f"[{body}]",
                f"({body})",
                f"'{body}'",
                f'"{body}"',
                f"`{body}`",
                f"**{body}**",
                f"[{body}",
            )
            yield f"[{', '.join([body[: length // 12 - 2]] * 11)}]"


def test_a_hard_text_is_read_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in characters that go through a reader of data or LaTeX, which says the same on every machine."""
    seen = [0]

    def counting(function: Any) -> Any:
        def counted(text: str) -> Any:
            seen[0] += len(text)
            return function(text)

        return counted

    for module, name in itertools.product((answers, reading, spelling), ("strict_json", "python_data", "split_array")):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, counting(getattr(module, name)))
    monkeypatch.setattr(spelling, "without_latex", counting(spelling.without_latex))
    kinds = [VOCABULARY[name] for name in ("Str", "Int", "Rational", "Graph", "Expr", "Text", "BinTree")] * 2
    for text in hard_texts():
        seen[0] = 0
        for read in (
            lambda text: read_results(text, kinds[:12]),
            kinds[0].readings,
            lambda text: read_labels(text, "AB"),
        ):
            with contextlib.suppress(Unparseable):
                read(text)
        assert seen[0] <= 60 * len(text), text[:40]


@each_kind
def test_a_hard_text_is_read_in_a_few_milliseconds(kind: Type[Any]) -> None:
    """python -m perf --only latency measures: at most 2 ms each, with ten times as much allowed here."""
    truth = truth_of("single", types=[kind.name], answers=[kind.example_texts[0]])
    for text in itertools.islice(hard_texts(), KINDS.index(kind) % 14, None, 14):  # three types a text
        took = []
        while len(took) < 3 and (not took or min(took) > 0.02):
            began = time.process_time()
            score(truth, f"<answer>{text}</answer>")
            took.append(time.process_time() - began)
        assert min(took) < 0.02, text[:40]
