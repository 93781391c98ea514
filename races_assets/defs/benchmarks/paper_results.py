"""The results that the paper reports, none of which was measured here."""

import dagster as dg
import pyarrow as pa

from races.assets.defs.benchmarks.paper_rows import of_paper
from races.assets.tables.benchmarks import PaperResults
from races.assets.tables.columns import table


@dg.asset(kinds={"parquet"}, code_version="1")
def paper_results() -> pa.Table:
    """One row per result of the paper's tables (arXiv 2606.12373), none of which was measured here."""
    return table(PaperResults, of_paper())
