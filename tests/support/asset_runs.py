"""Runs of the asset graph in processes of their own, over a copy of a few themes, whose bricks a test may edit."""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from select import select
from typing import Any, TypeAlias

import pytest

from races.assets.defs.datasets.problem_cache import CANDIDATES
from races.assets.tables.schemas import MODELS
from races.environments.subpools import FILE, HELD_OUT
from races.resources.store.materializations import MATERIALIZATIONS
from races.resources.store.warehouse import CATALOG, Warehouse

HERE = Path(__file__).parents[2]
# Few types, so that the search meets the same ones often, and one of its own, whose bricks tests edit.
THEMES = ("dates", "lists", "sequences", "words")
UNSEEN = ("interleave_halves", "run_lengths")  # what the copy keeps for evaluation
OWN_THEME = '''"""Dates that tests move about."""

from datetime import date, timedelta

from races.environments import environment
from races.environments.types import Date

DAYS = 7


@environment()
def week_later(day: Date) -> Date:
    """Give the date of seven days later."""
    return _moved(day, DAYS)


def _moved(day: date, days: int) -> date:
    """The date so many days later."""
    return day + timedelta(days)
'''
OPERATORS = ("parallel", "select", "sequential", "single", "sort")
TABLES = ("discovered_paths", "rejected_extensions", "search_shards")
FILTERED = ("filtered_paths", "path_ailments")
POSED = ("problems", "training_sets")
OTHERS = tuple(name for name in ("types", "type_graph", "path_counts", "sub_pools") if name in MODELS)
MADE = ("environments", *OTHERS, *TABLES, *FILTERED, *POSED)
SEARCH = {"chain_roots": 1, "order_roots": 1, "longest": 6, "longest_order": 4, "witnesses": 24}
SEARCH |= {"extensions": 2, "tries": 4, "frontier": 2, "budget": 1, "workers": 2}
SHORT = {"longest": 2, "longest_order": 2}
POSING = {"per_cell": 5, "workers": 2}
AUDIT = {"draws": 40, "foreign": 200, "per_level": 3, "seed": "", "workers": 2}
DIE_AFTER = "RACES_TEST_DIE_AFTER"
HOME = "RACES_TEST_HOME"  # the folder of the Dagster instance that a process writes to; it has one of its own without

Result: TypeAlias = dict[str, Any]
Step: TypeAlias = dict[str, Any]
Process: TypeAlias = subprocess.Popen[str]


