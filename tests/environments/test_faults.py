"""The faults that users of other libraries report, each as a rule that rows of every operator keep."""

import io
import json
import math
import time
from collections import Counter
from pathlib import Path as File
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from races import environments
from races.environments import pool
from races.environments.operators import (
    Problem,
    ScoreStatus,
    score,
)
from races.environments.reward import graded
from races.environments.types import LEVELS
from tests.support.row_answers import inner, is_right, targets

ROOT = File(environments.__file__).parent
OPERATORS = ("single", "sequential", "parallel", "sort", "select")


def gold(row: dict[str, Any] | Problem) -> float:
    columns = row.as_dict() if isinstance(row, Problem) else row
    return score(columns["truth"], columns["answer"]).value


def test_the_rows_under_test_are_of_every_operator_brick_and_style(rows: list[Problem]) -> None:
    counts = Counter(row.operator for row in rows)
    assert all(counts[operator] >= 30 for operator in OPERATORS), counts
    assert {row.environments[0] for row in rows if row.operator == "single"} == set(pool())
    assert {row.answer.startswith("<answer>") for row in rows} == {True, False}
    assert {row.level for row in rows} == set(LEVELS)


# The gold answer scores 1


def test_the_right_answer_scores_exactly_one(rows: list[Problem]) -> None:
    for row in rows:
        result = score(row.truth, row.answer)
        assert (result.value, result.status) == (1.0, ScoreStatus.SCORED), (row.operator, row.environments, result)


def test_the_right_answer_scores_one_after_a_round_trip_through_json(rows: list[Problem]) -> None:
    for row in rows:
        again = json.loads(json.dumps(row.as_dict()))
        assert again == row.as_dict()
        assert gold(again) == 1.0


def test_the_right_answer_scores_one_after_a_round_trip_through_parquet(rows: list[Problem]) -> None:
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([row.as_dict() for row in rows]), file)
    again = parquet.read_table(io.BytesIO(file.getvalue())).to_pylist()
    assert again == [row.as_dict() for row in rows]
    assert {gold(row) for row in again} == {1.0}


def test_the_right_answer_scores_one_after_a_round_trip_through_duckdb(rows: list[Problem], tmp_path: File) -> None:
    target = str(tmp_path / "rows.parquet")
    parquet.write_table(pa.Table.from_pylist([row.as_dict() for row in rows]), target)
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as connection:
        connection.execute("CREATE TABLE problems AS SELECT * FROM read_parquet(?)", [target])
        found = connection.execute("SELECT * FROM problems")
        names = [each[0] for each in found.description]
        again = [dict(zip(names, values, strict=True)) for values in found.fetchall()]
    assert again == [row.as_dict() for row in rows]
    assert {gold(row) for row in again} == {1.0}


def test_the_answer_of_another_row_never_scores_one_unless_it_is_right(rows: list[Problem]) -> None:
    for number, row in enumerate(rows):
        rng = Random(f"another {number}")
        near = [other for other in rows if other.operator == row.operator and other.size == row.size]
        for other in [*rng.sample(near, min(6, len(near))), *rng.sample(rows, 4)]:
            result = score(row.truth, other.answer)
            if other is not row and result.value == 1.0:
                assert is_right(row, other.answer), (row.operator, row.environments, other.answer)


EMPTY = ("", " ", "\n", ".", "null", "None", "NaN", "inf", "-Infinity", "1e999", "[]", "{}", "[[]]", '""', "()", "?")
HUGE = (
    "9" * 19_000,
    "9" * 300_000,
    "[" * 9_000 + "]" * 9_000,
    "[" * 500 + "]" * 500,
    "x" * 500_000,
    "[" + "0," * 9_000,
)
TALK = ("I do not know.", "true or false", "7 or 8", "any", "all of them", "1", "0", "__import__('os')", "9**9**9**9")


def test_empty_huge_and_idle_answers_never_score_one(rows: list[Problem]) -> None:
    for number, row in enumerate(rows):
        bare = {json.loads(text) if text.startswith('"') else text for text in targets(row)}
        bare |= {text.removesuffix("/1") for text in bare}  # a whole fraction needs no denominator
        for text in (*EMPTY, *TALK, *(() if number % 7 else HUGE)):
            if row.operator != "single" or text.strip() not in (*bare, *targets(row)):
                for response in (text, f"<answer>{text}</answer>", f"\\boxed{{{text}}}"):
                    assert score(row.truth, response).value < 1.0, (row.operator, row.environments, text[:40])


def test_the_prompt_itself_never_scores(rows: list[Problem]) -> None:
    for row in rows:
        for text in (row.prompt, f"<answer>{row.prompt}</answer>", f"<answer>{row.start}</answer>"):
            if text.count(row.start) and text.endswith("</answer>") and row.start in targets(row):
                continue
            assert score(row.truth, text).value == 0.0, (row.operator, row.environments, text[-200:])


