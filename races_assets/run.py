"""`make run`: materialise the graph down to a small trained model and its scores; say what there is and how to ask.

`python -m races.assets.run --train` goes on to the model of a million parameters (`make train`), and `--benchmarks`
measures the first model on the benchmarks (`make evaluate`).
`python -m races.assets.run NAME...` makes the assets that are named instead, and NAME:PARTITION one partition of an
asset; assets that are made together are joined by commas, as in training_runs,rollouts,checkpoints:micro.
"""

import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from races.environments.errors import RacesError, SettingError
from races.environments.terminal import visible

if TYPE_CHECKING:
    import dagster as dg

    from races.assets.steps import Step

# The processes that are started for work load this module again, and need none of what is imported further down.
ROOT = Path(__file__).parents[2]
QUERIES = (
    "select operator, size, count(*) as problems from problems group by all order by all",
    "select run, last_step, reward_first, reward_last, reward_gain_error from checkpoints",
    "select unseen, operator, base_score, score, low, high from heldout_differences where grain <> 'operator and size'",
)
SHOWN_PROBLEM = (
    "select prompt, answer from problems semi join training_sets using (id) "
    "where operator = 'sequential' and size = 3 order by length(prompt), id limit 1"
)
BENCHMARKS, TRAIN = "--benchmarks", "--train"
# A model of this size answers nothing of a benchmark: what counts is that the pipeline runs.
SMALL: dict[str, dict[str, Any]] = {"benchmark_samples": {"samples": 2, "sampling": {"max_tokens": 48}}}

STEP = "races/step"  # the tag of a run that says which step it is
MAX_LISTED = 20  # partitions that an error lists
# Every event is in the UI; a failure is shown here once its step has ended, and an interruption is none.
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
INTERRUPTED = "interrupted: what is finished is kept, and the same command goes on from there"


def main(wanted: list[str]) -> int:
    """Run the stages, or the assets that are named, one after another; 1 where one failed, whose old data stay."""
    os.environ.setdefault("DAGSTER_HOME", str(ROOT / "dagster_home"))
    warnings.filterwarnings("ignore", message=".* is currently in (beta|preview)")
    import dagster as dg

    from races.assets.definitions import defs

    if wanted == [BENCHMARKS]:
        steps, settings = evaluation(defs), SMALL
    elif wanted == [TRAIN]:
        steps, settings = training(defs), {}
    else:
        steps, settings = asked(wanted, defs) or everything(defs), {}
    began = time.monotonic()
    with dg.DagsterInstance.get() as instance:
        job = defs.resolve_implicit_global_asset_job_def()
        for place, step in enumerate(steps, 1):
            if not _materialised(job, instance, step, settings, f"[{place:>2}/{len(steps)}]"):
                return 1
    _summary(None if wanted else time.monotonic() - began)
    return 0


def everything(defs: "dg.Definitions") -> "list[Step]":
    """The steps of `make run`: from the bricks to training sets, a small trained model, its scores and the report."""
    import dagster as dg

    from races.assets.catalog.models import QUICK
    from races.assets.catalog.recipes import RECIPES
    from races.assets.catalog.runs import QUICK_SETS
    from races.assets.out_of_date import SOURCES
    from races.assets.steps import steps_of
    from races.assets.tags import AUTO_REBUILD, IN_RUN, REBUILD, RUN
    from races.environments.user_config import entries

    made = dg.AssetSelection.tag(REBUILD, AUTO_REBUILD[REBUILD]) | dg.AssetSelection.tag(RUN, IN_RUN[RUN])
    taken = {"problems", "quick", *entries("problem_sets")}
    recipes = [name for name, recipe in RECIPES.items() if recipe.source in taken]
    chosen = _chosen(["quick", *QUICK_SETS, *entries("problem_sets")], recipes, QUICK, "quick")
    return steps_of(dg.AssetSelection.assets(SOURCES) | made, chosen, defs)


