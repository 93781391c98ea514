"""Third-party modules are imported in a child process first, under a time limit; what passes is imported here, too.

A module whose import never ends, ends the process, fills the memory or changes what all modules share costs its own
bricks and nothing else. What is known of a file is passed on to the processes that this one starts.
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
from races.environments.execution import describe_error
from races.environments.isolation.children import Child, ChildFailed, run_uninterrupted, serve

CPU_LIMIT_S, WALL_LIMIT_S = 10.0, 30.0  # for the import of a module
MEMORY_LIMIT_BYTES = 4 * 2**30  # of data, for the child
STARTUP_TIMEOUT_S = 60.0  # of wall time, for a child to start
EXIT_GRACE_S = 1.0  # for a child that has failed to end by itself, so that its exit code tells why
# Python's own defaults; the digits are those of an integer in a text.
DEFAULT_RECURSION_LIMIT, DEFAULT_DIGITS_LIMIT = 1_000, 4_300
LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})
GROUP = "races.environments"
RESULTS_VARIABLE = "RACES_BRICKS_TRIED"  # tells the processes that this one starts what is known of modules, by key


@dataclass(frozen=True)
class Source:
    """A third-party module of bricks.

    file: of RACES_BRICKS, or None.
    point: else the entry point, by its name and value.
    """

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
        """A hash of its place and of the code beside it, which it may import."""
        if self.file:
            code = [(file.name, file.read_bytes()) for file in sorted(self.file.parent.glob("*.py"))]
        else:
            code = _package_files(self.point[1])
        return hashlib.sha256(repr((str(self), code)).encode(errors="surrogateescape")).hexdigest()


def _package_files(value: str) -> list[Any]:
    """The files of the top-level package of an entry point with time and size, found without importing it."""
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


def import_failures(sources: Sequence[Source], own_modules: Sequence[str]) -> dict[Source, str]:
    """Why modules cannot be imported, for those that cannot.

    own_modules: names of modules of this package, which none of them may change.
    """
    known, found = _known(), {}
    with _Importer(own_modules) as importer:
        for source in sources:
            try:
                key = source.key
            except OSError as error:
                found[source] = f"it cannot be read: {error.strerror}"
                continue
            if key not in known:
                known[key] = importer.failure(source)
            if known[key]:
                found[source] = known[key]
    os.environ[RESULTS_VARIABLE] = json.dumps(known)
    return found


def _known() -> dict[str, str]:
    try:
        known = json.loads(os.environ.get(RESULTS_VARIABLE, "{}"))
    except ValueError:
        return {}
    return {str(key): str(why) for key, why in known.items()} if isinstance(known, dict) else {}


class _Importer:
    """A child that imports modules; another one after each that failed."""

    def __init__(self, own_modules: Sequence[str]) -> None:
        self._own_modules = list(own_modules)
        self._child: Child | None = None

    def __enter__(self) -> "_Importer":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def failure(self, source: Source) -> str:
        """Why a module cannot be imported; "" where it can."""
        asked = {"file": str(source.file or ""), "point": source.point, "own_modules": self._own_modules}
        run_uninterrupted(self._start)
        if self._child is None:
            raise RacesError(f"{source}: the process that imports it under a time limit could not be started")
        try:
            why = str(self._child.ask(asked, STARTUP_TIMEOUT_S + WALL_LIMIT_S)["failure"])
        except ChildFailed as error:
            why = _meaning(self._end(EXIT_GRACE_S), error)
        except BaseException:  # such as a KeyboardInterrupt: the child must not go on
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
    """What the end of the child means for the module that it imported."""
    if code in (-clock.CPU_SIGNAL, -clock.WALL_SIGNAL):
        return f"its import took more than {CPU_LIMIT_S:.0f} s of CPU time or {WALL_LIMIT_S:.0f} s of wall time"
    if code is not None and code != -signal.SIGKILL:
        return f"its import ended the process with code {code}"
    return f"its import failed together with its process: {error}"


def main() -> None:
    """In the child: import the modules that are asked for, and reply what is wrong with them."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with _exit_without_cleanup():
        serve(_answer)