def test_a_hedge_or_several_candidates_never_score_one(rows: list[Problem]) -> None:
    for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
        a, b = inner(row), inner(other)
        for text in (
            f"{a} or {b}",
            f"[{a}, {b}]",
            f"[{a}]",
            f"{a} {a}",
            f"{b}; {a}",
            f"not {a}",
            f"{a}?",
            f"{a}\n\n{b}",
        ):
            assert score(row.truth, f"<answer>{text}</answer>").value < 1.0, (row.operator, text)
        both = f"<answer>{a}</answer><answer>{b}</answer>"
        assert score(row.truth, both).value < 1.0 or is_right(row, other.answer)


def test_padding_never_raises_a_score(rows: list[Problem]) -> None:
    for row in rows:
        if row.operator in ("sequential", "parallel"):
            a = inner(row)
            more = [
                f"{a[:-1]}, 0]",
                f"{a[:-1]}, {a[1:]}",
                f"{a[:-1]}, null]",
                f"[{a}]",
                f'{{"answers": {a}}}',
                f"{a}{a}",
            ]
            assert {score(row.truth, f"<answer>{text}</answer>").value for text in more} == {0.0}


def test_one_wrong_character_in_the_answer_costs_the_point(rows: list[Problem]) -> None:
    for number, row in enumerate(rows):
        rng, text = Random(f"wrong {number}"), inner(row)
        places = [place for place, character in enumerate(text) if character.isdigit()]
        if places and row.operator in ("single", "sequential", "parallel"):
            place = rng.choice(places)
            damaged = text[:place] + str((int(text[place]) + rng.randint(1, 9)) % 10) + text[place + 1 :]
            result = score(row.truth, f"<answer>{damaged}</answer>")
            assert result.value < 1.0 or is_right(row, f"<answer>{damaged}</answer>"), (text, damaged)


# No text raises, and every score is finite, in [0, 1], and has a status

ANSWERS = st.text(max_size=80) | st.text(alphabet='0123456789[]{}",:.-/ntrueABCDEF()\\$*`', max_size=40)
RESPONSES = st.one_of(
    ANSWERS,
    ANSWERS.map("<answer>{}</answer>".format),
    ANSWERS.map("\\boxed{{{}}}".format),
    st.lists(ANSWERS | st.sampled_from(["<answer>", "</answer>", "\\boxed{", "}", "</think>", "<think>"])).map("".join),
)


def checked(truth: str, response: str) -> None:
    result = score(truth, response)
    assert math.isfinite(result.value)
    assert 0.0 <= result.value <= 1.0
    assert isinstance(result.value, float)
    assert result.status in (ScoreStatus.SCORED, ScoreStatus.UNPARSEABLE)
    assert result.status is ScoreStatus.SCORED or (result.value == 0.0 and result.reason)
    assert 0 <= result.correct <= result.total


def test_no_text_makes_a_scorer_raise_or_leave_the_range(rows: list[Problem]) -> None:
    chosen = [row for name in OPERATORS for row in [r for r in rows if r.operator == name][::8]]

    @given(response=RESPONSES)
    @settings(max_examples=150)
    def holds(response: str) -> None:
        for row in chosen:
            checked(row.truth, response)

    holds()


def test_json_of_any_shape_is_scored(rows: list[Problem]) -> None:
    chosen = [row for row in rows if row.operator in ("sequential", "parallel")][::6]
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    data = st.lists(
        st.recursive(leaf, lambda each: st.lists(each) | st.dictionaries(st.text(max_size=3), each)), max_size=6
    )

    @given(data=data)
    @settings(max_examples=100)
    def holds(data: Any) -> None:
        for row in chosen:
            checked(row.truth, f"<answer>{json.dumps(data)}</answer>")

    holds()


def test_texts_made_to_be_slow_are_scored_quickly(rows: list[Problem]) -> None:
    chosen = [next(row for row in rows if row.operator == name) for name in OPERATORS]
    units = (
        "<answer>",
        "\\boxed{",
        "[",
        "{",
        "`",
        "*",
        "$",
        "A,",
        "A ",
        '["A",',
        '"',
        "\\text{",
        "</think>",
        "<think>",
    )
    for row in chosen:
        for unit in units:
            body = unit * (1_000_000 // len(unit))
            begin = time.perf_counter()
            for text in (
                body,
                f"<answer>{body}</answer>",
                f"<answer>{body[:19_000]}</answer>",
                f"\\boxed{{{body[:19_000]}}}",
            ):
                assert graded(row.truth, text).value == 0.0
            assert time.perf_counter() - begin < 2, (row.operator, unit)
