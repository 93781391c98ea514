import random
from collections.abc import Iterator
from pathlib import Path

import hypothesis.strategies as st
import pandera.polars as pandera
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from races.environments.errors import SettingError, UnknownName
from races.resources.store.parquet_files import ROWS_PER_GROUP, ContentHash, plain_schema
from races.resources.store.warehouse import InvalidRows, Warehouse, WarehouseError

HERE = Path(__file__).parents[2]
NUMBERS = pa.table({"x": [1, 2, 3], "word": ["a", None, "c"]})


class Words(pandera.DataFrameModel):
    x: int = pandera.Field(ge=0, unique=True, description="Counts up.")
    word: str = pandera.Field(nullable=True, str_length={"max_value": 3})


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(root=str(tmp_path / "store"))


def reader_of(table: pa.Table, rows: int) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows))


def leftovers(warehouse: Warehouse) -> list[Path]:
    return list(warehouse.folder.rglob(".writing-*"))


# Writing


def test_what_is_written_is_read_back(warehouse: Warehouse) -> None:
    written = warehouse.write("numbers", NUMBERS)
    assert warehouse.read("numbers").equals(NUMBERS)
    assert warehouse.query("select * from numbers order by x").equals(NUMBERS)
    assert (written.path, written.rows, written.changed) == (warehouse.folder / "numbers/data.parquet", 3, True)
    assert written.bytes == written.path.stat().st_size
    assert warehouse.datasets() == ["numbers"]
    assert not leftovers(warehouse)


def test_a_rewrite_with_equal_rows_leaves_the_file_alone(warehouse: Warehouse) -> None:
    first = warehouse.write("numbers", NUMBERS)
    before = first.path.stat()
    second = warehouse.write("numbers", NUMBERS)
    after = first.path.stat()
    assert (second.changed, second.data_version) == (False, first.data_version)
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_bytes_do_not_depend_on_how_the_rows_came(warehouse: Warehouse) -> None:
    table = pa.table({"x": range(40_000), "word": ["w" * (each % 7) for each in range(40_000)]})
    whole = warehouse.write("a", table)
    cut = warehouse.write("b", reader_of(table, 777))
    polars = warehouse.write("c", pl.DataFrame(table))
    coded = warehouse.write("d", table.set_column(1, "word", table["word"].dictionary_encode()))
    again = warehouse.write("e", warehouse.read("a"))
    others = (cut, polars, coded, again)
    assert {each.path.read_bytes() for each in others} == {whole.path.read_bytes()}
    assert {each.data_version for each in others} == {whole.data_version}
    assert pq.ParquetFile(whole.path).metadata.num_row_groups == -(-40_000 // ROWS_PER_GROUP)


def test_nested_values_survive_and_a_second_write_changes_nothing(warehouse: Warehouse) -> None:
    rows = [{"path": [{"name": "a", "at": [1, None]}], "size": {"n": 1}}, {"path": None, "size": None}]
    first = warehouse.write("paths", pa.Table.from_pylist(rows))
    assert warehouse.read("paths").to_pylist() == rows
    assert not warehouse.write("paths", warehouse.read("paths")).changed
    assert first.rows == 2


def test_an_error_half_way_leaves_the_old_file(warehouse: Warehouse) -> None:
    warehouse.write("numbers", NUMBERS)

    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(3):
            yield pa.record_batch({"x": range(ROWS_PER_GROUP)})
        raise OSError("the source is gone")

    with pytest.raises(OSError, match="the source is gone"):
        warehouse.write("numbers", pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), batches()))
    assert warehouse.read("numbers").equals(NUMBERS)
    assert not leftovers(warehouse)


# What a version is

