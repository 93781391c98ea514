"""Runs of the asset graph in processes of their own, over places."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import Any, TypeAlias

import pytest

from tests.support.asset_runs import HERE, OWN_THEME, Place, Step, all_steps, new_place
from tests.support.fork_server import ForkedProcess, piped

Result: TypeAlias = dict[str, Any]
Process: TypeAlias = subprocess.Popen[str] | ForkedProcess


def settled(place: Place, hash_seed: int = 0, variables: dict[str, str] | None = None) -> dict[str, str]:
    """The variables of a process that takes its bricks from a place."""
    paths = {"PYTHONPATH": f"{place.code}{os.pathsep}{HERE}", "PYTHONHASHSEED": str(hash_seed)}
    return {**os.environ, **paths, "PYTHONDONTWRITEBYTECODE": "1", **(variables or {})}


@contextmanager
def process(place: Place, hash_seed: int = 0, variables: dict[str, str] | None = None) -> Iterator[Process]:
    """A process that has loaded the definitions over a place and waits for steps; its group ends with the block.

    Only the hash seed 0, which is that of the server of processes, can be had from it.
    """
    env = settled(place, hash_seed, variables)
    started = (_new_process if hash_seed else _forked_process)(place, env)
    try:
        yield started
    finally:
        end_group(started.pid)
        started.wait()
        for pipe in (started.stdin, started.stdout):
            if pipe:
                pipe.close()


def _forked_process(place: Place, env: dict[str, str]) -> Process:
    return piped("tests.support.asset_server:serve", [str(place.store)], place.folder, env)


def _new_process(place: Place, env: dict[str, str]) -> Process:
    return subprocess.Popen(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            "from tests.support.asset_server import serve; serve()",
            str(place.store),
        ],
        cwd=place.folder,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def group(leader: int) -> list[int]:
    """The processes that live in the group of a process, dead ones that nobody has reaped left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, belongs = stat.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(belongs) == leader and state != "Z":
            found.append(int(stat.parent.name))
    return found


def end_group(leader: int) -> None:
    """End every process of a group."""
    for each in group(leader):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def send(running: Process, asked: Step) -> None:
    assert running.stdin
    running.stdin.write(json.dumps(asked) + "\n")
    running.stdin.flush()


def answered(running: Process, seconds: float = 0) -> bool:
    """Whether a result is there, or comes within so many seconds."""
    assert running.stdout
    return bool(select([running.stdout], [], [], seconds)[0])


def receive(running: Process, seconds: float = 120) -> Result:
    assert answered(running, seconds), f"no answer within {seconds} seconds"
    assert running.stdout
    line = running.stdout.readline()
    assert line, "the process ended before it answered"
    result: Result = json.loads(line)
    return result


def runs(place: Place, *steps: Step, hash_seed: int = 0) -> list[Result]:
    """The results of steps that one process does one after another."""
    with process(place, hash_seed) as running:
        results = []
        for each in steps:
            send(running, each)
            results.append(receive(running))
        return results


def good_runs(place: Place, *steps: Step, hash_seed: int = 0) -> list[Result]:
    """The same where every step has to end well."""
    results = runs(place, *steps, hash_seed=hash_seed)
    for asked, result in zip(steps, results, strict=True):
        assert not result["errors"], f"{asked}: {result['errors'][0]}"
    return results


def scores(place: Place, rows: list[list[str]]) -> list[dict[str, float]]:
    """What `compute_score` gives for data source, text and truth in a process that has the bricks of a place."""
    script = (
        "import json, sys; from races.environments.reward import compute_score\n"
        "print(json.dumps([compute_score(*row) for row in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place.folder,
        env=settled(place),
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    found: list[dict[str, float]] = json.loads(done.stdout)
    return found


# What is made once


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], list[Result]]) -> Place:
    """A place of this name that `make` fills, once for all test processes; its results lie beside it as results.json.

    Do not write to it: copy it.
    """
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "results.json").exists():
            shutil.rmtree(folder, ignore_errors=True)
            results = make(folder)
            (folder / "results.json").write_text(json.dumps(results))
    return Place(folder)


def results_of(place: Place) -> list[Result]:
    """The results of the steps that made a place."""
    found: list[Result] = json.loads((place.folder / "results.json").read_text())
    return found


def whole_graph(factory: pytest.TempPathFactory) -> Place:
    """A place where everything has been made from nothing."""

    def make(folder: Path) -> list[Result]:
        place = new_place(folder)
        place.theme("own").write_text(OWN_THEME)
        return good_runs(place, *all_steps())

    return made_once(factory, "whole_graph", make)
