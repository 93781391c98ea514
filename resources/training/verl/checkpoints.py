"""verl's checkpoint folders: which are complete, and from which one a run resumes.

`global_step_N/actor` has a shard of the model, of the optimizer and of further state for each rank, and
`latest_checkpointed_iteration.txt` names the N to resume from. verl silently starts over where that folder is missing,
and fails (or, worse, does not) where files in it are truncated.
"""

import json
import zipfile
from pathlib import Path

from races.resources.atomic import write_text
from races.resources.training.config import TrainingError

SHARDS = ("model", "optim", "extra_state")


def resumable(folder: Path) -> int:
    """The step that verl will resume from, the last one with a complete checkpoint; 0 for a new run.

    The file that names the step is corrected if necessary. TrainingError where there were checkpoints and none is
    complete: whether to start over is for the user to decide.
    """
    named = folder / "latest_checkpointed_iteration.txt"
    found = sorted((_step(each), each) for each in folder.glob("global_step_*"))
    steps = [step for step, each in found if is_complete(each)]
    if steps:
        if _named(named) != steps[-1]:
            write_text(named, str(steps[-1]))
        return steps[-1]
    if named.exists():
        raise TrainingError(
            f"{folder}: expected a complete checkpoint, got none in {[each.name for _, each in found]}, "
            f"though there was one of step {named.read_text() or '?'}; remove the folder to start over"
        )
    return 0


def _named(file: Path) -> int | None:
    text = file.read_text() if file.exists() else ""
    return int(text) if text.isdecimal() else None


def _step(folder: Path) -> int:
    return int(folder.name.removeprefix("global_step_"))


def is_complete(checkpoint: Path) -> bool:
    """Whether every file that resuming reads exists and is not truncated.

    torch writes zip archives, whose directory is at the end: a truncated file has none.
    """
    actor = checkpoint / "actor"
    try:
        ranks = json.loads((actor / "fsdp_config.json").read_text())["world_size"]
    except (OSError, ValueError, KeyError):
        return False
    shards = [actor / f"{kind}_world_size_{ranks}_rank_{rank}.pt" for kind in SHARDS for rank in range(ranks)]
    return all(zipfile.is_zipfile(file) for file in [*shards, checkpoint / "data.pt"])
