"""Checks that the UI shows beside the tables: what must hold before anybody trains on them."""

from typing import Any

import dagster as dg
import pyarrow.compute as pc

from races.assets.catalog.recipes import RECIPES
from races.assets.catalog.runs import RUNS
from races.environments.operators import SIZES, ScoreStatus, score
from races.resources.evaluation.statistics.measures import ALL, SCORE, TRUNCATED
from races.resources.store.saved_queries import saved_queries
from races.resources.store.warehouse import Warehouse

CLOSE = 1e-9  # two means of the same scores, summed in other orders
MAX_TRUNCATED = 0.1  # of the samples of a benchmark; beyond it the score is more of the limit than of the model
SAMPLE = 40  # problems of each operator and size whose gold answers are scored


@dg.asset_check(asset="problems", blocking=True)
def gold_answers_score_one(context: dg.AssetCheckExecutionContext, warehouse: Warehouse) -> dg.AssetCheckResult:
    """The gold answer of a sample of the problems that were just generated scores 1, and an empty answer 0."""
    partition = context.run.tags.get("dagster/partition")
    wrong, scored = [], 0
    for operator, sizes in SIZES.items():
        if partition not in (None, operator) or not warehouse.exists("problems", {"operator": operator}):
            continue
        for size in sizes:
            here = pc.field("size") == size
            rows = warehouse.read("problems", {"operator": operator}, ["id", "truth", "answer"], here)
            sample = rows.slice(0, SAMPLE).to_pylist()
            scored += len(sample)
            wrong += misjudged(sample)
    return dg.AssetCheckResult(passed=not wrong, metadata={"scored": scored, "wrong": wrong[:20]})


def misjudged(rows: list[dict[str, Any]]) -> list[str]:
    """The problems whose gold answer does not score 1, or whose empty answer does not score 0."""
    found = []
    for row in rows:
        gold, empty = score(row["truth"], row["answer"]), score(row["truth"], "")
        if gold.value != 1.0 or empty.value != 0.0 or gold.status is not ScoreStatus.SCORED:
            found.append(f"{row['id']}: {gold}")
    return found


@dg.asset_check(asset="problem_sets", blocking=True)
def gold_answers_of_the_set_score_one(
    context: dg.AssetCheckExecutionContext, warehouse: Warehouse
) -> dg.AssetCheckResult:
    """The gold answer of every problem of the set that was just generated scores 1, and an empty answer 0."""
    partition = context.run.tags.get("dagster/partition")
    chosen = {"problem_set": partition} if partition else None
    rows = warehouse.read("problem_sets", chosen, ["id", "truth", "answer"]).to_pylist()
    wrong = misjudged(rows)
    return dg.AssetCheckResult(passed=not wrong, metadata={"scored": len(rows), "wrong": wrong[:20]})


@dg.asset_check(asset="training_runs")
def some_groups_were_mixed(warehouse: Warehouse) -> dg.AssetCheckResult:
    """In some step of each run answers to one problem earned different rewards; else the run learned nothing."""
    largest: dict[str, float] = {}
    for row in warehouse.read("training_runs", columns=["run", "mixed_groups"]).to_pylist():
        if row["mixed_groups"] is not None:  # a back end need not report it
            largest[row["run"]] = max(row["mixed_groups"], largest.get(row["run"], 0.0))
    idle = sorted(run for run, share in largest.items() if share == 0)
    return dg.AssetCheckResult(passed=not idle, metadata={"runs_that_learned_nothing": ", ".join(idle) or "none"})


@dg.asset_check(asset="checkpoints")
def reward_rose(warehouse: Warehouse) -> dg.AssetCheckResult:
    """The mean reward of the last 20 steps is above that of the first 20 by more than its standard error."""
    columns = ["run", "reward_first", "reward_last", "reward_gain_error"]
    rows = warehouse.read("checkpoints", columns=columns).to_pylist()
    flat = [row["run"] for row in rows if row["reward_last"] - row["reward_first"] <= row["reward_gain_error"]]
    return dg.AssetCheckResult(passed=not flat, severity=dg.AssetCheckSeverity.WARN, metadata={"did_not_rise": flat})


@dg.asset_check(asset="rollouts")
def no_grader_failed(warehouse: Warehouse) -> dg.AssetCheckResult:
    """No kept rollout met a grader that failed."""
    failed = warehouse.read("rollouts", columns=["run", "reason"], where=pc.field("status") == "grader_failed")
    return dg.AssetCheckResult(passed=not failed.num_rows, metadata={"failed": failed.num_rows})


