"""What is rebuilt by itself when bricks change: what is out of date, in the order of the graph, and nothing else."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from races.assets.automation import Due
from races.assets.definitions import defs
from tests.support.asset_processes import made_once
from tests.support.asset_runs import OWN_THEME, Place, hashes, new_place
from tests.support.automation_runs import (
    LEVELS,
    MADE,
    OBSERVE,
    Wanted,
    automation,
    look,
    make,
    night,
    notice,
    settle,
    settle_once,
)

pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

STALE = {"do": "stale"}
EDIT = ("own", "return day + timedelta(days)", "return day + timedelta(days - 1)")
EVERYTHING = {name: [""] for name in MADE} | {
    "problems": ["single", "sort"],
    "training_sets": ["individual_analysis"],
}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A graph that people have made, in part: no problems but two partitions, no set but one."""

    def build(folder: Path) -> list[Any]:
        place = new_place(folder, ("dates", "lists"))
        place.theme("own").write_text(OWN_THEME)
        made = automation(place, OBSERVE, *[make(names, key) for names, key in LEVELS])
        assert all(made)
        return made

    return made_once(tmp_path_factory, "automated", build)


@pytest.fixture
def place(built: Place, tmp_path: Path) -> Place:
    shutil.copytree(built.folder / "home", tmp_path / "place/home")
    return built.copy(tmp_path / "place")


def asked(ticks: list[list[Any]]) -> Wanted:
    """All that ticks asked for, each as often as it was asked for."""
    found: Wanted = {}
    for wanted, _ in ticks:
        for name, partitions in wanted.items():
            found.setdefault(name, []).extend(partitions)
    return {name: sorted(partitions) for name, partitions in sorted(found.items())}


def changes_of(place: Place) -> list[tuple[str, str, str]]:
    rows = place.warehouse.query("select * from changes where rebuild = (select max(rebuild) from changes)").to_pylist()
    return [(row["change"], row["old_name"], row["name"]) for row in rows]


# What has a condition


def test_the_sensor_looks_at_what_has_the_condition() -> None:
    graph = defs.resolve_asset_graph()
    sensor = defs.resolve_sensor_def("rebuild_what_changed")
    assert isinstance(sensor, dg.AutomationConditionSensorDefinition)
    conditioned = {key for key in graph.get_all_asset_keys() if graph.get(key).automation_condition}
    assert sensor.asset_selection.resolve(graph) == conditioned
    assert conditioned


def test_the_sensors_and_the_schedule_run_unless_they_are_stopped() -> None:
    for name in ("rebuild_what_changed", "notice_edits"):
        assert defs.resolve_sensor_def(name).default_status is dg.DefaultSensorStatus.RUNNING
    assert defs.resolve_schedule_def("nightly_rebuild").default_status is dg.DefaultScheduleStatus.RUNNING


# Nothing to do


def test_a_graph_that_is_up_to_date_stays_as_it_is_and_what_was_never_made_is_not(place: Place) -> None:
    before = hashes(place.store)
    looks = automation(
        place, STALE, notice(), look(), look(later=90), settle(), night("03:10"), OBSERVE, settle(), STALE
    )
    assert looks == [[], False, {}, {}, [], {}, True, [], []]
    assert hashes(place.store) == before


def test_a_remark_and_a_helper_that_no_brick_reaches_make_nothing_out_of_date(place: Place) -> None:
    place.edit("own", "    return _moved(day, DAYS)", "    # A week.\n    return _moved(\n        day, DAYS\n    )")
    lists = place.theme("lists")
    lists.write_text(lists.read_text() + "\n\ndef _unused(number: int) -> int:\n    return number\n")
    assert automation(place, notice(), OBSERVE, notice(), STALE, settle()) == [True, True, False, [], []]


# One brick edited


def test_an_edited_brick_makes_each_table_again_once_after_all_that_it_is_made_from(place: Place) -> None:
    whole = {name: place.warehouse.read(name).to_pylist() for name in ("environments", "problems", "filtered_paths")}
    place.edit(*EDIT)
    noticed, _, stale, ticks, after, again = automation(place, notice(), OBSERVE, STALE, settle(), STALE, look(90))
    # Types and parts of the pool are made from the bricks themselves, not only from the table of them.
    assert (noticed, stale) == (True, ["environments", "sub_pools", "types"])
    assert all(success for _, success in ticks)
    assert (after, again) == ([], {})
    wanted = [set(wanted) for wanted, _ in ticks]
    assert wanted[0] == {"environments"}
    assert wanted[1] == {"changes", "refused_outputs", "sub_pools", "types", "type_graph", "path_counts"}
    assert wanted[2] == {"discovered_paths", "rejected_extensions", "search_shards"}
    assert wanted[3] == {"filtered_paths", "failed_health_checks"}
    assert wanted[4] == {"problems"}
    assert asked(ticks) == EVERYTHING
    assert changes_of(place) == [("changed", "week_later", "week_later")]

    for name, old in whole.items():
        new = place.warehouse.read(name).to_pylist()
        others = [row for row in old if "week_later" not in (row.get("environments") or [row["name"]])]
        assert others
        if name != "filtered_paths":  # trees that met the brick may lead elsewhere
            assert [row for row in new if row in old] == [row for row in old if row in new]
            assert all(row in new for row in others)
    edited = sum(row["environments"] == ["week_later"] for row in whole["problems"] if row["operator"] == "single")
    last = "from materializations where dataset = $dataset and part = $part order by made desc limit 1"
    for dataset, part, count in (("environments", "", 1), ("problems", "operator=single", edited)):
        sql = f"select rows_new, rows_gone, rows - rows_new as kept {last}"
        (row,) = place.warehouse.query(sql, {"dataset": dataset, "part": part}).to_pylist()
        assert count
        assert (row["rows_new"], row["rows_gone"]) == (count, count)
        assert row["kept"] > count


