"""What is made again, and what is not, when bricks change: an edit must cost what it touches, and give what a search
from nothing gives.
"""

import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from races.environments.composition.frontier import (
    CompatibleBricks,
    SearchSettings,
    Shard,
    Strategy,
    explore,
    still_valid,
)
from races.environments.composition.rows import rows_of
from races.environments.subpools import subpool
from races.environments.types import VOCABULARY
from races.resources.store.warehouse import Warehouse
from tests.support.asset_processes import (
    Result,
    good_runs,
    made_once,
    process,
    receive,
    results_of,
    runs,
    send,
    whole_graph,
)
from tests.support.asset_runs import (
    OWN_THEME,
    SHORT,
    TABLES,
    UNSEEN,
    Place,
    Step,
    all_steps,
    elsewhere,
    hashes,
    pool_step,
    search_step,
    step,
    times,
)
from tests.support.asset_server import DIE_AFTER

NEW_BRICK = '''

@environment()
def fortnight_earlier(day: Date) -> Date:
    """Give the date of fourteen days earlier."""
    return _moved(day, -14)
'''
SEARCHED = ("environments", *TABLES)
Key: TypeAlias = tuple[str, str, int]


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return whole_graph(tmp_path_factory)


@pytest.fixture(scope="session")
def edited(whole: Place, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Everything made again after the helper of one brick was edited, and made from nothing elsewhere."""

    def make(folder: Path) -> list[Result]:
        place = whole.copy(folder)
        place.edit("own", "return day + timedelta(days)", "return day + timedelta(days - 1)")
        return runs(place, *all_steps(workers=1), *elsewhere(folder / "from_nothing", *all_steps(workers=1)))

    return made_once(tmp_path_factory, "edited", make)


def key(row: dict[str, Any]) -> Key:
    return row["search"], row["start_brick"], row["shard_index"]


def trees_that_ran(warehouse: Warehouse, brick: str) -> set[Key]:
    return {key(row) for row in warehouse.read("search_shards").to_pylist() if brick in json.loads(row["ran"])}


def grown_and_kept(result: Result) -> tuple[int, int]:
    said = result["tables"]["discovered_paths"]["metadata"]
    return said["trees_grown"], said["trees_kept"]


def profiled_and_kept(result: Result) -> tuple[int, int]:
    said = result["tables"]["environments"]["metadata"]
    return said["profiled"], said["kept"]


def searched_like_new(place: Place, folder: Path, *steps: Step) -> list[Result]:
    """The results of steps in a place, whose search then has to hold, byte for byte, what one from nothing holds."""
    scratch = folder / "from_nothing"
    results = good_runs(place, *steps, *elsewhere(scratch, pool_step(), search_step()))
    expected = hashes(scratch)
    found = {name: digest for name, digest in hashes(place.store).items() if name.split("/")[0] in SEARCHED}
    assert sorted(found) == sorted(expected)
    assert [name for name in expected if found[name] != expected[name]] == []
    return results


# One brick edited


def test_an_edited_brick_is_profiled_again_and_no_other(whole: Place, edited: Place) -> None:
    result, bricks = results_of(edited)[0], whole.warehouse.read("environments").num_rows
    assert profiled_and_kept(result) == (1, bricks - 1)
    old, new = (
        {row["name"]: row for row in place.warehouse.read("environments").to_pylist()} for place in (whole, edited)
    )
    assert [name for name in new if new[name] != old[name]] == ["week_later"]


def test_only_the_trees_that_ran_an_edited_brick_are_grown_again(whole: Place, edited: Place) -> None:
    ran, trees = trees_that_ran(whole.warehouse, "week_later"), whole.warehouse.read("search_shards").num_rows
    assert 0 < len(ran) < trees / 2
    assert grown_and_kept(results_of(edited)[2]) == (len(ran), trees - len(ran))


@pytest.mark.parametrize("table", TABLES)
def test_the_rows_of_the_other_trees_stay_as_they_were(whole: Place, edited: Place, table: str) -> None:
    ran = trees_that_ran(whole.warehouse, "week_later")
    old, new = (
        [row for row in place.warehouse.read(table).to_pylist() if key(row) not in ran] for place in (whole, edited)
    )
    assert old == new
    assert old
    if table != "rejected_extensions":  # a tree may reject nothing
        assert old != whole.warehouse.read(table).to_pylist()


def test_files_without_a_tree_that_was_grown_again_are_not_touched(whole: Place, edited: Place) -> None:
    ran = {start for _, start, _ in trees_that_ran(whole.warehouse, "week_later")}
    name = "discovered_paths/start_brick={}/data.parquet".format
    others = {part["start_brick"] for part in whole.warehouse.partitions("discovered_paths")} - ran
    assert len(others) > len(ran)
    before, after, contents, now = times(whole.store), times(edited.store), hashes(whole.store), hashes(edited.store)
    assert all(before[name(each)] == after[name(each)] for each in others)
    assert all(contents[name(each)] == now[name(each)] for each in others)
    assert contents[name("week_later")] != now[name("week_later")]


def test_an_edit_fails_no_run_that_follows(edited: Place) -> None:
    # The problems of operators whose turn has not come yet are out of date then, and nobody's fault.
    assert [result["errors"] for result in results_of(edited)] == [[] for _ in results_of(edited)]


def test_the_whole_graph_after_an_edit_is_that_of_a_run_from_nothing(edited: Place) -> None:
    results = results_of(edited)
    trees = edited.warehouse.read("search_shards").num_rows
    assert grown_and_kept(results[len(results) // 2 + 2]) == (trees, 0)
    expected, found = hashes(edited.folder / "from_nothing"), hashes(edited.store)
    assert sorted(found) == sorted(expected)
    assert [name for name in expected if found[name] != expected[name]] == []


def test_no_problem_of_an_edited_brick_is_left(edited: Place) -> None:
    used = "select unnest(environments) as name, unnest(fingerprints) as fingerprint from problems"
    stale = f"select * from ({used}) as used anti join environments using (name, fingerprint)"
    assert edited.warehouse.query(stale).num_rows == 0


# Other changes


def test_a_remark_and_a_new_layout_change_nothing(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "remark")
    place.edit("own", "    return _moved(day, DAYS)", "    # A week.\n    return _moved(\n        day, DAYS\n    )")
    place.edit("own", "def _moved(day: date, days: int) -> date:", "def _moved(day, days):")
    results = good_runs(place, *all_steps(workers=1))
    assert grown_and_kept(results[2]) == (0, whole.warehouse.read("search_shards").num_rows)
    assert profiled_and_kept(results[0]) == (0, whole.warehouse.read("environments").num_rows)
    for made, before in zip(results, results_of(whole), strict=True):
        assert {n: t["version"] for n, t in made["tables"].items()} == {
            n: t["version"] for n, t in before["tables"].items()
        }
        assert not any(each["metadata"]["changed"] for each in made["tables"].values())
    assert times(place.store) == times(whole.store)


def test_a_brick_that_is_added_is_met_as_if_it_had_always_been_there(whole: Place, tmp_path: Path) -> None:
    place, bricks = whole.copy(tmp_path / "added"), whole.warehouse.read("environments").num_rows
    place.theme("own").write_text(place.theme("own").read_text() + NEW_BRICK)
    results = searched_like_new(place, tmp_path, pool_step(), search_step())
    assert profiled_and_kept(results[0]) == (1, bricks)
    assert {"start_brick": "fortnight_earlier"} in place.warehouse.partitions("discovered_paths")


def test_a_brick_that_is_deleted_leaves_no_trace(whole: Place, tmp_path: Path) -> None:
    place, bricks = whole.copy(tmp_path / "deleted"), whole.warehouse.read("environments").num_rows
    place.theme("own").unlink()
    results = searched_like_new(place, tmp_path, pool_step(), search_step())
    assert profiled_and_kept(results[0]) == (0, bricks - 1)
    assert {"start_brick": "week_later"} not in place.warehouse.partitions("discovered_paths")
    assert not (place.store / "discovered_paths/start_brick=week_later").exists()


@pytest.mark.parametrize("strategy", ["balanced", "orders"])
def test_a_tree_that_stays_after_a_brick_was_added_is_the_one_that_would_grow(strategy: Strategy) -> None:
    # In the whole pool, where many bricks compete for the draws. This one leads from dates to words, so that without it
    # walks go elsewhere.
    after = subpool("training")
    before = after.only(*[name for name in after if name != after["weekday_and_month_names"].name])
    old, new = CompatibleBricks(before, "subtype"), CompatibleBricks(after, "subtype")
    settings = SearchSettings(strategy=strategy, longest=5, probes=8)
    stale = []
    for name in sorted(before)[::15]:
        tree = explore(Shard(name, 0), old, settings)
        if still_valid(tree.ran, tree.compatible_bricks, new, VOCABULARY):
            again = explore(Shard(name, 0), new, settings)
            stale += [name] if rows_of(settings, tree) != rows_of(settings, again) else []
    assert stale == []


def test_a_brick_that_is_kept_for_evaluation_stands_nowhere_else(whole: Place) -> None:
    for table in ("discovered_paths", "filtered_paths", "problems", "training_sets"):
        used = f"select distinct unnest(environments) as name from {table}"
        assert not set(UNSEEN) & set(whole.warehouse.query(used)["name"].to_pylist()), table
    offered = whole.warehouse.query("select distinct unnest(distractors) as name from problems")["name"].to_pylist()
    assert offered
    assert not set(UNSEEN) & set(offered)
    assert set(UNSEEN) <= set(whole.warehouse.read("environments")["name"].to_pylist())


def test_the_words_that_inputs_are_drawn_from_belong_to_the_bricks(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "words")
    lexicon = place.code / "environments/types/lexicon.py"
    lexicon.write_text(lexicon.read_text().replace(").split()", ").replace('e', 'u').split()"))
    searched_like_new(place, tmp_path, pool_step(), search_step())


def test_a_grade_that_is_edited_is_in_the_table_afterwards(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "grade")
    place.edit("own", "@environment()", '@environment(grade="advanced")')
    good_runs(place, pool_step())
    grades = {row["name"]: row["grade"] for row in place.warehouse.read("environments").to_pylist()}
    assert grades["week_later"] == "advanced"


def test_more_trees_are_added_to_those_that_are_there(whole: Place, tmp_path: Path) -> None:
    place, trees = whole.copy(tmp_path / "roots"), whole.warehouse.read("search_shards").num_rows
    more, fewer = good_runs(place, search_step(order_roots=2), search_step())
    assert grown_and_kept(more) == (trees // 2, trees)
    assert grown_and_kept(fewer) == (0, trees)
    assert hashes(place.store) == hashes(whole.store)


@pytest.mark.parametrize("table", TABLES[:2])
def test_a_run_that_dies_between_its_tables_does_not_mix_two_searches(whole: Place, tmp_path: Path, table: str) -> None:
    place = whole.copy(tmp_path / "torn")
    with process(place, variables={DIE_AFTER: table}) as running:
        send(running, search_step(**SHORT))
        assert running.wait(timeout=60) == -9
    assert hashes(place.store) != hashes(whole.store)
    good_runs(place, search_step())
    assert hashes(place.store) == hashes(whole.store)


SAME, OTHER = "the same", "another"


@pytest.mark.slow
def test_the_version_of_the_bricks_follows_what_they_are_and_that_of_the_files_every_edit(
    whole: Place, tmp_path: Path
) -> None:
    place, theirs = whole.copy(tmp_path / "sources"), tmp_path / "bricks/theirs.py"
    theirs.parent.mkdir()
    theirs.write_text(OWN_THEME.replace("week_later", "week_after"))
    own, parts = place.theme("own"), place.code / "environments/subpools.json"
    edits: dict[str, tuple[Path, str, str]] = {
        "a remark": (own, "DAYS = 7", "DAYS = 7  # of a week"),
        "a helper that no brick reaches": (own, "DAYS = 7", "DAYS = 7\n\n\ndef unused() -> int:\n    return 1"),
        "a helper": (own, "return day + timedelta(days)", "return day + timedelta(days - 1)"),
        "a grade": (own, "@environment()", '@environment(grade="course")'),
        "a brick of others": (theirs, "DAYS = 7", "DAYS = 8"),
        "a part of the pool": (parts, f'"{UNSEEN[0]}"', '"words_by_length"'),
        "a record": (place.code / "environments/audit/records/blind.csv", ",6,6,", ",5,6,"),
    }
    found, before = {}, observed(place, theirs.parent)
    for name, (file, old, new) in edits.items():
        assert old in file.read_text(), name
        file.write_text(file.read_text().replace(old, new, 1))
        after = observed(place, theirs.parent)
        assert after[1] != before[1], name
        found[name] = SAME if after[0] == before[0] else OTHER
        before = after
    kept = ("a remark", "a helper that no brick reaches")
    assert found == {name: SAME if name in kept else OTHER for name in edits}
    assert observed(place, theirs.parent) == before


def observed(place: Place, bricks: Path) -> tuple[str, str]:
    """The versions of the bricks and of the files, as a new process sees them."""
    with process(place, variables={"RACES_BRICKS": str(bricks)}) as running:
        send(running, step("environment_sources"))
        seen = receive(running)["tables"]["environment_sources"]
        return seen["version"], seen["metadata"]["files"]
