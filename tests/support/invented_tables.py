"""A small warehouse of invented rows in the columns of the real tables, to ask questions of."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pyarrow as pa

from races.assets.tables.table_catalog import known_tables
from races.environments.operators.problem import training_row
from races.resources.store.materializations import record_materialization
from races.resources.store.warehouse import Warehouse

Row: TypeAlias = dict[str, Any]

BRICKS = {"double": "numbers", "halve": "numbers", "reverse": "lists", "sort_up": "lists", "first_word": "words"}
TYPES = ("Nat", "IntList", "Text")
SETS = {"races_300": ("problems", 30), "individual_300": ("problems", 120), "micro_races": ("micro", 12)}
RUNS = {"micro": "micro_races", "paper_14b": "races_300"}
REASONS = ("not healthy", "refused", "repeats a state")


@dataclass(frozen=True)
class Invented:
    """The rows of each table, as they were written, and the warehouse that holds them."""

    warehouse: Warehouse
    rows: dict[str, list[Row]]


def invented(folder: Path) -> Invented:
    """The same rows in every folder."""
    rng = Random("invented tables")
    rows: dict[str, list[Row]] = {"environments": _bricks(rng), "rejected_extensions": _rejections(rng)}
    rows["discovered_paths"] = [_path(rng, number) for number in range(60)]
    rows["filtered_paths"] = [row for row in rows["discovered_paths"] if row["healthy"] > 0.4]
    rows["problems"] = [_problem(rng, number, rows["filtered_paths"]) for number in range(180)]
    rows["problem_sets"] = [{**_problem(rng, n, []), "problem_set": "micro"} for n in range(200, 230)]
    # Held-out problems, some of which have crept into what is trained on, and one of which is there twice.
    rows["problem_sets"] += [{**_problem(rng, n, []), "problem_set": "unseen"} for n in range(300, 320)]
    rows["problem_sets"] += [
        {**row, "problem_set": "unseen"} for row in rows["problem_sets"][:2] + rows["problems"][:2]
    ]
    rows["problem_sets"].append({**rows["problem_sets"][0], "id": "problem 999", "problem_set": "unseen"})
    rows["training_sets"] = [
        row for recipe, (source, size) in SETS.items() for row in _set(rng, recipe, source, size, rows)
    ]
    rows["rollouts"] = [_rollout(rng, rows["training_sets"]) for _ in range(300)]
    rows["heldout_scores"] = [
        {"checkpoint": each, "id": row["id"], "score": rng.choice([0.0, 0.5, 1.0, None])}
        for each in ("micro", "tiny")
        for row in rows["problem_sets"][-25:]
    ]
    rows["benchmark_samples"] = _samples(rng)
    rows["benchmark_scores"], rows["benchmark_differences"] = _benchmark_scores(rng), _benchmark_pairs(rng)
    rows["paper_results"] = _paper(rng)
    rows["changes"] = _changes()
    # A problem of a training set that has been generated anew, and is stored no longer.
    rows["problems"].remove(next(each for each in rows["problems"] if each["id"] == rows["training_sets"][0]["id"]))
    warehouse = Warehouse(root=str(folder))
    for name, some in rows.items():
        _write(warehouse, name, some)
    rows["materializations"] = [*_records(warehouse)]
    return Invented(warehouse, rows)


def _bricks(rng: Random) -> list[Row]:
    return [
        {
            "name": name,
            "theme": theme,
            "signature": f"{name} signature",
            "grade": "everyday",
            "fingerprint": f"{name:.>24}",
            "solved_blind": rng.randint(2, 6),
            "solved_blind_of": 0 if name == "first_word" else 6,
        }
        for name, theme in BRICKS.items()
    ]


def _rejections(rng: Random) -> list[Row]:
    return [
        {"search": search, "start_brick": start, "environment": name, "reason": reason, "extensions": rng.randint(1, 9)}
        for search in ("balanced", "orders")
        for start in ("double", "halve")
        for name in list(BRICKS)[:4]
        for reason in REASONS
        if rng.random() < 0.7
    ]


def _path(rng: Random, number: int) -> Row:
    size = rng.randint(2, 5)
    bricks = rng.choices(list(BRICKS), k=size)
    return {
        "search": rng.choice(["balanced", "orders"]),
        "start_brick": bricks[0],
        "level": rng.randint(1, 5),
        "path_id": f"path {number:03}",
        "size": size,
        "environments": bricks,
        "types": rng.choices(TYPES, k=size + 1),
        "fingerprints": [f"{name:.>24}" for name in bricks],
        "start": json.dumps(rng.randint(0, 99)),
        "healthy": rng.random(),
        "top_share": rng.random(),
    }


def _problem(rng: Random, number: int, paths: list[Row]) -> Row:
    operator = rng.choice(["single", "sequential", "sort", "select", "parallel"])
    size = 1 if operator == "single" else rng.randint(2, 3)
    bricks = rng.sample(list(BRICKS), k=size)
    path = rng.choice(paths) if paths and operator in ("sequential", "sort", "select") else None
    if path:
        size, bricks = path["size"], path["environments"]
    ordered = operator in ("sort", "select")
    start = json.dumps([rng.randint(0, 3) for _ in range(rng.randint(2, 9))])
    return {
        "id": f"problem {number:03}",
        "operator": operator,
        "size": size,
        "level": rng.randint(1, 5),
        "prompt": f"{operator} {bricks} of {start} ({number})",
        "truth": json.dumps({"number": number}),
        "environments": bricks,
        # A brick has changed since some were generated.
        "fingerprints": ["changed since..." if rng.random() < 0.1 else f"{name:.>24}" for name in bricks],
        "start": start,
        "path_id": path["path_id"] if path else "",
        "chance": round(rng.random(), 3),
        "valid_answers": rng.randint(1, 4) if ordered else 0,
        "feasible_answers": rng.randint(4, 9) if ordered else 0,
    }


def _set(rng: Random, recipe: str, source: str, size: int, rows: dict[str, list[Row]]) -> list[Row]:
    some = rows["problems"] if source == "problems" else [r for r in rows["problem_sets"] if r["problem_set"] == source]
    return [{**training_row(row, place), "recipe": recipe} for place, row in enumerate(rng.sample(some, size))]


def _rollout(rng: Random, sets: list[Row]) -> Row:
    run = rng.choice(list(RUNS))
    row = rng.choice([row for row in sets if row["recipe"] == RUNS[run]])
    known = rng.random() < 0.9  # the others are of problems that the set no longer has
    return {
        "run": run,
        "step": rng.randint(1, 60),
        "operator": row["operator"] if known else "",
        "size": row["size"] if known else 0,
        "truth": row["reward_model"]["ground_truth"] if known else "gone",
        "score": rng.choice([0.0, 0.5, 1.0]),
        "status": rng.choice(["scored", "unparseable"]),
    }


KINDS = ("mini (invented)", "partial")


def _samples(rng: Random) -> list[Row]:
    """Two checkpoints on the same data, and one on other data of the same benchmark."""
    return [
        {
            "checkpoint": checkpoint,
            "benchmark": benchmark,
            "data": KINDS[checkpoint == "other"],
            "dataset_sha256": f"{benchmark} {checkpoint == 'other'}",
            "settings_hash": f"{checkpoint:.>24}",
            "question": f"question {number}",
            "sample": sample,
            "score": rng.choice([0.0, 0.5, 1.0, None]) if number else None,  # one whose grader always failed
            "extracted": rng.choice(["A", "B", None]),
            "response": f"{checkpoint} {number} {sample}",
            "prompt": f"prompt {number}",
            "prompt_hash": rng.choice(["one", "another"]),
            "truncated": rng.random() < 0.3,
            "prompt_cut": rng.random() < 0.2,
            "completion_tokens": rng.choice([-1, rng.randint(0, 50)]) if benchmark == "ifeval" else -1,
            "engine_score": 0.25 if checkpoint == "tiny" else None,
        }
        for checkpoint in ("micro", "other", "tiny")
        for benchmark in ("aime_2024", "ifeval")
        for number in range(6)
        for sample in range(1, rng.randint(2, 4))
    ]


def _benchmark_scores(rng: Random) -> list[Row]:
    return [
        {
            "checkpoint": checkpoint,
            "benchmark": benchmark,
            "data": KINDS[checkpoint == "other"],
            "measure": measure,
            "subset": subset,
            "value": rng.random(),
            "low": rng.choice([rng.random(), None]),
            "high": rng.choice([rng.random(), None]),
            "questions": rng.randint(1, 9),
            "samples": rng.randint(9, 99),
            "grader_errors": rng.randint(0, 2),
            "dataset_sha256": f"{benchmark} {checkpoint == 'other'}",
            "question_set": rng.choice(["one", "another"]),
            "settings_hash": f"{checkpoint:.>24}",
        }
        for checkpoint in ("micro", "other", "tiny")
        for benchmark in ("aime_2024", "ifeval")
        for measure in ("score", "truncated")
        for subset in ("all", "difficulty: hard")
    ]


def _benchmark_pairs(rng: Random) -> list[Row]:
    numbers = ("first_score", "second_score", "difference", "low", "high", "p", "p_holm")
    return [
        {
            "first": first,
            "second": second,
            "benchmark": benchmark,
            "data": rng.choice(KINDS),
            **{name: rng.random() for name in numbers},
            "questions": rng.randint(1, 9),
            "same_settings": rng.random() < 0.5,
        }
        for first, second in (("tiny", "micro"), ("tiny", "other"), ("micro", "other"))
        for benchmark in ("aime_2024", "ifeval")
    ]


def _paper(rng: Random) -> list[Row]:
    """Whole lines, and some that have an average alone, one of them of a model without a base."""
    whole = ("LiveCodeBench", "Enigmata", "LongBench-v2", "IFEval", "AIME", "average")
    lines = [("small", "RACES", 300, None, whole), ("small", "base", 0, None, whole), ("large", "base", 0, None, whole)]
    lines += [("small", "RACES", 300, size, whole[-1:]) for size in (3, 2)] + [("odd", "RACES", 50, None, whole[-1:])]
    return [
        {
            "model": model,
            "training": training,
            "environments": environments,
            "operators": "SEQUENTIAL" if size else "",
            "size": size,
            "benchmark": benchmark,
            "points": round(100 * rng.random(), 1),
        }
        for model, training, environments, size, columns in lines
        for benchmark in columns
    ]


def _records(warehouse: Warehouse) -> list[Row]:
    """Every part twice, by two runs; the second one is the last that made it."""
    made = [("training_sets", {"recipe": recipe}) for recipe in SETS] + [("filtered_paths", None)]
    made += [("problems", {"operator": each}) for each in ("single", "sequential", "sort", "select", "parallel")]
    made += [("problem_sets", {"problem_set": "micro"})]
    rows = []
    for run in ("first", "second"):
        for dataset, part in made:
            said = {
                "run_id": f"{run} of {dataset}",
                "code_version": run[0],
                "data_version": "v",
                "rows": 1,
                "changed": True,
            }
            record_materialization(warehouse.folder, dataset, part, **said)
            rows.append({"dataset": dataset, "part": "".join(f"{k}={v}" for k, v in (part or {}).items()), **said})
    rebuilt = [("environments", None, True), ("changes", None, True), ("type_graph", None, False)]
    rebuilt += [("problems", {"operator": "sort"}, True)]
    for number, (dataset, part, changed) in enumerate(rebuilt):
        said = {"run_id": "rebuild 2" if dataset == "changes" else f"run {number}", "code_version": "r"}
        said |= {"data_version": f"v{number}", "rows": 9, "changed": changed}
        counts = {"rows_new": number if changed else 0, "rows_gone": 2 if changed else 0}
        record_materialization(warehouse.folder, dataset, part, **said, **counts)
        where = "".join(f"{k}={v}" for k, v in (part or {}).items())
        rows.append({"dataset": dataset, "part": where, **said, **counts})
    return rows


def _changes() -> list[Row]:
    first = [(1, "added", name, "", "", f"{name:.>16}") for name in ("double", "halve", "revert")]
    second = [
        (2, "changed", "double", "double", "before", f"{'double':.>16}"),
        (2, "renamed", "reverse", "revert", f"{'revert':.>16}", f"{'reverse':.>16}"),
        (2, "removed", "halve", "halve", f"{'halve':.>16}", ""),
    ]
    names = ("rebuild", "change", "name", "old_name", "old_fingerprint", "fingerprint")
    rows = [dict(zip(names, each, strict=True)) for each in first + second]
    return [{**row, "meaning": f"said by {row['name']}", "run_id": f"rebuild {row['rebuild']}"} for row in rows]


DIMENSIONS = {"training_sets": "recipe", "problem_sets": "problem_set", "problems": "operator", "rollouts": "run"}


def _write(warehouse: Warehouse, name: str, rows: list[Row]) -> None:
    """Write rows as the assets do: in parts, with nothing in the columns that no question reads."""
    dimension = DIMENSIONS.get(name)
    schema = known_tables()[name]
    fields = [field for field in schema if field.name != dimension]
    for value in sorted(Counter(row[dimension] for row in rows)) if dimension else [None]:
        some = [row for row in rows if dimension is None or row[dimension] == value]
        columns = [pa.array([_value(row, field) for row in some], field.type) for field in fields]
        table = pa.table(columns, schema=pa.schema(fields))
        warehouse.write(name, table, {dimension: value} if dimension and value else None)


def _value(row: Row, field: pa.Field) -> Any:
    if field.name in row:
        return row[field.name]
    nothing = {pa.string(): "", pa.int64(): 0, pa.float64(): 0.0, pa.bool_(): False}
    return nothing.get(field.type, [])
