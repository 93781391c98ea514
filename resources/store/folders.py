"""Where the partitions of a dataset lie, and files that are put there whole or not at all.

The layout is `<dataset>/<dimension>=<value>/.../data.parquet`, dimensions in alphabetical order. A writer works in a
locked folder of its own beside the data (`.writing-*.tmp`) and moves finished files into place; the kernel drops the
lock when the writer dies, however it dies, so a folder that can be locked is a leftover.

A folder cannot be listed in one step: a partition that went before it was listed and one that came after would both be
missing. So a reader compares what the folders of a dataset look like before and after, and reads again where a writer,
who holds the lock of the dataset while files move, has come between.
"""

import fcntl
import filecmp
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, TypeVar
from urllib.parse import quote, unquote

import pyarrow as pa

from races.environments.errors import RacesError
from races.resources.atomic import sync

FILE = "data.parquet"
STAGING = (".writing-", ".tmp")
# How often a reader tries while writers come and go, before it keeps them waiting and reads once more.
MAX_READ_ATTEMPTS = 5
LOCK_TIMEOUT_S = 30  # for which a reader waits for a writer that moves files
POLL_INTERVAL_S = 0.002

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_NAME_BYTES = 255  # of a file's name, on common file systems
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")

Partition: TypeAlias = Mapping[str, str]
Found = TypeVar("Found")


class WarehouseError(RacesError):
    """The store cannot do what was asked of it; the message says why, and what would help."""


# Where a partition lies


def checked_name(name: str) -> str:
    """The name itself where it can name a folder, a column and a view alike; WarehouseError otherwise."""
    if not IDENTIFIER.fullmatch(name):
        raise WarehouseError(f"expected a name of letters, digits and _, got {name!r}")
    return name


def partition_path(partition: Partition) -> Path:
    """The folder of a partition relative to its dataset; values may hold any character but may not be empty."""
    return Path(*(_piece(dimension, value) for dimension, value in sorted(partition.items())))


def _piece(dimension: str, value: str) -> str:
    """The name of a folder of a partition."""
    checked_name(dimension)
    if not value:
        raise WarehouseError(f"expected a text of at least one character as {dimension}, got {value!r}")
    if not is_utf8(value):
        raise WarehouseError(f"expected a text that UTF-8 can hold as {dimension}, got {value!r}")
    piece = f"{dimension}={quote(value, safe='')}"
    if len(piece) > MAX_NAME_BYTES:
        raise WarehouseError(
            f"expected {dimension} to make a folder's name of at most {MAX_NAME_BYTES} characters, got {len(piece)}: "
            f"{piece}"
        )
    return piece


def stored_partitions(folder: Path) -> list[tuple[dict[str, str], Path]]:
    """Each partition of a dataset with its file, in the order of their paths; none where there is no such folder.

    WarehouseError where a folder cannot be listed. A partition that comes or goes meanwhile may or may not be there,
    and so may another one that comes or goes with it: `read_consistently` reads again.
    """
    found = []
    # os.walk, since pathlib's globbing trips over folders that another process removes meanwhile.
    for where, folders, files in os.walk(folder, onerror=_unlisted, followlinks=True):
        folders[:] = [each for each in folders if "=" in each]
        if FILE in files:
            pieces = [each.partition("=") for each in Path(where).relative_to(folder).parts]
            found.append(({dimension: unquote(value) for dimension, _, value in pieces}, Path(where, FILE)))
            if not is_utf8(where):
                raise WarehouseError(f"expected folders with names in UTF-8, got {where!r}")
    return sorted(found, key=lambda each: str(each[1]))


