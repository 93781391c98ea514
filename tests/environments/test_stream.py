"""Streams and data sets from Python alone: the same for the same arguments, healthy, scored, and found again by key."""

import json
import os
import pickle
import re
import subprocess
import sys
from dataclasses import fields
from itertools import islice

import pytest

import races
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, Shard, explore
from races.environments.composition.path import compose, find, trace
from races.environments.composition.quality import HealthSettings
from races.environments.core import environment
from races.environments.errors import SettingError, UnknownName
from races.environments.generation import dataset as dataset_module
from races.environments.generation import supply
from races.environments.operators import SIZES
from races.environments.operators.problem import Problem
from races.environments.subpools import subpool
from races.environments.types import Int
from races.resources.training.rows import VERL

OPERATORS = ("single", "sequential", "parallel", "sort", "select")


def taken(count: int, *arguments: object, **named: object) -> list[Problem]:
    return list(islice(races.stream(*arguments, **named), count))


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_streamed_problem_is_found_again_by_its_key_alone(operator: str) -> None:
    problems = taken(100, operator=operator, seed="keys")
    supply.compatible_bricks.cache_clear()
    for problem in problems:
        again = races.find_problem(problem.key)
        assert {each.name: getattr(again, each.name) for each in fields(Problem)} == {
            each.name: getattr(problem, each.name) for each in fields(Problem)
        }
    assert len({problem.key for problem in problems}) == 100


PROGRAM = """
import races
from itertools import islice
for operator in ("single", "sequential", "parallel", "sort", "select"):
    for problem in islice(races.stream("training", operator, seed=5), 12):
        print(problem.id, problem.key)
"""


def test_fresh_processes_stream_the_same_whatever_their_hash_seed() -> None:
    texts = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == 60


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_first_problems_do_not_depend_on_how_many_are_taken_and_another_seed_gives_others(operator: str) -> None:
    many = taken(40, operator=operator, seed=1)
    assert taken(7, operator=operator, seed=1) == many[:7]
    assert not {each.id for each in taken(40, operator=operator, seed=2)} & {each.id for each in many}
    assert taken(7, operator=operator, seed="1") != many[:7]


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_problem_comes_twice_and_sizes_and_levels_are_those_asked_for(operator: str) -> None:
    sizes = SIZES[operator][:3]
    problems = taken(150, operator=operator, size=sizes, level=(2, 4))
    assert len({each.id for each in problems}) == 150
    assert {each.size for each in problems} == set(sizes)
    assert {each.level for each in problems} == {2, 4}
    assert {each.operator for each in problems} == {operator}


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_gold_answer_scores_one_and_a_wrong_or_missing_one_less(operator: str) -> None:
    for problem in taken(25, operator=operator, seed="gold"):
        assert problem.score(f"Let me think.\n{problem.answer}").value == 1.0
        assert problem.score("I do not know.").value == 0.0
        wrong = re.sub(r"<answer>.*</answer>", "<answer>[17]</answer>", problem.answer, flags=re.DOTALL)
        assert problem.score(wrong).value < 1.0


def is_healthy(problem: Problem) -> bool:
    """Whether the chain of a problem, searched for anew, has no redundant step and stays within every bound."""
    content = json.loads(re.search(r"stream (\{.*?\})'", problem.key)[1])
    strategy = "balanced" if problem.operator == "sequential" else "orders"
    settings = SearchSettings(strategy=strategy, longest=problem.size, seed=f"stream {content['seed']!r}")
    result = explore(Shard(*content["shard"]), CompatibleBricks(subpool("training"), "subtype"), settings)
    (found,) = [each for each in result.found if each.path.id == problem.path_id]
    health, bounds, truth = found.health, HealthSettings(), problem.types[-1] == "Bool"
    return (
        not found.redundant_steps
        and health.alive >= bounds.alive
        and health.healthy >= bounds.healthy
        and health.identity <= bounds.identity
        and health.top_share <= (bounds.truth_margin if truth else bounds.top_share)
        and health.step_top_share <= (bounds.truth_margin if truth else bounds.step_top_share)
        and (truth or (health.distinct >= bounds.distinct and health.sensitivity >= bounds.sensitivity))
    )


@pytest.mark.parametrize("operator", ["sequential", "sort", "select"])
def test_chains_pass_the_health_checks_unless_others_are_asked_for(operator: str) -> None:
    assert all(map(is_healthy, taken(30, "training", operator, healthy=True)))
    assert not all(map(is_healthy, taken(60, "training", operator, healthy=False)))


