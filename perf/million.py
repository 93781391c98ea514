"""Many problems through the path of the asset, into a warehouse: memory must not grow with them, and time linearly.

Each measurement is a process of its own: python -m perf.million OPERATOR SIZE COUNT prints it as JSON.
"""

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perf.measure import Effort, Measurement, cpu

NAME = "million"
TARGET = 1_000  # MB of the process that writes and its workers together
CELLS = (("parallel", 2), ("single", 1), ("sequential", 5))
STARTS = 60
ROOT = Path(__file__).parents[1]
_EVERY = 20  # batches between two looks at the memory of the workers


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Problems in a CPU second and peak memory at several counts, and by how much memory grows for each problem."""
    counts = {
        Effort.QUICK: (100,),
        Effort.USUAL: (50_000, 100_000, 200_000),
        Effort.FULL: (50_000, 100_000, 200_000, 1_000_000),
    }[effort]
    for operator, size in CELLS:
        found = [_measured(operator, size, count) for count in counts]
        for each in found:
            name = f"{operator} of size {size}: {each['rows']:,}"
            note = (
                f"{each['wall']:.0f} s of wall time, {each['size'] / 1e6:,.0f} MB of Parquet; "
                f"the writer alone takes {each['rows'] / each['writer_cpu']:,.0f}/s"
            )
            yield Measurement(NAME, name, each["rows"] / each["cpu"], "problems/CPU s", note=note)
            total = (each["writer_peak"] + each["workers_peak"]) / 1e6
            note = f"{each['writer_peak'] / 1e6:,.0f} MB for the writer, the rest for {each['workers']} workers"
            yield Measurement(NAME, f"{name}, peak memory", total, "MB", TARGET, ceiling=True, note=note)
        if len(found) > 1:
            first, last = found[0], found[-1]
            growth = (last["writer_peak"] - first["writer_peak"]) / (last["rows"] - first["rows"])
            yield Measurement(NAME, f"{operator} of size {size}: growth", growth, "bytes/problem", note="of the writer")


def _measured(operator: str, size: int, count: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "perf.million", operator, str(size), str(count)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def measure(operator: str, size: int, count: int) -> dict[str, Any]:
    """Generate and write so many problems as the asset does; times in seconds and memory in bytes."""
    # Worker processes load this module again, and need none of what is imported here.
    import pyarrow as pa

    from perf.known_paths import records
    from races.assets.defs.datasets.problem_generation import ProblemGeneration
    from races.assets.defs.datasets.problems import ProblemsConfig
    from races.assets.tables.table_catalog import MODELS
    from races.environments.operators import FROM_PATHS
    from races.resources.store.warehouse import Warehouse

    known = {operator: {size: list(records("balanced", size, STARTS))}} if operator in FROM_PATHS else {}
    config = ProblemsConfig(per_cell=0, answer_style="tags", seed="benchmarks", workers=0)
    posing = ProblemGeneration({(operator, size): count}, config, known)
    peaks: dict[int, int] = {}

    def batches() -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(posing.batches()):
            if number % _EVERY == 0:
                peaks.update({each.pid: _peak(each.pid) for each in multiprocessing.active_children() if each.pid})
            yield batch

    began, own, all_of_them = time.perf_counter(), time.process_time(), cpu()
    with tempfile.TemporaryDirectory(prefix="races-million-") as folder:
        stream = pa.RecordBatchReader.from_batches(posing.schema, batches())
        store = Warehouse(root=folder)
        written = store.write("problems", stream, {"operator": operator}, MODELS["problems"])
    return {
        "rows": written.rows,
        "size": written.bytes,
        "wall": time.perf_counter() - began,
        "cpu": cpu() - all_of_them,
        "writer_cpu": time.process_time() - own,
        "writer_peak": _peak(os.getpid()),
        "workers_peak": sum(peaks.values()),
        "workers": len(peaks),
    }


def _peak(process: int) -> int:
    """The largest resident memory that a process has had, in bytes.

    Where there is a /proc, getrusage is left aside: it counts what the process that started this one had.
    """
    status = Path(f"/proc/{process}/status")
    if status.exists():
        line = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
        return int(line.split()[1]) * 1024
    if process != os.getpid():
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
