"""Cards of training sets as a hub reads them, and the report as one page that loads nothing."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import datasets
import duckdb
import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner
from huggingface_hub import DatasetCard
from lxml import html
from markdown_it import MarkdownIt

from races.assets.catalog.recipes import RECIPES
from races.assets.cli import main
from races.assets.definitions import definitions
from races.assets.defs.reports.dataset_cards import card, without_front_matter
from races.assets.defs.reports.report import LAST
from races.assets.defs.reports.report_sections import SECTIONS
from races.assets.tables.table_catalog import known_tables
from races.resources.store.warehouse import Warehouse
from tests.support.invented_tables import invented

pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}
HOSTILE = "<script>alert('x')</script> & \"quoted\" | <img src=http://example.org/x.png>"
PARQUET = "data/train-00000-of-00001.parquet"


def made(root: Path, asset: str, key: str | None = None, config: dict[str, Any] | None = None) -> Any:
    job = definitions(str(root)).resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(
            run_config={"loggers": QUIET, "ops": {asset: {"config": config}} if config else {}},
            instance=instance,
            asset_selection=[dg.AssetKey(asset)],
            partition_key=key,
            raise_on_error=False,
        )
    failures = [event.step_failure_data.error.to_string() for event in result.all_events if event.is_step_failure]
    assert not failures, failures[0]
    (event,) = [each for each in result.all_events if each.is_step_materialization]
    return event.step_materialization_data.materialization


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with a small training set, whose card has been made."""
    folder = tmp_path_factory.mktemp("reports")
    root = folder / "warehouse"
    made(root, "problem_sets", "micro", {"per_cell": 30, "workers": 2})
    made(root, "training_sets", "micro_races")
    card = made(root, "training_set_cards", "micro_races")
    assert card.metadata["path"].value == str(folder / "reports" / "training_sets" / "micro_races")
    assert card.metadata["preview"].value.startswith("\n# RACES micro_races\n")
    return folder


@pytest.fixture
def exported(place: Path) -> Path:
    return place / "reports" / "training_sets" / "micro_races"


def table_after(text: str, title: str) -> list[list[str]]:
    """The cells of the first Markdown table after a title, without its head."""
    lines = text.split(title, 1)[1].lstrip(":\n ").splitlines()
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[2:]


def test_the_counts_of_a_card_are_those_of_its_rows_in_sql(exported: Path) -> None:
    text = (exported / "README.md").read_text()
    sql = f"select operator, size, count(*) from '{exported / PARQUET}' group by all order by all"
    counted = [[str(value) for value in row] for row in duckdb.sql(sql).fetchall()]
    assert len(counted) == 3
    assert table_after(text, "By operator and size") == counted
    sql = (
        f"select brick, count(distinct id) from (select id, unnest(environments) as brick from '{exported / PARQUET}') "
    )
    used = duckdb.sql(f"{sql} group by all").fetchall()
    listed = {row[0]: int(row[3]) for row in table_after(text, "in how many rows each stands</summary>")}
    assert listed == dict(used)
    ((rows,),) = duckdb.sql(f"select count(*) from '{exported / PARQUET}'").fetchall()
    assert f"\n{rows} problems for reinforcement learning" in text
    assert f"1,600 rows asked for, {rows} there" in text
    assert f"\n- {1600 - rows} rows are lacking" in text
    assert "| seeds of the problems | `races micro` |" in text
    assert "None of its bricks is of `heldout_40`" in text


def test_the_front_matter_of_a_card_is_what_the_hub_reads(exported: Path, tmp_path: Path) -> None:
    card = DatasetCard.load(exported / "README.md")
    said = yaml.safe_load(card.content.split("---\n")[1])
    assert (said["license"], said["language"], said["task_categories"]) == ("apache-2.0", ["en"], ["text-generation"])
    assert said["size_categories"] == ["n<1K"]
    assert (exported / said["configs"][0]["data_files"][0]["path"]).is_file()
    # The library of the hub reads the features from the card; the file would be refused if it had others.
    loaded = datasets.load_dataset(str(exported), split="train", cache_dir=str(tmp_path))
    plain = datasets.Dataset.from_parquet(str(exported / PARQUET), cache_dir=str(tmp_path / "plain"))
    info = datasets.info.DatasetInfo._from_yaml_dict(said["dataset_info"])
    assert info.features == plain.features == loaded.features
    (split,) = said["dataset_info"]["splits"]
    assert (split["name"], split["num_examples"]) == ("train", len(plain))
    assert split["num_bytes"] == pytest.approx(plain.data.nbytes, rel=0.01)
    assert said["dataset_info"]["download_size"] == (exported / PARQUET).stat().st_size


