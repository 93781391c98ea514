"""What all measurements share: how much work to do, and clocks that other processes hardly disturb."""

import os
import platform
import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

REPEATS = 3


class Effort(Enum):
    """How much work a run does: enough to see that everything runs, to trust the numbers, or a million problems."""

    QUICK = 0
    USUAL = 1
    FULL = 2

    def of(self, quick: int, usual: int, full: int | None = None) -> int:
        """The amount for this effort; `full` is `usual` where nothing else is said."""
        return (quick, usual, usual if full is None else full)[self.value]

    @property
    def repeats(self) -> int:
        """How often a measurement is made, of which the best counts."""
        return self.of(1, REPEATS)


@dataclass(frozen=True)
class Measurement:
    """A measured number. target: what it should reach, or not exceed where `ceiling`; None where nothing was promised.

    measured is None where it could not be measured; the note then says why.
    """

    area: str
    name: str
    measured: float | None
    unit: str
    target: float | None = None
    ceiling: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the target is met."""
        if self.measured is None:
            return "not measured"
        if self.target is None:
            return ""
        return "met" if (self.measured <= self.target if self.ceiling else self.measured >= self.target) else "MISSED"

    def row(self) -> dict[str, Any]:
        """The measurement as plain data."""
        return asdict(self) | {"verdict": self.verdict}

    def cells(self) -> tuple[str, ...]:
        """The measurement as a row of the table: area, name, target, measured, unit, verdict, note."""
        sign = "<" if self.ceiling else ">="
        target = "" if self.target is None else f"{sign} {_number(self.target)}"
        measured = "" if self.measured is None else _number(self.measured)
        return self.area, self.name, target, measured, self.unit, self.verdict, self.note


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU seconds of this process for one call, the best of several: what other processes do hardly counts."""
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def rate(work: Callable[[], int], repeats: int = REPEATS) -> float:
    """Items in a CPU second of one core, the best of several calls; `work` says how many items it made."""
    best = 0.0
    for _ in range(repeats):
        began = time.process_time()
        count = work()
        best = max(best, count / (time.process_time() - began))
    return best


def cpu() -> float:
    """CPU seconds of this process and of those of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def machine() -> dict[str, str]:
    """The machine and the versions that measurements depend on."""
    return {
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "cpu": _processor(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "reasoning-gym": _version("reasoning-gym"),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