VALUES = st.recursive(
    st.none() | st.integers(-5, 5) | st.sampled_from(["", "a", "bc"]), lambda inner: st.lists(inner, max_size=3)
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "flag": st.none() | st.booleans(),
                "number": st.none() | st.integers(-9, 9),
                "text": st.none() | st.text("ab", max_size=3),
                "nested": st.none() | st.lists(st.none() | st.lists(st.none() | st.text("ab", max_size=2), max_size=3)),
                "pair": st.none() | st.fixed_dictionaries({"left": st.none() | st.integers(0, 3)}),
            }
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=200)
def test_a_version_depends_on_the_rows_alone(rows: list[dict[str, object]], rng: random.Random) -> None:
    schema = plain_schema(
        pa.schema(
            {
                "flag": pa.bool_(),
                "number": pa.int32(),
                "text": pa.string(),
                "nested": pa.list_(pa.list_(pa.string())),
                "pair": pa.struct({"left": pa.int64()}),
            }
        )
    )
    table = pa.Table.from_pylist(rows, schema=schema)
    whole, cut, changed = ContentHash(schema), ContentHash(schema), ContentHash(schema)
    whole.add(table)
    at = 0
    while at < len(rows):
        step = rng.randint(1, 4)
        cut.add(table.slice(at, step))
        at += step
    assert whole.hexdigest() == cut.hexdigest()
    if rows:
        index, column = rng.randrange(len(rows)), rng.choice(schema.names)
        other = [dict(row) for row in rows]
        new = {"flag": [True, False, None], "number": [77], "text": ["zz"], "nested": [[["zz"]]], "pair": [{"left": 9}]}
        other[index][column] = rng.choice([value for value in new[column] if value != rows[index][column]])
        changed.add(pa.Table.from_pylist(other, schema=schema))
        assert changed.hexdigest() != whole.hexdigest()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["ab", "c"], ["a", "bc"]),
        ([None, "a"], ["a", None]),
        ([[1], [2]], [[1, 2], []]),
        ([[], None], [None, []]),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([1], [1.0]),
        ([{"a": 1}], [{"b": 1}]),
    ],
)
def test_different_rows_have_different_versions(warehouse: Warehouse, left: list[object], right: list[object]) -> None:
    first = warehouse.write("one", pa.table({"value": left}))
    second = warehouse.write("two", pa.table({"value": right}))
    assert first.data_version != second.data_version


def test_the_version_of_known_rows_never_changes_by_itself(warehouse: Warehouse) -> None:
    """A new version would rebuild everything downstream in every store."""
    rows = [{"a": 1, "b": ["x", None], "c": {"d": True}}, {"a": None, "b": None, "c": None}]
    written = warehouse.write("known", pa.Table.from_pylist(rows))
    assert written.data_version == "23ca7f33a955e7c6f1a5d40c4a61804fd8a97b869721678f4bbb250defd69a66"


# Rows that do not fit


def test_rows_that_do_not_fit_leave_the_old_file(warehouse: Warehouse) -> None:
    warehouse.write("numbers", NUMBERS, validator=Words)
    bad = pa.table({"x": [4, -5, -6], "word": ["four", "f|e", "s"]})
    with pytest.raises(InvalidRows) as caught:
        warehouse.write("numbers", bad, validator=Words)
    message = str(caught.value)
    assert message.startswith("expected the rows of numbers to fit Words, got ")
    assert "| 1 | x | greater_than_or_equal_to(0) | -5 |" in message
    assert "| 2 | x | greater_than_or_equal_to(0) | -6 |" in message
    assert "| 0 | word | str_length(None, 3) | four |" in message
    assert warehouse.read("numbers").equals(NUMBERS)
    assert not leftovers(warehouse)


def test_row_numbers_count_over_all_row_groups(warehouse: Warehouse) -> None:
    values = [*range(ROWS_PER_GROUP + 10), -1]
    with pytest.raises(InvalidRows, match=rf"\| {ROWS_PER_GROUP + 10} \| x \| greater_than"):
        warehouse.write("numbers", pa.table({"x": values, "word": ["a"] * len(values)}), validator=Words)


def test_keys_are_unique_over_the_whole_file_and_not_only_in_a_row_group(warehouse: Warehouse) -> None:
    values = [*range(ROWS_PER_GROUP + 10), 0]
    with pytest.raises(InvalidRows, match=r"same x: unique\n\n\| x \| rows \|\n.*\n\| 0 \| 2 \|"):
        warehouse.write("numbers", pa.table({"x": values, "word": ["a"] * len(values)}), validator=Words)
    assert not warehouse.exists("numbers")


def test_a_missing_column_and_a_wrong_type_are_named(warehouse: Warehouse) -> None:
    with pytest.raises(InvalidRows, match=r"word: column_in_dataframe"):
        warehouse.write("numbers", pa.table({"x": [1]}), validator=Words)
    with pytest.raises(InvalidRows, match=r"x: dtype\('Int64'\)"):
        warehouse.write("numbers", pa.table({"x": ["1"], "word": ["a"]}), validator=Words)
    with pytest.raises(InvalidRows, match=r"x: dtype\('Int64'\)"):
        warehouse.write("numbers", pa.table({"x": pa.array([], pa.string()), "word": ["a"][:0]}), validator=Words)


def test_a_thousand_failures_are_enough_to_stop_reading(warehouse: Warehouse) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"x": [-1] * ROWS_PER_GROUP, "word": ["a"] * ROWS_PER_GROUP})
        raise OSError("read on")

    with pytest.raises(InvalidRows, match=rf"x: greater_than_or_equal_to\(0\) \({ROWS_PER_GROUP}\)"):
        warehouse.write(
            "numbers",
            pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64(), "word": pa.string()}), batches()),
            validator=Words,
        )


