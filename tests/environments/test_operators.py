"""The operators one by one: the paper's rewards, every valid order, what is not posed, and who is to blame."""

import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path as File
from random import Random
from string import ascii_uppercase
from typing import Any

import pytest

from races.environments import Environment, OutOfDomain, get
from races.environments.composition.frontier import CompatibleBricks, Found
from races.environments.composition.path import Path, compose, find, trace
from races.environments.errors import InvalidValue, RacesError, SettingError
from races.environments.execution import Status, run
from races.environments.isolation.guard import Guard
from races.environments.operators import (
    Problem,
    Rejected,
    Score,
    ScoreStatus,
    parallel,
    score,
    select,
    sequential,
    single,
    sort,
)
from races.environments.operators.problem import truth_of
from races.environments.registry import Pool
from races.environments.responses.answers import find_answer
from races.environments.reward import RewardUnavailable, compute_score, graded, trl_reward
from races.environments.types import VOCABULARY
from tests.support import bricks_for_tests as declared

KEYS = {"score", "acc", "correct", "total", "unparseable", "grader_failed"}


def of(operator: str, rows: list[Problem]) -> list[Problem]:
    return [row for row in rows if row.operator == operator]


def told(items: Sequence[str]) -> str:
    return f"<answer>[{', '.join(items)}]</answer>"


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
            result = score(row.truth, told(items))
            assert result.value == float(Fraction(prefix, len(truths)))
            assert (result.correct, result.total) == (prefix, len(truths))
        for length in range(len(truths)):
            assert score(row.truth, told(truths[:length])).value == float(Fraction(length, len(truths)))


def test_parallel_pays_the_mean_of_the_verdicts(rows: list[Problem]) -> None:
    for row in of("parallel", rows)[:25]:
        truths = json.loads(row.truth)["answers"]
        for right in itertools.product((True, False), repeat=len(truths)):
            items = [truths[i] if good else wrong_for(row, i) for i, good in enumerate(right)]
            result = score(row.truth, told(items))
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
        assert score(truth, told(["5", junk, '{"n": 1, "edges": []}'])).value == pytest.approx(2 / 3), junk
        assert score(truth, told(["5", '"a b"', junk])).value == pytest.approx(2 / 3), junk


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
            assert score(row.truth, told(letters)) == Score(
                float(right), ScoreStatus.SCORED, *rest(row, right, letters)
            )
            valid, left_open = valid + right, left_open + (result is not None and is_open(bricks, row))
        assert row.valid_answers == valid, row.environments
        assert row.feasible_answers <= left_open, "the form of the output leaves fewer"
        assert valid / left_open <= row.chance == valid / row.feasible_answers <= (0.5 if row.size == 2 else 0.25)


def rest(row: Problem, right: bool, letters: list[str]) -> tuple[str, int]:
    """The reason that the scorer gives and its count, which are no part of what is compared here."""
    result = score(row.truth, told(letters))
    assert result.reason or right
    return result.reason, int(right)


def test_a_sort_answer_that_leaves_out_or_repeats_a_letter_scores_nothing(rows: list[Problem]) -> None:
    for row in of("sort", rows):
        letters = json.loads(find_answer(row.answer))
        assert score(row.truth, told([f'"{each}"' for each in letters[:-1]])).value == 0.0
        assert score(row.truth, told([f'"{each}"' for each in [*letters, letters[0]]])).value == 0.0
        assert score(row.truth, told([f'"{each}"' for each in [*letters, "Z"]])).value == 0.0


