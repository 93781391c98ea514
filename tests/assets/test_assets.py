"""The asset graph from nothing to training sets: what every table holds, and what is said of it."""

import json
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dagster as dg
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from races.assets.catalog.recipes import RECIPES
from races.assets.checks import cells_are_full
from races.assets.definitions import definitions, defs
from races.assets.defs.datasets.problem_cache import CANDIDATES
from races.assets.tables.columns import arrow_schema
from races.assets.tables.datasets import TrainingSets
from races.assets.tables.table_catalog import MODELS
from races.environments.audit.contract import RULES
from races.resources.store.materializations import MATERIALIZATIONS
from races.resources.store.warehouse import Warehouse
from races.resources.training.rows import VERL
from tests.support.asset_processes import good_runs, results_of, runs, scores, settled, whole_graph
from tests.support.asset_runs import (
    MADE,
    OPERATORS,
    SEARCH,
    UNSEEN,
    Place,
    all_steps,
    audit_step,
    hashes,
    new_place,
    search_step,
    step,
)

# Dagster warns of itself where it takes in an observable source.
pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

FROM_PATHS = ("sequential", "sort", "select")
ALL_THEMES = tuple(file.stem for file in (Path(__file__).parents[2] / "environments/themes").glob("*/[!_]*.py"))


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return whole_graph(tmp_path_factory)


def scalar(warehouse: Warehouse, sql: str) -> Any:
    """The one value that a query gives."""
    ((value,),) = [row.values() for row in warehouse.query(sql).to_pylist()]
    return value


def test_the_definitions_load_and_are_complete() -> None:
    made = definitions("nowhere")
    dg.Definitions.validate_loadable(made)
    graph = made.resolve_asset_graph()
    # Reports are files and no tables.
    keys = [key for key in graph.materializable_asset_keys if graph.get(key).group_name != "reports"]
    tables = {key.to_user_string() for key in keys}
    assert set(MADE) <= tables
    assert tables <= set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_every_asset_says_what_a_row_is(name: str) -> None:
    found = definitions("nowhere").resolve_asset_graph().get(dg.AssetKey(name))
    assert (found.description or "").startswith("One row per ")
    assert found.group_name != "default"
    assert found.code_version


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        # SINGLE and PARALLEL take bricks that may stand in no path, and SELECT offers them: an edit of such a brick
        # leaves filtered_paths as it was.
        ("problems", {"environments", "sub_pools", "filtered_paths"}),
        ("discovered_paths", {"environments", "sub_pools"}),
        # Who is in a part of the pool is no column of environments.
        ("sub_pools", {"environment_sources"}),
    ],
)
def test_an_asset_depends_on_all_that_its_rows_come_from(name: str, needs: set[str]) -> None:
    found = definitions("nowhere").resolve_asset_graph().get(dg.AssetKey(name))
    assert needs <= {key.to_user_string() for key in found.parent_keys}


@pytest.mark.parametrize("name", MADE)
def test_every_table_has_rows_that_fit_their_model(whole: Place, name: str) -> None:
    rows = whole.warehouse.read(name)
    assert rows.num_rows > 0
    MODELS[name].validate(pl.DataFrame(rows))
    columns = arrow_schema(MODELS[name])
    assert {field.name for field in columns} <= set(rows.schema.names)
    if name != "training_sets":
        assert rows.schema.names == [
            *(n for n in columns.names if n not in _dimensions(whole, name)),
            *_dimensions(whole, name),
        ]
    for field in columns:
        assert rows.schema.field(field.name).type == field.type
        assert not rows[field.name].null_count


def _dimensions(place: Place, name: str) -> list[str]:
    return sorted(place.warehouse.partitions(name)[0])


def test_every_materialisation_says_what_is_in_the_table(whole: Place) -> None:
    counts = {}
    for result in results_of(whole):
        for name, made in result["tables"].items():
            said = made["metadata"]
            where = Path(unquote(urlsplit(said["dagster/uri"]).path))
            # A table of several files that was written at once has the address of its folder.
            part = dict(each.split("=") for each in where.relative_to(whole.store / name).parts[:-1])
            rows = whole.warehouse.read(name, part or None)
            # Of a partitioned table the row count is that of all partitions so far.
            assert said["dagster/partition_row_count" if part else "dagster/row_count"] == rows.num_rows
            counts[name] = said["dagster/row_count"]
            assert said["dagster/column_schema"] == rows.schema.names
            assert (said["changed"], len(made["version"])) == (True, 64)
    assert counts == {name: whole.warehouse.read(name).num_rows for name in MADE}


