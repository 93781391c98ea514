"""verl's checkpoint folders: which of them are whole, and which one a run is resumed from.

`global_step_N/actor` holds a shard of the model, of the optimizer and of the rest for each rank, and
`latest_checkpointed_iteration.txt` names the N to resume from. verl starts anew, without a word, where that folder is
not there, and fails or, worse, does not where files in it are cut off.
"""

import json
import zipfile
from pathlib import Path

from races.resources.atomic import write_text
from races.resources.training.config import TrainingError

SHARDS = ("model", "optim", "extra_state")


def resumable(folder: Path) -> int:
    """The step that verl will resume from, the last one whose checkpoint is whole; 0 where it will start anew.

    The file that names it is set right where it names another one. TrainingError where there were checkpoints and none
    is whole: to start anew then is for somebody to decide.
    """
    named = folder / "latest_checkpointed_iteration.txt"
    found = sorted((_step(each), each) for each in folder.glob("global_step_*"))
    steps = [step for step, each in found if whole(each)]
    if steps:
        if _named(named) != steps[-1]:
            write_text(named, str(steps[-1]))
        return steps[-1]
    if named.exists():
        raise TrainingError(
            f"{folder}: expected a whole checkpoint, got none in {[each.name for _, each in found]}, though there was "
            f"one of step {named.read_text() or '?'}; remove the folder to start anew"
        )
    return 0


def _named(file: Path) -> int | None:
    text = file.read_text() if file.exists() else ""
    return int(text) if text.isdecimal() else None


def _step(folder: Path) -> int:
    return int(folder.name.removeprefix("global_step_"))


def whole(checkpoint: Path) -> bool:
    """Whether every file that resuming reads is there to its last byte.

    torch writes zip archives, whose directory stands at the end: a file that was cut off has none.
    """
    actor = checkpoint / "actor"
    try:
        ranks = json.loads((actor / "fsdp_config.json").read_text())["world_size"]
    except (OSError, ValueError, KeyError):
        return False
    shards = [actor / f"{kind}_world_size_{ranks}_rank_{rank}.pt" for kind in SHARDS for rank in range(ranks)]
    return all(zipfile.is_zipfile(file) for file in [*shards, checkpoint / "data.pt"])
