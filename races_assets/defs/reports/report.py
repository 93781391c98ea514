"""The report: one HTML page to send around."""

import dagster as dg

from races.assets.defs.reports.report_files import REPORT, folder_of, written
from races.assets.defs.reports.report_page import page, preview, sections
from races.assets.tags import IN_RUN
from races.resources.store.folders import move_into_place, staging
from races.resources.store.warehouse import Warehouse

# The last of the tables that the page reads: a line from each of them all would hide the others of the graph.
LAST = ("path_counts", "training_set_cards", "heldout_differences", "micro_experiment", "benchmark_report")


@dg.asset(deps=LAST, kinds={"html"}, code_version="2", tags=IN_RUN)
def report(warehouse: Warehouse) -> dg.MaterializeResult:  # type: ignore[type-arg]
    """One HTML page that loads nothing: pool, composition space, training sets, runs, held-out and benchmark scores."""
    found = sections(warehouse)
    text = page(found)
    folder = folder_of(warehouse)
    with staging(folder) as place:
        (place / REPORT).write_text(text, encoding="utf-8")
        move_into_place([(place / REPORT, folder / REPORT)])
    return written(folder / REPORT, text, preview(found))
