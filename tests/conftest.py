"""What the tests share: a profile for hypothesis, and paths and rows that are found once in each process."""

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as File
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from races.environments import pool, registry
from races.environments.composition.frontier import CompatibleBricks, Found, SearchSettings, Shard, explore
from races.environments.composition.quality import HealthSettings
from races.environments.errors import SettingError
from races.environments.isolation.guard import Guard, shared_guard
from races.environments.operators import AnswerStyle, Problem, Rejected, parallel, select, sequential, single, sort
from races.environments.registry import Pool
from races.environments.types import LEVELS
from races.resources.processes.interpreter import interpreter

# For the interpreter that trains, which has torch and verl and no Dagster; they have a configuration of their own.
collect_ignore = ["training_env"]

# A shell starts a command in the background without interrupts, and processes inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "races",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("races")


@pytest.fixture(scope="session")
def training_python() -> str:
    """The interpreter that trains; where there is none, what needs it is skipped and says why."""
    try:
        return interpreter()
    except SettingError as error:
        pytest.skip(str(error))


# Modules whose fixtures take ten seconds and more: a made store, a trained model, a server.
SHARING = {
    "tests/assets/test_asset_processes.py",
    "tests/assets/test_automation.py",
    "tests/assets/test_rebuild.py",
    "tests/docs/test_site.py",
    "tests/evaluation/test_benchmark_assets.py",
    "tests/evaluation/test_transformers_server.py",
    "tests/training/test_training_assets.py",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give tests that share what takes long to make to one process, and first; all others to whichever is free."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            return "browser" if module.startswith("tests/browser/") else module if module in SHARING else nodeid

    return Together(config, log)


@pytest.fixture(scope="session", autouse=True)
def _no_guard_is_left() -> Iterator[None]:
    """End the process that scorers share, so that none is left running."""
    yield
    shared_guard().close()


@pytest.fixture(scope="session")
def offers() -> CompatibleBricks:
    """The compatible bricks of the whole pool, under subtype matching."""
    return CompatibleBricks(pool(), "subtype")


@pytest.fixture(scope="session")
def found(offers: CompatibleBricks) -> list[Found]:
    """Paths of 2 to 6 bricks from shards of many start bricks, at every level."""
    names = sorted(pool())[::9]
    searched: list[Found] = []
    for number, name in enumerate(names):
        small = SearchSettings(longest=6, probes=8, health=HealthSettings(distinct=4), seed="tests")
        if number % 2:
            small = replace(small, strategy="orders")
        searched += explore(Shard(name, number % 5), offers, small).found
    return sorted(searched, key=lambda each: each.path.id)


@pytest.fixture(scope="session")
def rows(offers: CompatibleBricks, found: list[Found]) -> list[Problem]:
    """Problems of every operator in both styles: SINGLE of every brick, about forty of each of the others."""
    problems: list[Problem] = []
    bricks = list(pool().values())
    for number, brick in enumerate(bricks):
        problems.append(single.pose(brick, Random(f"row {brick.name}"), LEVELS[number % 5], _style(number)))
    for number in range(40):
        rng = Random(f"parallel row {number}")
        problems.append(parallel.pose(rng.sample(bricks, 2 + number % 5), rng, LEVELS[number % 5], _style(number)))
    for number, each in enumerate(found[:60]):
        problems.append(sequential.pose(each.path, each.level, each.steps, _style(number)))
    for name in ("sort", "select"):
        many = _ordered(name, found, offers)
        problems += [row for row, _ in zip(many, range(40), strict=False)]
    return problems


def _style(number: int) -> AnswerStyle:
    return "boxed" if number % 2 else "tags"


def _ordered(operator: str, found: list[Found], offers: CompatibleBricks) -> Iterator[Problem]:
    for number, each in enumerate(found):
        rng = Random(f"{operator} row {each.path.id}")
        problem: Problem | Rejected
        if operator == "sort":
            problem = sort.pose(each.path, rng, each.level, each.steps, _style(number))
        else:
            problem = select.pose(each.path, offers, rng, each.level, each.steps, _style(number))
        if isinstance(problem, Problem):
            yield problem


@pytest.fixture
def guard() -> Iterator[Guard]:
    """A guard as scorers use it."""
    made = Guard()
    yield made
    made.close()


@pytest.fixture
def hasty() -> Iterator[Guard]:
    """A guard with a short time limit."""
    made = Guard(seconds=0.5)
    yield made
    made.close()


@pytest.fixture
def wider_pool(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    """The pool with the bricks for tests in it, as if an installed package brought them."""
    folder = tmp_path / "bricks_for_tests-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: bricks-for-tests\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[races.environments]\nbricks = tests.support.bricks_for_tests\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    _forget_the_pool()
    yield pool()
    _forget_the_pool()


def _forget_the_pool() -> None:
    pool.cache_clear()
    registry._loaded.cache_clear()
