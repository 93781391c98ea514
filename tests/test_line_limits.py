"""The check of `make check` that counts the lines of functions and files."""

from pathlib import Path

import pytest

from tests.support import line_limits


def function(lines: int, head: str = "def brick():") -> str:
    return "\n".join(["@decorated", head, *["    pass"] * (lines - 1)]) + "\n"


@pytest.mark.parametrize("head", ["def brick():", "async def brick():"])
def test_a_function_may_have_40_lines_and_no_more(head: str):
    assert list(line_limits.too_long("a.py", function(40, head))) == []
    assert list(line_limits.too_long("a.py", function(41, head))) == [
        "a.py:2: 41 lines in brick, expected 40 at most",
    ]


def test_a_docstring_does_not_count():
    text = 'def brick():\n    """One.\n\n    Two.\n    """\n' + "    pass\n" * 39
    assert list(line_limits.too_long("a.py", text)) == []
    assert len(list(line_limits.too_long("a.py", text + "    pass\n"))) == 1


def test_functions_inside_others_count_alone_and_for_those_around_them():
    text = "class Theme:\n    def outer(self):\n        def inner():\n" + "            pass\n" * 40
    assert list(line_limits.too_long("a.py", text)) == [
        "a.py:2: 42 lines in outer, expected 40 at most",
        "a.py:3: 41 lines in inner, expected 40 at most",
    ]


def test_a_file_may_have_400_lines_and_no_more():
    assert list(line_limits.too_long("a.py", "x = 1\n" * 400)) == []
    assert list(line_limits.too_long("a.py", "x = 1\n" * 401)) == ["a.py:1: 401 lines in a file, expected 400 at most"]


def test_every_python_file_of_a_checkout_is_counted_once(tmp_path: Path):
    for name in ("environments/a.py", "environments/text.txt", ".venv-train/a.py", "build/lib/a.py", "races/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "races" / "environments").symlink_to("../environments")
    assert line_limits.python_files(tmp_path) == ["environments/a.py", "races/b.py"]


def test_the_check_fails_where_a_file_is_over_a_limit(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(line_limits, "ROOT", tmp_path)
    (tmp_path / "short.py").write_text(function(40))
    assert line_limits.main() == 0
    (tmp_path / "long.py").write_text(function(41))
    assert line_limits.main() == 1
    assert capsys.readouterr().out == "long.py:2: 41 lines in brick, expected 40 at most\n"
