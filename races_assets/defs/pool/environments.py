"""The pool of environments: their sources, which are observed, and one profiled row for each."""

import hashlib
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

from races import environments as package
from races.assets.tables.schemas import Environments, ForeignRefusals, SubPools, table
from races.environments import user_config
from races.environments.audit.cards import blind_records, speed_records
from races.environments.audit.contract import other_outputs, refused_outputs
from races.environments.core import Environment
from races.environments.profile import VERSION, profile
from races.environments.registry import faults, pool, third_party_files
from races.environments.seeding import key_of
from races.environments.subpools import explicit_subpools, subpool, subpool_names
from races.environments.types import VOCABULARY
from races.resources.store.warehouse import Warehouse

SOURCES = """Bricks, types, parts of the pool and records, as they are declared, those of RACES_BRICKS and of installed
packages included. Their version follows what they are: it stays where a comment, the layout or code that no brick
reaches is edited. After an edit what was made of the old code becomes Unsynced, and bricks that are new or changed are
named here."""
FILES = "files"  # the metadata of an observation that tell whether a file has been edited since
SHOWN = 20  # names of bricks


@dg.observable_source_asset(group_name="pool", description=SOURCES, tags={"dagster/kind/python": ""})
def environment_sources(warehouse: Warehouse) -> dg.ObserveResult:
    """The version of the bricks that this process has loaded, with that of the files they may come from."""
    # Before the bricks are loaded: an edit while they are is seen as an edit afterwards, and not missed.
    files = files_version()
    return dg.ObserveResult(
        data_version=dg.DataVersion(sources_version()),
        metadata={
            FILES: files,
            "bricks": len(pool()),
            "new_or_changed_bricks": changed_bricks(warehouse),
            "left_out_of_the_pool": "; ".join(map(str, faults())) or "none",
        },
    )


def changed_bricks(warehouse: Warehouse) -> str:
    """The names of the bricks that differ from what `environments` has measured."""
    measured = {}
    if warehouse.exists("environments"):
        columns = warehouse.read("environments", columns=["name", "fingerprint"])
        measured = dict(zip(*(column.to_pylist() for column in columns.columns), strict=True))
    changed = [name for name, brick in pool().items() if measured.get(name) != brick.fingerprint]
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    return ", ".join(changed[:SHOWN]) + more or "none"


def files_version() -> str:
    """A hash of all files that bricks may come from, as they are now, whatever this process has loaded."""
    root = Path(package.__file__).parent
    files = {
        path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.suffix in {".py", ".json", ".csv"}
    }
    files |= {str(path): path for path in third_party_files()}
    if (recipes := user_config.file()) and recipes.exists():  # parts of the pool may stand in it
        files[str(recipes)] = recipes
    return key_of([(name, hashlib.sha256(path.read_bytes()).hexdigest()) for name, path in sorted(files.items())])


def sources_version() -> str:
    """A hash of all that tables take from the code of bricks, as this process has loaded it."""
    bricks = [(each.name, each.theme, each.grade, each.fingerprint) for each in pool().values()]
    kinds = [(kind.name, kind.fingerprint) for kind in VOCABULARY.values()]
    return key_of(bricks, kinds, sorted(explicit_subpools().items()), blind_records(), speed_records())


def environment_row(brick: Environment) -> dict[str, Any]:
    """The row of a brick in the table `environments`."""
    return {
        "name": brick.name,
        "theme": brick.theme,
        "statement": brick.statement,
        "domain": brick.domain.name,
        "codomain": brick.codomain.name,
        "signature": f"{brick.domain} -> {brick.codomain}",
        "grade": brick.grade,
        "terminal": brick.terminal,
        "fingerprint": brick.fingerprint,
        "words": len(brick.statement.split()),
        "measured_by": VERSION,
        **profile(brick),
    }


@dg.asset(deps=[environment_sources], group_name="pool", kinds={"parquet"}, code_version=VERSION)
def environments(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per environment of the pool, or brick: its statement, types and measured card.

    Only bricks whose fingerprint has changed are measured again.
    """
    known = {}
    if warehouse.exists("environments"):
        known = {(row["fingerprint"], row["measured_by"]): row for row in warehouse.read("environments").to_pylist()}
    rows = [known.get((brick.fingerprint, VERSION)) or environment_row(brick) for brick in pool().values()]
    rows = [row | recorded(row["name"], row["fingerprint"]) for row in rows]
    rows = [row | {"grade": pool()[row["name"]].grade} for row in rows]  # which is no part of the fingerprint
    kept = sum((row["fingerprint"], row["measured_by"]) in known for row in rows)
    context.add_output_metadata({"profiled": len(rows) - kept, "kept": kept, "themes": len({r["theme"] for r in rows})})
    return table(Environments, rows)


def recorded(name: str, fingerprint: str) -> dict[str, Any]:
    """What is on record of a brick in this form and no run can reproduce."""
    solved, speed = blind_records().get(name), speed_records().get(name)
    if solved is not None and solved.fingerprint != fingerprint:
        solved = None
    if speed is not None and speed.fingerprint != fingerprint:
        speed = None
    return {
        "solved_blind": solved.solved if solved else 0,
        "solved_blind_of": solved.of if solved else 0,
        "posed_per_second": speed.generated if speed else 0.0,
        "scored_per_second": speed.scored if speed else 0.0,
    }


@dg.asset(deps=["environments"], group_name="composition", kinds={"parquet"}, code_version="1")
def foreign_refusals() -> pa.Table:
    """One row per environment: how many values that came out of other bricks it refuses."""
    foreign = other_outputs(pool())
    rows = []
    for name, brick in pool().items():
        refused, tried = refused_outputs(brick, foreign.get(brick.domain.name, []))
        rows.append({"name": name, "refused": refused, "tried": tried})
    return table(ForeignRefusals, rows)


@dg.asset(deps=[environment_sources, "environments"], group_name="composition", kinds={"parquet"}, code_version="1")
def sub_pools() -> pa.Table:
    """One row per named part of the pool and brick in it: those to train on, those held out, small ones to compare."""
    return table(SubPools, [{"pool": part, "name": name} for part in subpool_names() for name in subpool(part)])
