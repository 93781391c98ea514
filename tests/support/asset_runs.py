"""Places: copies of a few themes, whose bricks a test may edit, with a store; and the runs that tests ask for."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from races.assets.defs.datasets.problem_cache import CANDIDATES
from races.assets.tables.table_catalog import MODELS
from races.environments.subpools import FILE, HELD_OUT
from races.resources.store.layout_version import VERSION_FILE
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
FILTERED = ("filtered_paths", "failed_health_checks")
GENERATED = ("problems", "training_sets")
OTHERS = tuple(name for name in ("types", "type_graph", "path_counts", "sub_pools") if name in MODELS)
MADE = ("environments", *OTHERS, *TABLES, *FILTERED, *GENERATED)
SEARCH = {"chain_roots": 1, "order_roots": 1, "longest": 6, "longest_order": 4, "probes": 24}
SEARCH |= {"extensions": 2, "tries": 4, "frontier": 2, "budget": 1, "workers": 2}
SHORT = {"longest": 2, "longest_order": 2}
GENERATION = {"per_cell": 5, "workers": 2}
AUDIT = {"draws": 40, "other_outputs": 200, "per_level": 3, "seed": "", "workers": 2}

Step: TypeAlias = dict[str, Any]


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


def problems_step(operator: str, **settings: Any) -> Step:
    return step("problems", partition=operator, config={"problems": GENERATION | settings})


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
        *(problems_step(operator, workers=workers) for operator in OPERATORS),
        set_step("races_analysis"),
        set_step("individual_analysis"),
    ]


# The store as files


def hashes(store: Path) -> dict[str, str]:
    """The hash of every file of a store by its path, whatever its name is, what lies beside the tables left aside."""
    files = sorted(_files(store))
    return {str(f.relative_to(store)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def times(store: Path) -> dict[str, int]:
    """When every file of a store was last written, what lies beside the tables left aside."""
    return {str(f.relative_to(store)): f.stat().st_mtime_ns for f in _files(store)}


def _files(store: Path) -> Iterator[Path]:
    beside = {MATERIALIZATIONS, CANDIDATES, CATALOG, VERSION_FILE}
    return (each for each in store.rglob("*") if each.is_file() and not beside & {*each.relative_to(store).parts})
