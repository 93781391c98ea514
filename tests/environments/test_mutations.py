"""A small fault that somebody slips into f is caught by the contract of its brick, without the golden file."""

import sys
from dataclasses import replace
from inspect import getsource
from itertools import islice

import pytest

from races.environments import Environment, get, pool
from races.environments.seeding import generator
from tests.support.cases import case_of
from tests.support.mutants import Mutant, drawn, first_fault, found, living, mutants

BRICKS = 20
FAULTS = 12  # of a brick
SELDOM = 0.01  # a fault that shows more often must not survive
PLACES = 3  # a brick with fewer faults, as one that only calls a library, shows nothing
SHUFFLED = generator("mutation check").sample(sorted(pool()), len(pool()))
DRAWN = list(islice((name for name in SHUFFLED if len(mutants(get(name))) >= PLACES), BRICKS))


@pytest.mark.parametrize("name", DRAWN)
def test_the_contract_catches_planted_faults(name: str) -> None:
    results = [each for each in map(found, drawn(get(name), FAULTS)) if each.counts]
    survivors = [f"{each.share:.2%}: {each.mutant.line}" for each in results if not each.rule and each.share > SELDOM]
    assert survivors == []
    assert any(each.rule for each in results)


def test_hardly_any_fault_survives() -> None:
    results = [each for name in DRAWN for each in map(found, drawn(get(name), 4)) if each.counts]
    assert sum(each.rule != "" for each in results) >= 0.95 * len(results) > 40


def test_a_sound_brick_is_no_mutant() -> None:
    for brick in map(get, DRAWN):
        with living(Mutant(brick, getsource(sys.modules[brick.function.__module__]), "")) as same:
            assert first_fault(replace(case_of(brick), brick=same)) == ""


def test_without_examples_and_oracle_faults_survive() -> None:
    brick: Environment = get("median")
    for mutant in mutants(brick):
        with living(mutant) as wrong:
            blind = replace(case_of(brick), brick=wrong, examples=(), oracle=None)
            if not first_fault(blind):
                return
    pytest.fail("expected the oracle and the examples to be what catches faults")
