import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from races.resources.store.warehouse import Warehouse

Start: TypeAlias = Callable[..., subprocess.Popen[str]]

HERE = Path(__file__).parents[2]
NUMBERS = pa.table({"x": [1, 2, 3], "word": ["a", None, "c"]})


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(root=str(tmp_path / "store"))


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts Python processes that have imported what these scripts need, in another current folder; ends them too."""
    processes: list[subprocess.Popen[str]] = []

    def started(script: str, *arguments: str) -> subprocess.Popen[str]:
        head = "import os, sys, time\nimport pyarrow as pa\nfrom races.resources.store.warehouse import Warehouse\n"
        command = [sys.executable, "-c", head + script, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        processes.append(subprocess.Popen(command, cwd="/", env=environment, stdout=subprocess.PIPE, text=True))
        return processes[-1]

    yield started
    for process in processes:
        end(process)


def said(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdout:
        process.stdout.close()


def leftovers(warehouse: Warehouse) -> list[Path]:
    return list(warehouse.folder.rglob(".writing-*"))


HALF_A_WRITE = """
def batches():
    yield pa.record_batch({"x": [7] * 100_000})
    print("half", flush=True)
    time.sleep(600)
    yield pa.record_batch({"x": [8]})
reader = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), batches())
Warehouse(root=sys.argv[1]).write("numbers", reader)
"""


def test_a_writer_that_is_killed_leaves_the_old_file_and_the_next_one_cleans_up(
    warehouse: Warehouse, start: Start
) -> None:
    warehouse.write("numbers", NUMBERS)
    process = start(HALF_A_WRITE, warehouse.root)
    assert said(process) == "half"
    os.kill(process.pid, signal.SIGKILL)
    end(process)
    assert warehouse.read("numbers").equals(NUMBERS)
    assert leftovers(warehouse)
    assert not warehouse.write("numbers", NUMBERS).changed
    assert not leftovers(warehouse)


def test_the_work_of_a_living_writer_is_not_swept(warehouse: Warehouse, start: Start) -> None:
    process = start(HALF_A_WRITE, warehouse.root)
    assert said(process) == "half"
    warehouse.sweep()
    assert warehouse.write("numbers", NUMBERS).changed
    assert len(leftovers(warehouse)) == 1
    end(process)
    warehouse.sweep()
    assert not leftovers(warehouse)


WRITE_FOR_EVER = """
warehouse, generation = Warehouse(root=sys.argv[1]), 0
while True:
    generation += 1
    rows = pa.table({"generation": [generation] * (20_000 + generation % 3)})
    warehouse.write("numbers", rows, {"partition": sys.argv[2]})
    print(generation, flush=True)
"""


def test_readers_never_see_half_a_write(warehouse: Warehouse, start: Start) -> None:
    writers = [start(WRITE_FOR_EVER, warehouse.root, partition) for partition in ("a", "b", "b")]
    assert all(said(writer) for writer in writers)
    grouped = (
        "select partition, min(generation) as low, max(generation) as high, count(*) as rows from numbers group by all"
    )
    seen = set()
    for turn in range(60):
        if turn % 2:
            rows = warehouse.query(grouped).to_pylist()
        else:
            found = warehouse.read("numbers").group_by("partition")
            sums = found.aggregate([("generation", "min"), ("generation", "max"), ("generation", "count")])
            rows = [
                dict(zip(("partition", "low", "high", "rows"), row, strict=True)) for row in zip(*sums, strict=True)
            ]
            rows = [{name: value.as_py() for name, value in row.items()} for row in rows]
        assert sorted(row["partition"] for row in rows) == ["a", "b"]
        for row in rows:
            assert row["low"] == row["high"]
            assert row["rows"] == 20_000 + row["low"] % 3
            seen.add((row["partition"], row["low"]))
    assert len(seen) > 10


PARTS_FOR_EVER = """
warehouse, generation = Warehouse(root=sys.argv[1]), 0
while True:
    generation += 1
    rows = pa.table({"generation": [generation] * 10})
    warehouse.write_partitions("shards", [({"brick": brick}, rows) for brick in ("ab", "bc", "cd")[generation % 3]])
    print(generation, flush=True)
"""


def test_readers_get_along_with_parts_that_come_and_go(warehouse: Warehouse, start: Start) -> None:
    writers = [start(PARTS_FOR_EVER, warehouse.root) for _ in range(2)]
    assert all(said(writer) for writer in writers)
    for _ in range(20):
        counts = warehouse.query("select brick, generation, count(*) as rows from shards group by all").to_pylist()
        assert 2 <= len(counts) <= 4
        assert len({row["brick"] for row in counts}) == len(counts)
        assert {row["rows"] for row in counts} == {10}
    for writer in writers:
        end(writer)
    partitions = [partition["brick"] for partition in warehouse.partitions("shards")]
    warehouse.write_partitions("shards", [({"brick": brick}, None) for brick in partitions])
    assert warehouse.read("shards").num_rows == 10 * len(partitions)
    assert not leftovers(warehouse)


def test_a_dataset_goes_on_to_read_what_it_was_opened_on(warehouse: Warehouse) -> None:
    warehouse.write("numbers", pa.table({"x": range(100_000)}))
    opened = warehouse.dataset("numbers")
    condition = pc.field("x") >= 0
    assert opened.to_table(filter=condition).num_rows == 100_000
    warehouse.write("numbers", pa.table({"x": range(50_000), "more": ["m"] * 50_000}))
    assert opened.to_table(filter=condition).num_rows == 100_000


@pytest.mark.slow
def test_a_million_rows_pass_through_a_little_memory(tmp_path: Path, start: Start) -> None:
    script = """
import resource
import pandera.polars as pandera

class Model(pandera.DataFrameModel):
    id: int = pandera.Field(unique=True)
    text: str

def batches():
    for start in range(0, 1_000_000, 10_000):
        numbers = range(start, start + 10_000)
        yield pa.record_batch({"id": numbers, "text": [f"{number:01000d}" for number in numbers]})

warehouse = Warehouse(root=sys.argv[1])
schema = pa.schema({"id": pa.int64(), "text": pa.string()})
warehouse.write("small", pa.table({"id": [1], "text": ["a"]}), validator=Model)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
written = warehouse.write("rows", pa.RecordBatchReader.from_batches(schema, batches()), validator=Model)
total = sum(batch.num_rows for batch in warehouse.scan("rows"))
print(written.rows, total, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    process = start(script, str(tmp_path))
    rows, scanned, megabytes = map(int, said(process).split())
    assert rows == scanned == 1_000_000
    assert megabytes < 400  # the rows are 1 GB
