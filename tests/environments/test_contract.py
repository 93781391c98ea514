"""The contract that every brick of the pool keeps; `-k THEME` or `-k BRICK` runs it for a few."""

import ast
import runpy

import pytest

from races.environments import Environment, pool
from races.environments.audit.contract import RULES
from tests.support.cases import ORACLES, case_of

BRICKS = [pytest.param(brick, id=f"{brick.theme}-{name}") for name, brick in pool().items()]


@pytest.mark.parametrize("brick", BRICKS)
def test_a_brick_keeps_every_rule(brick: Environment, subtests: pytest.Subtests) -> None:
    for name, rule in RULES.items():
        with subtests.test(rule=name):
            assert list(rule(case_of(brick)))[:5] == []


@pytest.mark.parametrize("brick", BRICKS)
def test_a_brick_has_two_examples_and_an_oracle(brick: Environment) -> None:
    case = case_of(brick)
    assert len(case.examples) >= 2
    assert case.oracle is not None


def test_no_example_and_no_oracle_is_left_over() -> None:
    for path in ORACLES.glob("[!_]*.py"):
        themes = {name for name, brick in pool().items() if brick.theme == path.stem}
        module = runpy.run_path(str(path))
        assert set(module["ORACLES"]) == set(module["EXAMPLES"]) == themes


def test_oracles_import_nothing_of_the_themes() -> None:
    for path in ORACLES.glob("[!_]*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("races.environments.themes"), path
