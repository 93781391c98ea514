"""A small warehouse and a folder of saved queries for it."""

from pathlib import Path

import pyarrow as pa
import pytest

from races.resources.store.warehouse import Warehouse


@pytest.fixture
def store(tmp_path: Path) -> Path:
    warehouse = Warehouse(root=str(tmp_path / "store"))
    warehouse.write("numbers", pa.table({"x": list(range(60)), "word": [None, "a,b"] * 30}))
    warehouse.write("nested", pa.table({"values": [[1, 2], []], "note": ["[red]é", "x" * 150]}))
    return warehouse.folder


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    folder = tmp_path / "sql"
    (folder / "reports").mkdir(parents=True)
    (folder / "small.sql").write_text("-- The smallest numbers.\nselect x from numbers where x < 3 order by x;\n")
    (folder / "reports" / "total.sql").write_text("select sum(x) as total from small")
    return folder