@contextmanager
def _exit_without_cleanup() -> Iterator[None]:
    """Nothing that a module leaves behind, such as a thread or an exit handler, keeps the child from ending."""
    try:
        yield
    finally:
        os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    source = Source(Path(request["file"]) if request["file"] else None, tuple(request["point"]))
    for name in request["own_modules"]:
        import_module(name)
    process, before, kept = os.getpid(), _process_state(), _additions_only()
    why = ""
    try:
        with clock.time_limit(CPU_LIMIT_S, WALL_LIMIT_S):
            bricks_of(source.load())
            why = _exit_failure()
    except BaseException as error:  # noqa: BLE001  # a third-party module may raise anything, and the pool must still load
        why = describe_error(error, longest=500)
    if os.getpid() != process:
        os._exit(1)  # a fork that the module has made, which must not reply as well
    if not why and (changed := _changed(before, kept)):
        why = f"its import changed what all modules share: {', '.join(changed)}"
    return {"failure": why or _left_running()}


def _exit_failure() -> str:
    """What is wrong with the exit handlers that the module has registered, run in a fork of this process.

    They could end a process of this project with an exit code of their own, such as 0 after an audit that found faults.
    """
    reading, writing = os.pipe()
    forked = os.fork()
    if forked == 0:
        try:
            with clock.time_limit(CPU_LIMIT_S, WALL_LIMIT_S):
                atexit._run_exitfuncs()  # the only public way to run them is to exit, after which no result can be sent
                os.write(writing, b"!")
        finally:
            os._exit(0)
    os.close(writing)
    ended = os.read(reading, 1)
    os.close(reading)
    os.waitpid(forked, 0)
    return "" if ended else "its exit handlers end the process"


def _changed(before: dict[str, object], kept: dict[str, frozenset[object]]) -> list[str]:
    """What the import has changed of what modules share, or that this can no longer be found out."""
    try:
        now, still = _process_state(), _additions_only()
        return sorted(
            [name for name in before if now[name] != before[name]] + [name for name in kept if kept[name] - still[name]]
        )
    except Exception as error:  # noqa: BLE001  # what this reads with was replaced
        return [f"Python itself, which now raises {type(error).__name__}"]


def _process_state() -> dict[str, object]:
    """What all modules of a process share and none may change."""
    found: dict[str, object] = {"working directory": _or_none(lambda: Path().stat().st_ino)}
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        opened = _or_none(partial(os.fstat, number))
        file = (opened.st_dev, opened.st_ino) if isinstance(opened, os.stat_result) else None
        found[name] = (id(stream), getattr(stream, "closed", True), file)
    for handled in (signal.SIGINT, signal.SIGTERM, clock.CPU_SIGNAL, clock.WALL_SIGNAL):
        found[f"handler of {handled.name}"] = signal.getsignal(handled)
    found["recursion limit"] = sys.getrecursionlimit() >= DEFAULT_RECURSION_LIMIT  # a higher one does no harm
    found["limit on digits"] = not 0 < sys.get_int_max_str_digits() < DEFAULT_DIGITS_LIMIT
    found["random number generator"] = [random.Random(0).random(), random.Random(0).sample(range(99), 9)]
    found["resource limits"] = [resource.getrlimit(kind) for kind in LIMITS]
    found["warnings that are errors"] = [each for each in warnings.filters if each[0] == "error"]
    return found


def _additions_only() -> dict[str, frozenset[object]]:
    """What a module may add to and must not remove from."""
    spaces = {"builtins": vars(builtins), "random": vars(random)}
    spaces |= {name: vars(module) for name, module in sys.modules.copy().items() if name.startswith("races.")}
    return {
        "import path": frozenset(sys.path),
        "import hooks": frozenset(map(id, (*sys.meta_path, *sys.path_hooks))),
        "environment variables": frozenset(os.environ.items()),
        "loaded modules": frozenset((name, id(module)) for name, module in sys.modules.copy().items()),
        **{name: frozenset((key, id(value)) for key, value in space.items()) for name, space in spaces.items()},
    }


def _or_none(read: Callable[[], object]) -> object:
    try:
        return read()
    except OSError:
        return None


def _left_running() -> str:
    """What is wrong where the module has left processes running."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return ""
    return "its import has left a process running"
