"""What changed between the bricks of two rebuilds: added, changed, renamed, removed."""

from collections.abc import Iterable
from typing import Any

from races.environments.seeding import key_of

Row = dict[str, Any]


def changed(reported: Iterable[Row], bricks: Iterable[Row], run_id: str) -> list[Row]:
    """Rows for what differs from what was reported before; one with the same statement under a new name is renamed."""
    known: dict[str, Row] = {}
    rebuild = 1
    for row in reported:
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
