"""`races query`: SQL, saved queries and tables."""

import csv
import io
from pathlib import Path

from tests.support.command_line import cells, printed, races, refused


def test_a_query_prints_a_table_with_as_many_rows_as_asked(store: Path) -> None:
    text = printed("query", "select x, word from numbers order by x", "--warehouse", store, "--limit", "2")
    assert cells(text) == [["x", "word"], [text.splitlines()[1]], ["0", "null"], ["1", "a,b"], "2 of 60 rows".split()]
    assert printed("query", "numbers", "--warehouse", store).endswith("50 of 60 rows\n")


def test_a_query_as_csv_has_all_rows_and_whole_values(store: Path) -> None:
    text = printed("query", "select x, word from numbers order by x", "--warehouse", store, "--csv")
    assert text.splitlines()[:3] == ["x,word", "0,", '1,"a,b"']
    assert len(text.splitlines()) == 61
    nested = list(csv.reader(io.StringIO(printed("query", "nested", "--warehouse", store, "--csv"))))
    assert nested == [["values", "note"], ["[1, 2]", "[red]é"], ["[]", "x" * 150]]
    assert "[red]é" in printed("query", "nested", "--warehouse", store)


def test_the_warehouse_may_be_named_by_the_environment(store: Path) -> None:
    done = races("query", "select count(*) as n from numbers", "--csv", RACES_WAREHOUSE=str(store))
    assert done.stdout == "n\n60\n"


def test_tables_and_views_are_listed_with_their_rows(store: Path, queries: Path) -> None:
    table = cells(printed("query", "--tables", "--warehouse", store, "--sql", queries))
    assert table[2:] == [["nested", "2"], ["numbers", "60"], ["small", "3"]]


def test_a_saved_query_is_listed_and_run(store: Path, queries: Path) -> None:
    listed = printed("query", "--list", "--sql", queries)
    assert [line.split(maxsplit=1) for line in listed.splitlines()[2:]] == [
        ["reports/total"],
        ["small", "The smallest numbers."],
    ]
    arguments = ["--warehouse", str(store), "--sql", str(queries), "--csv"]
    assert printed("query", "small", *arguments) == "x\n0\n1\n2\n"
    assert printed("query", "reports/total", *arguments) == "total\n3\n"


def test_errors_of_queries_are_clear(store: Path, queries: Path, tmp_path: Path) -> None:
    where = ["--warehouse", str(store), "--sql", str(queries)]
    assert 'Did you mean "numbers"' in refused("query", "select * from numberz", *where)
    assert "there is no query or table 'smal': did you mean small?" in refused("query", "smal", *where)
    assert "expected one SELECT, got DROP" in refused("query", "drop view numbers", *where)
    assert "expected a folder as the warehouse" in refused("query", "select 1", "--warehouse", tmp_path / "none")
    assert "expected files NAME.sql in" in refused("query", "--list", "--sql", tmp_path / "none")
