"""`races show` and `races compose`: problems made by hand."""

import os
import pty
import subprocess

import pytest

from races.environments import get
from races.environments.operators import single
from races.environments.seeding import generator
from tests.support.command_line import LISTS, PATH, RACES, printed, problem, refused


def test_show_prints_what_a_brick_is_and_the_prompt_to_the_letter() -> None:
    brick = get("digit_sum")
    expected = single.pose(brick, generator("show", "digit_sum", 2, 7), 2)
    text = printed("show", "digit_sum", "--level", "2", "--seed", "7")
    assert text.startswith("digit_sum: Nat -> SmallNat\ntheme: arithmetic\n")
    assert f"fingerprint: {brick.fingerprint}\nstatement: {brick.statement}\n" in text
    assert f"---\n{expected.prompt}\n\n---" in text
    assert f"answer: {expected.answer}\natomic steps: {expected.steps}\n" in text


def test_show_gives_the_same_problem_for_the_same_seed_alone() -> None:
    texts = [printed("show", "gcd_pair", "--seed", seed) for seed in ("1", "1", "2")]
    assert texts[0] == texts[1] != texts[2]


def test_show_prints_a_problem_of_every_level() -> None:
    text = printed("show", "digit_sum", "--level", "all")
    assert [f"single, level {level}, seed 0" in text for level in range(1, 6)] == [True] * 5


@pytest.mark.parametrize("name", ["(gcd_pair > digit_sum)", "gcd_pair > digit_sum"])
def test_show_prints_a_composite_as_one_task_with_the_result_of_each_step(name: str) -> None:
    text = printed("show", name)
    whole = problem("single", *PATH)
    assert "theme: composite" in text
    assert whole.prompt in text
    assert f"\n2. digit_sum: {whole.outputs[0]}\n" in text


@pytest.mark.parametrize("operator", ["sequential", "parallel"])
def test_show_prints_the_steps_of_a_composite(operator: str) -> None:
    text = printed("show", "(gcd_pair > digit_sum)", "--operator", operator)
    whole = problem(operator, *PATH)
    assert whole.prompt in text
    assert f"1. gcd_pair: {whole.outputs[0]}\n2. digit_sum: {whole.outputs[1]}\n" in text


def test_show_suggests_names_and_says_why_there_is_no_problem() -> None:
    assert "did you mean digit_sum" in refused("show", "digit_summ")
    assert "a composite such as (a > b)" in refused("show", "(gcd_pair > digit_sum")
    assert "the order is forced by the types" in refused("show", "gcd_pair > digit_list", "--operator", "sort")


def test_a_path_becomes_a_problem_and_the_answer_is_scored() -> None:
    path = problem("sequential", *PATH)
    first, last = path.outputs
    text = printed("compose", *PATH, "--answer", path.answer)
    assert text.startswith(path.prompt)
    assert "score: 1 (2 of 2 right)\n" in text
    assert f"start: {path.start}\n1. gcd_pair: {first}\n2. digit_sum: {last}\n" in text
    assert "score: 0.5 (1 of 2 right): result 2 is wrong or missing" in printed(
        "compose", *PATH, "--answer", f"[{first}, {int(last) + 1}]"
    )


def test_an_answer_is_read_from_a_pipe_with_or_without_its_marks() -> None:
    path = problem("sequential", *PATH)
    for answer in (f"[{', '.join(path.outputs)}]\n", f"I think\n{path.answer}\n"):
        assert "score: 1 " in printed("compose", *PATH, stdin=answer)
    assert "score: 0 (0 of 2 right): expected a JSON array" in printed("compose", *PATH, stdin="no idea")


def test_a_person_at_a_terminal_is_asked_for_the_answer() -> None:
    ours, theirs = pty.openpty()
    arguments = [str(RACES), "compose", "digit_sum", "--operator", "single"]
    with subprocess.Popen(arguments, stdin=theirs, stdout=subprocess.PIPE, text=True) as process:
        os.write(ours, f"{problem('single', 'digit_sum').outputs[0]}\n".encode())
        text, _ = process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0
    assert "your answer: " in text
    assert "score: 1 (1 of 1 right)" in text


def test_the_solution_is_shown_instead_of_a_score() -> None:
    text = printed("compose", *PATH, "--gold")
    assert problem("sequential", *PATH).answer in text
    assert "score" not in text


@pytest.mark.parametrize("operator", ["single", "sort", "select"])
def test_every_operator_scores_its_own_answer_1(operator: str) -> None:
    answer = problem(operator, *LISTS, seed=1).answer
    arguments = ["compose", *LISTS, "--operator", operator, "--seed", "1"]
    assert "score: 1 (1 of 1 right)\n" in printed(*arguments, "--answer", answer)
    assert "score: 0 (0 of 1 right): " in printed(*arguments, "--answer", "?")


def test_steps_that_do_not_fit_are_named_with_bricks_that_would() -> None:
    error = refused("compose", "digit_sum", *PATH)
    assert "digit_sum gives SmallNat, which does not fit IntPair, the domain of gcd_pair" in error
    assert "\n  between them fit: " in error or ("\n  after digit_sum" in error and "\n  before gcd_pair" in error)
    between = refused("compose", "digit_sum", "running_totals").splitlines()
    assert between[1].startswith("  between them fit: ")
    assert len(between) == 2


def test_an_order_of_equal_bricks_is_refused() -> None:
    assert "expected different bricks for sort" in refused("compose", "digit_sum", "digit_sum", "--operator", "sort")