def test_the_same_rows_make_the_same_card_and_an_earlier_export_is_replaced(place: Path, exported: Path) -> None:
    before = {file: file.read_bytes() for file in (exported / "README.md", exported / PARQUET)}
    made(place / "warehouse", "training_set_cards", "micro_races")
    assert {file: file.read_bytes() for file in before} == before
    assert sorted(each.name for each in exported.iterdir()) == ["README.md", "data"]


def test_a_set_is_exported_from_the_command_line(place: Path, exported: Path, tmp_path: Path) -> None:
    def races(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["export", *arguments, "--warehouse", str(place / "warehouse")])

    assert races("micro_races", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out/README.md").read_bytes() == (exported / "README.md").read_bytes()
    assert "did you mean micro_races" in races("micro_race", str(tmp_path / "other")).stderr
    assert "has no partition recipe=races_300" in races("races_300", str(tmp_path / "other")).stderr
    (tmp_path / "out/thesis.tex").write_text("mine")
    assert "with thesis.tex" in races("micro_races", str(tmp_path / "out")).stderr
    assert (tmp_path / "out/thesis.tex").read_text() == "mine"


def test_every_recipe_has_a_card_in_the_graph() -> None:
    graph = definitions("anywhere").resolve_asset_graph()
    assert set(graph.get(dg.AssetKey("training_set_cards")).partitions_def.get_partition_keys()) == set(RECIPES)
    read = {name for section in SECTIONS for block in section.blocks for name in block.tables}
    assert set(LAST) | read <= {key.to_user_string() for key in graph.get_all_asset_keys()}


# The report


def some_rows(name: str, *rows: dict[str, Any]) -> pa.Table:
    """Rows in the columns of a table, with nothing in those that are not given."""
    nothing = {pa.string(): "", pa.int64(): 1, pa.float64(): 0.5, pa.bool_(): True}
    schema = known_tables()[name]
    filled = [{field.name: row.get(field.name, nothing.get(field.type, [])) for field in schema} for row in rows]
    return pa.Table.from_pylist(filled, schema=schema)


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Any]:
    """A warehouse of invented tables with hostile texts, its report, and what Dagster was told of it."""
    root = tmp_path_factory.mktemp("report") / "warehouse"
    warehouse = invented(root).warehouse
    bricks = warehouse.read("environments").to_pylist()
    bricks[0] |= {"statement": HOSTILE, "domain": "Nat", "codomain": "IntList"}
    warehouse.write("environments", some_rows("environments", *bricks))
    run = {"run": "micro", "base": "tiny", "recipe": "micro_races", "parameters": 867_000, "backend": "torch"}
    large = run | {"run": "paper_14b", "parameters": 14_000_000_000, "backend": "verl"}
    warehouse.write("checkpoints", some_rows("checkpoints", run, large))
    steps = [{"run": name, "step": step, "reward": step / 9} for name in ("micro", "paper_14b") for step in range(1, 9)]
    warehouse.write("training_runs", some_rows("training_runs", *steps))
    rows = [
        {"checkpoint": name, "unseen": "inputs", "grain": "all problems", "operator": None, "size": None}
        for name in ("micro", "paper_14b")
    ]
    warehouse.write("heldout_differences", some_rows("heldout_differences", *rows))
    told = made(root, "report")
    return root, Path(told.metadata["path"].value).read_text(), told


def section(page: str, name: str) -> Any:
    (found,) = html.fromstring(page).xpath(f"//section[@id='{name}']")
    return found


