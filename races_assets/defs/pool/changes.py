"""What changed in the pool, rebuild by rebuild; how many rows of each table that replaced is in `materializations`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import dagster as dg
import pyarrow as pa

from races.assets.tables.schemas import Changes, table
from races.environments.seeding import key_of
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]


@dg.asset(deps=["environments"], group_name="pool", kinds={"parquet"}, code_version="1")
def changes(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per environment that a rebuild found added, changed, renamed or removed; rows are only ever added."""
    told = warehouse.read("changes").to_pylist() if warehouse.exists("changes") else []
    columns = ["name", "fingerprint", "statement", "signature"]
    fresh = changed(told, warehouse.read("environments", columns=columns).to_pylist(), context.run.run_id)
    counts = Counter(row["change"] for row in fresh)
    names = {kind: ", ".join(row["name"] for row in fresh if row["change"] == kind) for kind in counts}
    context.add_output_metadata({kind: f"{counts[kind]}: {names[kind]}" for kind in sorted(counts)})
    return table(Changes, [*told, *fresh])


def changed(told: Iterable[Row], bricks: Iterable[Row], run_id: str) -> list[Row]:
    """Rows for what differs from what has been told so far; a brick that says the same under a new name is renamed."""
    known: dict[str, Row] = {}
    rebuild = 1
    for row in told:
        rebuild = max(rebuild, row["rebuild"] + 1)
        known.pop(row["old_name"], None)
        if row["change"] != "removed":
            known[row["name"]] = row
    today = {row["name"]: row for row in bricks}
    gone = {row["meaning"]: name for name, row in sorted(known.items()) if name not in today}
    found = []
    for name, brick in sorted(today.items()):
        meaning = key_of(brick["statement"], brick["signature"])
        old = known.get(name)
        if old is not None and old["fingerprint"] == brick["fingerprint"]:
            continue
        old_name = name if old is not None else gone.pop(meaning, "")
        change = "changed" if old is not None else "renamed" if old_name else "added"
        before = known[old_name]["fingerprint"] if old_name else ""
        found.append((change, name, old_name, before, brick["fingerprint"], meaning))
    renamed = {each[2] for each in found}
    removed = [known[name] for name in sorted(known.keys() - today.keys() - renamed)]
    found += [("removed", row["name"], row["name"], row["fingerprint"], "", row["meaning"]) for row in removed]
    names = ("change", "name", "old_name", "old_fingerprint", "fingerprint", "meaning")
    return [{"rebuild": rebuild, **dict(zip(names, each, strict=True)), "run_id": run_id} for each in found]
