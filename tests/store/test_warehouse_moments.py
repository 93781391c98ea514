"""Readers see a dataset as it was at one moment, whatever writers do while they list and open its files."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from races.resources.store import folders
from races.resources.store.folders import WarehouseError, locked
from races.resources.store.warehouse import Warehouse

HERE = Path(__file__).parents[2]
WALK = os.walk
# Each reads the bricks of the partitions of shards in a way of its own.
READERS: dict[str, Callable[[Warehouse], list[str]]] = {
    "partitions": lambda warehouse: [partition["brick"] for partition in warehouse.partitions("shards")],
    "read": lambda warehouse: sorted(set(warehouse.read("shards")["brick"].to_pylist())),
    "query": lambda warehouse: warehouse.query("select distinct brick from shards order by 1")["brick"].to_pylist(),
    "connect": lambda warehouse: [row[0] for row in warehouse.connect().sql("from shards order by brick").fetchall()],
}


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(root=str(tmp_path / "store"))


def put(warehouse: Warehouse, bricks: str) -> None:
    warehouse.write_partitions("shards", [({"brick": brick}, pa.table({"named": [brick]})) for brick in bricks])


def interrupted(at: int, act: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `act` happen once, after a walk through the shards has listed `at` folders."""

    def walk(top: Any, *rest: Any, **options: Any) -> Iterator[Any]:
        for number, each in enumerate(WALK(top, *rest, **options)):
            yield each
            if number == at and Path(top).name == "shards":
                monkeypatch.setattr(os, "walk", WALK)
                act()

    monkeypatch.setattr(os, "walk", walk)


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("reader", READERS)
def test_parts_that_go_while_they_are_listed_are_not_missed(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, reader: str, at: int
) -> None:
    put(warehouse, "ab")
    interrupted(at, lambda: put(warehouse, "bc"), monkeypatch)
    assert READERS[reader](warehouse) == ["b", "c"]


def test_a_dataset_whose_every_part_is_replaced_is_there_all_the_time(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(warehouse, "a")
    interrupted(0, lambda: put(warehouse, "b"), monkeypatch)
    assert warehouse.datasets() == ["shards"]
    version = warehouse.version("shards")
    interrupted(0, lambda: put(warehouse, "a"), monkeypatch)
    assert warehouse.version("shards") != version


def test_a_change_of_types_between_two_parts_is_no_error_of_the_reader(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(warehouse, "ab")
    numbers = [({"brick": brick}, pa.table({"named": [1]})) for brick in "ab"]
    opened = folders.stored_partitions

    def listed(folder: Path) -> Any:
        found = opened(folder)
        monkeypatch.setattr(folders, "stored_partitions", opened)
        monkeypatch.setattr("races.resources.store.warehouse.stored_partitions", opened)
        # One partition as it will be: what a reader meets that opens it before the other one is replaced.
        warehouse.write("shards", numbers[0][1], numbers[0][0])
        with pytest.raises(WarehouseError, match=r"the same types"):
            warehouse.read("shards")
        warehouse.write_partitions("shards", numbers)
        return found

    monkeypatch.setattr("races.resources.store.warehouse.stored_partitions", listed)
    assert warehouse.read("shards")["named"].to_pylist() == [1, 1]


WRITE_FOR_EVER = """
import sys
import pyarrow as pa
from races.resources.store.warehouse import Warehouse
warehouse, turn = Warehouse(root=sys.argv[1]), 0
while True:
    turn += 1
    rows = pa.table({"turn": [turn]})
    warehouse.write_partitions("shards", [({"brick": brick}, rows) for brick in ("ab", "bc", "cd")[turn % 3]])
    print(turn, flush=True)
"""


def started(script: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_a_slow_reader_sees_what_one_writer_left(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    writers = [started(WRITE_FOR_EVER, warehouse.root) for _ in range(2)]
    try:
        for writer in writers:
            assert writer.stdout
            assert writer.stdout.readline()

        def slow(*arguments: Any, **options: Any) -> Iterator[Any]:
            for each in WALK(*arguments, **options):
                yield each
                folders.time.sleep(0.01)

        monkeypatch.setattr(os, "walk", slow)
        for _ in range(15):
            rows = warehouse.read("shards").to_pylist()
            assert "".join(sorted(row["brick"] for row in rows)) in {"ab", "bc", "cd"}
            assert len({row["turn"] for row in rows}) == 1
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


# Replaces a and b by b and c, and is ended by itself before a is removed.
DIE_BETWEEN_TWO_MOVES = """
import os, signal, sys
import pyarrow as pa
from races.resources.store import folders
from races.resources.store.warehouse import Warehouse
folders.remove_partition = lambda file, folder: os.kill(os.getpid(), getattr(signal, sys.argv[2]))
rows = pa.table({"named": ["new"]})
Warehouse(root=sys.argv[1]).write_partitions("shards", [({"brick": brick}, rows) for brick in "bc"])
"""


def test_a_writer_that_is_killed_between_two_moves_hinders_nobody(warehouse: Warehouse) -> None:
    put(warehouse, "ab")
    writer = started(DIE_BETWEEN_TWO_MOVES, warehouse.root, "SIGKILL")
    writer.communicate()
    assert writer.returncode == -signal.SIGKILL
    rows = {row["brick"]: row["named"] for row in warehouse.read("shards").to_pylist()}
    assert rows == {"a": "a", "b": "new", "c": "new"}
    put(warehouse, "bc")
    assert warehouse.read("shards")["named"].to_pylist() == ["b", "c"]


def test_a_writer_that_is_stopped_between_two_moves_is_named(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(warehouse, "ab")
    writer = started(DIE_BETWEEN_TWO_MOVES, warehouse.root, "SIGSTOP")
    try:
        os.waitpid(writer.pid, os.WUNTRACED)
        monkeypatch.setattr(folders, "LOCK_TIMEOUT_S", 0.1)
        with pytest.raises(WarehouseError, match=r"expected the writer of shards .* is it stopped\?"):
            warehouse.read("shards")
    finally:
        writer.kill()
        writer.communicate()
    assert len(warehouse.partitions("shards")) == 3


def test_a_process_that_was_forked_under_a_lock_does_not_keep_it(warehouse: Warehouse) -> None:
    put(warehouse, "ab")
    reading, writing = os.pipe()
    with locked(warehouse.folder / "shards"):
        child = os.fork()
        if not child:
            os.close(writing)
            os.read(reading, 1)  # until the test is over
            os._exit(0)
    os.close(reading)
    handle = os.open(warehouse.folder / "shards", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is still held
    finally:
        os.close(handle)
        os.close(writing)
        os.waitpid(child, 0)


def test_a_part_that_cannot_be_listed_is_not_passed_over(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    put(warehouse, "ab")
    warehouse.write("good", pa.table({"x": [1]}))
    listed = os.scandir

    def refused(path: Any = ".") -> Any:
        if str(path).endswith("brick=b"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(WarehouseError, match=r"cannot list .*brick=b: Permission denied"):
        warehouse.read("shards")
    assert warehouse.query("from good").num_rows == 1


def test_readers_and_writers_leave_nothing_beside_the_partitions(warehouse: Warehouse) -> None:
    put(warehouse, "ab")
    put(warehouse, "bc")
    assert warehouse.read("shards").num_rows == 2
    found = sorted(str(each.relative_to(warehouse.folder)) for each in warehouse.folder.rglob("*"))
    partitions = [f"shards/brick={brick}" for brick in "bc"]
    assert found == sorted(
        ["shards", "version.json", *partitions, *(f"{partition}/data.parquet" for partition in partitions)]
    )