def test_outputs_are_those_of_the_bricks() -> None:
    for problem in taken(40, "core_50", "sequential", size=(2, 5), seed=9):
        bricks = [find(name) for name in problem.environments]
        path, _ = trace(bricks, bricks[0].domain.loads(problem.start))
        assert path is not None
        assert path.states == problem.states
        assert {each.name for each in bricks} <= set(subpool("core_50"))


def test_listed_bricks_are_the_only_ones() -> None:
    names = ["digit_sum", "divisors", "run_lengths", "mean_of_list", "running_totals"]
    listed = taken(30, [races.get(name) for name in names], size=(2, 3))
    assert listed == taken(30, reversed(names), size=(2, 3))
    assert {name for each in listed for name in each.environments} <= set(names)
    assert {each.environments for each in taken(5, ["digit_sum"], "single")} == {("digit_sum",)}


def test_what_a_problem_is_does_not_depend_on_the_sizes_that_a_stream_has() -> None:
    narrow = {each.key: each for each in taken(200, "core_50", size=3, seed=3)}
    wide = {each.key: each for each in taken(200, "core_50", size=(3, 6), seed=3)}
    shared = narrow.keys() & wide.keys()
    assert len(shared) > 20
    assert all(narrow[key] == wide[key] for key in shared)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"bricks": "core50"}, UnknownName, "did you mean core_50"),
        ({"bricks": "digit_sum"}, UnknownName, r"write \['digit_sum'\]"),
        ({"bricks": ["digit_summ"]}, UnknownName, "did you mean digit_sum"),
        ({"bricks": []}, SettingError, "at least one brick, got none"),
        ({"bricks": [3]}, SettingError, "names of bricks, got 3"),
        ({"bricks": 3}, SettingError, "a list of bricks or the name of a sub-pool, got 3"),
        ({"bricks": ["digit_sum", "divisors"], "size": 3}, SettingError, "at most 2, the number of these bricks"),
        ({"bricks": ["digit_sum", "run_lengths"], "size": 2}, SettingError, "no 2 of them follow one another"),
        ({"bricks": ["digit_sum", "divisors"], "operator": "parallel", "size": 3}, SettingError, "at most 2"),
        ({"operator": "sequental"}, SettingError, "got 'sequental': did you mean sequential"),
        ({"size": 13}, SettingError, "size: expected numbers from 2 to 12, got 13"),
        ({"size": ()}, SettingError, "size: expected numbers from 2 to 12"),
        ({"operator": "single", "size": 2}, SettingError, "size: expected 1, got 2"),
        ({"level": 0}, SettingError, "level: expected numbers from 1 to 5, got 0"),
        ({"level": "two"}, SettingError, "level: expected a number or several, got 'two'"),
        ({"seed": 1.5}, SettingError, "seed: expected an integer or a text, got 1.5"),
        ({"style": "bold"}, SettingError, "style: expected one of tags, boxed, got 'bold'"),
    ],
)
def test_arguments_that_cannot_work_are_refused_at_once(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        races.stream(**arguments)
    with pytest.raises(error, match=message):
        races.dataset(**arguments, rows=3)


def test_bricks_outside_of_the_pool_are_refused_with_the_way_in() -> None:
    @environment()
    def doubled_number(number: Int) -> Int:
        """Double the number."""
        return 2 * number

    with pytest.raises(SettingError, match="RACES_BRICKS"):
        races.stream([doubled_number], "single")
    with pytest.raises(SettingError, match="list its parts"):
        races.stream([compose(races.get("digit_sum"), races.get("divisors"))], "single")


def test_a_stream_of_bricks_that_make_no_problem_says_why() -> None:
    with pytest.raises(SettingError, match=r"expected a problem, got none; 300 searches in a row.* no other order"):
        next(races.stream(["digit_sum", "divisors"], "sort", 2))
    with pytest.raises(SettingError, match=r"expected a problem, got none; .* no other bricks fit as distractors"):
        next(races.stream(["digit_sum", "divisors"], "select", 2))


def test_a_stream_that_runs_dry_says_so() -> None:
    problems = races.stream(["josephus_order"], "single", level=1)
    with pytest.raises(SettingError, match=r"expected problems without end, got (\d+); 1000 attempts in a row"):
        for _ in problems:
            pass
    assert 1 < problems.taken < 100
    few = races.dataset(["josephus_order"], "single", level=1, rows=100)
    assert few[problems.taken - 1].environments == ("josephus_order",)
    with pytest.raises(SettingError, match=f"expected problems without end, got {problems.taken}"):
        few[-1]


@pytest.mark.parametrize(
    "change",
    [
        lambda key: "",
        lambda key: "(" * 5000,
        lambda key: "x" * 200_000,
        lambda key: key.replace("problem", "question"),
        lambda key: key.replace("stream ", ""),
        lambda key: key.replace("sequential", "sort of"),
        lambda key: key.replace("'sequential', 2", "'sequential', 99"),
        lambda key: key.replace("tags", "bold"),
        lambda key: key.replace(", 1)", ", -1)"),
        lambda key: key.replace(", 1)", ", 'one')"),
        lambda key: repr(("problem", "races", "single", 1, "", 0)),
        lambda key: 7,
    ],
)
def test_other_texts_are_no_keys(change: object) -> None:
    (problem,) = taken(1, "core_50", size=2)
    assert races.find_problem(problem.key) == problem
    with pytest.raises(SettingError, match="expected the key of a streamed problem"):
        races.find_problem(change(problem.key))


def test_a_key_of_bricks_that_are_gone_or_have_changed_says_so() -> None:
    (problem,) = taken(1, "core_50", size=2)
    with pytest.raises(UnknownName, match="core_51"):
        races.find_problem(problem.key.replace("core_50", "core_51"))
    with pytest.raises(SettingError, match="its bricks have changed"):
        races.find_problem(problem.key.replace(problem.path_id, "0" * 24))


def test_a_data_set_is_a_sequence_of_the_first_problems_of_its_stream() -> None:
    data = races.dataset("core_50", size=(2, 3), level=1, seed=4, rows=30)
    problems = taken(30, "core_50", size=(2, 3), level=1, seed=4)
    assert data[29] == problems[29]
    assert list(data) == problems
    assert len(data) == 30
    assert list(data[5:20:3]) == problems[5:20:3]
    assert list(data[::-1][:2]) == problems[:-3:-1]
    assert data[-1] == problems[-1]
    assert len(data[30:]) == 0
    with pytest.raises(IndexError):
        data[30]
    with pytest.raises(SettingError, match="rows: expected an integer of at least 1, got 0"):
        races.dataset(rows=0)


def test_a_data_set_says_how_it_is_made_again_and_is_equal_to_what_that_makes() -> None:
    data = races.dataset(["digit_sum", "divisors", "running_totals"], "parallel", 2, seed="x", rows=8)
    for each in (data, data[2:7:2], data[::-1]):
        again = eval(each.recipe["call"], {"races": races})
        assert again == each
        assert hash(again) == hash(each)
        assert list(again) == list(each)
        assert repr(each).startswith(each.recipe["call"])
    assert data != data[1:]
    assert data != races.dataset(["digit_sum", "divisors", "running_totals"], "parallel", 2, seed="y", rows=8)


def test_a_data_set_is_pickled_as_its_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    data = races.dataset("core_50", size=2, rows=50)
    problem = data[49]
    stored = pickle.dumps(data[40:])
    assert len(stored) < 1000
    assert pickle.loads(stored) == data[40:]
    assert pickle.loads(stored)[-1] == problem
    assert pickle.loads(pickle.dumps(problem)) == problem
    monkeypatch.setattr(dataset_module, "_fingerprint", lambda bricks: "another")
    with pytest.raises(SettingError, match="expected the bricks and the code with which this data set was made"):
        pickle.loads(stored)


def test_rows_have_the_columns_of_training_sets() -> None:
    rows = races.dataset("core_50", size=2, rows=4).rows()
    assert all(list(row) == VERL.names for row in rows)
    assert [row["extra_info"]["index"] for row in rows] == [0, 1, 2, 3]


def test_packages_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    data = races.dataset("core_50", size=2, rows=1)
    with pytest.raises(SettingError, match="expected the package datasets to be installed"):
        data.to_huggingface()
    with pytest.raises(SettingError, match="expected the package torch to be installed"):
        data.to_torch()


def test_a_problem_shows_itself_in_a_line_and_in_a_notebook_with_every_text_escaped() -> None:
    (problem,) = taken(1, ["digit_sum", "divisors"], "sequential", 2, level=1)
    assert repr(problem) == f"<sequential problem at level 1: {' > '.join(problem.environments)}>"
    hostile = Problem(
        **{each.name: getattr(problem, each.name) for each in fields(Problem)}
        | {"prompt": "<script>1</script>", "answer": "<img src=x>", "outputs": ('"<b>"', "</pre>"), "start": "<i>"}
    )
    shown = hostile._repr_html_()
    assert not re.search(r"<(script|img|i)\b", shown)
    assert shown.count("<b>") == 1
    assert "&lt;script&gt;" in shown
    assert "</pre>" not in shown.split("<details>")[1]
