"""Worker processes that start afresh and import nothing from the working directory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

_SPAWN = get_context("spawn")
_SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def safe_path() -> Iterator[None]:
    """Processes that start meanwhile import nothing from the working directory, where a `pickle.py` may lie."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before


class _SafeProcess(_SPAWN.Process):  # type: ignore[name-defined, misc]  # a class of the context
    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802  # multiprocessing's name
        with safe_path():
            return _SPAWN.Process._Popen(process_obj)


class SafeSpawnContext(type(_SPAWN)):  # type: ignore[misc]  # SpawnContext, which the module does not export
    """Starts processes that import nothing from the working directory."""

    Process = _SafeProcess
