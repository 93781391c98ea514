"""How far a training run or a measurement is, for its log and for whoever waits at a terminal."""

from collections.abc import Callable
from dataclasses import asdict

import dagster as dg
from rich.console import Console

from races.resources.processes.progress import Progress
from races.resources.training.config import StepMetrics

REPORTS_BETWEEN_LINES = 10  # of the log


def report_progress(context: dg.AssetExecutionContext, asset: str = "") -> Callable[[StepMetrics | Progress], None]:
    """Report to the log of the run, and to whoever waits at a terminal, how far it is, now and then.

    asset: whose page shows the metrics of these steps as they come.
    """
    terminal = Console(stderr=True, markup=False, highlight=False)

    def report(progress: StepMetrics | Progress) -> None:
        if progress.done % REPORTS_BETWEEN_LINES == 0 or progress.done == 1:
            metrics = {name: value for name, value in asdict(progress).items() if value is not None}
            line = ", ".join(f"{name} {value:.4g}" for name, value in metrics.items())
            context.log.info(line)
            if asset:
                context.log_event(dg.AssetObservation(asset, partition=context.partition_key, metadata=metrics))
            if terminal.is_terminal:
                terminal.print(f"{context.partition_key}: {line}", soft_wrap=True)

    return report