def training(defs: "dg.Definitions") -> "list[Step]":
    """The steps of `make train`: the model of a million parameters, from problems that are its own to its scores."""
    import dagster as dg

    from races.assets.catalog.models import TINY
    from races.assets.catalog.recipes import RECIPES
    from races.assets.catalog.runs import MICRO_SETS
    from races.assets.steps import steps_of
    from races.assets.tags import IN_RUN, RUN

    names = ("problem_sets", "training_sets", "training_set_cards")
    made = dg.AssetSelection.assets(*names) | dg.AssetSelection.tag(RUN, IN_RUN[RUN])
    recipes = [name for name, recipe in RECIPES.items() if recipe.source == "micro"]
    return steps_of(made, _chosen(["micro", *MICRO_SETS], recipes, TINY, "micro"), defs)


def _chosen(
    problem_sets: list[str], recipes: list[str], model: str, run: str
) -> "dict[dg.PartitionsDefinition[Any], list[str]]":
    """The partitions of a command that makes one model and one run."""
    from races.assets.catalog import partitions

    return {
        partitions.PROBLEM_SET_PARTITIONS: problem_sets,
        partitions.SETS: sorted(recipes),
        partitions.MODELS: [model],
        partitions.TRAINED: [run],
        partitions.MEASURED: [model, run],
    }


def evaluation(defs: "dg.Definitions") -> "list[Step]":
    """The steps of `make evaluate`: the small model on the benchmarks; a sandbox is needed for some."""
    import dagster as dg

    from races.assets.catalog import partitions
    from races.assets.catalog.models import QUICK
    from races.assets.steps import steps_of
    from races.resources.evaluation.suites.datasets import BENCHMARKS as NAMES
    from races.resources.evaluation.suites.scorers import SANDBOXED, sandbox_fault

    fault = sandbox_fault()
    if fault:
        print(visible(f"left out: {', '.join(SANDBOXED)}, which need a sandbox: {fault}"), flush=True)
    measured = [name for name in NAMES if not (fault and name in SANDBOXED)]
    chosen: dict[dg.PartitionsDefinition[Any], list[str]] = {
        partitions.EVALUATED: [QUICK, "quick"],
        partitions.BENCHMARKED: [f"{name}|{each}" for each in (QUICK, "quick") for name in measured],
    }
    return steps_of(dg.AssetSelection.groups("benchmarks") | dg.AssetSelection.assets("report"), chosen, defs)


def _materialised(
    job: "dg.JobDefinition",
    instance: "dg.DagsterInstance",
    step: "Step",
    settings: dict[str, dict[str, Any]],
    place: str,
) -> bool:
    """Whether a step succeeded; it says what it does and how long that took last time, and then how it went.

    KeyboardInterrupt where it was interrupted.
    """
    import dagster as dg
    from rich.console import Console

    console = Console(markup=False, highlight=False)
    names, key = step
    label = f"{', '.join(names)}{f' [{key}]' if key else ''}"
    console.print(visible(f"{place} {label}{_last_time(instance, label)}"), soft_wrap=True)
    started = time.monotonic()
    try:
        result = job.execute_in_process(
            run_config=QUIET | {"ops": {name: {"config": settings[name]} for name in names if name in settings}},
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in names],
            partition_key=key,
            tags={STEP: label},
            raise_on_error=False,
        )
    except dg.DagsterExecutionInterruptedError as error:
        raise KeyboardInterrupt from error
    errors = _errors(result)
    # Arrow and others make an error of their own of one that passes through them, and keep its text.
    if any(dg.DagsterExecutionInterruptedError.__name__ in each for each in errors):
        raise KeyboardInterrupt
    state = "done" if result.success else "FAILED"
    console.print(visible(f"{state}  {time.monotonic() - started:6.1f} s  {label}"), soft_wrap=True)
    if not result.success:
        print(visible("\n".join(errors)), file=sys.stderr)
        console.print(visible(why(result)), soft_wrap=True)
    return bool(result.success)


def _errors(result: "dg.ExecuteInProcessResult") -> list[str]:
    """The errors of the steps that failed, with their causes and stacks."""
    failures = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    return [each.error.to_string() for each in failures if each.error]