def test_what_is_no_table_is_refused_by_its_type(warehouse: Warehouse) -> None:
    with pytest.raises(WarehouseError, match="expected a table or a stream of Arrow, got list"):
        warehouse.write("numbers", [1, 2])  # type: ignore[arg-type]
    with pytest.raises(WarehouseError, match="names differ in more than case, got x twice"):
        warehouse.write("numbers", pa.table({"x": [1], "X": [2]}))
    with pytest.raises(WarehouseError, match=r"expected a name of letters, digits and _, got '\.\./numbers'"):
        warehouse.write("../numbers", NUMBERS)


# Partitions


def test_values_of_a_part_may_hold_any_character(warehouse: Warehouse) -> None:
    values = ["a", "x/y", "..", "q=1", "it's", "100%", "ü b", "[z]*?", "a+b", "007", '"']
    for number, value in enumerate(values):
        warehouse.write("odd", pa.table({"n": [number]}), {"kind": value})
    rows = [{"n": number, "kind": value} for number, value in enumerate(values)]
    assert sorted(warehouse.read("odd").to_pylist(), key=lambda row: row["n"]) == rows
    assert warehouse.query("select n, kind from odd order by n").to_pylist() == rows
    assert warehouse.read("odd", {"kind": "x/y"}, columns=["n"]).to_pylist() == [{"n": 1}]
    with pytest.raises(WarehouseError, match="at least one character as kind"):
        warehouse.write("odd", pa.table({"n": [0]}), {"kind": ""})


def test_dimensions_are_numbers_where_every_value_is_one(warehouse: Warehouse) -> None:
    for size in ("2", "10"):
        warehouse.write("cells", pa.table({"x": [1]}), {"size": size, "operator": "sort"})
    assert warehouse.read("cells").schema.types == [pa.int64(), pa.string(), pa.int64()]
    assert warehouse.query("select sum(size) as total, operator from cells group by all").to_pylist() == [
        {"total": 12, "operator": "sort"}
    ]
    warehouse.write("cells", pa.table({"x": [1]}), {"size": "many", "operator": "sort"})
    assert warehouse.read("cells").schema.field("size").type == pa.string()
    assert warehouse.query("select size from cells order by size")["size"].to_pylist() == ["10", "2", "many"]
    assert warehouse.read("cells", {"operator": "sort"}, where=pc.field("size") == "many").num_rows == 1
    assert warehouse.partitions("cells")[0] == {"operator": "sort", "size": "10"}
    assert warehouse.exists("cells", {"size": "2"})
    assert not warehouse.exists("cells", {"size": "3"})


def test_a_part_may_be_read_and_written_back(warehouse: Warehouse) -> None:
    first = warehouse.write("cells", NUMBERS, {"size": "2"})
    assert not warehouse.write("cells", warehouse.read("cells", {"size": "2"}), {"size": "2"}).changed
    assert pq.read_schema(first.path).names == ["x", "word"]
    with pytest.raises(WarehouseError, match="expected size to be 3 in this partition, got"):
        warehouse.write("cells", warehouse.read("cells"), {"size": "3"})


def test_a_dataset_keeps_its_dimensions(warehouse: Warehouse) -> None:
    warehouse.write("cells", NUMBERS, {"size": "2"})
    with pytest.raises(WarehouseError, match=r"same dimensions, got \(\) and \(size\)"):
        warehouse.write("cells", NUMBERS)
    with pytest.raises(WarehouseError, match=r"same dimensions, got \(operator, size\) and \(size\)"):
        warehouse.write("cells", NUMBERS, {"size": "2", "operator": "sort"})


def test_a_model_may_declare_the_dimensions_of_a_part(warehouse: Warehouse) -> None:
    class Cells(Words):
        size: int = pandera.Field(le=5)

    warehouse.write("cells", NUMBERS, {"size": "2"}, validator=Words)
    warehouse.write("cells", NUMBERS, {"size": "3"}, validator=Cells)
    with pytest.raises(InvalidRows, match=r"\| size=6 0 \| size \| less_than_or_equal_to\(5\) \| 6 \|"):
        warehouse.write("cells", NUMBERS, {"size": "6"}, validator=Cells)


