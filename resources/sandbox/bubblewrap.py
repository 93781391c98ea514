"""The command that starts the sandbox: what bubblewrap shows of the machine and what it keeps out."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from races.environments.errors import RacesError
from races.resources.sandbox import seccomp, worker

NOBODY = "65534"
CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SETPCAP")
MODULES = Path("/modules")  # in the sandbox: the installed packages that programs may import
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",  # it would start a thread for every core
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",  # the order of sets is the same every time
    "PYTHONUTF8": "1",
}
DEVICES = ("null", "zero", "random", "urandom")
LIBRARY = re.compile(r"^\s+(?:\S+ => )?(/\S+) \(0x", re.MULTILINE)  # in what ldd prints
HIDDEN = frozenset({"site-packages", "dist-packages"})  # in the interpreter's library
# In a namespace of its own: where root shows the files of the sandbox to the user that builds it.
STAGING_FOLDER = "/tmp"  # noqa: S108  # of that namespace


class SandboxError(RacesError):
    """No sandbox can be started, or it does not isolate."""


def system_calls() -> bytes:
    """The filter of system calls for this machine."""
    machine = platform.machine()
    if (program := seccomp.program(machine)) is None:
        raise SandboxError(f"expected a machine of {', '.join(seccomp.MACHINES)}, got {machine}")
    return program


def installed(modules: Sequence[str]) -> dict[Path, Path]:
    """Where the folders of installed packages, and of the libraries that their wheels bring, are in the sandbox."""
    found: dict[Path, Path] = {}
    for name in modules:
        if (spec := find_spec(name)) is None or not spec.submodule_search_locations:
            raise SandboxError(f"expected the package {name} to be installed, got none")
        for place in spec.submodule_search_locations:
            libraries = Path(place).with_name(f"{name}.libs")
            found |= {each.resolve(): MODULES / each.name for each in (Path(place), libraries) if each.is_dir()}
    return found


def folders(packages: Mapping[Path, Path]) -> list[str]:
    """The folders of the sandbox to import from."""
    return sorted({str(MODULES if inside.parent == MODULES else inside) for inside in packages.values()})


def command(packages: Mapping[Path, Path]) -> list[str]:
    """The command of the sandbox, without the settings of its worker. packages: folders, and where they are inside."""
    bubblewrap = _program("bwrap", "Debian's package bubblewrap")
    # The interpreter of a virtual environment may be a copy, which is nothing without the environment.
    base: str = sys._base_executable  # type: ignore[attr-defined]  # as venv itself finds it
    interpreter, library = Path(base).resolve(), Path(os.__file__).resolve().parent
    libraries = [Path(each) for each in _libraries(interpreter, library, *packages)]
    shown = {each: each for each in (interpreter, library, *libraries)} | dict(packages)
    become, bubblewrap, sources = _unprivileged(bubblewrap, [str(each) for each in shown])
    paths = sorted({str(each.parent) for each in (*libraries, *packages.values())})
    arguments = [bubblewrap, "--unshare-all", "--unshare-user", "--new-session", "--as-pid-1"]
    arguments += ["--uid", NOBODY, "--gid", NOBODY, "--clearenv", "--hostname", "sandbox", "--cap-drop", "ALL"]
    # For the process inside, to make the namespaces of each run; the run itself has none.
    arguments += [part for name in CAPABILITIES for part in ("--cap-add", name)]
    arguments += [part for pair in ENVIRONMENT.items() for part in ("--setenv", *pair)]
    arguments += ["--setenv", "LD_LIBRARY_PATH", ":".join(paths)]
    arguments += [part for pair in zip(sources, map(str, shown.values()), strict=True) for part in ("--ro-bind", *pair)]
    hidden = [str(library / name) for name in HIDDEN if (library / name).is_dir()]
    arguments += [part for folder in hidden for part in ("--tmpfs", folder)]
    arguments += [part for name in DEVICES for part in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        arguments += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    arguments += ["--proc", "/proc", "--chdir", "/"]
    arguments += [part for folder in (*hidden, "/") for part in ("--remount-ro", folder)]
    # -P: nothing is imported from the working directory; -s and -S: nor from packages that nobody let in.
    arguments += ["--", str(interpreter), "-P", "-s", "-S", "-c", Path(worker.__file__).read_text(encoding="utf-8")]
    return [*become, *arguments]


def _unprivileged(bubblewrap: str, shown: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """What begins the command where root would build the sandbox; where bubblewrap is then, and what is shown.

    The user 0 is exempt from the limit of processes, in a user namespace too, so root first becomes nobody. Its files,
    such as an interpreter below /root, may lie where nobody cannot look, so it shows them elsewhere before.
    """
    if os.geteuid() != 0:
        return [], bubblewrap, list(shown)
    setpriv = _program("setpriv", "util-linux")
    sources = [f"{STAGING_FOLDER}/{number}" for number in range(len(shown))]
    pairs = [*zip(shown, sources, strict=True), (bubblewrap, f"{STAGING_FOLDER}/bwrap")]
    binds = [part for pair in pairs for part in ("--ro-bind", *pair)]
    become = [bubblewrap, "--dev-bind", "/", "/", "--tmpfs", STAGING_FOLDER, *binds]
    become += ["--", setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return become, f"{STAGING_FOLDER}/bwrap", sources


def _program(name: str, source: str) -> str:
    if (found := shutil.which(name)) is None:
        raise SandboxError(f"expected the program {name} on the PATH, from {source}, got none")
    return found


@lru_cache
def _libraries(*places: Path) -> list[str]:
    """The shared libraries that the interpreter, the modules of its library and packages are linked with."""
    objects = [place for place in places if place.is_file()]
    for place in places:
        objects += [each for each in place.rglob("*.so*") if not HIDDEN.intersection(each.relative_to(place).parts)]
    listed = subprocess.run([_program("ldd", "the C library"), *objects], capture_output=True, text=True, check=False)
    found = {Path(each) for each in LIBRARY.findall(listed.stdout)}
    return sorted(str(each) for each in found if not any(map(each.is_relative_to, places)))
