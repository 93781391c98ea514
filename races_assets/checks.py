"""Checks that the UI shows beside the tables: what must hold before anybody trains on them."""

import dagster as dg
import pyarrow.compute as pc

from environments.operators import ScoreStatus, score
from environments.operators.factory import SIZES
from races_assets.problems import problems, training_sets
from races_assets.recipes import RECIPES
from resources.warehouse import Warehouse

SAMPLE = 40  # problems of each operator and size whose gold answers are scored


@dg.asset_check(asset=problems, blocking=True)
def gold_answers_score_one(context: dg.AssetCheckExecutionContext, warehouse: Warehouse) -> dg.AssetCheckResult:
    """The gold answer of a sample of the problems that were just posed scores 1, and an empty answer 0."""
    posed = context.run.tags.get("dagster/partition")
    wrong, scored = [], 0
    for operator, sizes in SIZES.items():
        if posed not in (None, operator) or not warehouse.exists("problems", {"operator": operator}):
            continue
        for size in sizes:
            here = pc.field("size") == size
            rows = warehouse.read("problems", {"operator": operator}, ["id", "truth", "answer"], here)
            for row in rows.slice(0, SAMPLE).to_pylist():
                scored += 1
                gold, empty = score(row["truth"], row["answer"]), score(row["truth"], "")
                if gold.value != 1.0 or empty.value != 0.0 or gold.status is not ScoreStatus.SCORED:
                    wrong.append(f"{row['id']}: {gold}")
    return dg.AssetCheckResult(passed=not wrong, metadata={"scored": scored, "wrong": wrong[:20]})


@dg.asset_check(asset=training_sets, blocking=False)
def cells_are_full(warehouse: Warehouse) -> dg.AssetCheckResult:
    """Every stored training set has as many rows of each operator and size as its recipe asks for."""
    counts = warehouse.query(
        "select recipe, operator, size, count(*) as rows from training_sets group by all"
    ).to_pylist()
    have = {(row["recipe"], row["operator"], row["size"]): row["rows"] for row in counts}
    short = [
        f"{name}: {operator} of {size} has {have.get((name, operator, size), 0)} of {count}"
        for name in sorted({row["recipe"] for row in counts} & RECIPES.keys())
        for (operator, size), count in RECIPES[name].cells().items()
        if have.get((name, operator, size), 0) < count
    ]
    return dg.AssetCheckResult(passed=not short, severity=dg.AssetCheckSeverity.WARN, metadata={"short": short})
