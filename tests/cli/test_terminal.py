"""What others write reaches a terminal as text: no escape sequence, no turned direction, no lost value."""

import csv
import io
import json
import os
import pty
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.environments.terminal import visible
from races.resources.store.warehouse import Warehouse

RACES = Path(sys.executable).with_name("races")
# Colour, title, clipboard (OSC 52), bell, start of the line, C1 control, backspace, directions, end of a line.
HOSTILE = "\x1b[31mred\x1b]0;t\x07\x1b]52;c;eA==\x1b\\\r\x9b2J\b\u202egnp\u2066\u2028\x7f"
OBEYED = frozenset("\x1b\x07\r\x9b\b\u202e\u2066\u2028\x7f")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    warehouse = Warehouse(root=str(tmp_path / "store"))
    warehouse.write("texts", pa.table({"t": [HOSTILE], "l": [[HOSTILE]]}))
    return warehouse.folder


def run(*arguments: str | Path, **environment: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(each) for each in arguments], env={"COLUMNS": "400", **environment})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 \u00a0", "plain é 漢 \u00a0"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb", "a\\r\nb"),
        ("\u202e\u2066\ufeff\U000e0041", "\\u202e\\u2066\\ufeff\\U000e0041"),
        ("\x9b\x00\x7f", "\\x9b\\x00\\x7f"),
        ("\ud800", "\\ud800"),
        ("\u2028\u2029\x85", "\\u2028\\u2029\\x85"),
    ],
)
def test_what_a_terminal_would_obey_is_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_cells_names_and_errors_are_shown_and_not_obeyed(store: Path, tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "odd\x1b[31m.sql").write_text(f"-- {HOSTILE.splitlines()[0]}\nselect 1 as one\n")
    where = ("--warehouse", store, "--sql", tmp_path / "sql")
    commands = [
        ("query", "texts", *where),
        ("query", f'select 1 as "{HOSTILE}"', *where),
        ("query", f"select error('{HOSTILE}')", *where),
        ("query", f'select "{HOSTILE}"', *where),
        ("query", "--list", *where),
        ("query", "--tables", *where),
        ("query", "odd\x1b[31m", "--describe", *where),
        ("query", "nothing\x1b[31m", "--describe", *where),
        ("show", HOSTILE),
        ("pool", "--theme", HOSTILE),
        ("export", HOSTILE, tmp_path / "out", "--warehouse", store),
    ]
    for arguments in commands:
        _, out, err = run(*arguments)
        assert not OBEYED & set(out + err), arguments
    assert "\\x1b[31mred" in run(*commands[0])[1]


def test_reasons_of_failures_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"response": "x", "truth": HOSTILE}) + "\n")
    code, out, err = run("score", file)
    assert code == 1
    assert not OBEYED & set(out + err)