@dg.asset_check(asset="heldout_scores")
def held_out_problems_were_not_trained_on(warehouse: Warehouse) -> dg.AssetCheckResult:
    """No run was measured on a problem of its training set."""
    shared = []
    for part in warehouse.partitions("heldout_scores"):
        run = RUNS.get(part["checkpoint"])
        if run is None or not warehouse.exists("training_sets", {"recipe": run.recipe}):
            continue
        measured = set(warehouse.read("heldout_scores", part, ["id"])["id"].to_pylist())
        trained = warehouse.read("training_sets", {"recipe": run.recipe}, ["id"])["id"].to_pylist()
        shared += [f"{run.name}: {each}" for each in trained if each in measured]
    return dg.AssetCheckResult(passed=not shared, metadata={"shared": shared[:20], "count": len(shared)})


@dg.asset_check(asset="audits")
def no_rule_is_broken(warehouse: Warehouse) -> dg.AssetCheckResult:
    """Every brick keeps every rule of the contract."""
    rows = warehouse.read("audits", columns=["name", "rule", "findings"], where=~pc.field("kept")).to_pylist()
    broken = [f"{row['name']}: {row['rule']}: {row['findings'][0]}" for row in rows]
    return dg.AssetCheckResult(passed=not broken, metadata={"broken": broken[:20], "count": len(broken)})


@dg.asset_check(asset="training_sets", blocking=False)
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


@dg.asset_check(asset="benchmark_scores")
def scores_are_those_of_sql_and_of_the_engine(warehouse: Warehouse) -> dg.AssetCheckResult:
    """The score that SQL computes from the samples is the stored one, and the engine's where it says one."""
    where = (pc.field("measure") == SCORE) & (pc.field("subset") == ALL)
    rows = warehouse.read("benchmark_scores", columns=["checkpoint", "benchmark", "value"], where=where).to_pylist()
    kept = {(row["checkpoint"], row["benchmark"]): row["value"] for row in rows}
    unlike = []
    for row in warehouse.query(saved_queries()["benchmark_means"].sql).to_pylist():
        name = row["checkpoint"], row["benchmark"]
        for whose, value in (("stored", kept.get(name)), ("engine", row["engine_score"])):
            if value is not None and (row["score"] is None or abs(row["score"] - value) > CLOSE):
                unlike.append(f"{' '.join(name)}: expected {row['score']} as in SQL, got {value} ({whose})")
    return dg.AssetCheckResult(passed=not unlike, metadata={"unlike": unlike[:20], "count": len(unlike)})


@dg.asset_check(asset="benchmark_scores")
def no_grader_failed_on_a_benchmark(warehouse: Warehouse) -> dg.AssetCheckResult:
    """Every sample has a score: one whose grader failed is left out of the means, and is no 0."""
    columns = ["checkpoint", "benchmark", "question", "sample", "grader_error"]
    failed = pc.field("score").is_null() | (pc.field("grader_error") != "")
    rows = warehouse.read("benchmark_samples", columns=columns, where=failed).to_pylist()
    said = [f"{r['checkpoint']} {r['benchmark']} {r['question']} #{r['sample']}: {r['grader_error']}" for r in rows]
    return dg.AssetCheckResult(passed=not said, metadata={"failed": said[:20], "count": len(said)})


@dg.asset_check(asset="benchmark_scores")
def few_answers_are_truncated(warehouse: Warehouse) -> dg.AssetCheckResult:
    """The limit of tokens ended at most a tenth of the answers of any checkpoint on any benchmark."""
    where = (pc.field("measure") == TRUNCATED) & (pc.field("subset") == ALL) & (pc.field("value") > MAX_TRUNCATED)
    columns = ["checkpoint", "benchmark", "data", "value"]
    rows = warehouse.read("benchmark_scores", columns=columns, where=where).to_pylist()
    over = [f"{row['checkpoint']} {row['benchmark']} ({row['data']}): {row['value']:.0%}" for row in rows]
    return dg.AssetCheckResult(passed=not over, severity=dg.AssetCheckSeverity.WARN, metadata={"truncated": over})


@dg.asset_check(asset="benchmark_overlap")
def benchmark_questions_were_not_trained_on(warehouse: Warehouse) -> dg.AssetCheckResult:
    """No training set shares text with a question of a benchmark; what many questions have is only a warning."""
    rows = warehouse.read("benchmark_overlap").to_pylist()
    columns = ("exact_matches", "ngram_matches", "boilerplate")
    sharing = [row for row in rows if any(row[column] for column in columns)]
    said = [
        f"{row['recipe']} and {row['benchmark']} ({row['data']}): "
        f"{', '.join(f'{column} {row[column]}' for column in columns)}, "
        f"such as {row['shared']!r} of {row['example_question']} in {row['example_problem']}"
        for row in sharing
    ]
    severe = any(row["exact_matches"] or row["ngram_matches"] for row in sharing)
    severity = dg.AssetCheckSeverity.ERROR if severe else dg.AssetCheckSeverity.WARN
    return dg.AssetCheckResult(passed=not said, severity=severity, metadata={"shared": said, "pairs": len(rows)})
