"""The asset graph and other processes: backfills, several runs at once, runs that are killed, queries meanwhile,
settings that make no sense and bricks that hang.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.asset_processes import (
    Process,
    answered,
    good_runs,
    group,
    process,
    receive,
    send,
    settled,
    whole_graph,
)
from tests.support.asset_runs import (
    OPERATORS,
    SHORT,
    TABLES,
    Place,
    Step,
    filter_step,
    hashes,
    new_place,
    problems_step,
    search_step,
    times,
)

# Dagster has no public way to run a backfill without its daemon, so this is what the daemon itself does.
BACKFILL = """
import json, logging, sys, time
import dagster as dg
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.test_utils import instance_for_test
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.backfill import execute_backfill_iteration

here = {"module": "dagster._core.launcher.sync_in_memory_run_launcher", "class": "SyncInMemoryRunLauncher"}
at_once = {"module": "dagster._core.run_coordinator", "class": "DefaultRunCoordinator"}
with (
    instance_for_test(overrides={"run_launcher": here, "run_coordinator": at_once}) as instance,
    WorkspaceProcessContext(instance, ModuleTarget("races.assets.definitions", None, ".", "races")) as context,
):
    backfill = PartitionBackfill.from_asset_partitions(
        asset_graph=context.create_request_context().asset_graph, backfill_id="problems", tags={},
        backfill_timestamp=time.time(), asset_selection=[dg.AssetKey("problems")], partition_names=None,
        dynamic_partitions_store=instance, all_partitions=True, title=None, description=None,
        run_config={"ops": {"problems": {"config": json.loads(sys.argv[1])}}},
    )
    instance.add_backfill(backfill)
    while instance.get_backfill("problems").status == BulkActionStatus.REQUESTED:
        list(execute_backfill_iteration(context, logging.getLogger("backfill")))
    print(instance.get_backfill("problems").status.name, len(instance.get_runs()), "runs")