def test_an_edit_that_changes_no_row_further_down_stops_there(place: Place) -> None:
    place.edit("own", "@environment()", '@environment(grade="course")')
    _, ticks = automation(place, OBSERVE, settle())
    wanted = asked(ticks)
    assert {"environments", "refused_outputs", "discovered_paths", "problems"} <= set(wanted)
    # Paths were searched for again, as a brick might have changed, and are the same: what is made of them alone stays.
    assert not {"filtered_paths", "training_sets"} & set(wanted)


def test_bricks_that_are_added_renamed_and_removed_are_told_as_such(place: Place) -> None:
    added = '\n\n@environment()\ndef fortnight_later(day: Date) -> Date:\n    """Give the date of 14 days later."""\n'
    own = place.theme("own")
    own.write_text(own.read_text() + f"{added}    return _moved(day, 2 * DAYS)\n")
    _, ticks = automation(place, OBSERVE, settle())
    assert changes_of(place) == [("added", "", "fortnight_later")]
    assert asked(ticks) == EVERYTHING
    place.edit("own", "def fortnight_later", "def two_weeks_later")
    _, ticks = automation(place, OBSERVE, settle())
    assert changes_of(place) == [("renamed", "fortnight_later", "two_weeks_later")]
    assert asked(ticks) == EVERYTHING
    own.unlink()
    _, ticks, stale = automation(place, OBSERVE, settle(), STALE)
    assert sorted(changes_of(place)) == [
        ("removed", "two_weeks_later", "two_weeks_later"),
        ("removed", "week_later", "week_later"),
    ]
    assert asked(ticks) == EVERYTHING
    assert stale == []
    left = {name for names in place.warehouse.read("problems")["environments"].to_pylist() for name in names}
    assert not left & {"week_later", "two_weeks_later", "fortnight_later"}


@pytest.mark.slow
def test_an_edit_during_a_rebuild_is_not_lost(place: Place) -> None:
    place.edit(*EDIT)
    automation(place, OBSERVE, make(["environments"]))
    place.edit("own", "timedelta(days - 1)", "timedelta(days - 2)")
    # What was made of the first edit is overtaken before anything is made from it.
    (noticed, _, wanted, _, stale) = automation(place, notice(), OBSERVE, look(), settle(), STALE)
    assert (noticed, wanted, stale) == (True, {"environments": [""]}, [])
    assert changes_of(place) == [("changed", "week_later", "week_later")]


# Failures


def spoil(place: Place, name: str) -> Path:
    """Make a table impossible to write, as a full or broken disk would."""
    folder = place.store / name
    folder.rename(place.folder / f"spoilt {name}")
    folder.write_text("not a folder")
    return folder


def mend(folder: Path, place: Place) -> None:
    folder.unlink()
    (place.folder / f"spoilt {folder.name}").rename(folder)


@pytest.mark.slow
def test_what_failed_is_tried_again_in_an_hour_and_not_before(place: Place) -> None:
    folder = spoil(place, "type_graph")
    place.edit(*EDIT)
    _, ticks, at_once, soon, later, again = automation(
        place, OBSERVE, settle(), look(), look(30), look(61), settle_once(61)
    )
    # What is made from it waits; what is not goes on.
    assert asked(ticks) == {
        name: [""]
        for name in ("changes", "environments", "refused_outputs", "path_counts", "sub_pools", "type_graph", "types")
    }
    assert [success for _, success in ticks] == [True, False]
    assert (at_once, soon, later) == ({}, {}, {"type_graph": [""]})
    assert again == [later, False]
    mend(folder, place)
    ticks, stale = automation(place, settle(61), STALE)
    assert all(success for _, success in ticks)
    assert asked(ticks) == {name: parts for name, parts in EVERYTHING.items() if name in AFTER_TYPE_GRAPH}
    assert stale == []


AFTER_TYPE_GRAPH = {"type_graph", *LEVELS[2][0], *LEVELS[3][0], "problems", "training_sets"}


