"""Files and folders that appear whole or not at all: prepared beside their place, then renamed into it.

A reader that comes meanwhile sees the old content or the new one, and so does one that comes after a crash.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


def sync(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; the file there replaces `target` when the block ends without an error.

    Of two writers at once the last one wins. An error leaves `target` as it was and no other file.
    """
    staged = _staged(target)
    try:
        yield staged
        sync(staged)
        staged.replace(target)
        sync(target.parent)
    finally:
        staged.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Replace a file by one with this text, in UTF-8."""
    with new_file(target) as staged:
        staged.write_text(text, encoding="utf-8")


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """An empty folder to fill, which replaces `target` when the block ends without an error.

    A folder cannot replace another in one step: for a moment there is none, and a crash in it leaves the old one as
    `.<name>.old`. An error inside the block leaves `target` as it was.
    """
    staged, old = _staged(target), target.with_name(f".{target.name}.old")
    staged.mkdir(parents=True)
    try:
        yield staged
        for file in filter(Path.is_file, staged.rglob("*")):
            sync(file)
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        staged.rename(target)
        sync(target.parent)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder, whose name goes first, so that nobody finds half of it."""
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    folder.rename(old)
    shutil.rmtree(old)


def _staged(target: Path) -> Path:
    return target.with_name(f".{target.name}.{uuid4().hex[:8]}.tmp")
