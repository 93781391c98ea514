"""The training set races_300 from an empty warehouse and a fresh Dagster instance: every asset above it.

The run is a process of its own: python -m perf.cold prints what each stage took as JSON.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perf.measure import Effort, Measurement, cpu

NAME = "cold"
TARGET = 60.0  # seconds of wall time on two cores
RECIPE = "races_300"
ROOT = Path(__file__).parents[1]


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Seconds of wall time from starting Python to the last row, of CPU time of all processes, and of each stage."""
    if effort is Effort.QUICK:
        yield Measurement(NAME, RECIPE, None, "s", TARGET, ceiling=True, note="takes too long for a quick run")
        return
    with tempfile.TemporaryDirectory(prefix="races-cold-") as folder:
        home = Path(folder, "dagster_home")
        home.mkdir()
        shutil.copy(ROOT / "dagster_home" / "dagster.yaml", home)
        places = {"RACES_WAREHOUSE": str(Path(folder, "warehouse")), "DAGSTER_HOME": str(home)}
        before, began = cpu(), time.perf_counter()
        command = [sys.executable, "-m", "perf.cold"]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **places}, stdout=subprocess.PIPE, text=True, check=True
        )
        wall, spent = time.perf_counter() - began, cpu() - before
    stages: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    alone = spent - sum(stage["cpu"] for stage in stages)
    alone += sum(stage["own"] + (stage["cpu"] - stage["own"]) / 2 for stage in stages)
    rows = stages[-1]["rows"]
    note = f"{rows:,} rows; what else runs on this machine slows it down"
    yield Measurement(NAME, f"{RECIPE}, wall time", wall, "s", TARGET, ceiling=True, note=note)
    note = f"{spent:.0f} s of CPU time, that of workers on both cores, all other on one and while no worker works"
    yield Measurement(NAME, f"{RECIPE}, with two cores to itself", alone, "s", TARGET, ceiling=True, note=note)
    yield Measurement(NAME, "start of Python and Dagster", wall - sum(each["wall"] for each in stages), "s")
    for each in stages:
        note = f"{each['cpu']:.1f} s of CPU time, {each['own']:.1f} s of it in one process"
        yield Measurement(NAME, each["stage"], each["wall"], "s", note=note)


def make() -> list[dict[str, Any]]:
    """Materialise the recipe as `make run` does and say for each stage its seconds: wall, CPU, and CPU of one process.

    Workers count when their pool is closed, which is at the end of the stage that started it.
    """
    # Worker processes load this module again, and need none of what is imported here.
    warnings.filterwarnings("ignore", message=".* is currently in (beta|preview)")
    import dagster as dg

    from races.assets.catalog.recipes import RECIPES
    from races.assets.definitions import defs, warehouse_root
    from races.assets.run import QUIET, everything
    from races.environments.operators import SIZES
    from races.resources.store.warehouse import Warehouse

    operators = [operator for operator in sorted(SIZES) if operator in RECIPES[RECIPE].sizes]
    wanted = {None, *operators, RECIPE}
    whole = [step for step in everything(defs) if step[1] in wanted]
    steps = whole[: whole.index((("training_sets",), RECIPE)) + 1]
    job, stages = defs.resolve_implicit_global_asset_job_def(), []
    with dg.DagsterInstance.get() as instance:
        for names, key in steps:
            began, own, all_of_them = time.perf_counter(), time.process_time(), cpu()
            keys = [dg.AssetKey(name) for name in names]
            job.execute_in_process(run_config=QUIET, instance=instance, asset_selection=keys, partition_key=key)
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            name = f"{names[0]}{more}{f' [{key}]' if key else ''}"
            spent = {"wall": time.perf_counter() - began, "cpu": cpu() - all_of_them}
            stages.append({"stage": name, **spent, "own": time.process_time() - own})
    rows = Warehouse(root=warehouse_root()).dataset("training_sets", {"recipe": RECIPE}).count_rows()
    stages[-1]["rows"] = rows
    return stages


if __name__ == "__main__":
    print(json.dumps(make()))
