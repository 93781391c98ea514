"""What the tests of the sandbox share: problems for programs, and a view of processes from outside."""

import secrets
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.evaluation.suites.livecode import Task
from races.resources.sandbox.sandbox import Limits
from tests.support.cheating_programs import MARK

BUBBLEWRAP = shutil.which("bwrap")
needs_sandbox = pytest.mark.skipif(BUBBLEWRAP is None, reason="needs bubblewrap: apt-get install bubblewrap")
STRICT = Limits(cpu=0.5, wall=3.0, memory=2**29, output=2**20, processes=16)


def problem(*pairs: tuple[str, str], function: str | None = None) -> Task:
    """A problem with tests of inputs and expected outputs, the first public and the others private."""
    kind = "functional" if function else "stdin"
    tests = [livecode.Test(input=given, output=expected, testtype=kind) for given, expected in pairs]
    return Task(starter_code="", public_test_cases=tests[:1], private_test_cases=tests[1:], fn_name=function)


def secret() -> str:
    return MARK + secrets.token_hex(16)


def processes_of(mark: str) -> list[int]:
    """The processes whose command holds a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def eventually(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 10
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()