def test_sort_wants_every_operation_even_where_fewer_give_the_output(wider_pool: Pool, guard: Guard) -> None:
    names = [brick.name for brick in (declared.plus_two, declared.loop_while)]
    fingerprints = [declared.plus_two.fingerprint, declared.loop_while.fingerprint]
    truth = {"environments": names, "fingerprints": fingerprints, "type": "Nat", "start": "8", "target": "10"}
    scores = [operator.score(truth, told(['"A"']), guard).value for operator in (sort, select)]
    assert scores == [0.0, 1.0]
    assert [operator.score(truth, told(['"A"', '"B"']), guard).value for operator in (sort, select)] == [1.0, 1.0]
    for target in ("110", "100", "1", "10.0", '"10"', "[10]", ""):
        assert select.score(truth | {"target": target}, told(['"A"']), guard).value == 0.0


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
            assert score(row.truth, told([f'"{ascii_uppercase[i]}"' for i in order])).value == float(right)
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


# What is not posed


def path_of(x: Any, *bricks: Environment, steps: int = 400) -> Path:
    outputs: list[Any] = []
    for brick in bricks:
        outcome = run(brick, x if not outputs else outputs[-1], steps)
        assert outcome.done, outcome
        outputs.append(outcome.value)
    return Path(x, bricks, tuple(outputs))


TWO, THREE, FIVE, SEVEN = declared.plus_two, declared.plus_three, declared.plus_five, declared.times_seven


def reason_of(problem: Problem | Rejected) -> str:
    assert isinstance(problem, Rejected), problem
    return problem.reason


def only(*bricks: Environment) -> CompatibleBricks:
    return CompatibleBricks({brick.name: brick for brick in bricks}, "subtype")


def test_sort_does_not_pose_what_types_give_away() -> None:
    forced = path_of(17, TWO, declared.said)
    assert reason_of(sort.pose(forced, Random("r"), 1, 9)) == "the order is forced by the types"


def test_sort_does_not_pose_where_every_order_is_right() -> None:
    assert reason_of(sort.pose(path_of(17, TWO, THREE), Random("r"), 1, 9)) == "too many orders are right"
    assert reason_of(sort.pose(path_of(17, TWO, THREE, FIVE), Random("r"), 1, 9)) == "too many orders are right"
    assert isinstance(sort.pose(path_of(17, TWO, SEVEN), Random("r"), 1, 9), Problem)


def test_sort_does_not_pose_where_few_orders_are_feasible() -> None:
    few = path_of(17, TWO, SEVEN, declared.said)
    assert reason_of(sort.pose(few, Random("r"), 1, 9)) == "too few orders are feasible"


def test_sort_does_not_pose_too_few_or_too_many_steps() -> None:
    assert reason_of(sort.pose(path_of(17, TWO), Random("r"), 1, 9)) == "expected 2 to 8 steps, got 1"
    nine = Path(17, (TWO,) * 9, tuple(range(19, 37, 2)))
    assert reason_of(sort.pose(nine, Random("r"), 1, 9)) == "expected 2 to 8 steps, got 9"


def test_select_does_not_pose_what_one_operation_does_alone() -> None:
    problem = select.pose(path_of(17, TWO, THREE), only(TWO, THREE, FIVE), Random("r"), 1, 9)
    assert reason_of(problem) == "one operation alone gives the output"


def test_select_does_not_pose_where_many_sequences_are_right() -> None:
    path = path_of(17, TWO, THREE, FIVE)
    problem = select.pose(path, only(TWO, THREE, FIVE, declared.said_if_small), Random("r"), 1, 9)
    assert reason_of(problem) == "too many sequences are right"


def test_select_does_not_pose_without_distractors_or_with_one_step() -> None:
    assert (
        reason_of(select.pose(path_of(17, TWO, SEVEN), only(TWO, SEVEN), Random("r"), 1, 9))
        == "nothing else fits the path's states"
    )
    assert "expected 2 steps or more" in reason_of(select.pose(path_of(17, TWO), only(TWO, SEVEN), Random("r"), 1, 9))


def test_a_terminal_brick_with_several_answers_ends_no_sort_and_no_select() -> None:
    path = path_of(17, TWO, declared.some_divisor)
    assert "several outputs" in reason_of(sort.pose(path, Random("r"), 1, 9))
    assert "several outputs" in reason_of(select.pose(path, only(TWO, THREE, FIVE, SEVEN), Random("r"), 1, 9))