def test_versions_follow_the_content_of_the_file(whole: Place) -> None:
    results = results_of(whole)
    versions = [made["version"] for result in results for made in result["tables"].values()]
    assert len(set(versions)) == len(versions)
    (made,) = results[0]["tables"].values()
    again = whole.warehouse.read("environments")
    assert made["version"] == Warehouse(root=str(whole.folder / "again")).write("environments", again).data_version


def test_generation_reports_what_was_rejected(whole: Place) -> None:
    made = [result["tables"]["problems"]["metadata"] for result in results_of(whole) if "problems" in result["tables"]]
    assert len(made) == len(OPERATORS)
    for operator, said in zip(OPERATORS, made, strict=True):
        assert said["short_of"] >= 0, operator
        assert said["rejected_candidates"].startswith("| reason | candidates |")
    have = whole.warehouse.query("select operator, size, count(*) as rows from problems group by all").to_pylist()
    # A cell without paths of its size stays empty, and what is lacking is said.
    assert all(row["rows"] <= 5 for row in have)
    assert sum(said["short_of"] for said in made) == 5 * 33 - sum(row["rows"] for row in have)


def test_gold_answers_score_one_and_empty_ones_nothing(whole: Place) -> None:
    rows = whole.warehouse.read("problems").to_pylist()
    posed = Counter(row["operator"] for row in rows)
    checks = [result["checks"].get("gold_answers_score_one") for result in results_of(whole)]
    assert [check for check in checks if check] == [
        {"passed": True, "severity": "ERROR", "metadata": {"scored": posed[operator], "wrong": []}}
        for operator in OPERATORS
    ]
    gold = scores(whole, [["", row["answer"], row["truth"]] for row in rows])
    empty = scores(whole, [["", "", row["truth"]] for row in rows])
    assert all(each["score"] == each["acc"] == 1.0 for each in gold)
    assert all(each["score"] == 0.0 and each["unparseable"] == 1.0 for each in empty)


def test_problems_come_from_paths_that_were_kept(whole: Place) -> None:
    taken = ", ".join(f"'{name}'" for name in FROM_PATHS)
    strange = f"operator in ({taken}) and path_id not in (select path_id from filtered_paths)"
    # A path that was posed with another start value has an id of its own; its bricks are a kept path's.
    joined = (
        f"select count(*) from problems where {strange} and "
        "environments not in (select environments from filtered_paths)"
    )
    assert scalar(whole.warehouse, joined) == 0
    assert scalar(whole.warehouse, f"select count(*) from problems where {strange}") == 0
    assert (
        scalar(whole.warehouse, f"select count(*) from problems where path_id <> '' and operator not in ({taken})") == 0
    )


def test_fingerprints_are_those_of_the_pool_everywhere(whole: Place) -> None:
    for table in ("problems", "discovered_paths", "filtered_paths"):
        used = f"select unnest(environments) as name, unnest(fingerprints) as fingerprint from {table}"
        wrong = f"select count(*) from ({used}) as used anti join environments using (name, fingerprint)"
        assert scalar(whole.warehouse, wrong) == 0
        assert scalar(whole.warehouse, f"select count(*) from ({used})") > 0


def test_the_tables_agree_with_one_another(whole: Place) -> None:
    ask = whole.warehouse
    assert scalar(ask, "select count(*) from filtered_paths anti join discovered_paths using (path_id)") == 0
    kept = "select sum(paths)::bigint from failed_health_checks where health_check = 'kept'"
    assert scalar(ask, kept) == ask.read("filtered_paths").num_rows
    counted = "select sum(paths)::bigint from search_shards"
    assert scalar(ask, counted) == ask.read("discovered_paths").num_rows
    trees = (SEARCH["chain_roots"] + SEARCH["order_roots"]) * (ask.read("environments").num_rows - len(UNSEEN))
    assert ask.read("search_shards").num_rows == trees
    adjacent = "select unnest(environments[:-2]) as first, unnest(environments[2:]) as second from discovered_paths"
    assert scalar(ask, f"select count(*) from ({adjacent}) as steps anti join type_graph using (first, second)") == 0
    walks = "select paths from path_counts where matching = 'subtype' and size = 2"
    assert scalar(ask, walks) == ask.read("type_graph").num_rows


# Training sets


