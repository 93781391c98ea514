"""The questions of sql/: each against plain Python over the same rows, as a query, as SQL and in the catalogue."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.assets.cli.query import token_lengths
from races.assets.tables.table_catalog import known_tables, query_context
from races.environments.errors import RacesError, SettingError
from races.resources.store.materializations import record_materialization
from races.resources.store.saved_queries import page, parse_query, saved_queries
from races.resources.store.warehouse import Warehouse, WarehouseError
from tests.support.asset_runs import whole_graph
from tests.support.invented_tables import Invented, invented
from tests.support.query_oracles import (
    Rows,
    benchmark_cases,
    benchmark_means,
    benchmark_pairs,
    benchmark_table,
    benchmark_truncation,
    brick_scores,
    brick_use,
    bricks_solved_blind,
    duplicates_across_sets,
    grouped,
    healthy_paths_by_size,
    heldout_brick_scores,
    last_rebuild,
    latest_materializations,
    lineage,
    many_valid_orders,
    near_duplicates,
    order_problems,
    paper_table,
    paths_through,
    posed_problems,
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
    ("posed", posed_problems, {}),
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


def answer(of: Invented, name: str, given: Given) -> pa.Table:
    return of.warehouse.query(NAMED[name].sql, params=NAMED[name].values(texts(given)), query_context=query_context())


def plain(rows: Iterable[Sequence[Any]], width: int) -> Rows:
    """Rows as tuples of so many columns (when something was made is known to nobody beforehand)."""
    return [tuple(row[:width]) for row in rows]


def test_every_question_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == set(NAMED)


@pytest.mark.parametrize(("name", "oracle", "given"), CASES, ids=IDS)
def test_an_answer_is_what_loops_over_the_rows_give(
    store: Invented, name: str, oracle: Callable[..., Rows], given: Given
) -> None:
    expected = oracle(store, **given)
    assert expected, "the case asks for nothing"
    found = [tuple(row.values()) for row in answer(store, name, given).to_pylist()]
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
def test_a_header_tells_the_columns_of_the_answer(store: Invented, name: str) -> None:
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
    """A question as people write it in SQL."""
    named = ", ".join(f"{key} := {value!r}" for key, value in given.items())
    return f"select * from {name}" + (f"({named})" if NAMED[name].parameters else "")


@pytest.mark.parametrize(("name", "oracle", "given"), CASES, ids=IDS)
def test_sql_and_the_catalogue_give_the_same_answer(
    store: Invented, catalog: Path, name: str, oracle: object, given: Given
) -> None:
    expected = sorted(answer(store, name, given).to_pylist(), key=str)
    assert (
        sorted(store.warehouse.query(in_sql(name, given), query_context=query_context()).to_pylist(), key=str)
        == expected
    )
    with duckdb.connect(str(catalog), read_only=True) as connection:
        assert sorted(connection.sql(in_sql(name, given)).to_arrow_table().to_pylist(), key=str) == expected


def test_questions_over_tables_that_are_not_there_have_no_rows(tmp_path: Path) -> None:
    nothing = Invented(Warehouse(root=str(tmp_path / "nothing")), {})
    for name, given in {name: given for name, _, given in CASES}.items():
        assert not answer(nothing, name, given).num_rows, name
    nothing.warehouse.folder.mkdir()
    with duckdb.connect(
        str(nothing.warehouse.refresh_catalog(query_context=query_context())), read_only=True
    ) as connection:
        assert connection.sql("select * from lineage()").fetchall() == []
        assert connection.sql("select name from skipped_views").fetchall() == []


def test_the_page_of_questions_is_up_to_date() -> None:
    assert (HERE / "docs/queries.md").read_text() == page(NAMED.values()), (
        "python -m races.resources.store.saved_queries writes it"
    )


# The command


def races(*arguments: str | Path) -> Any:
    return CliRunner().invoke(main, ["query", *map(str, arguments)], env={"COLUMNS": "200"})


def printed(*arguments: str | Path) -> str:
    result = races(*arguments)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def refused(*arguments: str | Path) -> str:
    result = races(*arguments)
    assert result.exit_code == 1, result.output
    return str(result.stderr)


def test_parameters_are_given_by_name(store: Invented) -> None:
    text = printed("paths_through", "--param", "brick=reverse", "--csv", "--warehouse", store.warehouse.folder)
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == [row[0] for row in paths_through(store, "reverse")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["paths_through", "--param", "brik=x"],
            "no parameter 'brik': did you mean brick? it takes brick varchar = null",
        ),
        (["posed", "--param", "brick=x"], "posed has no parameter 'brick': it takes none"),
        (["many_valid_orders", "--param", "least=two"], "expected a bigint as least, got 'two'"),
        (["many_valid_orders", "--param", "least=2", "--param", "least=3"], "expected least once, got '2' and '3'"),
        (["many_valid_orders", "--param", "least"], "expected a parameter as name=value, got 'least'"),
        (["recipes_difference", "--param", "first=x"], "expected a value of second, got none: it takes first varchar,"),
        (["select 1", "--param", "x=1"], "expected --param with the name of a query"),
        (["brik_use", "--describe"], "there is no query 'brik_use': did you mean brick_use"),
    ],
)
def test_what_is_wrong_with_a_parameter_is_said(store: Invented, arguments: list[str], said: str) -> None:
    assert said in refused(*arguments, "--warehouse", store.warehouse.folder)


def test_a_question_describes_itself() -> None:
    text = printed("near_duplicates", "--describe")
    assert text.startswith("near_duplicates: Pairs of different problems")
    assert ["similarity", "double", "0.8", "least", "similarity,", "from", "0", "to", "1"] in map(
        str.split, text.splitlines()
    )
    assert ["first", "varchar", "has", "to", "be", "given", "recipe,", "or", "problem", "set"] in map(
        str.split, text.splitlines()
    )
    assert "other_id" in text
    listed = printed("--list")
    assert all(name in listed for name in NAMED)


def test_tables_that_are_not_there_are_named_beside_an_empty_answer(tmp_path: Path) -> None:
    said = races("reward_over_training", "--csv", "--warehouse", tmp_path)
    assert (said.exit_code, len(said.stdout.splitlines())) == (0, 1)
    assert said.stderr.startswith(
        "rollouts is not there yet and counts as empty; to make it: python -m races.assets.run rollouts"
    )
    # Through the views that a question reads.
    lines = races("select * from set_rows", "--warehouse", tmp_path).stderr.splitlines()
    assert [line.split()[0] for line in lines] == ["problem_sets", "problems", "training_sets"]


HEADER = "-- What.\n-- Takes:\n-- $least bigint = 2: so many\n-- Gives:\n-- n bigint: number\n"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("-- What.\nselect $least as n", r"expected parameters \['least'\] after Takes:, got \[\]"),
        (HEADER + "select 1 as n", r"expected parameters \[\] after Takes:, got \['least'\]"),
        (HEADER.replace("= 2", "= two") + "select $least as n", "expected a bigint as least, got 'two'"),
        (
            HEADER.replace("bigint = 2", "date") + "select $least as n",
            "expected least as varchar, bigint, double, got date",
        ),
        (HEADER.replace(": so many", "") + "select $least as n", "expected a line '\\$name type = default: meaning'"),
    ],
)
def test_a_header_that_is_wrong_is_refused(sql: str, said: str) -> None:
    with pytest.raises(RacesError, match=said):
        parse_query("mine", sql)


# Lengths in tokens


def test_prompts_can_be_measured_in_tokens(store: Invented, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106 (no password)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save(str(tmp_path / "tokenizer.json"))
    measured_in_words(store, tmp_path)


def test_a_tokenizer_counts_whole_batches(store: Invented, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The same with a stand-in for the package, which need not be installed.
    class Words:
        @staticmethod
        def from_file(path: str) -> "Words":
            if not Path(path).read_text():
                raise Exception("EOF")  # noqa: TRY002 (the package does just that)
            return Words()

        def encode_batch(self, given: list[str], add_special_tokens: bool) -> list[SimpleNamespace]:
            assert not add_special_tokens
            return [SimpleNamespace(ids=each.split()) for each in given]

    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Words))  # type: ignore[arg-type]
    (tmp_path / "tokenizer.json").write_text("{}")
    measured_in_words(store, tmp_path)
    (tmp_path / "tokenizer.json").write_text("")
    with pytest.raises(SettingError, match=r"expected a tokenizer of Hugging Face in .*tokenizer.json, .*: EOF"):
        token_lengths(tmp_path)
    with pytest.raises(SettingError, match=r"expected a folder with tokenizer\.json as --tokenizer, got "):
        token_lengths(tmp_path / "none")


def measured_in_words(store: Invented, folder: Path) -> None:
    asked = ["prompt_lengths", "--csv", "--warehouse", store.warehouse.folder]
    lines = [line.split(",") for line in printed(*asked, "--tokenizer", folder).splitlines()[1:]]
    groups = grouped(store.rows["training_sets"], "recipe", "operator", "size").values()
    longest = [max(len(row["prompt"][0]["content"].split()) for row in rows) for rows in groups]
    assert [(line[4], int(line[8])) for line in lines] == [("tokens", each) for each in longest]


def test_a_missing_tokenizer_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(SettingError, match=r"expected the package tokenizers .*: pip install tokenizers"):
        token_lengths(tmp_path)


# Who made what

SAID: dict[str, Any] = {"code_version": "1", "data_version": "v", "rows": 3, "changed": True}


def test_records_of_writers_at_once_are_all_kept(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from races.resources.store.materializations import record_materialization\n"
        "for n in range(20): record_materialization(Path(sys.argv[1]), 'numbers', {'size': '2'},"
        " run_id=f'{sys.argv[2]} {n}', code_version='1', data_version='v', rows=3, changed=True)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(n)], cwd=HERE) for n in range(3)]
    assert [each.wait() for each in writers] == [0, 0, 0]
    rows = Warehouse(root=str(tmp_path)).read("materializations").to_pylist()
    assert sorted(row["run_id"] for row in rows) == sorted(f"{w} {n}" for w in range(3) for n in range(20))
    assert {(row["dataset"], row["part"]) for row in rows} == {("numbers", "size=2")}
    for writer in range(3):
        ours = [row for row in rows if row["run_id"].startswith(f"{writer} ")]
        assert [row["run_id"] for row in sorted(ours, key=lambda row: row["made"])] == [
            f"{writer} {n}" for n in range(20)
        ]


def test_records_that_cannot_be_read_are_left_as_they_are(tmp_path: Path) -> None:
    record_materialization(tmp_path, "numbers", None, run_id="first", **SAID)
    (file,) = tmp_path.rglob("*.parquet")
    file.write_bytes(b"torn")
    with pytest.raises(WarehouseError, match=r"cannot read .*dataset=numbers/data.parquet"):
        record_materialization(tmp_path, "numbers", None, run_id="second", **SAID)
    assert file.read_bytes() == b"torn"


def test_a_row_is_traced_to_the_runs_that_made_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    warehouse = whole_graph(tmp_path_factory).warehouse
    rows = warehouse.query("select * from lineage()", query_context=query_context()).to_pylist()
    assert len(rows) == warehouse.read("training_sets").num_rows
    made = warehouse.read("materializations").to_pylist()
    runs = {(row["dataset"], row["part"]): row["run_id"] for row in made}
    codes = {row["code_version"] for row in made if row["dataset"] == "training_sets"}
    assert len(set(runs.values())) == 11  # one a step; assets of one step share it
    for row in rows:
        assert row["set_run"] == runs["training_sets", f"recipe={row['recipe']}"]
        assert row["problems_run"] == runs["problems", f"operator={row['operator']}"]
        assert row["paths_run"] == (runs["filtered_paths", ""] if row["path_id"] else None)
        assert {row["set_code"]} == codes
        assert (row["problems_code"], row["outdated"]) == ("1", [])
    assert any(row["paths_run"] for row in rows)


# The catalogue in people's hands


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
            record_materialization(mine.warehouse.folder, "numbers", None, run_id="again", **SAID)
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
