"""Files and folders that are put in place: whole or not at all, and nothing beside them."""

import subprocess
import sys
from pathlib import Path

import pytest

from races.resources.atomic import new_file, new_folder, remove_folder, write_text


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    for text in ("old", "new \u00e9"):
        write_text(file, text)
        assert file.read_bytes() == text.encode()
    assert names(tmp_path) == ["file.txt"]


def test_an_error_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("old")

    def fail() -> None:
        with new_file(file) as staged:
            staged.write_text("half")
            assert file.read_text() == "old"
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (file.read_text(), names(tmp_path)) == ("old", ["file.txt"])


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    for name in ("first", "second"):
        with new_folder(folder) as staged:
            (staged / name).write_text(name)
        assert names(folder) == [name]
    assert names(tmp_path) == ["model"]


def test_an_error_leaves_the_old_folder_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "old").mkdir(parents=True)

    def fail() -> None:
        with new_folder(folder) as staged:
            (staged / "half").write_text("x")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (names(folder), names(tmp_path)) == (["old"], ["model"])


def test_a_removed_folder_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "step"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / ".step.old").mkdir()  # of a process that was killed
    remove_folder(folder)
    assert names(tmp_path) == []


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("old")
    script = (
        "import os, sys; from pathlib import Path; from races.resources.atomic import new_file\n"
        "with new_file(Path(sys.argv[1])) as staged: staged.write_text('half'); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", script, str(file)], check=False).returncode == -9
    assert file.read_text() == "old"