@dataclass(frozen=True)
class Place:
    """A folder with a copy of the package of bricks and a store."""

    folder: Path

    @property
    def code(self) -> Path:
        return self.folder / "code"

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(root=str(self.store))

    def theme(self, name: str) -> Path:
        """The file of a theme."""
        themes = self.code / "environments/themes"
        return next(themes.rglob(f"{name}.py"), themes / f"{name}.py")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands once in the file of a theme."""
        text = self.theme(name).read_text()
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
        self.theme(name).write_text(text.replace(old, new))

    def copy(self, folder: Path, store: bool = True) -> "Place":
        """The same code and files with the same times in another folder; without `store` it has no tables yet."""
        shutil.copytree(self.code, folder / "code", symlinks=True)
        if store:
            shutil.copytree(self.store, folder / "store")
        return Place(folder)


def new_place(folder: Path, themes: Sequence[str] = THEMES) -> Place:
    """A copy of the environments with these themes alone beside links to all else, and no store yet."""
    place, ignored = Place(folder), shutil.ignore_patterns("__pycache__")
    shutil.copytree(HERE / "environments", place.code / "environments", ignore=ignored)
    (place.code / "races").mkdir()
    for name in ("resources", "races_assets", "sql", ".venv-train", "races/oracles", "races/__init__.py"):
        (place.code / name).symlink_to(HERE / name)
    for name, target in {"environments": "environments", "resources": "resources", "assets": "races_assets"}.items():
        (place.code / "races" / name).symlink_to(Path("..") / target)
    for file in (place.code / "environments/themes").rglob("*.py"):
        if file.stem not in {*themes, "__init__"}:
            file.unlink()
    (place.code / "environments" / FILE.name).write_text(json.dumps({HELD_OUT: UNSEEN}))
    return place


# What is asked of a process


def step(*assets: str, partition: str | None = None, config: dict[str, Any] | None = None) -> Step:
    """One run: these assets, one partition, and the config of ops by name."""
    return {"assets": assets, "partition": partition, "ops": {n: {"config": c} for n, c in (config or {}).items()}}


def elsewhere(store: Path, *steps: Step) -> list[Step]:
    """The same runs over another store."""
    return [{**each, "store": str(store)} for each in steps]


def pool_step() -> Step:
    return step("environments")


def search_step(**settings: Any) -> Step:
    return step(*TABLES, config={"path_search": SEARCH | settings})


def filter_step(**settings: Any) -> Step:
    return step(*FILTERED, config={"path_filter": settings})


def pose_step(operator: str, **settings: Any) -> Step:
    return step("problems", partition=operator, config={"problems": POSING | settings})


def audit_step(**settings: Any) -> Step:
    return step("audits", config={"audits": AUDIT | settings})


def set_step(recipe: str) -> Step:
    return step("training_sets", partition=recipe)


def all_steps(workers: int = 2) -> list[Step]:
    """Everything from the pool to two training sets."""
    return [
        pool_step(),
        step(*OTHERS),
        search_step(workers=workers),
        filter_step(),
        *(pose_step(operator, workers=workers) for operator in OPERATORS),
        set_step("races_analysis"),
        set_step("individual_analysis"),
    ]


# Processes


def settled(place: Place, hash_seed: int = 0, variables: dict[str, str] | None = None) -> dict[str, str]:
    """The variables of a process that takes its bricks from a place."""
    paths = {"PYTHONPATH": f"{place.code}{os.pathsep}{HERE}", "PYTHONHASHSEED": str(hash_seed)}
    return {**os.environ, **paths, "PYTHONDONTWRITEBYTECODE": "1", **(variables or {})}


@contextmanager
def process(place: Place, hash_seed: int = 0, variables: dict[str, str] | None = None) -> Iterator[Process]:
    """A process that has loaded the definitions over a place and waits for steps; its group ends with the block."""
    started = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", "from tests.support.asset_runs import serve; serve()", str(place.store)],
        cwd=place.folder,
        env=settled(place, hash_seed, variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield started
    finally:
        end_group(started.pid)
        started.wait()
        for pipe in (started.stdin, started.stdout):
            if pipe:
                pipe.close()


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


def serve() -> None:
    """What a process does: a line of JSON for a step comes in, a line for its result goes out.

    It is killed right after it has stored the table that DIE_AFTER names.
    """
    import dagster as dg

    from races.assets.definitions import definitions
    from races.assets.tables.schemas import MODELS
    from races.resources.store.io_manager import WarehouseIOManager, dataset_name

    class DyingIOManager(WarehouseIOManager):
        def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
            super().handle_output(context, obj)
            if dataset_name(context) == os.environ.get(DIE_AFTER):
                os.kill(os.getpid(), signal.SIGKILL)

    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    quiet = {"console": {"config": {"log_level": "CRITICAL"}}}

    @cache
    def job(store: str) -> dg.JobDefinition:
        made = definitions(store)
        resources = {**(made.resources or {}), "io_manager": DyingIOManager(Warehouse(root=store), MODELS)}
        together = dg.Definitions(made.assets, asset_checks=made.asset_checks, resources=resources)
        return together.resolve_implicit_global_asset_job_def()

    home = os.environ.get(HOME)
    with dg.DagsterInstance.from_config(home) if home else dg.DagsterInstance.ephemeral() as instance:
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                result = job(asked.get("store", sys.argv[1])).execute_in_process(
                    run_config={"loggers": quiet, "ops": asked["ops"]},
                    instance=instance,
                    asset_selection=[dg.AssetKey(name) for name in asked["assets"]],
                    partition_key=asked["partition"],
                    raise_on_error=False,
                )
                said = _said(result)
            except dg.DagsterInvalidConfigError as error:
                said = {"errors": [str(error)], "tables": {}, "checks": {}}
            replies.write(json.dumps(said) + "\n")
            replies.flush()


def _said(result: Any) -> Result:
    tables, checks = {}, {}
    for event in result.all_events:
        if event.is_step_materialization:
            made = event.step_materialization_data.materialization
        elif event.is_asset_observation:
            made = event.asset_observation_data.asset_observation
        else:
            continue
        metadata = {name: _plain(value.value) for name, value in made.metadata.items()}
        version = (made.tags or {}).get("dagster/data_version")
        tables[made.asset_key.to_user_string()] = {"metadata": metadata, "version": version}
    for check in result.get_asset_check_evaluations():
        found = {name: value.value for name, value in check.metadata.items()}
        checks[check.check_name] = {"passed": check.passed, "severity": check.severity.name, "metadata": found}
    failures = [event for event in result.all_events if event.is_step_failure]
    errors = [event.step_failure_data.error.to_string() for event in failures]
    return {"errors": errors, "tables": tables, "checks": checks}


def _plain(value: Any) -> Any:
    return [column.name for column in value.columns] if hasattr(value, "columns") else value


# The store as files


def hashes(store: Path) -> dict[str, str]:
    """The hash of every file of a store by its path, whatever its name is, the catalogue and the records left aside."""
    files = sorted(_files(store))
    return {str(f.relative_to(store)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def times(store: Path) -> dict[str, int]:
    """When every file of a store was last written, the catalogue and the records left aside."""
    return {str(f.relative_to(store)): f.stat().st_mtime_ns for f in _files(store)}


def _files(store: Path) -> Iterator[Path]:
    beside = {MATERIALIZATIONS, CANDIDATES, CATALOG}
    return (each for each in store.rglob("*") if each.is_file() and not beside & {*each.relative_to(store).parts})


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