def test_a_training_set_has_the_columns_that_verl_reads(whole: Place) -> None:
    files = sorted((whole.store / "training_sets").rglob("*.parquet"))
    schemas = [pq.read_schema(file) for file in files]
    assert [file.parent.name for file in files] == ["recipe=individual_analysis", "recipe=races_analysis"]
    for schema in schemas:
        assert schema.remove_metadata().equals(schemas[0].remove_metadata())
        assert schema.names == VERL.names
        kinds = {name: str(schema.field(name).type) for name in ("data_source", "prompt", "ability", "reward_model")}
        assert kinds == {
            "data_source": "string",
            "prompt": "list<element: struct<role: string, content: string>>",
            "ability": "string",
            "reward_model": "struct<style: string, ground_truth: string>",
        }
        extra = {field.name: str(field.type) for field in schema.field("extra_info").type}
        numbers = dict.fromkeys(("index", "size", "level"), "int64")
        assert extra == numbers | dict.fromkeys(("id", "operator", "path_id"), "string")
    assert pa.concat_tables([pq.read_table(file, partitioning=None) for file in files]).num_rows > 0


def test_the_rows_of_a_training_set_are_problems_and_their_truth_can_be_scored(whole: Place) -> None:
    known = {row["id"]: row for row in whole.warehouse.read("problems").to_pylist()}
    for recipe in ("races_analysis", "individual_analysis"):
        rows = whole.warehouse.read("training_sets", {"recipe": recipe}).to_pylist()
        assert [row["extra_info"]["index"] for row in rows] == list(range(len(rows)))
        for row in rows:
            problem, extra = known[row["id"]], row["extra_info"]
            assert row["prompt"] == [{"role": "user", "content": problem["prompt"]}]
            assert (row["operator"], row["size"]) in RECIPES[recipe].cells()
            assert json.loads(row["reward_model"]["ground_truth"])["operator"] == row["ability"] == problem["operator"]
            assert all(extra[name] == problem[name] for name in ("id", "operator", "size", "level", "path_id"))
            assert row["prompt_characters"] == len(problem["prompt"])
        asked = [[row["data_source"], known[row["id"]]["answer"], row["reward_model"]["ground_truth"]] for row in rows]
        assert {each["score"] for each in scores(whole, asked)} == {1.0}
        assert {each["score"] for each in scores(whole, [[a, "no idea", c] for a, _, c in asked])} == {0.0}


def test_a_training_set_is_shuffled_and_short_cells_are_reported(whole: Place) -> None:
    rows = whole.warehouse.read("training_sets", {"recipe": "races_analysis"}).to_pylist()
    assert [row["operator"] for row in rows] != sorted(row["operator"] for row in rows)
    (made, alone) = (result for result in results_of(whole) if "training_sets" in result["tables"])
    assert made["tables"]["training_sets"]["metadata"]["short_of"] == RECIPES["races_analysis"].total - len(rows)
    assert not made["checks"]["cells_are_full"]["passed"]
    assert made["checks"]["cells_are_full"]["severity"] == "WARN"
    assert "races_analysis: sort of 2 has 5 of 533" in made["checks"]["cells_are_full"]["metadata"]["short"]
    assert "individual_analysis: single of 1 has 5 of 6400" in alone["checks"]["cells_are_full"]["metadata"]["short"]


def set_rows(cells: dict[tuple[str, int], int]) -> pa.Table:
    """Rows of a training set in the columns that its model knows."""
    rows = [
        {"id": f"{cell}{number}", "data_source": "d", "ability": cell[0], "operator": cell[0], "size": cell[1]}
        | {"level": 1, "environments": ["a"], "prompt_characters": 1}
        for cell, count in cells.items()
        for number in range(count)
    ]
    return pa.Table.from_pylist(rows, schema=arrow_schema(TrainingSets))


def full_cells(warehouse: Warehouse) -> dg.AssetCheckResult:
    found = cells_are_full(warehouse)
    assert isinstance(found, dg.AssetCheckResult)
    return found


def test_full_cells_pass_and_a_lacking_row_is_named(tmp_path: Path) -> None:
    warehouse, cells = Warehouse(root=str(tmp_path)), RECIPES["races_analysis"].cells()
    warehouse.write("training_sets", set_rows(cells), {"recipe": "races_analysis"})
    assert full_cells(warehouse).passed
    warehouse.write("training_sets", set_rows(cells | {("sort", 3): 532}), {"recipe": "races_analysis"})
    found = full_cells(warehouse)
    assert not found.passed
    assert found.metadata["short"].value == ["races_analysis: sort of 3 has 532 of 533"]


def test_the_set_of_a_recipe_that_is_gone_breaks_no_check(tmp_path: Path) -> None:
    warehouse, cells = Warehouse(root=str(tmp_path)), RECIPES["races_analysis"].cells()
    warehouse.write("training_sets", set_rows(cells), {"recipe": "races_analysis"})
    warehouse.write("training_sets", set_rows({("sort", 2): 3}), {"recipe": "of_last_year"})
    assert full_cells(warehouse).passed


