"""Modules of strangers are imported in a child process first, under a clock; only what came back is imported here.

A module that never ends, ends the process, eats the memory or changes what all modules share costs its own bricks and
nothing else. What is known of a file is handed on to the processes that this one starts.
"""

import atexit
import builtins
import hashlib
import json
import os
import random
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from races.environments import brick_files, clock
from races.environments.core import Environment
from races.environments.errors import DeclarationError, RacesError
from races.environments.isolation.children import Child, ChildFailed, run_uninterrupted, serve

SECONDS, WALL = 10.0, 30.0  # of the CPU and of the wall, for the import of a module
MEMORY = 4 * 2**30  # bytes of data that the child may have
START = 60.0  # seconds of the wall for the start of a child
GRACE = 1.0
RECURSION, DIGITS = 1_000, 4_300  # levels, and of an integer in a text: what Python starts with
LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})
GROUP = "races.environments"
KNOWN = "RACES_BRICKS_TRIED"  # for processes that are started by this one: what became of modules, by what they are


@dataclass(frozen=True)
class Source:
    """A module of somebody's bricks: a file, or an entry point by its name and value."""

    file: Path | None = None
    point: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        return str(self.file) if self.file else f"entry point {self.point[0]} = {self.point[1]}"

    def load(self) -> ModuleType:
        """The module, imported into this process."""
        if self.file:
            return brick_files.load(self.file)
        loaded = EntryPoint(*self.point, GROUP).load()
        if not isinstance(loaded, ModuleType):
            raise DeclarationError(f"expected a module of bricks, got {loaded!r}")
        return loaded

    @property
    def key(self) -> str:
        """A hash of what it is and of the code around it, which it may import."""
        if self.file:
            code = [(file.name, file.read_bytes()) for file in sorted(self.file.parent.glob("*.py"))]
        else:
            code = _written(self.point[1])
        return hashlib.sha256(repr((str(self), code)).encode(errors="surrogateescape")).hexdigest()