def test_parts_are_replaced_together(warehouse: Warehouse) -> None:
    first = warehouse.write_partitions("shards", [({"brick": name}, NUMBERS) for name in "abc"])
    times = {
        partition["brick"]: file_of(warehouse, partition).stat().st_mtime_ns
        for partition in warehouse.partitions("shards")
    }
    second = warehouse.write_partitions(
        "shards", [({"brick": "b"}, None), ({"brick": "c"}, NUMBERS.slice(1)), ({"brick": "d"}, NUMBERS)]
    )
    assert (first.rows, second.rows, second.changed) == (9, 8, True)
    assert first.data_version != second.data_version
    assert [partition["brick"] for partition in warehouse.partitions("shards")] == ["b", "c", "d"]
    assert file_of(warehouse, {"brick": "b"}).stat().st_mtime_ns == times["b"]
    assert not (warehouse.folder / "shards/brick=a").exists()
    same = warehouse.write_partitions("shards", [({"brick": name}, None) for name in "dcb"])
    assert (same.changed, same.data_version) == (False, second.data_version)


def file_of(warehouse: Warehouse, partition: dict[str, str]) -> Path:
    return warehouse.folder / "shards" / f"brick={partition['brick']}" / "data.parquet"


def test_an_error_in_one_part_leaves_all_of_them(warehouse: Warehouse) -> None:
    warehouse.write_partitions("shards", [({"brick": name}, NUMBERS) for name in "ab"])
    before = warehouse.read("shards")
    with pytest.raises(InvalidRows, match=r"\| brick=b 0 \| x \|"):
        warehouse.write_partitions(
            "shards",
            [
                ({"brick": "a"}, pa.table({"x": [9], "word": ["a"]})),
                ({"brick": "b"}, pa.table({"x": [-1], "word": ["a"]})),
            ],
            validator=Words,
        )
    with pytest.raises(InvalidRows, match="same x: unique"):
        warehouse.write_partitions("shards", [({"brick": "a"}, NUMBERS), ({"brick": "b"}, None)], validator=Words)
    with pytest.raises(WarehouseError, match="expected a partition to keep, got none at"):
        warehouse.write_partitions("shards", [({"brick": "z"}, None)])
    with pytest.raises(WarehouseError, match="each partition of shards once, got brick=a twice"):
        warehouse.write_partitions("shards", [({"brick": "a"}, NUMBERS)] * 2)
    with pytest.raises(WarehouseError, match="at least one partition of shards, got none"):
        warehouse.write_partitions("shards", [])
    assert warehouse.read("shards").equals(before)
    assert not leftovers(warehouse)


# Reading


def test_columns_and_rows_can_be_chosen(warehouse: Warehouse) -> None:
    warehouse.write("numbers", NUMBERS)
    assert warehouse.read("numbers", columns=["word"], where=pc.field("x") > 2).to_pylist() == [{"word": "c"}]
    assert [row for batch in warehouse.scan("numbers", columns=["x"]) for row in batch.to_pylist()] == [
        {"x": 1},
        {"x": 2},
        {"x": 3},
    ]
    with pytest.raises(UnknownName, match="numbers has no column 'wrod': did you mean word"):
        warehouse.read("numbers", columns=["wrod"])


def test_a_column_that_only_some_parts_have_is_null_elsewhere(warehouse: Warehouse) -> None:
    warehouse.write("cells", pa.table({"x": [1]}), {"size": "1"})
    warehouse.write("cells", pa.table({"x": [2], "new": ["n"]}), {"size": "2"})
    rows = [{"x": 1, "new": None, "size": 1}, {"x": 2, "new": "n", "size": 2}]
    assert warehouse.read("cells").to_pylist() == rows
    assert warehouse.query("select x, new, size from cells order by x").to_pylist() == rows
    warehouse.write("cells", pa.table({"x": ["text"]}), {"size": "3"})
    with pytest.raises(WarehouseError, match="expected partitions of cells whose columns have the same types"):
        warehouse.read("cells")


def test_a_dataset_that_is_not_there_says_what_is_and_how_to_make_it(warehouse: Warehouse) -> None:
    with pytest.raises(
        UnknownName, match=r"no dataset 'numbers': it has none yet; to make it: python -m races\.assets\.run numbers$"
    ):
        warehouse.read("numbers")
    warehouse.write("numbers", NUMBERS)
    with pytest.raises(UnknownName, match="no dataset 'nubmers': did you mean numbers"):
        warehouse.scan("nubmers")
    warehouse.write("cells", NUMBERS, {"size": "2"})
    with pytest.raises(UnknownName, match="cells has no partition size=9: it has size=2"):
        warehouse.read("cells", {"size": "9"})


def test_an_object_store_and_an_equals_sign_are_refused_as_roots() -> None:
    with pytest.raises(SettingError, match="expected a local folder as the root of the warehouse, got 's3://bucket'"):
        Warehouse(root="s3://bucket").datasets()
    with pytest.raises(SettingError, match="without '='"):
        Warehouse(root="x=1").datasets()