def cells(part: Any, title: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    (body,) = part.xpath(f".//h3[text()='{title}']/following::tbody[1]")
    return [[cell.text_content() for cell in row.xpath("./td")] for row in body.xpath("./tr")]


def test_the_report_has_its_sections_and_loads_nothing(reported: tuple[Path, str, Any]) -> None:
    root, page, told = reported
    assert Path(told.metadata["path"].value) == root.parent / "reports" / "report.html"
    tree = html.fromstring(page)
    ids = [each.get("id") for each in tree.xpath("//section")]
    assert ids == ["pool", "space", "training-sets", "dynamics", "held-out", "benchmarks"]
    assert [each.get("href") for each in tree.xpath("//*[@href]")] == [f"#{each}" for each in ids]
    sources = [each.get("src") for each in tree.xpath("//*[@src]")]
    assert len(sources) >= 4
    assert all(each.startswith("data:image/svg+xml;base64,") for each in sources)
    assert "@import" not in page
    assert "url(" not in page
    assert "## The pool" in told.metadata["preview"].value


def test_hostile_text_is_shown_and_is_no_markup(reported: tuple[Path, str, Any]) -> None:
    _, page, _ = reported
    tree = html.fromstring(page)
    assert tree.xpath("//script") == []
    assert HOSTILE in [cell for row in cells(section(page, "pool"), "All bricks") for cell in row]
    assert "<script" not in page


def test_figures_of_the_report_are_those_of_sql(reported: tuple[Path, str, Any]) -> None:
    root, page, _ = reported
    shown = {
        tuple(row[:2]): int(row[4]) for row in cells(section(page, "training-sets"), "Rows by recipe and operator")
    }
    stored = Warehouse(root=str(root)).read("training_sets").to_pylist()
    assert shown == Counter((row["recipe"], row["operator"]) for row in stored)
    scores = cells(section(page, "benchmarks"), "Scores")
    sql = "select count(*) as n from benchmark_scores where measure = 'score' and subset = 'all'"
    assert len(scores) == Warehouse(root=str(root)).query(sql)["n"][0].as_py()


def test_what_means_little_says_so_on_the_same_line(reported: tuple[Path, str, Any]) -> None:
    _, page, _ = reported
    scores = cells(section(page, "benchmarks"), "Scores")
    mini = [row for row in scores if row[1] in ("tiny", "micro")]
    assert len(mini) == 4
    assert all(row[0].startswith("mini (invented), not to be compared") for row in mini)
    for part, title in (("dynamics", "Runs"), ("held-out", "Differences from the base model")):
        said = {row[0]: row[-1] for row in cells(section(page, part), title)}
        assert said == {"micro": "at CPU size: says nothing of models of a practical size", "paper_14b": ""}
    (small, large) = section(page, "dynamics").xpath(".//img/@alt")
    assert "at CPU size" in small
    assert "at CPU size" not in large


def test_the_same_tables_make_the_same_bytes(reported: tuple[Path, str, Any]) -> None:
    root, page, told = reported
    again = made(root, "report")
    assert Path(again.metadata["path"].value).read_text() == page
    key = "dagster/data_version"
    assert again.tags[key] == told.tags[key]


def test_a_table_of_an_older_version_is_named_and_hides_no_other(tmp_path: Path) -> None:
    warehouse = Warehouse(root=str(tmp_path / "warehouse"))
    warehouse.write("environments", pa.table({"name": ["old"], "theme": ["old"]}))
    warehouse.write("path_counts", some_rows("path_counts", {"matching": "exact", "size": 2, "paths": 12.0}))
    page = Path(made(tmp_path / "warehouse", "report").metadata["path"].value).read_text()
    notes = [each.text for each in section(page, "pool").xpath("./p[@class='note']")]
    assert any(
        note.startswith("To be made again, since it was made by another version: Binder Error") for note in notes
    )
    assert cells(section(page, "space"), "Type-correct sequences") == [["exact", "2", "12.000"]]


def test_a_report_of_nothing_says_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "warehouse").mkdir()
    page = Path(made(tmp_path / "warehouse", "report").metadata["path"].value).read_text()
    told = [re.sub(r"\s+", " ", each.text_content()) for each in html.fromstring(page).xpath("//p[@class='missing']")]
    assert len(told) == 6
    assert told[3] == "Not there yet: checkpoints, rollouts, training_runs."


def test_names_and_texts_of_others_break_no_card(exported: Path) -> None:
    recipe = replace(RECIPES["micro_races"], description="# Not a head\n<!-- a | b", seed="a`b|c")
    row = {
        "environments": ["digit_sum"],
        "themes": ["odd|<b>`_name_"],
        "fingerprints": ["f" * 8],
        "key": "('x', '<i>|')",
    }
    text = card(recipe, exported / PARQUET, [row], "1`|<x>")
    shown = html.fromstring(MarkdownIt("gfm-like", {"linkify": False}).render(without_front_matter(text)))
    tables = [
        [[cell.text_content() for cell in line.xpath("./td")] for line in each.xpath("./tbody/tr")]
        for each in shown.xpath("//table")
    ]
    assert ["digit_sum", "odd|<b>`_name_", "f" * 8, "1"] in tables[-1]
    assert ["odd|<b>`_name_", "1"] in tables[3]
    made = dict(tables[0])
    assert made["seed of the choice and the order of rows"] == "a`b|c"
    assert made["seeds of the problems"] == "<i>|"
    assert made["code version of the asset training_sets"] == "1`|<x>"
    assert "# Not a head <!-- a | b" in [each.text_content() for each in shown.xpath("//p")]
    assert not shown.xpath("//b | //i | //em")
