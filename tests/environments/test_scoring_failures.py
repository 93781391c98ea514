"""Whose failure a score of 0 is, what trainers call, and the guard behind the scorers."""

import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path as File
from random import Random
from string import ascii_uppercase
from typing import Any

import pytest

from races.environments import get
from races.environments.composition.path import compose, find
from races.environments.errors import RacesError
from races.environments.execution import Status, run
from races.environments.isolation.guard import Guard
from races.environments.operators import (
    Problem,
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
from races.environments.reward import RewardUnavailable, compute_score, graded, trl_reward
from tests.support import bricks_for_tests as declared
from tests.support.operator_rows import KEYS, answer_of_items, of, path_of

# Whose fault a score is


def spoilt(row: Problem, **changes: Any) -> str:
    return json.dumps(json.loads(row.truth) | changes)


def test_a_brick_that_changed_or_is_gone_is_a_failure_of_the_grader(rows: list[Problem]) -> None:
    for row in [of("sort", rows)[0], of("select", rows)[0]]:
        content = json.loads(row.truth)
        others = ["0" * 16] * len(content["fingerprints"])
        gone = ["no_such_brick", *content["environments"][1:]]
        for truth in (spoilt(row, fingerprints=others), spoilt(row, environments=gone)):
            answers = [row.answer, answer_of_items([f'"{each}"' for each in ascii_uppercase[: len(gone)]])]
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


# What trainers call


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
            text = answer_of_items(items) if row.operator != "single" else f"<answer>{answer}</answer>"
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