def test_csv_is_unchanged_in_a_file_and_escaped_on_a_terminal(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run("query", "texts", "--csv", "--warehouse", store)
    ((cell, listed),) = list(csv.reader(io.StringIO(out, newline="")))[1:]
    assert cell == HOSTILE
    assert json.loads(listed) == [HOSTILE]
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        main(["query", "select t from texts", "--csv", "--warehouse", str(store)], standalone_mode=False)
    text = ""
    with suppress(OSError):  # which is the end of what a terminal that nobody writes to any more holds
        while more := os.read(leader, 10_000):
            text += more.decode()
    os.close(leader)
    assert "\\x1b[31mred" in text
    assert not OBEYED & set(text.replace("\r\n", "\n"))


# The text that DuckDB itself gives for each, from its documentation of types.
VALUES = [
    ("'290000-01-01'::date", "290000-01-01"),
    ("'infinity'::date", "infinity"),
    ("'0044-03-15 (BC)'::date", "0044-03-15 (BC)"),
    ("'-infinity'::timestamp", "-infinity"),
    ("'290000-01-01 12:00:00'::timestamp", "290000-01-01 12:00:00"),
    ("'2020-01-01 01:02:03.123456789'::timestamp_ns", "2020-01-01 01:02:03.123456789"),
    ("'24:00:00'::time", "24:00:00"),
    ("'12:00:00+02'::timetz", "12:00:00+02"),
    ("interval '1000000' year", "1000000 years"),
    ("interval 1 month", "1 month"),
    ("170141183460469231731687303715884105727::hugeint", "170141183460469231731687303715884105727"),
    ("340282366920938463463374607431768211455::uhugeint", "340282366920938463463374607431768211455"),
    (
        "123456789012345678901234567890123456789012345678901::bignum",
        "123456789012345678901234567890123456789012345678901",
    ),
    ("99999999999999999999999999999999999999::decimal(38, 0)", "99999999999999999999999999999999999999"),
    ("'nan'::double", "nan"),
    ("'-inf'::float", "-inf"),
    (r"'\x1B\xFF'::blob", r"\x1B\xFF"),
    ("'10101'::bit", "10101"),
    ("'b'::enum('a', 'b')", "b"),
    ("union_value(day := date '290000-01-01')", "290000-01-01"),
    ("'11111111-2222-3333-4444-555555555555'::uuid", "11111111-2222-3333-4444-555555555555"),
    ("true", "True"),
    ("null", "null"),
    ("[date '290000-01-01', null]", '["290000-01-01",null]'),
    ("{'a': date '290000-01-01', 'b': 'é'}", '{"a":"290000-01-01","b":"é"}'),
    ("map {'k': '10101'::bit}", '{"k":"10101"}'),
    ("[1, null]", "[1, null]"),
    ("array_value(1, 2)", "[1, 2]"),
    ("{'a': [1.5]}", '{"a": ["1.5"]}'),
    ("row(1, date '290000-01-01')", "(1, 290000-01-01)"),
    ("'{\"a\": 1}'::json", '{"a": 1}'),
    ("'x'::variant", "x"),
]


def test_a_value_of_every_type_is_shown_in_every_form(store: Path) -> None:
    # All in one query, whose columns have one name; bars stand between them, which no value holds.
    query = "select " + ", '|' as v, ".join(f"{sql} as v" for sql, _ in VALUES)
    code, out, err = run("query", query, "--warehouse", store, COLUMNS="4000")
    assert (code, err) == (0, "")
    assert [cell.strip() for cell in out.splitlines()[2].split("|")] == [shown for _, shown in VALUES]
    code, out, err = run("query", query, "--csv", "--warehouse", store)
    assert (code, err) == (0, "")
    head, row = csv.reader(io.StringIO(out))
    assert head == ["v"] * (2 * len(VALUES) - 1)
    assert row[::2] == ["" if shown == "null" else shown for _, shown in VALUES]


def test_texts_that_are_no_utf8_are_shown(store: Path) -> None:
    broken = pa.array([b"\xff\x1b"]).view(pa.string())
    fields = [pa.array([1]), pa.array([2])]
    twice = pa.StructArray.from_arrays(fields, names=["a", "a"])
    (store / "odd").mkdir()
    pq.write_table(pa.table({"t": broken, "s": twice}), store / "odd/data.parquet")
    code, out, _ = run("query", "odd", "--warehouse", store)
    assert code == 0
    assert out.splitlines()[2].startswith("\\xff\\x1b")
    assert "cannot be shown" in out


def test_characters_that_the_encoding_of_the_shell_lacks_are_escapes(store: Path) -> None:
    for form in ([], ["--csv"]):
        arguments = ["query", "select 'naïve'", "--warehouse", str(store), *form]
        # Standard output is a text file in this encoding, as in a shell.
        done = CliRunner(charset="ascii").invoke(main, arguments, env={"COLUMNS": "100"})
        assert done.exit_code == 0
        assert "na\\xefve" in done.stdout


def test_a_folder_that_cannot_be_read_is_an_error(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path) -> object:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", refused)
    code, _, err = run("query", "select 1", "--warehouse", store)
    assert (code, err.startswith("error: [Errno 13] Permission denied")) == (1, True)