def test_what_failed_is_tried_again_at_once_when_a_brick_changes(place: Place) -> None:
    # Its profile needs an input that it answers.
    place.edit("own", "return _moved(day, DAYS)", 'raise OutOfDomain("never")')
    place.edit(
        "own",
        "from races.environments.types",
        "from races.environments.errors import OutOfDomain\nfrom races.environments.types",
    )
    _, ticks, again = automation(place, OBSERVE, settle(), look())
    assert (ticks, again) == ([[{"environments": [""]}, False]], {})
    place.edit("own", 'raise OutOfDomain("never")', "return _moved(day, DAYS + 1)")
    noticed, _, ticks, stale = automation(place, notice(), OBSERVE, settle(), STALE)
    assert noticed
    assert asked(ticks) == EVERYTHING
    assert all(success for _, success in ticks)
    assert stale == []


def test_bricks_that_cannot_be_loaded_are_observed_again_when_they_are_mended(place: Place) -> None:
    place.edit("own", '    """Give the date of seven days later."""\n', "")
    assert automation(place, notice(), OBSERVE, notice(), look()) == [True, False, True, {}]
    place.edit(
        "own", "def week_later(day: Date) -> Date:\n", 'def week_later(day: Date) -> Date:\n    """Add a week."""\n'
    )
    _, ticks, stale = automation(place, OBSERVE, settle(), STALE)
    assert asked(ticks) == EVERYTHING
    assert stale == []


# The night


@pytest.mark.slow
def test_the_night_asks_for_the_bricks_and_then_for_what_is_out_of_date(place: Place) -> None:
    place.edit(*EDIT)
    first, _, second, wanted = automation(place, night("03:00"), OBSERVE, night("03:10"), look())
    assert (first, second) == ({"environment_sources": [""]}, {"environments": [""]})
    assert second == wanted
    automation(place, *[make(names, key) for names, key in LEVELS[:4]])
    (third,) = automation(place, night("03:50"))
    assert third == {"problems": ["single", "sort"]}


# Tables of two rows, in this process


def requested(definitions: dg.Definitions, instance: dg.DagsterInstance, later: float = 0) -> set[str]:
    when = datetime.now(UTC) + timedelta(minutes=later)
    found = dg.evaluate_automation_conditions(definitions, instance, evaluation_time=when)
    return {key.to_user_string() for key in definitions.resolve_asset_graph().get_all_asset_keys() if wants(found, key)}


def wants(found: dg.EvaluateAutomationConditionsResult, key: dg.AssetKey) -> bool:
    return bool(found.get_requested_partitions(key))


def two_tables(version: str, code: str = "1", sound: bool = True) -> dg.Definitions:
    """A table, a blocking check of it, and a table that is made from it."""

    @dg.asset(automation_condition=Due(), code_version=code)
    def first() -> dg.MaterializeResult[None]:
        return dg.MaterializeResult(data_version=dg.DataVersion(version))

    @dg.asset_check(asset=first, blocking=True)
    def good() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=sound)

    @dg.asset(automation_condition=Due(), deps=[first], code_version="1")
    def second() -> dg.MaterializeResult[None]:
        return dg.MaterializeResult(data_version=dg.DataVersion("same"))

    return dg.Definitions([first, second], asset_checks=[good])


def materialize(definitions: dg.Definitions, instance: dg.DagsterInstance, *names: str) -> bool:
    job = definitions.resolve_implicit_global_asset_job_def()
    keys = [dg.AssetKey(name) for name in names]
    done = job.execute_in_process(instance=instance, asset_selection=keys, raise_on_error=False)
    return done.success


def test_nothing_is_made_from_a_table_that_a_check_has_refused() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert materialize(two_tables("1"), instance, "first", "second")
        assert requested(two_tables("1"), instance) == set()
        assert not materialize(two_tables("2", sound=False), instance, "first")
        assert requested(two_tables("2"), instance) == set()
        assert requested(two_tables("2"), instance, later=61) == {"first"}
        assert materialize(two_tables("2"), instance, "first")
        assert requested(two_tables("2"), instance) == {"second"}


def test_runs_with_newer_code_than_the_server_do_not_go_round_in_circles() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert materialize(two_tables("1"), instance, "first", "second")
        assert requested(two_tables("1", code="2"), instance, later=61) == {"first"}
        assert materialize(two_tables("1", code="2"), instance, "first")
        assert requested(two_tables("1", code="2"), instance) == set()
        # The server still has the old code.
        assert requested(two_tables("1"), instance) == set()


def test_what_a_run_is_making_is_not_asked_for_again() -> None:
    asked_meanwhile = []
    with dg.DagsterInstance.ephemeral() as instance:

        @dg.asset(automation_condition=Due(), code_version="2")
        def first() -> dg.MaterializeResult[None]:
            asked_meanwhile.append(requested(two_tables("2", code="3"), instance, later=61))
            return dg.MaterializeResult(data_version=dg.DataVersion("2"))

        assert materialize(two_tables("1"), instance, "first", "second")
        assert requested(two_tables("2", code="3"), instance, later=61) == {"first"}
        assert materialize(dg.Definitions([first]), instance, "first")
    assert asked_meanwhile == [set()]
