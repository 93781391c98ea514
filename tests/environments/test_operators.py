"""The operators one by one: the paper's rewards, and every valid order."""

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from string import ascii_uppercase
from typing import Any

import pytest

from races.environments import Environment, OutOfDomain, get
from races.environments.composition.frontier import CompatibleBricks, Found
from races.environments.composition.path import find, trace
from races.environments.errors import InvalidValue
from races.environments.execution import run
from races.environments.isolation.guard import Guard
from races.environments.operators import (
    Problem,
    Score,
    ScoreStatus,
    score,
    select,
    sort,
)
from races.environments.operators.problem import truth_of
from races.environments.registry import Pool
from races.environments.responses.answers import find_answer
from races.environments.types import VOCABULARY
from tests.support import bricks_for_tests as declared
from tests.support.operator_rows import answer_of_items, of


def wrong_for(row: Problem, index: int) -> str:
    """JSON of a value of the right type that is not the index-th result."""
    content = json.loads(row.truth)
    kind = VOCABULARY[content["types"][index]]
    return next(text for text in map(kind.dumps, kind.examples) if text != content["answers"][index])


# The paper's rewards


def test_sequential_pays_for_the_longest_right_prefix(rows: list[Problem]) -> None:
    for row in of("sequential", rows)[:25]:
        truths = json.loads(row.truth)["answers"]
        for right in itertools.product((True, False), repeat=len(truths)):
            items = [truths[i] if good else wrong_for(row, i) for i, good in enumerate(right)]
            prefix = len(list(itertools.takewhile(bool, right)))
            result = score(row.truth, answer_of_items(items))
            assert result.value == float(Fraction(prefix, len(truths)))
            assert (result.correct, result.total) == (prefix, len(truths))
        for length in range(len(truths)):
            assert score(row.truth, answer_of_items(truths[:length])).value == float(Fraction(length, len(truths)))


def test_parallel_pays_the_mean_of_the_verdicts(rows: list[Problem]) -> None:
    for row in of("parallel", rows)[:25]:
        truths = json.loads(row.truth)["answers"]
        for right in itertools.product((True, False), repeat=len(truths)):
            items = [truths[i] if good else wrong_for(row, i) for i, good in enumerate(right)]
            result = score(row.truth, answer_of_items(items))
            assert result.value == float(Fraction(sum(right), len(truths)))
            assert (result.correct, result.total) == (sum(right), len(truths))


def test_single_pays_one_or_nothing(rows: list[Problem]) -> None:
    for row in of("single", rows):
        assert score(row.truth, f"<answer>{wrong_for(row, 0)}</answer>").value == 0.0
        assert score(row.truth, f"<answer>{row.outputs[0]}</answer>").value == 1.0


def test_a_wrong_element_costs_itself_alone_in_parallel_whatever_it_is() -> None:
    truth = truth_of("parallel", types=["Int", "Text", "Graph"], answers=["5", '"a b"', '{"n": 1, "edges": []}'])
    for junk in (
        "null",
        "[]",
        "{}",
        "true",
        '"x\\u0000"',
        "1e400",
        "-0.5",
        '{"n": 1}',
        '"\\ud800"',
        "[" * 500 + "]" * 500,
    ):
        assert score(truth, answer_of_items(["5", junk, '{"n": 1, "edges": []}'])).value == pytest.approx(2 / 3), junk
        assert score(truth, answer_of_items(["5", '"a b"', junk])).value == pytest.approx(2 / 3), junk


def test_an_unreadable_answer_says_so_and_counts_what_was_asked_for() -> None:
    truth = truth_of("sequential", types=["Int"] * 3, answers=["5", "6", "7"])
    for text in ("", "5, 6, 7", "<answer>5, 6, 7</answer>", "<answer>[5, 6, 7, 8]</answer>", "<answer>{}</answer>"):
        result = score(truth, text)
        assert (result.status, result.value, result.correct, result.total) == (ScoreStatus.UNPARSEABLE, 0.0, 0, 3)
        assert result.reason.startswith("expected ")


# SORT and SELECT against brute force


def executed(bricks: Sequence[Environment], x: Any) -> str | None:
    """The canonical JSON of what the bricks make of x, one after another; None where one of them does not run."""
    kind = None
    for brick in bricks:
        try:
            x, kind = brick(x), brick.codomain
        except (OutOfDomain, InvalidValue):
            return None
    return None if kind is None else kind.dumps(x)


def content_of(row: Problem) -> tuple[list[Environment], Any, str]:
    """The offered bricks by letter, the start value and the target."""
    content = json.loads(row.truth)
    return (
        [find(n) for n in content["environments"]],
        VOCABULARY[content["type"]].loads(content["start"]),
        content["target"],
    )


def is_open(bricks: Sequence[Environment], row: Problem) -> bool:
    """Whether types lead from exactly the printed input to exactly the printed output."""
    inner_terminal = any(brick.terminal for brick in bricks[:-1])
    fitting = all(a.codomain.fits(b.domain) for a, b in itertools.pairwise(bricks))
    ends = bricks[0].domain.name == row.types[0] and bricks[-1].codomain.name == row.types[-1]
    return fitting and ends and not inner_terminal


