"""The pool of environments: their sources, which are observed, and one profiled row for each."""

import hashlib
from pathlib import Path

import dagster as dg
import pyarrow as pa

import environments as package
from environments.core import Environment
from environments.keyed import key_of
from environments.profile import VERSION, profile
from environments.registry import pool
from races_assets.schemas import Environments, table
from resources.warehouse import Warehouse


@dg.observable_source_asset(group_name="pool", tags={"dagster/kind/python": ""})
def environment_sources() -> dg.DataVersion:
    """The code of types and bricks; its version is a hash of their files."""
    root = Path(package.__file__).parent
    files = sorted(path for path in root.rglob("*.py"))
    content = [(path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]
    return dg.DataVersion(key_of(content))


def environment_row(brick: Environment) -> dict[str, object]:
    """The row of a brick in the table `environments`."""
    return {
        "name": brick.name,
        "theme": brick.theme,
        "statement": brick.statement,
        "domain": brick.domain.name,
        "codomain": brick.codomain.name,
        "signature": f"{brick.domain} -> {brick.codomain}",
        "terminal": brick.terminal,
        "fingerprint": brick.fingerprint,
        "words": len(brick.statement.split()),
        "measured_by": VERSION,
        **profile(brick),
    }


@dg.asset(deps=[environment_sources], group_name="pool", kinds={"parquet"}, code_version=VERSION)
def environments(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per environment of the pool; only those whose fingerprint has changed are measured again."""
    known = {}
    if warehouse.exists("environments"):
        known = {(row["fingerprint"], row["measured_by"]): row for row in warehouse.read("environments").to_pylist()}
    rows = [known.get((brick.fingerprint, VERSION)) or environment_row(brick) for brick in pool().values()]
    kept = sum((row["fingerprint"], row["measured_by"]) in known for row in rows)
    context.add_output_metadata({"profiled": len(rows) - kept, "kept": kept, "themes": len({r["theme"] for r in rows})})
    return table(Environments, rows)
