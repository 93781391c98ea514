"""Whatever is written on the command line, or in a file that it reads, gives an answer or an error, no traceback."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.environments.errors import SettingError
from races.environments.user_config import VARIABLE, entries
from races.resources.store.warehouse import QueryContext, Warehouse


@pytest.fixture
def store(tmp_path: Path) -> Path:
    warehouse = Warehouse(root=str(tmp_path / "store"))
    warehouse.write("numbers", pa.table({"x": [1, 2]}))
    return warehouse.folder


def query(store: Path, *arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["query", *map(str, arguments), "--warehouse", str(store)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "expected one SELECT, got nothing"),
        (";", "expected one SELECT, got nothing"),
        ("select 1; select 2", "expected one SELECT, got SELECT and SELECT"),
        ("select '\udcff'", "expected SQL in UTF-8"),
        ("(" * 20_000, "Parser Error"),
        (f"select {'+'.join(['1'] * 50_000)}", "expression depth"),
        ("select ?", "Values were not provided"),
        ("from read_csv('/etc/passwd')", "disabled by configuration"),
        ("../../etc/passwd", "there is no query or table"),
    ],
)
def test_sql_that_cannot_be_run_is_an_error(store: Path, sql: str, message: str) -> None:
    code, out, err = query(store, sql)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert message in err


@pytest.mark.parametrize("form", [[], ["--csv"]])
def test_more_rows_than_there_can_be_are_all_rows(store: Path, form: list[str]) -> None:
    code, out, _ = query(store, "select x from numbers order by x", "--limit", "9" * 30, *form)
    assert code == 0
    assert {"1", "2"} < {line.strip() for line in out.splitlines()}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda file: file.write_bytes(b"select '\xff'"), "expected SQL in UTF-8 in "),
        (lambda file: file.symlink_to("nowhere"), ""),
        (lambda file: file.mkdir(), ""),
    ],
    ids=["no UTF-8", "broken link", "folder"],
)
def test_a_file_of_sql_that_cannot_be_read_is_named_or_skipped(
    store: Path, tmp_path: Path, make: Callable[[Path], object], message: str
) -> None:
    folder = tmp_path / "sql"
    folder.mkdir()
    make(folder / "odd.sql")
    (folder / "one.sql").write_text("select 1 as one")
    for arguments in (("--list",), ("select 1",)):
        code, _, err = query(store, *arguments, "--sql", folder)
        assert (code, message in err) == (1 if message else 0, True)
    if message:  # whose other queries are still there as views
        warehouse = Warehouse(root=str(store))
        assert warehouse.query("from one", query_context=QueryContext(folder)).to_pylist() == [{"one": 1}]


@pytest.mark.parametrize(
    "text", [f"x = {'[' * 3_000}", "x = '\x1b'", "[sub_pools", "\ud800".encode(errors="surrogatepass")]
)
def test_a_file_of_recipes_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes
) -> None:
    file = tmp_path / "recipes.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    monkeypatch.setenv(VARIABLE, str(file))
    with pytest.raises(SettingError, match=r"expected a TOML file of recipes at .*recipes\.toml, got"):
        entries("recipes")
