"""The saved queries of sql/: each against plain Python over the same rows, as a query, as SQL and in the catalogue."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.assets.tables.table_catalog import known_tables, query_context
from races.resources.store.materializations import record_materialization
from races.resources.store.saved_queries import page, saved_queries
from races.resources.store.warehouse import Warehouse
from tests.support.benchmark_oracles import (
    benchmark_cases,
    benchmark_means,
    benchmark_pairs,
    benchmark_table,
    benchmark_truncation,
    paper_table,
)
from tests.support.invented_tables import Invented, invented
from tests.support.query_oracles import (
    Rows,
    brick_scores,
    brick_use,
    bricks_solved_blind,
    duplicates_across_sets,
    generated_problems,
    healthy_paths_by_size,
    heldout_brick_scores,
    last_rebuild,
    latest_materializations,
    lineage,
    many_valid_orders,
    near_duplicates,
    order_problems,
    paths_through,
    prompt_lengths,
    recipes_difference,
    rejections_by_brick,
    rejections_by_reason,
    reward_over_training,
    rows_of_sets,
    training_set_composition,
    training_set_themes,
)

HERE = Path(__file__).parents[2]
NAMED = saved_queries()
Given: TypeAlias = dict[str, Any]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Invented:
    return invented(tmp_path_factory.mktemp("invented"))


FIELDS: dict[str, Any] = {"code_version": "1", "data_version": "v", "rows": 3, "changed": True}
PROBLEM = "problem 096"  # of the recipe races_300
CASES: list[tuple[str, Callable[..., Rows], Given]] = [
    ("benchmark_cases", benchmark_cases, {"first": "micro", "second": "tiny", "benchmark": "ifeval"}),
    (
        "benchmark_cases",
        benchmark_cases,
        {"first": "tiny", "second": "micro", "benchmark": "aime_2024", "question": "question 3"},
    ),
    ("benchmark_means", benchmark_means, {}),
    ("benchmark_pairs", benchmark_pairs, {}),
    ("benchmark_pairs", benchmark_pairs, {"checkpoint": "micro"}),
    ("benchmark_table", benchmark_table, {}),
    ("benchmark_table", benchmark_table, {"data": "mini (invented)", "benchmark": "ifeval", "measure": "score"}),
    ("benchmark_table", benchmark_table, {"subset": "difficulty: hard"}),
    ("benchmark_truncation", benchmark_truncation, {}),
    ("benchmark_truncation", benchmark_truncation, {"checkpoint": "tiny"}),
    ("bricks_solved_blind", bricks_solved_blind, {}),
    ("brick_scores", brick_scores, {}),
    ("brick_scores", brick_scores, {"run": "micro", "from_step": 30}),
    ("brick_use", brick_use, {}),
    ("duplicates_across_sets", duplicates_across_sets, {}),
    ("healthy_paths_by_size", healthy_paths_by_size, {}),
    ("heldout_brick_scores", heldout_brick_scores, {}),
    ("heldout_brick_scores", heldout_brick_scores, {"checkpoint": "tiny"}),
    ("last_rebuild", last_rebuild, {}),
    ("latest_materializations", latest_materializations, {}),
    ("lineage", lineage, {}),
    ("lineage", lineage, {"recipe": "micro_races"}),
    ("lineage", lineage, {"problem": PROBLEM}),
    ("many_valid_orders", many_valid_orders, {}),
    ("many_valid_orders", many_valid_orders, {"operator": "sort", "least": 3}),
    ("near_duplicates", near_duplicates, {"first": "races_300", "second": "individual_300", "similarity": 0.5}),
    ("near_duplicates", near_duplicates, {"first": "races_300", "second": "races_300", "similarity": 0.6}),
    ("order_problems", order_problems, {}),
    ("paper_table", paper_table, {}),
    ("paper_table", paper_table, {"model": "small"}),
    ("paths_through", paths_through, {}),
    ("paths_through", paths_through, {"brick": "reverse"}),
    ("paths_through", paths_through, {"given": "Nat", "gives": "Text"}),
    ("paths_through", paths_through, {"brick": "double", "given": "Text"}),
    ("generated_problems", generated_problems, {}),
    ("prompt_lengths", prompt_lengths, {}),
    ("prompt_lengths", prompt_lengths, {"recipe": "races_300", "most": 70}),
    ("recipes_difference", recipes_difference, {"first": "races_300", "second": "individual_300"}),
    ("rejections_by_brick", rejections_by_brick, {}),
    ("rejections_by_brick", rejections_by_brick, {"brick": "halve"}),
    ("rejections_by_reason", rejections_by_reason, {}),
    ("reward_over_training", reward_over_training, {}),
    ("reward_over_training", reward_over_training, {"run": "micro", "stretch": 7}),
    ("set_rows", rows_of_sets, {}),
    ("training_set_composition", training_set_composition, {}),
    ("training_set_themes", training_set_themes, {}),
]
IDS = [f"{name}-{'-'.join(map(str, given.values()))}" for name, _, given in CASES]


def texts(given: Given) -> list[str]:
    return [f"{name}={value}" for name, value in given.items()]


def rows_of(of: Invented, name: str, given: Given) -> pa.Table:
    return of.warehouse.query(NAMED[name].sql, params=NAMED[name].values(texts(given)), query_context=query_context())


def plain(rows: Iterable[Sequence[Any]], width: int) -> Rows:
    """Rows as tuples of so many columns (when something was made is known to nobody beforehand)."""
    return [tuple(row[:width]) for row in rows]


def test_every_saved_query_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == set(NAMED)


@pytest.mark.parametrize(("name", "oracle", "given"), CASES, ids=IDS)
def test_rows_are_what_loops_over_the_tables_give(
    store: Invented, name: str, oracle: Callable[..., Rows], given: Given
) -> None:
    expected = oracle(store, **given)
    assert expected, "the case has no rows"
    found = [tuple(row.values()) for row in rows_of(store, name, given).to_pylist()]
    if name == "set_rows":  # the only one in no order
        found, expected = sorted(found, key=str), sorted(expected, key=str)
    # When something was made is known to nobody beforehand: it is the last column, which the oracle does not give.
    for one, other in zip(found, expected, strict=True):
        assert [exact(each) for each in one[: len(other)]] == [exact(each) for each in other]
        assert len(one) == len(other) or name in ("last_rebuild", "latest_materializations")


def exact(value: Any) -> Any:
    """A value to compare: sums of floats depend on their order in the last digits."""
    return pytest.approx(value) if isinstance(value, float) else value


@pytest.mark.parametrize("name", NAMED)
def test_a_header_documents_the_columns(store: Invented, name: str) -> None:
    asked = NAMED[name]
    given = next(given for each, _, given in CASES if each == name)
    with store.warehouse.connect(query_context=query_context()) as connection:
        answered = connection.sql(asked.sql, params=asked.values(texts(given)))
        found = [(name, str(kind).lower()) for name, kind in zip(answered.columns, answered.types, strict=True)]
    assert [(each.name, each.type) for each in asked.columns] == found
    assert asked.summary.endswith(".")


@pytest.fixture(scope="module")
def catalog(store: Invented) -> Path:
    return store.warehouse.refresh_catalog(query_context=query_context())


def in_sql(name: str, given: Given) -> str:
    """A saved query as people write it in SQL."""
    named = ", ".join(f"{key} := {value!r}" for key, value in given.items())
    return f"select * from {name}" + (f"({named})" if NAMED[name].parameters else "")


@pytest.mark.parametrize(("name", "oracle", "given"), CASES, ids=IDS)
def test_sql_and_the_catalogue_give_the_same_rows(
    store: Invented, catalog: Path, name: str, oracle: object, given: Given
) -> None:
    expected = sorted(rows_of(store, name, given).to_pylist(), key=str)
    assert (
        sorted(store.warehouse.query(in_sql(name, given), query_context=query_context()).to_pylist(), key=str)
        == expected
    )
    with duckdb.connect(str(catalog), read_only=True) as connection:
        assert sorted(connection.sql(in_sql(name, given)).to_arrow_table().to_pylist(), key=str) == expected


def test_saved_queries_over_tables_that_are_not_there_have_no_rows(tmp_path: Path) -> None:
    nothing = Invented(Warehouse(root=str(tmp_path / "nothing")), {})
    for name, given in {name: given for name, _, given in CASES}.items():
        assert not rows_of(nothing, name, given).num_rows, name
    nothing.warehouse.folder.mkdir()
    with duckdb.connect(
        str(nothing.warehouse.refresh_catalog(query_context=query_context())), read_only=True
    ) as connection:
        assert connection.sql("select * from lineage()").fetchall() == []
        assert connection.sql("select name from skipped_views").fetchall() == []


def test_the_page_of_saved_queries_is_up_to_date() -> None:
    assert (HERE / "docs/queries.md").read_text() == page(NAMED.values()), (
        "python -m races.resources.store.saved_queries writes it"
    )


# The catalogue in people's hands


def races(*arguments: str | Path) -> Any:
    return CliRunner().invoke(main, ["query", *map(str, arguments)], env={"COLUMNS": "200"})


def printed(*arguments: str | Path) -> str:
    result = races(*arguments)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def test_the_command_writes_the_catalogue_anew(tmp_path: Path) -> None:
    warehouse = Warehouse(root=str(tmp_path))
    asked = "select count(*) from rejections_by_reason"
    for rows in (0, 1):
        file = printed("--catalog", "--warehouse", tmp_path).strip()
        with duckdb.connect(file, read_only=True) as connection:
            assert connection.sql(asked).fetchall() == [(rows,)]
        columns = known_tables()["rejected_extensions"]
        warehouse.write("rejected_extensions", pa.table([["a"], ["b"], [0], ["c"], ["d"], [1]], schema=columns))


def test_the_catalogue_answers_while_runs_write(store: Invented, tmp_path: Path) -> None:
    mine = invented(tmp_path / "busy")
    file = mine.warehouse.refresh_catalog(query_context=query_context())
    stop = threading.Event()

    def write() -> None:
        rows = mine.warehouse.read("environments")
        while not stop.is_set():
            mine.warehouse.write("new_table", rows.slice(0, 1))
            record_materialization(mine.warehouse.folder, "numbers", None, run_id="again", **FIELDS)
            mine.warehouse.refresh_catalog(query_context=query_context())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with duckdb.connect(str(file), read_only=True) as opened:
            for _ in range(20):
                assert len(opened.sql("select * from lineage(recipe := 'races_300')").fetchall()) == 30
                with duckdb.connect(str(file), read_only=True) as another:
                    assert len(another.sql("from training_set_composition").fetchall()) > 5
    finally:
        stop.set()
        writer.join()


def test_the_command_line_of_duckdb_opens_the_catalogue(store: Invented, catalog: Path) -> None:
    shell = shutil.which("duckdb", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if shell is None:
        pytest.skip("the duckdb program is not installed: pip install duckdb-cli")
    asked = "select count(*) as n from lineage(recipe := 'races_300')"
    done = subprocess.run([shell, "-readonly", "-csv", str(catalog), asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["n", "30"]