def test_what_is_on_record_of_a_brick_is_in_its_row(whole: Place) -> None:
    rows = {row["name"]: row for row in whole.warehouse.read("environments").to_pylist()}
    for name in ("solved_blind", "solved_blind_of", "generated_per_second", "scored_per_second"):
        assert rows["run_lengths"][name] > 0
        assert rows["week_later"][name] == 0


# The audit


def test_every_brick_and_rule_has_a_row_and_what_is_broken_is_named(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "audited", store=False)
    place.edit("own", "return _moved(day, DAYS)", "return _moved(day, DAYS).replace(2000, 1, 1)")
    (result,) = good_runs(place, audit_step())
    rows = place.warehouse.read("audits").to_pylist()
    names = place.warehouse.read("audits", columns=["name"])["name"].unique().to_pylist()
    assert [(row["name"], row["rule"]) for row in rows] == [(name, rule) for name in names for rule in RULES]
    assert {"week_later", "run_lengths"} <= set(names)
    broken = {(row["name"], row["rule"]) for row in rows if not row["kept"]}
    assert ("week_later", "answers_vary") in broken
    assert {name for name, _ in broken} == {"week_later"}
    assert all(bool(row["findings"]) == (row["faults"] > 0) == (not row["kept"]) for row in rows)
    assert {row["name"] for row in rows if not row["oracle"]} == {"week_later"}
    said = result["tables"]["audits"]["metadata"]
    assert (said["bricks_that_break_a_rule"], said["without_oracle"], said["left_out_of_the_pool"]) == (1, 1, [])
    check = result["checks"]["no_rule_is_broken"]
    assert (check["passed"], check["metadata"]["count"]) == (False, len(broken))
    assert any(each.startswith("week_later: answers_vary: ") for each in check["metadata"]["broken"])


def test_a_sound_pool_passes_and_one_worker_finds_what_two_find(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "sound", store=False)
    first, second = good_runs(place, audit_step(), audit_step(workers=1))
    assert first["checks"]["no_rule_is_broken"] == second["checks"]["no_rule_is_broken"]
    assert first["checks"]["no_rule_is_broken"]["passed"]
    assert first["tables"]["audits"]["version"] == second["tables"]["audits"]["version"]


def test_the_command_line_audits_the_whole_pool_thoroughly(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "thorough", store=False)
    command = [sys.executable, "-W", "ignore", "-c", "from races.assets.cli import main; main()", "audit", "--thorough"]
    place.edit("own", "return _moved(day, DAYS)", "return _moved(day, DAYS).replace(2000, 1, 1)")
    done = subprocess.run(command, env=settled(place), cwd=place.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert ", with faults: 1, without an oracle: 1, " in done.stdout
    assert "level 2: 400 of 400 answers are the same" in done.stdout


def test_the_audit_of_the_night_is_keyed_by_its_date_and_stopped_at_first() -> None:
    nightly = defs.resolve_schedule_def("nightly_audit")
    assert nightly.default_status is dg.DefaultScheduleStatus.STOPPED
    when = datetime(2026, 3, 1, 3, tzinfo=UTC)
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_schedule_context(instance, scheduled_execution_time=when)
        (request,) = nightly.evaluate_tick(context).run_requests or []
    assert request.run_config["ops"]["audits"]["config"] == {"seed": "2026-03-01"}


# From nothing


def test_the_bytes_depend_on_no_hash_seed_no_number_of_workers_and_no_folder(whole: Place, tmp_path: Path) -> None:
    other = whole.copy(tmp_path / "other", store=False)
    results = good_runs(other, *all_steps(workers=1), hash_seed=1)
    assert hashes(other.store) == hashes(whole.store)
    versions = [[made["version"] for made in result["tables"].values()] for result in results]
    assert versions == [[made["version"] for made in result["tables"].values()] for result in results_of(whole)]


def test_a_store_without_paths_says_what_is_to_be_made(whole: Place, tmp_path: Path) -> None:
    place = whole.copy(tmp_path / "empty", store=False)
    (result,) = runs(place, step("problems", partition="sort"))
    (error,) = result["errors"]
    assert "the warehouse has no dataset 'filtered_paths'" in error
    assert not hashes(place.store)


@pytest.mark.slow
def test_the_whole_pool_makes_every_table(tmp_path: Path) -> None:
    place = new_place(tmp_path / "all", ALL_THEMES)
    steps = all_steps()
    steps[2] = search_step(longest=3, longest_order=3, tries=3)
    results = good_runs(place, *steps)
    assert place.warehouse.datasets() == sorted([*MADE, CANDIDATES, MATERIALIZATIONS])
    assert all(check["passed"] for result in results[4:9] for check in result["checks"].values())
