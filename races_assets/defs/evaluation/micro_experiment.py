"""The experiment at CPU size: the tiny model on composites or on individual bricks, at equal tokens, three seeds each.

It shows that the pipeline runs end to end and what came out at this size; it says nothing about the paper's models.
"""

import dagster as dg
import pyarrow as pa

from races.assets.catalog.models import TINY
from races.assets.catalog.runs import ARMS, SEEDS
from races.assets.defs.evaluation.experiment_arms import experiment_picture, measured, run_name, scores_of
from races.assets.tables.columns import table
from races.assets.tables.evaluation import MicroExperiment
from races.resources.store.warehouse import Warehouse


@dg.asset(deps=["heldout_scores"], kinds={"parquet"}, code_version="1")
def micro_experiment(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per measure of the experiment: composites against individual bricks at equal tokens, the tiny model."""
    scores = {name: scores_of(warehouse, name) for name in [TINY, *(run_name(a, s) for a in ARMS for s in SEEDS)]}
    rows = [measured(measure, scores) for measure in sorted({key[:3] for key in scores[TINY]})]
    context.add_output_metadata({"result": dg.MetadataValue.md(experiment_picture(rows).markdown)})
    return table(MicroExperiment, rows)