def is_utf8(text: str) -> bool:
    """Whether UTF-8 can hold a text; in a file's name, Python writes a byte that it cannot as half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def has_files(folder: Path) -> bool:
    """Whether a folder is a dataset; one that cannot be listed is, and its readers say so."""
    try:
        return bool(read_consistently(folder, lambda: stored_partitions(folder)))
    except WarehouseError:
        return True


def _unlisted(error: OSError) -> None:
    """Ignore a folder that is gone; any other that cannot be listed would be missing silently."""
    if not isinstance(error, FileNotFoundError):
        raise WarehouseError(f"cannot list {error.filename}: {error.strerror}") from error


def dimension_types(name: str, partitions: Iterable[Partition]) -> dict[str, pa.DataType]:
    """The type of the column of each dimension: a 64-bit integer where every value is a plain one, else a string.

    WarehouseError where the partitions do not have the same dimensions. DuckDB and pyarrow would each guess in a way of
    their own, and neither would keep the zeros of "007".
    """
    values: dict[str, set[str]] = {}
    shapes = set()
    for partition in partitions:
        shapes.add(tuple(sorted(partition)))
        for dimension, value in partition.items():
            values.setdefault(dimension, set()).add(value)
    if len(shapes) > 1:
        listed = " and ".join(sorted(f"({', '.join(shape)})" for shape in shapes))
        raise WarehouseError(
            f"expected partitions of {name} with the same dimensions, got {listed}: remove the files of one kind"
        )
    return {
        dimension: pa.int64() if all(map(INTEGER.fullmatch, values[dimension])) else pa.string()
        for dimension in sorted(values)
    }


# Written whole or not at all


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
        _unlock(handle)


def _unlock(handle: int) -> None:
    # A process that was forked meanwhile has the handle too, and closing ours alone would leave it the lock.
    fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


@contextmanager
def _without_writers(folder: Path) -> Iterator[None]:
    """Keep writers of a dataset waiting; WarehouseError where one of them does not get done."""
    handle = os.open(folder, os.O_RDONLY)
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise WarehouseError(
                        f"expected the writer of {folder.name} to have moved its files within {LOCK_TIMEOUT_S} s, "
                        "got one that still holds the folder: is it stopped?"
                    ) from None
                time.sleep(POLL_INTERVAL_S)
        yield
    finally:
        _unlock(handle)


def read_consistently(folder: Path, read: Callable[[], Found]) -> Found:
    """What `read` finds in the folder of a dataset as it was at one moment, though it lists and opens one by one.

    A writer that was killed between two moves leaves old and new partitions, each whole, and that is what is read.
    """
    for _ in range(MAX_READ_ATTEMPTS):
        before = _stamps(folder)
        if _is_locked(folder):
            break  # files are being moved, so what stood before may be half of that
        try:
            found = read()
        except (FileNotFoundError, RacesError) as error:
            if _stamps(folder) == before and not isinstance(error, FileNotFoundError):
                raise
            continue
        if _stamps(folder) == before:
            return found
    try:
        with _without_writers(folder):
            return read()
    except FileNotFoundError as error:
        raise WarehouseError(
            f"expected the files of {folder.name} to stay for a moment, got none at {error}"
        ) from error


def _stamps(folder: Path) -> list[tuple[str, int, int]]:
    """What changes when a file of a dataset is moved into place or removed.

    Times alone do not tell two moves within one tick of an older kernel's clock, hence the inode numbers.
    """
    found: list[tuple[str, int, int]] = []
    waiting = [str(folder)]
    while waiting:
        where = waiting.pop()
        try:
            status, entries = Path(where).stat(), list(os.scandir(where))
        except OSError:
            continue  # it is gone, or `read` says what is wrong with it
        found.append((where, status.st_ino, status.st_mtime_ns))
        waiting += [each.path for each in entries if "=" in each.name]
        found += [(each.path, each.inode(), 0) for each in entries if each.name == FILE]
    return sorted(found)


def _is_locked(folder: Path) -> bool:
    """Whether a writer holds the lock of a dataset at this moment."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return False  # there is no such dataset, or `read` says what is wrong with it
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        _unlock(handle)
    return False


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


def move_into_place(moves: Iterable[tuple[Path, Path]]) -> bool:
    """Move finished files over their predecessors, each in one step; a file that is the same already is not touched.

    False where all were the same. What was moved is on the disk afterwards.
    """
    new = _changed(moves)
    _move(new)
    return bool(new)


def replace_partitions(folder: Path, staged: Mapping[Path, Path], alone: bool = False) -> bool:
    """Move finished files to their places in the folder of a dataset, whose lock is held; `alone` removes all others.

    False where all that was there already. Readers see the dataset before or after (`read_consistently`).
    """
    new = _changed((file, folder / where / FILE) for where, file in staged.items())
    stale = (
        [file for _, file in stored_partitions(folder) if file.parent.relative_to(folder) not in staged]
        if alone
        else []
    )
    if new or stale:
        _move(new)
        for file in stale:
            remove_partition(file, folder)
    return bool(new or stale)


def _changed(moves: Iterable[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    """Those of the moves that change anything; their files are on the disk."""
    new = [(staged, target) for staged, target in moves if not _same(staged, target)]
    for staged, _ in new:
        sync(staged)
    return new


def _move(moves: Iterable[tuple[Path, Path]]) -> None:
    touched: set[Path] = set()
    for staged, target in moves:
        touched |= make_folder(target.parent) | {target.parent}
        staged.replace(target)
    for folder in touched:
        sync(folder)


def _same(staged: Path, target: Path) -> bool:
    try:
        return staged.samefile(target) or filecmp.cmp(staged, target, shallow=False)
    except FileNotFoundError:
        return False  # the first of its name


def remove_partition(file: Path, folder: Path) -> None:
    """Remove the file of a partition, and the folders of the dataset that are empty without it."""
    file.unlink(missing_ok=True)
    parent = file.parent
    while parent != folder and not any(parent.iterdir()):
        parent.rmdir()
        parent = parent.parent
    sync(parent)