def _last_time(instance: "dg.DagsterInstance", label: str) -> str:
    """How long a step took when it last succeeded, in words; empty where it never has."""
    import dagster as dg

    wanted = dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS], tags={STEP: label})
    for record in instance.get_run_records(wanted, limit=1):
        if record.start_time and record.end_time:
            return f", {record.end_time - record.start_time:.0f} s last time"
    return ""


def asked(wanted: list[str], defs: "dg.Definitions") -> "list[Step]":
    """The steps that arguments ask for, in their order; assets without a partition that stand together are one step.

    UnknownName and SettingError where an asset or a partition is not there, or a partition is to be named.
    """
    steps: list[Step] = []
    for each in wanted:
        names, _, key = each.partition(":")
        for name in names.split(","):
            check_asked(name, key, defs)
        if not key and steps and steps[-1][1] is None:
            steps[-1] = (*steps[-1][0], *names.split(",")), None
        else:
            steps.append((tuple(names.split(",")), key or None))
    return steps


def check_asked(name: str, key: str, defs: "dg.Definitions") -> None:
    """Raise where there is no such asset, or no such partition of it; "" where none was named."""
    from races.assets.cli.console import known_name

    assets = {node.key.to_user_string(): node for node in defs.resolve_asset_graph().asset_nodes}
    partitions = assets[known_name("asset", name, assets)].partitions_def
    keys = partitions.get_partition_keys() if partitions else []
    if key and not partitions:
        raise SettingError(f"expected {name} alone, which has no partitions, got {name}:{key}")
    if partitions and key not in keys:
        listed = ", ".join(keys[:MAX_LISTED]) + (", ..." if len(keys) > MAX_LISTED else "")
        raise SettingError(f"expected {name}:PARTITION, PARTITION of {listed}; got {repr(key) if key else 'none'}")


def why(result: "dg.ExecuteInProcessResult") -> str:
    """What stopped a run, in the words of the error at its root."""
    lines = []
    for event in result.all_events:
        error = event.step_failure_data.error if event.is_step_failure else None
        while error is not None and error.cause is not None:
            error = error.cause
        if error is not None:
            lines.append(f"error: {error.message.strip()}")
    return "\n".join(lines) or "error: a check of the tables failed; the run is in the UI (make ui)"


def _summary(seconds: float | None) -> None:
    """Bring the catalogue up to date; after a run of everything that took so long, say what there is and how to ask."""
    from rich.console import Console
    from rich.table import Table

    from races.assets.definitions import warehouse_root
    from races.assets.defs.reports.report_files import REPORT, folder_of
    from races.assets.tables.table_catalog import query_context
    from races.resources.store.warehouse import Warehouse

    console = Console(markup=False, highlight=False)
    warehouse = Warehouse(root=warehouse_root())
    warehouse.refresh_catalog(query_context=query_context())
    if seconds is None:
        return
    shown = Table("table", "rows", title=f"{visible(str(warehouse.folder))} after {seconds:.0f} s")
    for name in warehouse.datasets():
        shown.add_row(name, f"{warehouse.dataset(name).count_rows():,}")
    console.print(shown)
    (row,) = warehouse.query(SHOWN_PROBLEM).to_pylist()
    console.print(visible(f"A problem of the training set races_300:\n\n{row['prompt']}\n"), soft_wrap=True)
    console.print(visible(f"Its gold answer: {row['answer']}\n"), soft_wrap=True)
    asked = "".join(f'\n  .venv/bin/races query "{query}"' for query in QUERIES)
    console.print(f"Ask it, for example:{asked}", soft_wrap=True)
    console.print(visible(f"The report: {folder_of(warehouse) / REPORT}"), soft_wrap=True)


def command(arguments: list[str]) -> int | str:
    """What `python -m races.assets.run` does: its exit code, or the error that ends it."""
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return 0
    try:
        return main(arguments)
    except RacesError as error:
        return visible(f"error: {error}")
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
