"""The self-test of the sandbox: a program that tries what no program may do and names what it could."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

LIBRARY = Path(os.__file__).parent
WRITABLE = ("/", "/tmp", "/dev", "/dev/shm", "/proc/sys/kernel", "/usr", LIBRARY)  # noqa: S108  # they must not be


def failed_checks(hidden: list[str], processes: int) -> list[str]:
    """What the sandbox allows and must not. hidden: files of the host. processes: how many may run at once."""
    return [*_files(hidden), *_privileges(), *_network(), *_processes(processes)]


def _files(hidden: list[str]) -> Iterator[str]:
    for name in [*hidden, "/proc/1/environ", "/proc/1/mem"]:
        with suppress(OSError), Path(name).open("rb"):
            yield f"reading {name}"
    for folder in WRITABLE:
        with suppress(OSError), (Path(folder) / "written").open("w"):
            yield f"writing into {folder}"


def _privileges() -> Iterator[str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    if os.getuid() == 0:
        yield "the user root"
    if any(int(status[f"Cap{kind}"], 16) for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")):
        yield "capabilities"
    if status["NoNewPrivs"].strip() != "1":
        yield "new privileges"
    if status["Seccomp"].strip() != "2":
        yield "every system call"


def _network() -> Iterator[str]:
    with suppress(OSError), socket.socket(socket.AF_INET):
        yield "sockets of the internet"
    names = [line.partition(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    if any(name != "lo" for name in names):
        yield f"the network devices {', '.join(names)}"


def _processes(most: int) -> Iterator[str]:
    children: list[int] = []
    with suppress(OSError):
        while len(children) <= most:
            if not (child := os.fork()):
                signal.pause()
            children.append(child)
        yield f"more than {most} processes"
    for child in children:
        os.kill(child, signal.SIGKILL)
