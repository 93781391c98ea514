"""Where the parts of a dataset lie, and files that are put there whole or not at all.

The layout is `<dataset>/<dimension>=<value>/.../data.parquet`, dimensions in alphabetical order. A writer works in a
locked folder of its own beside the data (`.writing-*.tmp`) and moves finished files into place; the kernel drops the
lock when the writer dies, however it dies, so a folder that can be locked is a leftover.
"""

import fcntl
import filecmp
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote, unquote

import pyarrow as pa

from environments.errors import RacesError

FILE = "data.parquet"
STAGING = (".writing-", ".tmp")

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")

Part: TypeAlias = Mapping[str, str]


class WarehouseError(RacesError):
    """The store cannot do what was asked of it; the message says why, and what would help."""


# Where a part lies


def checked_name(name: str) -> str:
    """The name itself where it can name a folder, a column and a view alike; WarehouseError otherwise."""
    if not IDENTIFIER.fullmatch(name):
        raise WarehouseError(f"expected a name of letters, digits and _, got {name!r}")
    return name


def part_path(part: Part) -> Path:
    """The folder of a part relative to its dataset; values may hold any character but may not be empty."""
    for dimension, value in part.items():
        checked_name(dimension)
        if not value:
            raise WarehouseError(f"expected a text of at least one character as {dimension}, got {value!r}")
    return Path(*(f"{dimension}={quote(value, safe='')}" for dimension, value in sorted(part.items())))


def stored_parts(folder: Path) -> list[tuple[dict[str, str], Path]]:
    """Each part of a dataset with its file, in the order of their paths; none where there is no such folder."""
    found = []
    # os.walk, since pathlib's globbing trips over folders that another process removes meanwhile.
    for where, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [each for each in folders if "=" in each]
        if FILE in files:
            pieces = [each.partition("=") for each in Path(where).relative_to(folder).parts]
            found.append(({dimension: unquote(value) for dimension, _, value in pieces}, Path(where, FILE)))
    return sorted(found, key=lambda each: str(each[1]))


def dimension_types(name: str, parts: Iterable[Part]) -> dict[str, pa.DataType]:
    """The type of the column of each dimension: a 64-bit integer where every value is a plain one, else a string.

    WarehouseError where the parts do not have the same dimensions. DuckDB and pyarrow would each guess in a way of
    their own, and neither would keep the zeros of "007".
    """
    values: dict[str, set[str]] = {}
    shapes = set()
    for part in parts:
        shapes.add(tuple(sorted(part)))
        for dimension, value in part.items():
            values.setdefault(dimension, set()).add(value)
    if len(shapes) > 1:
        listed = " and ".join(sorted(f"({', '.join(shape)})" for shape in shapes))
        raise WarehouseError(
            f"expected parts of {name} with the same dimensions, got {listed}: remove the files of one kind"
        )
    return {
        dimension: pa.int64() if all(map(INTEGER.fullmatch, values[dimension])) else pa.string()
        for dimension in sorted(values)
    }


# Written whole or not at all


def sync(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> set[Path]:
    """Create a folder and its parents; the folders that have a new name in them, which are not on the disk yet."""
    if folder.is_dir():
        return set()
    touched = make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    return touched | {folder.parent}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder against every other process that locks it too; waits for as long as another one holds it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """A locked, empty folder inside `folder` to prepare files in; it is gone afterwards, and what is left in it."""
    for touched in make_folder(folder):
        sync(touched)
    sweep(folder)
    place, lock = _locked_place(folder)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def _locked_place(folder: Path) -> tuple[Path, int]:
    while True:
        place = Path(tempfile.mkdtemp(prefix=STAGING[0], suffix=STAGING[1], dir=folder))
        try:
            lock = os.open(place, os.O_RDONLY)
        except FileNotFoundError:
            continue  # a sweeper came before the lock, and took the folder for a leftover
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.is_dir():
            return place, lock
        os.close(lock)


def sweep(folder: Path) -> None:
    """Remove what writers that died have left in a folder; the work of living ones stays."""
    for place in folder.glob(f"{STAGING[0]}*{STAGING[1]}"):
        try:
            lock = os.open(place, os.O_RDONLY)
        except (FileNotFoundError, PermissionError):
            continue  # its writer has just finished, or is somebody else's
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass  # its writer lives
        else:
            shutil.rmtree(place, ignore_errors=True)
        finally:
            os.close(lock)


def put_in_place(moves: Iterable[tuple[Path, Path]]) -> bool:
    """Move finished files over their predecessors, each in one step; a file that is the same already is not touched.

    False where all were the same. What was moved is on the disk afterwards.
    """
    touched: set[Path] = set()
    for staged, target in moves:
        if not _same(staged, target):
            sync(staged)
            touched |= make_folder(target.parent) | {target.parent}
            staged.replace(target)
    for folder in touched:
        sync(folder)
    return bool(touched)


def _same(staged: Path, target: Path) -> bool:
    try:
        return staged.samefile(target) or filecmp.cmp(staged, target, shallow=False)
    except FileNotFoundError:
        return False  # the first of its name


def remove_part(file: Path, folder: Path) -> None:
    """Remove the file of a part, and the folders of the dataset that are empty without it."""
    file.unlink(missing_ok=True)
    parent = file.parent
    while parent != folder and not any(parent.iterdir()):
        parent.rmdir()
        parent = parent.parent
    sync(parent)