def test_parallel_needs_two_environments() -> None:
    with pytest.raises(SettingError, match="expected at least two environments in parallel, got 1"):
        parallel.pose([get("digit_sum")], Random("r"), 1)


def test_whatever_sort_and_select_pose_has_a_right_answer_that_was_counted(rows: list[Problem]) -> None:
    for row in of("sort", rows):
        assert row.valid_answers >= 1
    for row in of("select", rows):
        assert row.valid_answers >= 1 or row.shortest == 0, "0 where not counted"
        assert row.chance > 0 or row.valid_answers == 0


def test_a_path_that_takes_more_steps_than_a_scorer_allows_is_not_posed_by_sort(wider_pool: Pool, guard: Guard) -> None:
    path = path_of(300, declared.laborious, SEVEN, steps=5_000)
    problem = sort.pose(path, Random("r"), 1, 1_300)
    assert isinstance(problem, Rejected) or sort.score(json.loads(problem.truth), problem.answer, guard).value == 1.0


# Whose fault a score is


def spoilt(row: Problem, **changes: Any) -> str:
    return json.dumps(json.loads(row.truth) | changes)


def test_a_brick_that_changed_or_is_gone_is_a_failure_of_the_grader(rows: list[Problem]) -> None:
    for row in [of("sort", rows)[0], of("select", rows)[0]]:
        content = json.loads(row.truth)
        others = ["0" * 16] * len(content["fingerprints"])
        gone = ["no_such_brick", *content["environments"][1:]]
        for truth in (spoilt(row, fingerprints=others), spoilt(row, environments=gone)):
            answers = [row.answer, told([f'"{each}"' for each in ascii_uppercase[: len(gone)]])]
            result = score(truth, answers[truth != spoilt(row, fingerprints=others)])
            assert (result.status, result.value) == (ScoreStatus.GRADER_FAILED, 0.0)
            assert result.reason


def test_a_brick_that_accepts_several_answers_and_is_gone_is_a_failure_of_the_grader() -> None:
    for operator in ("single", "sequential", "parallel"):
        terminals = {"0": {"environment": "no_such_brick", "start": "12"}}
        truth = truth_of(operator, types=["Nat"], answers=["2"], terminals=terminals)
        text = "<answer>2</answer>" if operator == "single" else "<answer>[2]</answer>"
        assert score(truth, text).status is ScoreStatus.GRADER_FAILED
        with pytest.raises(RewardUnavailable):
            compute_score("t", text, truth)


def test_a_failure_of_the_grader_is_raised_or_flagged_and_never_a_plain_zero(rows: list[Problem]) -> None:
    row = of("sort", rows)[0]
    truth = spoilt(row, fingerprints=["0" * 16] * row.size)
    with pytest.raises(RewardUnavailable, match=r"^train: .+ has changed since the row was made"):
        compute_score("train", row.answer, truth)
    flagged = compute_score("train", row.answer, truth, on_failure="flag")
    assert flagged == {"score": 0.0, "acc": 0.0, "correct": 0.0, "total": 1.0, "unparseable": 0.0, "grader_failed": 1.0}
    # TRL leaves None out; older versions made a 0 of it, so that only who has asked for it gets it.
    with pytest.raises(RewardUnavailable, match="1 of 2 completions"):
        trl_reward([row.answer, "no"], [truth, truth])
    assert trl_reward([row.answer, "no"], [truth, truth], on_failure="none") == [None, 0.0]


def test_a_guard_that_cannot_start_is_a_failure_of_the_grader(
    rows: list[Problem], monkeypatch: pytest.MonkeyPatch, guard: Guard
) -> None:
    row = of("sort", rows)[0]
    monkeypatch.setattr("sys.executable", "/no/such/python")
    result = sort.score(json.loads(row.truth), row.answer, guard)
    assert result.status is ScoreStatus.GRADER_FAILED
    assert "cannot be used" in result.reason