def _written(value: str) -> list[Any]:
    """When the files of the top-level package of an entry point were written, found without an import of it."""
    try:
        spec = find_spec(value.partition(":")[0].partition(".")[0])
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    files = [Path(spec.origin)] if spec.has_location and spec.origin else []
    files += [file for place in places for file in place.rglob("*.py")]
    return sorted((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


def bricks_of(module: ModuleType) -> list[Environment]:
    """The bricks that a module declares itself; those that it imports are left out."""
    declared = dict.fromkeys(value for value in vars(module).values() if isinstance(value, Environment))
    return [brick for brick in declared if brick.function.__module__ == module.__name__]


def import_failures(sources: Sequence[Source], ours: Sequence[str]) -> dict[Source, str]:
    """Why modules cannot be imported, for those that cannot; ours: names of modules that none of them may change."""
    known, found = _known(), {}
    with _Importer(ours) as importer:
        for source in sources:
            try:
                key = source.key
            except OSError as error:
                found[source] = f"it cannot be read: {error.strerror}"
                continue
            if key not in known:
                known[key] = importer.trouble(source)
            if known[key]:
                found[source] = known[key]
    os.environ[KNOWN] = json.dumps(known)
    return found


def _known() -> dict[str, str]:
    try:
        known = json.loads(os.environ.get(KNOWN, "{}"))
    except ValueError:
        return {}
    return {str(key): str(why) for key, why in known.items()} if isinstance(known, dict) else {}


class _Importer:
    """A child that imports modules; another one after each that failed."""

    def __init__(self, ours: Sequence[str]) -> None:
        self._ours = list(ours)
        self._child: Child | None = None

    def __enter__(self) -> "_Importer":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def trouble(self, source: Source) -> str:
        """Why a module cannot be imported; "" where it can."""
        asked = {"file": str(source.file or ""), "point": source.point, "ours": self._ours}
        run_uninterrupted(self._start)
        if self._child is None:
            raise RacesError(f"{source}: expected a process that imports it under a clock, got none")
        try:
            why = str(self._child.ask(asked, START + WALL)["trouble"])
        except ChildFailed as error:
            why = _meaning(self._end(GRACE), error)
        except BaseException:  # such as a Ctrl-C: the child must not go on
            self._end()
            raise
        if why:
            self._end()
        return why

    def _start(self) -> None:
        if self._child is None:
            folders = os.pathsep.join(map(str, brick_files.folders()))
            try:
                self._child = Child(__name__, {brick_files.FOLDERS: folders}, quiet=True)
            except OSError:
                self._child = None

    def _end(self, grace: float = 0.0) -> int | None:
        child, self._child = self._child, None
        if child is not None:
            run_uninterrupted(lambda: child.end(grace))
        return child.code if child is not None else None


def _meaning(code: int | None, error: ChildFailed) -> str:
    """What the end of the child says about the module that it imported."""
    if code in (-clock.CPU, -clock.WALL):
        return f"expected an import that ends within {SECONDS:.0f} s, or {WALL:.0f} s of wall time, got none"
    if code is not None and code != -signal.SIGKILL:
        return f"expected an import, got the end of the process with code {code}"
    return f"expected an import, got a process that had to be given up: {error}"


def main() -> None:
    """In the child: import the modules that are asked for, and say what is wrong with them."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with _silence():
        serve(_answer)


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing that a module leaves behind, such as a thread or a handler at the exit, keeps the child from ending."""
    try:
        yield
    finally:
        os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    source = Source(Path(request["file"]) if request["file"] else None, tuple(request["point"]))
    for name in request["ours"]:
        import_module(name)
    process, before, kept = os.getpid(), _shared(), _kept()
    why = ""
    try:
        with clock.time_limit(SECONDS, WALL):
            bricks_of(source.load())
            why = _at_exit()
    except BaseException as error:  # noqa: BLE001  # somebody's module may raise anything, and must not take the pool down
        why = _said(error)
    if os.getpid() != process:
        os._exit(1)  # a copy of this process that the module has made, which is not to answer too
    if not why and (changed := _changed(before, kept)):
        why = f"expected an import that leaves the process as it is, got another {', '.join(changed)}"
    return {"trouble": why or _left_running()}


def _at_exit() -> str:
    """What is wrong with what the module has registered for the exit, tried in a copy of this process.

    It could end a process of ours with an exit code of its own, such as 0 after an audit that found faults.
    """
    reading, writing = os.pipe()
    copy = os.fork()
    if copy == 0:
        try:
            with clock.time_limit(SECONDS, WALL):
                atexit._run_exitfuncs()  # public is only an exit, after which nothing could be told any more
                os.write(writing, b"!")
        finally:
            os._exit(0)
    os.close(writing)
    ended = os.read(reading, 1)
    os.close(reading)
    os.waitpid(copy, 0)
    return "" if ended else "expected functions for the exit that return, got the end of the process"


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except Exception:  # noqa: BLE001  # the text of an exception is a stranger's code, too
        return type(error).__name__


def _changed(before: dict[str, object], kept: dict[str, frozenset[object]]) -> list[str]:
    """What is not as it was of what modules share; the import itself may have taken the means to find out."""
    try:
        now, still = _shared(), _kept()
        return sorted(
            [name for name in before if now[name] != before[name]] + [name for name in kept if kept[name] - still[name]]
        )
    except Exception as error:  # noqa: BLE001  # what these are read with was replaced
        return [f"Python, in which {type(error).__name__} is raised"]


def _shared() -> dict[str, object]:
    """What all modules of a process share and none may change for the others."""
    found: dict[str, object] = {"working directory": _or_none(lambda: Path().stat().st_ino)}
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        opened = _or_none(partial(os.fstat, number))
        file = (opened.st_dev, opened.st_ino) if isinstance(opened, os.stat_result) else None
        found[name] = (id(stream), getattr(stream, "closed", True), file)
    for handled in (signal.SIGINT, signal.SIGTERM, clock.CPU, clock.WALL):
        found[f"handler of {handled.name}"] = signal.getsignal(handled)
    found["limit of recursion"] = sys.getrecursionlimit() >= RECURSION  # a higher one is nobody's loss
    found["limit of digits"] = not 0 < sys.get_int_max_str_digits() < DIGITS
    found["way of drawing"] = [random.Random(0).random(), random.Random(0).sample(range(99), 9)]
    found["limit of resources"] = [resource.getrlimit(kind) for kind in LIMITS]
    found["warning that is an error"] = [each for each in warnings.filters if each[0] == "error"]
    return found


def _kept() -> dict[str, frozenset[object]]:
    """What a module may add to and must not take from."""
    spaces = {"builtins": vars(builtins), "random": vars(random)}
    spaces |= {name: vars(module) for name, module in sys.modules.copy().items() if name.startswith("races.")}
    return {
        "path of imports": frozenset(sys.path),
        "way of importing": frozenset(map(id, (*sys.meta_path, *sys.path_hooks))),
        "variable of the environment": frozenset(os.environ.items()),
        "module under a known name": frozenset((name, id(module)) for name, module in sys.modules.copy().items()),
        **{name: frozenset((key, id(value)) for key, value in space.items()) for name, space in spaces.items()},
    }


def _or_none(read: Callable[[], object]) -> object:
    try:
        return read()
    except OSError:
        return None


def _left_running() -> str:
    """What is wrong where the module has started processes that it has not waited for."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return ""
    return "expected an import that starts nothing, got a process that it has left behind"