"""


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return whole_graph(tmp_path_factory)


@pytest.fixture
def place(whole: Place, tmp_path: Path) -> Place:
    return whole.copy(tmp_path / "place")


def without(store: Path, name: str) -> dict[str, str]:
    """The hashes of all files but those of one table."""
    return {file: digest for file, digest in hashes(store).items() if file.split("/")[0] != name}


def visible(place: Place) -> dict[str, str]:
    """The hashes of the files that readers see."""
    return {file: digest for file, digest in hashes(place.store).items() if ".writing-" not in file}


def test_a_backfill_of_all_operators_writes_one_file_each_and_nothing_else(place: Place, whole: Place) -> None:
    # Other problems than the stored ones, so that each run has something to write.
    before = times(place.store)
    config = '{"per_cell": 4, "workers": 1}'
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BACKFILL, config],
        cwd=place.folder,
        env=settled(place, variables={"RACES_WAREHOUSE": str(place.store)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"COMPLETED_SUCCESS {len(OPERATORS)} runs" in done.stdout, done.stderr[-3000:]
    files = {f"problems/operator={operator}/data.parquet" for operator in OPERATORS}
    after = times(place.store)
    assert sorted(after) == sorted(before)
    assert {file for file in after if after[file] != before[file]} == files
    counts = place.warehouse.query("select operator, size, count(*) as rows from problems group by all").to_pylist()
    assert {row["operator"] for row in counts} == set(OPERATORS)
    assert all(row["rows"] <= 4 for row in counts)
    assert without(place.store, "problems") == without(whole.store, "problems")


def test_two_runs_at_once_leave_each_partition_whole(place: Place, whole: Place) -> None:
    for file in (place.store / "problems").rglob("*.parquet"):
        file.unlink()
    with process(place) as first, process(place) as second:
        for steps in (
            (problems_step("parallel"), problems_step("single")),
            (problems_step("sort"),) * 2,
            (problems_step("select"), search_step()),
        ):
            for running, asked in zip((first, second), steps, strict=True):
                send(running, asked)
            assert [receive(running)["errors"] for running in (first, second)] == [[], []]
    expected = {name: digest for name, digest in hashes(whole.store).items() if "operator=sequential" not in name}
    assert hashes(place.store) == expected


# Killed runs


def wait_for(happens: Callable[[], object], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def killed(running: Process) -> None:
    """Kill a run alone; its workers have to find out by themselves."""
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    wait_for(lambda: not group(running.pid), 15)


@contextmanager
def marking(place: Place) -> Iterator[Path]:
    """A file that a brick of this place makes when it runs, until the block ends."""
    mark, good = place.folder / "mark", place.theme("own").read_text()
    body = "    return _moved(day, DAYS)"
    place.edit("own", body, f'    open({str(mark)!r}, "w").close()\n{body}')
    yield mark
    place.theme("own").write_text(good)


def test_a_run_that_is_killed_while_it_searches_leaves_old_data_and_no_process(place: Place, whole: Place) -> None:
    with marking(place) as mark, process(place) as running:
        send(running, search_step(seed="other"))
        wait_for(mark.exists)
        killed(running)
    assert hashes(place.store) == hashes(whole.store)
    together = "select count(*) as n from discovered_paths join search_shards using (search, start_brick, shard_index)"
    assert place.warehouse.query(together)["n"].to_pylist() == [whole.warehouse.read("discovered_paths").num_rows]
    more, again = good_runs(place, search_step(order_roots=2), search_step())
    assert more["tables"]["discovered_paths"]["metadata"]["trees_kept"] > 0
    assert again["tables"]["discovered_paths"]["metadata"]["trees_grown"] == 0
    assert hashes(place.store) == hashes(whole.store)


def test_a_run_that_is_killed_while_it_poses_leaves_the_old_problems(place: Place, whole: Place) -> None:
    def unfinished() -> list[Path]:
        return list((place.store / "problems").glob(".writing-*/**/*.parquet"))

    with marking(place) as mark, process(place) as running:
        send(running, problems_step("single", seed="other", per_cell=500, workers=1))
        wait_for(mark.exists)
        killed(running)
    assert unfinished()
    assert visible(place) == hashes(whole.store)
    assert place.warehouse.partitions("problems") == whole.warehouse.partitions("problems")
    assert place.warehouse.read("problems").equals(whole.warehouse.read("problems"))
    good_runs(place, problems_step("single"))
    assert hashes(place.store) == hashes(whole.store)


# Queries


@pytest.mark.slow
def test_queries_see_whole_tables_while_runs_write(place: Place, whole: Place) -> None:
    """Every answer is that of the stored tables before or after a run, for each file."""
    paths = "select start_brick, list(path_id order by path_id) as ids from discovered_paths group by start_brick"
    kept = "select count(*) as rows, count(distinct path_id) as ids, sum(size)::bigint as bricks from filtered_paths"
    posed = "select operator, list(id order by id) as ids from problems group by operator"
    seen: dict[str, set[Any]] = {paths: set(), kept: set(), posed: set()}

    def ask() -> None:
        for sql, rows in seen.items():
            rows |= {tuple(map(str, row.values())) for row in place.warehouse.query(sql).to_pylist()}

    ask()
    strict = {"sensitivity": 1.0}
    steps = [filter_step(**(strict if number % 2 else {})) for number in range(9)]
    steps += [search_step(**SHORT), problems_step("single", seed="other"), search_step(), problems_step("single")]
    known = {sql: set(rows) for sql, rows in seen.items()}
    answers, trees = 0, place.warehouse.read("search_shards").num_rows
    with process(place) as running:
        for number, each in enumerate(steps):
            send(running, each)
            while not answered(running, 0.02):
                ask()
                answers += 1
            result = receive(running)
            assert not result["errors"]
            if each["assets"] == TABLES:  # other settings grow every tree
                said = result["tables"]["discovered_paths"]["metadata"]
                assert (said["trees_grown"], said["trees_kept"]) == (trees, 0)
            if number in (1, 9, 10):  # what is there while nothing is written
                for sql, rows in known.items():
                    rows |= {tuple(map(str, row.values())) for row in place.warehouse.query(sql).to_pylist()}
    assert answers > 20
    for sql, rows in seen.items():
        assert rows <= known[sql]
        assert len(rows) > 1
    assert hashes(place.store) == hashes(whole.store)


# Settings

WRONG: dict[str, Step] = {
    "matching": search_step(matching="nearly"),
    "filters": search_step(filters="none"),
    "chain_roots": search_step(chain_roots=0),
    "longest": search_step(longest=0),
    "tries": search_step(tries=-1),
    "probes": search_step(probes=-1),
    "workers": search_step(workers=-1),
    "alive": filter_step(alive=2),
    "distinct": filter_step(distinct=-1),
    "redundant_steps": filter_step(redundant_steps=-1),
    "per_cell": problems_step("single", per_cell=-1),
    "answer_style": problems_step("single", answer_style="shouted"),
    "unheard_of": problems_step("single", unheard_of=1),
}


@pytest.fixture(scope="module")
def refusing(whole: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Process]]:
    """A process over a copy of the whole graph, for runs that must not change it."""
    copy = whole.copy(tmp_path_factory.mktemp("refusing") / "place")
    with process(copy) as running:
        yield copy, running


@pytest.mark.parametrize("setting", WRONG)
def test_a_setting_that_makes_no_sense_is_named_and_old_data_stay(
    refusing: tuple[Place, Process], whole: Place, setting: str
) -> None:
    place, running = refusing
    send(running, WRONG[setting])
    errors = receive(running)["errors"]
    assert hashes(place.store) == hashes(whole.store)
    assert len(errors) == 1
    assert setting in errors[0]
    (value,) = (each for name, each in next(iter(WRONG[setting]["ops"].values()))["config"].items() if name == setting)
    assert str(value) in errors[0]


# Bricks that hang

HANGING = '''"""Numbers, one of whose bricks takes for ever on odd ones, inside C code."""

import re
from random import Random

from races.environments import environment
from races.environments.types import Nat


def even_number(rng: Random, level: int) -> int:
    """Draw an even number."""
    return 2 * rng.randint(5, 400 * level)


@environment(sample=even_number)
def slow_number(number: Nat) -> Nat:
    """Add five to the number."""
    if number % 2:
        re.match(r"(a+)+$", "a" * 60 + "b")
    return number + 5


@environment()
def doubled_number(number: Nat) -> Nat:
    """Double the number and add two."""
    return 2 * number + 2
'''
ODD = '''

@environment()
def odd_number(number: Nat) -> Nat:
    """Double the number and add one."""
    return 2 * number + 1
'''


def hanging(folder: Path, more: str = "") -> Place:
    """A place whose only bricks are those."""
    made = new_place(folder, ())
    made.theme("hanging").write_text(HANGING + more)
    return made


def test_a_brick_that_hangs_costs_a_worker_and_is_rejected_for_time(tmp_path: Path) -> None:
    places = [hanging(tmp_path / name, ODD) for name in ("two", "one")]
    with process(places[0]) as two, process(places[1], hash_seed=1) as one:
        send(two, search_step(**SHORT, probes=1, workers=2))
        send(one, search_step(**SHORT, probes=1, workers=1))
        assert [receive(each)["errors"] for each in (two, one)] == [[], []]
    late = "select distinct start_brick, environment, reason from rejected_extensions"
    expected = {"start_brick": "odd_number", "environment": "slow_number", "reason": "time"}
    assert places[0].warehouse.query(late).to_pylist() == [expected]
    found = places[0].warehouse.query("select distinct start_brick from discovered_paths order by all")
    assert found["start_brick"].to_pylist() == ["doubled_number", "odd_number", "slow_number"]
    assert hashes(places[0].store) == hashes(places[1].store)


@pytest.mark.slow
def test_a_brick_that_hangs_when_a_step_is_left_out_does_not_hang_the_search(tmp_path: Path) -> None:
    # The path "doubled, slow" is healthy; without its first step the second one would meet odd numbers.
    place = hanging(tmp_path / "place")
    with process(place) as running:
        send(running, search_step(**SHORT, chain_roots=5, workers=1))
        assert not receive(running, 90)["errors"]
    assert place.warehouse.read("discovered_paths").num_rows > 0


@pytest.mark.slow
def test_a_brick_that_hangs_does_not_hang_the_posing_of_problems(tmp_path: Path) -> None:
    place = hanging(tmp_path / "place")
    place.edit("hanging", "return 2 * rng.randint(5, 400 * level)", "return 2 * rng.randint(5, 400) + (level == 5)")
    with process(place) as running:
        send(running, problems_step("single", workers=1))
        assert not receive(running, 90)["errors"]
    assert place.warehouse.read("problems").num_rows == 5
