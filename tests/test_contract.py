"""The contract that every brick of the pool keeps; `-k THEME` or `-k BRICK` runs it for a few."""

import ast
import importlib.util
import inspect
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from environments import Environment, OutOfDomain, pool, source
from environments.execution import Status, run
from environments.types import LEVELS

ORACLES = Path(__file__).parent / "oracles"
DRAWS = 40
BRICKS = [pytest.param(brick, id=f"{brick.theme}-{name}") for name, brick in pool().items()]
each_brick = pytest.mark.parametrize("brick", BRICKS)


@cache
def oracle_module(theme: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"oracles_{theme}", ORACLES / f"{theme}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def oracle(brick: Environment) -> Callable[[Any, Any], bool]:
    found: Callable[[Any, Any], bool] = oracle_module(brick.theme).ORACLES[brick.name]
    return found


@cache
def draws(brick: Environment, level: int) -> tuple[Any, ...]:
    return tuple(brick.sample(Random(f"contract {brick.name} {level} {index}"), level) for index in range(DRAWS))


@cache
def outcomes(brick: Environment, level: int) -> tuple[Any, ...]:
    return tuple(run(brick, x) for x in draws(brick, level))


@cache
def foreign_values(type_name: str) -> tuple[Any, ...]:
    """Values of a type that come out of bricks rather than out of its own sampler."""
    found = []
    for name, brick in pool().items():
        if any(wide.name == type_name for wide in brick.codomain.supertypes()):
            rng = Random(f"foreign {name}")
            results = [run(brick, brick.sample(rng, level)) for level in LEVELS for _ in range(3)]
            found += [result.value for result in results if result.done]
    return tuple(found)


@each_brick
def test_the_statement_is_whole_sentences_of_at_most_sixty_words(brick: Environment) -> None:
    words = brick.statement.split()
    assert len(words) <= 60
    assert brick.statement[0].isupper()
    assert brick.statement.endswith(".")
    lowered = {word.strip(".,:;()").lower() for word in words}
    assert not lowered & {"input", "output", "json", "step", "function", "return", "returns"}


@each_brick
def test_the_hand_worked_examples_hold(brick: Environment) -> None:
    examples = oracle_module(brick.theme).EXAMPLES[brick.name]
    assert len(examples) >= 2
    for question, answer in examples:
        x = brick.domain.loads(question)
        if answer is None:
            with pytest.raises(OutOfDomain):
                brick(x)
        else:
            assert brick(x) == brick.codomain.loads(answer)


@each_brick
def test_the_oracle_agrees_on_inputs_of_every_level(brick: Environment) -> None:
    right = oracle(brick)
    for level in LEVELS:
        for x, outcome in zip(draws(brick, level), outcomes(brick, level), strict=True):
            assert not outcome.done or right(x, outcome.value), (brick.domain.dumps(x), outcome.value)


@each_brick
def test_the_oracle_agrees_on_inputs_that_came_out_of_other_bricks(brick: Environment) -> None:
    right = oracle(brick)
    values = foreign_values(brick.domain.name)
    for x in Random(brick.name).sample(values, min(len(values), 200)):
        outcome = run(brick, x)
        assert outcome.status in (Status.DONE, Status.REFUSED, Status.STEPS), (x, outcome)
        assert not outcome.done or right(x, outcome.value), (brick.domain.dumps(x), outcome.value)


@each_brick
def test_the_sampler_draws_inputs_that_are_answered_within_the_bounds(brick: Environment) -> None:
    for level in LEVELS:
        statuses = Counter(outcome.status for outcome in outcomes(brick, level))
        assert not set(statuses) & {Status.CRASHED, Status.OUTSIDE, Status.STEPS, Status.MISTYPED}, statuses
        assert statuses[Status.REFUSED] <= 0.05 * DRAWS, [o.reason for o in outcomes(brick, level) if not o.done]


@each_brick
def test_the_sampler_and_f_repeat_themselves(brick: Environment) -> None:
    for level in LEVELS:
        again = tuple(brick.sample(Random(f"contract {brick.name} {level} {i}"), level) for i in range(DRAWS))
        assert again == draws(brick, level)
        assert tuple(run(brick, x) for x in again) == outcomes(brick, level)


@each_brick
def test_metered_and_plain_runs_agree(brick: Environment) -> None:
    for x, outcome in zip(draws(brick, 3), outcomes(brick, 3), strict=True):
        if outcome.done:
            assert brick(x) == outcome.value
            assert outcome.steps >= 1


@each_brick
def test_answers_survive_json_and_are_verified(brick: Environment) -> None:
    for level in LEVELS:
        for x, outcome in zip(draws(brick, level), outcomes(brick, level), strict=True):
            assert brick.domain.loads(brick.domain.dumps(x)) == x
            if outcome.done:
                text = brick.codomain.dumps(outcome.value)
                assert brick.codomain.loads(text) == outcome.value
                assert brick.verify(text, outcome.value, x)


@each_brick
def test_answers_vary_and_differ_from_their_question(brick: Environment) -> None:
    for level in LEVELS:
        done = [(x, o.value) for x, o in zip(draws(brick, level), outcomes(brick, level), strict=True) if o.done]
        same = sum(brick.domain.dumps(x) == brick.codomain.dumps(y) for x, y in done)
        assert same <= 0.2 * len(done), f"{same} of {len(done)} answers repeat the question at level {level}"
        commonest = max(Counter(y for _, y in done).values())
        bound = 0.65 if brick.codomain.sink else 0.5
        if level >= 2 or brick.codomain.sink:
            assert commonest <= bound * len(done), f"{commonest} of {len(done)} answers are the same at level {level}"


@each_brick
def test_answers_are_mostly_healthy(brick: Environment) -> None:
    done = [outcome.value for level in LEVELS for outcome in outcomes(brick, level) if outcome.done]
    healthy = sum(brick.codomain.healthy(value) for value in done)
    assert healthy >= 0.6 * len(done)


@each_brick
def test_the_level_changes_the_instances(brick: Environment) -> None:
    sizes = [sum(len(brick.domain.dumps(x)) for x in draws(brick, level)) for level in LEVELS]
    assert len({draws(brick, level) for level in LEVELS}) == len(LEVELS)
    assert sizes[0] <= sizes[-1]


@each_brick
def test_the_code_keeps_the_house_rules(brick: Environment) -> None:
    for piece in source.reached(brick.function):
        if isinstance(piece.node, ast.FunctionDef) and piece.module.startswith("environments.themes"):
            assert piece.node.end_lineno is not None
            assert piece.node.end_lineno - piece.node.lineno < 40
            decorators = [ast.unparse(each) for each in piece.node.decorator_list]
            # A cache would make steps depend on history.
            assert all(each.startswith("environment(") for each in decorators)
        for node in ast.walk(piece.node):
            assert not isinstance(node, ast.Global | ast.Nonlocal | ast.Assert)
            if isinstance(node, ast.Name):
                assert node.id not in {"eval", "exec", "open", "hash", "id", "print", "random", "__import__"}


@each_brick
def test_a_fingerprint_does_not_depend_on_comments_or_the_run(brick: Environment) -> None:
    assert len(brick.fingerprint) == 16
    assert inspect.isfunction(brick.function)


def test_every_theme_has_its_oracles_and_no_oracle_is_left_over() -> None:
    ours = [brick for brick in pool().values() if brick.function.__module__.startswith("environments.")]
    declared = {(brick.theme, brick.name) for brick in ours}
    tested = {(p.stem, n) for p in ORACLES.glob("*.py") if p.stem != "__init__" for n in oracle_module(p.stem).ORACLES}
    assert tested == declared


def test_oracles_import_nothing_of_the_themes() -> None:
    for path in ORACLES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("environments.themes"), path