def test_a_truth_that_no_operator_wrote_is_a_failure_of_the_grader() -> None:
    broken = (
        '{"operator": "guess"}',
        "{}",
        "[]",
        "5",
        "null",
        "",
        "{",
        '{"operator": "single"}',
        '{"operator": ["single"]}',
    )
    for truth in (*broken, '{"operator": "single", "types": ["NoType"], "answers": ["5"]}'):
        result = score(truth, "<answer>5</answer>")
        assert (result.status, result.value) == (ScoreStatus.GRADER_FAILED, 0.0), truth
        assert result.reason


def test_an_order_that_cannot_run_scores_nothing_and_says_why(wider_pool: Pool, hasty: Guard) -> None:
    bricks = [declared.refuses_odd, declared.crashes, declared.runaway, declared.explodes, declared.stuck_in_sum]
    for brick in bricks:
        truth = {
            "environments": [brick.name],
            "fingerprints": [brick.fingerprint],
            "type": "SmallNat",
            "start": "33",
            "target": "1",
        }
        result = select.score(truth, '<answer>["A"]</answer>', hasty)
        assert (result.status, result.value) == (ScoreStatus.SCORED, 0.0), (brick, result)
        assert result.reason


# The face that trainers call


def test_compute_score_gives_the_same_keys_of_floats_on_every_path(rows: list[Problem]) -> None:
    for operator in ("single", "sequential", "parallel", "sort", "select"):
        row = of(operator, rows)[0]
        answers = (
            row.answer,
            "",
            "<answer>[]</answer>",
            '<answer>["A"]</answer>',
            "<answer>null</answer>",
            "x" * 600_000,
        )
        for text in answers:
            found = compute_score("races", text, row.truth, {"index": 3}, unknown_argument=1)
            assert set(found) == KEYS
            assert {type(value) for value in found.values()} == {float}
        right = compute_score("races", row.answer, row.truth)
        assert (right["score"], right["acc"], right["correct"]) == (1.0, 1.0, right["total"])


def test_eight_threads_score_as_one_does(rows: list[Problem]) -> None:
    pairs = [
        (row.truth, answer) for row, other in itertools.pairwise(rows[::2]) for answer in (row.answer, other.answer)
    ]
    alone = [compute_score("races", text, truth) for truth, text in pairs]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda pair: compute_score("races", pair[1], pair[0]), pairs))
    assert together == alone


def test_a_score_uses_no_signal_of_the_host(rows: list[Problem]) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE)]
    for operator in ("single", "sort"):
        compute_score("races", of(operator, rows)[0].answer, of(operator, rows)[0].truth)
    assert [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE)] == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_trl_takes_texts_and_conversations(rows: list[Problem]) -> None:
    row = of("single", rows)[0]
    chat = [{"role": "user", "content": row.prompt}, {"role": "assistant", "content": row.answer}]
    assert trl_reward([row.answer, chat, "no"], [row.truth] * 3, prompts=["p"] * 3) == [1.0, 1.0, 0.0]


def test_a_long_response_is_read_from_its_end(rows: list[Problem]) -> None:
    row = of("single", rows)[0]
    assert graded(row.truth, "x" * 2_000_000 + row.answer).value == 1.0
    assert graded(row.truth, row.answer + "x" * 2_000_000).value == 0.0


# Bricks that accept several answers


def divisor_rows() -> Iterator[Problem]:
    chain = compose(declared.times_seven, declared.some_divisor)
    yield single.pose(declared.some_divisor, Random("d"), 3)
    yield single.pose(chain, Random("d"), 3)
    yield sequential.pose(path_of(10, declared.plus_two, declared.some_divisor), 3, 9)
    yield parallel.pose([get("digit_sum"), declared.some_divisor], Random("d"), 3)