def test_exactly_the_orders_that_give_the_output_score_one_in_sort(rows: list[Problem]) -> None:
    chosen = [row for row in of("sort", rows) if row.size <= 4][:20]
    assert {row.size for row in chosen} >= {2, 3, 4} or len(chosen) == 20
    for row in chosen:
        offered, x, target = content_of(row)
        valid = left_open = 0
        for order in itertools.permutations(range(len(offered))):
            bricks = [offered[i] for i in order]
            result = executed(bricks, x)
            right = result == target
            letters = [f'"{ascii_uppercase[i]}"' for i in order]
            assert score(row.truth, answer_of_items(letters)) == Score(
                float(right), ScoreStatus.SCORED, *rest(row, right, letters)
            )
            valid, left_open = valid + right, left_open + (result is not None and is_open(bricks, row))
        assert row.valid_answers == valid, row.environments
        assert row.feasible_answers <= left_open, "the form of the output leaves fewer"
        assert valid / left_open <= row.chance == valid / row.feasible_answers <= (0.5 if row.size == 2 else 0.25)


def rest(row: Problem, right: bool, letters: list[str]) -> tuple[str, int]:
    """The reason that the scorer gives and its count, which are no part of what is compared here."""
    result = score(row.truth, answer_of_items(letters))
    assert result.reason or right
    return result.reason, int(right)


def test_a_sort_answer_that_leaves_out_or_repeats_a_letter_scores_nothing(rows: list[Problem]) -> None:
    for row in of("sort", rows):
        letters = json.loads(find_answer(row.answer))
        assert score(row.truth, answer_of_items([f'"{each}"' for each in letters[:-1]])).value == 0.0
        assert score(row.truth, answer_of_items([f'"{each}"' for each in [*letters, letters[0]]])).value == 0.0
        assert score(row.truth, answer_of_items([f'"{each}"' for each in [*letters, "Z"]])).value == 0.0


def test_sort_wants_every_operation_even_where_fewer_give_the_output(wider_pool: Pool, guard: Guard) -> None:
    names = [brick.name for brick in (declared.plus_two, declared.loop_while)]
    fingerprints = [declared.plus_two.fingerprint, declared.loop_while.fingerprint]
    truth = {"environments": names, "fingerprints": fingerprints, "type": "Nat", "start": "8", "target": "10"}
    scores = [operator.score(truth, answer_of_items(['"A"']), guard).value for operator in (sort, select)]
    assert scores == [0.0, 1.0]
    assert [operator.score(truth, answer_of_items(['"A"', '"B"']), guard).value for operator in (sort, select)] == [
        1.0,
        1.0,
    ]
    for target in ("110", "100", "1", "10.0", '"10"', "[10]", ""):
        assert select.score(truth | {"target": target}, answer_of_items(['"A"']), guard).value == 0.0


def test_exactly_the_sequences_that_give_the_output_score_one_in_select(
    found: list[Found], offers: CompatibleBricks
) -> None:
    checked = 0
    for each in found:
        if len(each.path.environments) <= 3:
            row = select.pose(
                each.path, offers, Random(f"brute {each.path.id}"), each.level, each.steps, max_counting_steps=10**9
            )
            if isinstance(row, Problem) and len(content_of(row)[0]) <= 5:
                checked += 1
                check_select(row)
        if checked == 8:
            return
    assert checked >= 4


def check_select(row: Problem) -> None:
    offered, x, target = content_of(row)
    valid, left_open = Counter[int](), Counter[int]()
    for length in range(1, len(offered) + 1):
        for order in itertools.permutations(range(len(offered)), length):
            bricks = [offered[i] for i in order]
            result = executed(bricks, x)
            right = result == target
            assert score(row.truth, answer_of_items([f'"{ascii_uppercase[i]}"' for i in order])).value == float(right)
            valid[length] += right
            left_open[length] += result is not None and is_open(bricks, row)
    assert (row.valid_answers, row.shortest) == (valid.total(), min(+valid)), row.environments
    assert row.feasible_answers <= left_open.total(), "the form of the output leaves fewer"
    assert max(valid[length] / max(1, left_open[length]) for length in valid) <= row.chance <= 0.25


def test_distractors_stand_off_the_path_and_run_on_one_of_its_states(rows: list[Problem]) -> None:
    for row in of("select", rows):
        offered, _, _ = content_of(row)
        assert sorted(each.name for each in offered) == sorted([*row.environments, *row.distractors])
        assert 1 <= len(row.distractors) <= max(2, row.size) + select.EXTRA_DISTRACTORS
        assert not set(row.distractors) & set(row.environments)
        states = [VOCABULARY[k].loads(t) for k, t in zip(row.types, [row.start, *row.outputs[:-1]], strict=False)]
        for name in row.distractors:
            assert any(value in get(name).domain and run(get(name), value).done for value in states)


def test_the_labels_of_sort_are_shuffled_evenly(rows: list[Problem]) -> None:
    row = next(row for row in of("sort", rows) if row.size == 3)
    bricks = [get(name) for name in row.environments]
    path, _ = trace(bricks, bricks[0].domain.loads(row.start))
    assert path is not None
    firsts: Counter[str] = Counter()
    for number in range(300):
        again = sort.pose(path, Random(f"labels {number}"), 1, 1)
        assert isinstance(again, Problem)
        firsts[json.loads(find_answer(again.answer))[0]] += 1
    assert all(60 <= firsts[letter] <= 140 for letter in "ABC"), firsts


def test_the_labels_over_all_rows_favour_no_order(rows: list[Problem]) -> None:
    for operator in ("sort", "select"):
        chosen = of(operator, rows)
        alphabetical = sum(
            sorted(letters) == letters for letters in (json.loads(find_answer(r.answer)) for r in chosen)
        )
        assert alphabetical <= 0.6 * len(chosen)
