"""The search gives the same paths in any order, process and hash seed; it keeps its budgets and knows what it met."""

import hashlib
import itertools
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path as File
from typing import Any

import pytest

from races import environments
from races.environments import Environment, get, pool
from races.environments.composition.frontier import (
    CompatibleBricks,
    SearchSettings,
    Shard,
    ShardResult,
    explore,
    still_valid,
)
from races.environments.composition.path import fits, trace
from races.environments.composition.quality import HealthSettings, permanent_failures
from races.environments.composition.rows import rows_of
from races.environments.execution import Outcome, PlainRunner, Status, run, survivors
from races.environments.isolation.guard import Guard
from races.environments.types import VOCABULARY

SETTINGS = SearchSettings(longest=5, probes=8, health=HealthSettings(distinct=4))
ROOT = File(environments.__file__).parents[2]


def chosen(count: int) -> list[Shard]:
    """Shards of different start bricks and levels."""
    names = sorted(pool())
    return [Shard(names[number * len(names) // count], number) for number in range(count)]


def summary(result: ShardResult) -> str:
    """Everything that a shard found, as JSON."""
    paths = [
        [
            each.path.id,
            each.path.states,
            [e.name for e in each.path.environments],
            each.level,
            each.steps,
            repr(each.health),
        ]
        for each in result.found
    ]
    orders = [[each.feasible_orders, each.redundant_steps] for each in result.found]
    rejections = sorted([*key, count] for key, count in result.rejections.items())
    return json.dumps(
        [
            paths,
            orders,
            rejections,
            sorted(result.ran.items()),
            sorted(result.compatible_bricks.items()),
            result.executions,
        ]
    )


def searched(count: int, settings: SearchSettings = SETTINGS) -> list[ShardResult]:
    offers = CompatibleBricks(pool(), settings.matching)
    return [explore(shard, offers, settings) for shard in chosen(count)]


@pytest.fixture(scope="module")
def results() -> list[ShardResult]:
    """What sixteen shards found under our filters."""
    found = searched(16)
    assert sum(len(each.found) for each in found) > 300
    return found


def test_a_shard_finds_the_same_in_any_order_and_in_threads(results: list[ShardResult]) -> None:
    offers = CompatibleBricks(pool(), SETTINGS.matching)
    backwards = [summary(explore(shard, offers, SETTINGS)) for shard in reversed(chosen(16)[::2])]
    assert backwards[::-1] == [summary(each) for each in results[::2]]
    with ThreadPoolExecutor(4) as threads:
        together = threads.map(
            lambda shard: summary(explore(shard, CompatibleBricks(pool(), "subtype"), SETTINGS)), chosen(16)[::3]
        )
    assert list(together) == [summary(each) for each in results][::3]


SCRIPT = """
import hashlib, sys
from tests.environments.test_search import searched, summary
sys.stdout.write(hashlib.sha256("\\n".join(summary(each) for each in searched(6)).encode()).hexdigest())
"""


def test_a_search_finds_the_same_in_processes_with_two_hash_seeds() -> None:
    here = hashlib.sha256("\n".join(summary(each) for each in searched(6)).encode()).hexdigest()
    for seed in ("0", "1"):
        paths = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", SCRIPT], env=paths, capture_output=True, text=True, check=True)
        assert done.stdout == here, seed


def test_a_guarded_search_finds_what_a_plain_one_finds(guard: Guard) -> None:
    shard, offers = chosen(6)[2], CompatibleBricks(pool(), "subtype")
    small = replace(SETTINGS, longest=3, probes=4)
    assert summary(explore(shard, offers, small, guard)) == summary(explore(shard, offers, small))


def names_of(results: Sequence[ShardResult], shortest: int) -> set[tuple[str, ...]]:
    paths = [each.path.environments for result in results for each in result.found]
    return {tuple(e.name for e in path) for path in paths if len(path) >= shortest}


def test_neighbouring_seeds_and_indices_share_few_paths(results: list[ShardResult]) -> None:
    first, second = (searched(8, replace(SETTINGS, seed=seed)) for seed in ("42", "43"))
    ids = [{each.path.id for result in some for each in result.found} for some in (first, second)]
    assert len(ids[0] & ids[1]) <= 0.01 * len(ids[0])
    shared = names_of(first, 4) & names_of(second, 4)
    assert len(shared) <= 0.1 * len(names_of(first, 4))
    offers = CompatibleBricks(pool(), "subtype")
    one, other = (explore(Shard("digit_sum", index), offers, SETTINGS) for index in (0, 5))
    assert not {each.path.id for each in one.found} & {each.path.id for each in other.found}


def test_every_path_keeps_the_invariants(results: list[ShardResult]) -> None:
    for result in results:
        for each in result.found:
            path, bricks = each.path, each.path.environments
            assert 2 <= len(bricks) <= SETTINGS.longest
            assert bricks[0].name == result.shard.start
            assert each.level == result.shard.level
            assert len(set(bricks)) == len(bricks)
            assert not any(brick.terminal for brick in bricks[:-1])
            assert all(fits(a.codomain, b.domain) for a, b in itertools.pairwise(bricks))
            assert len(set(path.states)) == len(path.states)
            assert path.start in bricks[0].domain
            for brick, value, text in zip(bricks, path.outputs, path.states[1:], strict=True):
                assert value in brick.codomain
                assert brick.codomain.healthy(value)
                assert value not in (0, 1) or type(value) is bool
                assert len(text) <= 250
            again, outcome = trace(bricks, path.start)
            assert again == path
            assert outcome.steps == each.steps
            assert each.feasible_orders >= 1
            assert all(
                run(brick, x).steps <= 400 for brick, x in zip(bricks, [path.start, *path.outputs], strict=False)
            )


def test_the_filters_of_the_paper_are_kept() -> None:
    for result in searched(8, replace(SETTINGS, filters="paper", matching="exact")):
        for each in result.found:
            assert all(a.codomain is b.domain for a, b in itertools.pairwise(each.path.environments))
            for value, text in zip(each.path.outputs, each.path.states[1:], strict=True):
                assert len(text) <= 100
                assert type(value) is not int or (value <= 500 and value not in (0, 1))


@pytest.mark.parametrize(
    ("budget", "extensions", "frontier", "strategy"),
    [(1, 3, 3, "chains"), (2, 2, 2, "balanced"), (3, 5, 1, "orders"), (3, 5, 1, "balanced")],
)
def test_budgets_and_limits_hold(budget: int, extensions: int, frontier: int, strategy: Any) -> None:
    settings = replace(SETTINGS, budget=budget, extensions=extensions, frontier=frontier, strategy=strategy)
    for result in searched(8, settings):
        paths = [tuple(e.name for e in each.path.environments) for each in result.found]
        assert len(set(paths)) == len(paths)
        kept = Counter(path[-1] for path in paths)
        assert not kept or max(kept.values()) <= budget
        children = Counter(path[:-1] for path in paths)
        assert not children or max(children.values()) <= extensions
        extended = Counter(len(parent) for parent in children)
        assert all(count <= frontier for count in extended.values())
        by_parent: dict[tuple[str, ...], list[str]] = {}
        for each, path in zip(result.found, paths, strict=True):
            by_parent.setdefault(path[:-1], []).append(each.path.states[-1])
        assert all(len(set(outputs)) == len(outputs) for outputs in by_parent.values())


def test_a_path_with_a_permanently_failed_check_is_kept_and_not_extended() -> None:
    settings = replace(SETTINGS, probes=24)
    for result in searched(4, settings):
        ill = {
            tuple(e.name for e in each.path.environments)
            for each in result.found
            if each.health is not None
            and permanent_failures(each.health, each.path.environments[-1].codomain, settings.health)
        }
        parents = {tuple(e.name for e in each.path.environments[:-1]) for each in result.found}
        assert not ill & parents


def test_without_probe_inputs_there_is_no_health_and_nothing_is_held_back() -> None:
    result = explore(Shard("digit_sum", 0), CompatibleBricks(pool(), "subtype"), replace(SETTINGS, probes=0))
    assert result.found
    assert {each.health for each in result.found} == {None}


def test_what_was_rejected_is_counted_with_its_reason(results: list[ShardResult]) -> None:
    known = {
        "refused",
        "steps",
        "outside",
        "zero or one",
        "repeats a state",
        "equals a sibling",
        "one character",
        "too long",
        "not healthy",
    }
    reasons = {reason for result in results for _, reason in result.rejections}
    assert {"refused", "repeats a state", "not healthy"} <= reasons <= known
    for result in results:
        kept = len(result.found) + 1  # and the root, or its rejection
        runs = kept + sum(result.rejections.values()) - (not result.found and bool(result.rejections))
        # Each run is of the path or of a probe input; steps that are left out on trial are run besides.
        assert runs <= result.executions <= runs * (1 + SETTINGS.probes) + len(result.found) * SETTINGS.longest**2


class Counting(PlainRunner):
    """A runner that counts, and that finds one brick too slow."""

    def __init__(self, slow: str = "") -> None:
        self.runs, self.slow = 0, slow

    def run(self, environment: Environment, x: Any, steps: int) -> Outcome:  # type: ignore[override]  # it counts
        self.runs += 1
        return Outcome(Status.TIME) if environment.name == self.slow else run(environment, x, steps)

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:  # type: ignore[override]  # it counts
        self.runs += len(values)
        return survivors(environment, values, steps)


def test_every_run_goes_through_the_runner_and_is_counted(results: list[ShardResult]) -> None:
    runner = Counting()
    result = explore(chosen(16)[3], CompatibleBricks(pool(), "subtype"), SETTINGS, runner)
    assert runner.runs == result.executions
    assert summary(result) == summary(results[3])


def test_a_brick_that_runs_out_of_time_is_rejected_and_the_search_goes_on(results: list[ShardResult]) -> None:
    original = next(each for each in results if len(each.found) > 20)
    slow = original.found[5].path.environments[1].name
    result = explore(original.shard, CompatibleBricks(pool(), "subtype"), SETTINGS, Counting(slow))
    assert result.rejections[slow, "time"] >= 1
    assert not any(e.name == slow for each in result.found for e in each.path.environments[1:])
    assert result.found


def test_the_strategy_for_orders_finds_paths_whose_types_do_not_give_the_order_away() -> None:
    shares = []
    for strategy in ("chains", "orders"):
        found = [each for result in searched(24, replace(SETTINGS, strategy=strategy)) for each in result.found]
        long = [each for each in found if len(each.path.environments) >= 3]
        shares.append(sum(each.feasible_orders >= 4 for each in long) / len(long))
    assert shares[1] > 1.2 * shares[0], shares


# What a shard depends on


def valid(result: ShardResult, bricks: dict[str, Environment]) -> bool:
    return still_valid(result.ran, result.compatible_bricks, CompatibleBricks(bricks, "subtype"), VOCABULARY)


@pytest.fixture(scope="module")
def met(results: list[ShardResult]) -> ShardResult:
    return next(each for each in results if len(each.found) > 20)


def test_a_shard_is_valid_while_nothing_that_it_met_has_changed(met: ShardResult) -> None:
    bricks = dict(pool())
    assert valid(met, bricks)
    assert valid(met, dict(reversed(bricks.items())))
    assert met.ran.keys() >= {e.name for each in met.found for e in each.path.environments}
    assert all(bricks[name].fingerprint == fingerprint for name, fingerprint in met.ran.items())


def test_a_shard_is_invalid_where_a_brick_that_ran_has_changed_or_gone(met: ShardResult) -> None:
    for name in met.ran:
        bricks = dict(pool())
        bricks[name] = replace(bricks[name], statement="Do something else.")
        assert not valid(met, bricks), name
        del bricks[name]
        assert not valid(met, bricks), name


def test_a_shard_is_valid_where_only_bricks_that_did_not_run_have_changed(met: ShardResult) -> None:
    others = [name for name in pool() if name not in met.ran]
    assert len(others) > 50
    bricks = {name: replace(b, statement="Do something else.") if name in others else b for name, b in pool().items()}
    assert valid(met, bricks)
    assert summary(explore(met.shard, CompatibleBricks(bricks, "subtype"), SETTINGS)) == summary(met)


def test_a_shard_is_invalid_where_a_brick_was_added_or_removed_that_it_would_have_been_offered(
    met: ShardResult,
) -> None:
    kinds = [VOCABULARY[name] for name in met.compatible_bricks]
    pattern = next(brick for brick in pool().values() if any(kind.fits(brick.domain) for kind in kinds))
    assert not valid(met, {**pool(), "another_brick": replace(pattern, name="another_brick")})
    offered = [name for name, b in pool().items() if name not in met.ran and any(kind.fits(b.domain) for kind in kinds)]
    assert offered
    assert not valid(met, {name: brick for name, brick in pool().items() if name != offered[0]})


@pytest.mark.parametrize("strategy", ["chains", "balanced", "orders"])
def test_a_shard_that_is_still_valid_would_find_the_same_again(strategy: Any) -> None:
    """Bricks come and go whose domains the shard never met: what it found may not change without its key."""
    settings, kept = replace(SETTINGS, strategy=strategy), 0
    for result in searched(4, settings):
        kinds = [VOCABULARY[name] for name in result.compatible_bricks]
        far = [brick for brick in pool().values() if not any(kind.fits(brick.domain) for kind in kinds)]
        added = [{f"another_{i}": replace(b, name=f"another_{i}") for i, b in enumerate(far[:n])} for n in (1, 25)]
        fewer = {name: brick for name, brick in pool().items() if brick not in far[::2] or name in result.ran}
        for bricks in ({**pool(), **added[0]}, {**pool(), **added[1]}, fewer):
            if valid(result, bricks):
                assert summary(explore(result.shard, CompatibleBricks(bricks, "subtype"), settings)) == summary(
                    result
                ), result.shard
                kept += 1
    assert kept, "one brick more must not make every shard anew"


def test_a_changed_signature_of_an_offered_brick_makes_a_shard_invalid(met: ShardResult) -> None:
    kinds = [VOCABULARY[name] for name in met.compatible_bricks]
    name, brick = next((n, b) for n, b in pool().items() if n not in met.ran and any(k.fits(b.domain) for k in kinds))
    for changes in (
        {"codomain": VOCABULARY["Bool"]},
        {"accepts": lambda x, y: True},
        {"domain": VOCABULARY["BinTree"]},
    ):
        changed: Any = replace(brick, **changes)
        assert not valid(met, {**pool(), name: changed}), changes


def test_edited_bricks_that_were_met_change_what_is_found_somewhere(results: list[ShardResult]) -> None:
    """The cache key is not too wide either: without one brick that ran, at least one shard in sixteen finds less."""
    used = Counter(e.name for result in results for each in result.found for e in each.path.environments)
    name = used.most_common(1)[0][0]
    bricks = {each: brick for each, brick in pool().items() if each != name}
    affected = [each for each in results if name in each.ran and each.shard.start != name]
    assert affected
    assert any(
        summary(explore(each.shard, CompatibleBricks(bricks, "subtype"), SETTINGS)) != summary(each)
        for each in affected
    )


def test_the_rows_of_a_shard_are_plain_data_that_lead_back_to_its_paths(met: ShardResult) -> None:
    rows = rows_of(SETTINGS, met)
    assert json.loads(json.dumps([rows.paths, rows.rejections, rows.record])) == [
        rows.paths,
        rows.rejections,
        rows.record,
    ]
    assert json.loads(rows.record["ran"]) == met.ran
    assert json.loads(rows.record["compatible_bricks"]) == met.compatible_bricks
    for row, each in zip(rows.paths, met.found, strict=True):
        bricks = [get(name) for name in row["environments"]]
        again, _ = trace(bricks, bricks[0].domain.loads(row["start"]))
        assert again == each.path
        assert [b.fingerprint for b in bricks] == row["fingerprints"]
    assert sum(row["extensions"] for row in rows.rejections) == sum(met.rejections.values())