def test_every_answer_that_a_brick_accepts_scores_one_and_no_other(wider_pool: Pool) -> None:
    for row in divisor_rows():
        content = json.loads(row.truth)
        ((place, terminal),) = content["terminals"].items()
        brick = find(terminal["environment"])
        x = brick.domain.loads(terminal["start"])
        value = x * 7 if brick.composed_of else x
        for answer in {*range(1, 30), value // 3, value // 2, value, value + 1, 2 * value}:
            items = [*content["answers"]]
            items[int(place)] = str(answer)
            text = told(items) if row.operator != "single" else f"<answer>{answer}</answer>"
            right = answer > 1 and value % answer == 0
            assert (score(row.truth, text).value == 1.0) == right, (row.operator, value, answer)


def test_a_brick_that_accepts_several_answers_is_verified_with_its_input() -> None:
    assert declared.some_divisor.verify("6", 2, 12)
    assert not declared.some_divisor.verify("5", 2, 12)
    assert not declared.some_divisor.verify("no", 2, 12)
    assert declared.some_divisor.verify("2", 2)
    assert not declared.some_divisor.verify("6", 2)


def test_the_example_that_is_shown_is_not_accepted_either(wider_pool: Pool) -> None:
    drawn = 17 * 12, run(declared.some_divisor, 17 * 12)
    row = single.pose(declared.some_divisor, Random("d"), 3, drawn=drawn)
    assert score(row.truth, row.prompt[row.prompt.rindex("<answer>") :]).value == 0.0


def test_a_fault_in_what_a_brick_accepts_does_not_raise_from_the_scorer(wider_pool: Pool) -> None:
    row = single.pose(declared.some_divisor_blindly, Random("d"), 3)
    assert score(row.truth, "<answer>3</answer>").status is ScoreStatus.SCORED
    assert score(row.truth, "<answer>0</answer>").status is ScoreStatus.GRADER_FAILED


def test_a_terminal_brick_may_only_come_last() -> None:
    with pytest.raises(RacesError, match="may only be the last step"):
        compose(declared.some_divisor, declared.plus_two)


# The guard behind the scorers


def test_a_forked_process_scores_as_its_parent_does(rows: list[Problem], tmp_path: File) -> None:
    """Trainers fork their workers, which must not share the pipes of one guard process."""
    script = tmp_path / "forked.py"
    chosen = of("sort", rows)[:8]
    (tmp_path / "rows.json").write_text(json.dumps([(row.truth, row.answer) for row in chosen]))
    script.write_text(FORKED)
    paths = {"PYTHONPATH": str(File(declared.__file__).parents[2])}
    subprocess.run([sys.executable, str(script), str(tmp_path / "rows.json")], env=paths, check=True)


FORKED = """
import json, os, sys
from races.environments.operators import score
pairs = json.loads(open(sys.argv[1]).read())
assert score(*pairs[0]).value == 1.0
children = []
for number in range(4):
    child = os.fork()
    if child == 0:
        wrong = "<answer>[\\"B\\"]</answer>"
        good = all(score(truth, text).value == 1.0 and score(truth, wrong).value == 0.0 for truth, text in pairs * 6)
        os._exit(0 if good else 1)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
sys.exit(any(codes) or score(*pairs[-1]).value != 1.0)
"""


def test_many_threads_and_a_slow_brick_do_not_mix_up_their_verdicts(wider_pool: Pool, hasty: Guard) -> None:
    stuck = declared.stuck_in_sum.name
    results: list[Any] = []

    def work(number: int) -> None:
        if number % 5 == 0:
            results.append(hasty.run_chain([(stuck, "")], "SmallNat", "5").status is Status.TIME)
        else:
            results.append(
                hasty.run_chain([("digit_sum", "")], "Nat", str(1000 + number)).text
                == str(1 + sum(map(int, str(number))))
            )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 20
    assert time.perf_counter() - begin < 20
