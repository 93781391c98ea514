"""The rows of the saved queries by loops over rows, in their order; nothing here uses SQL."""

import math
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any, TypeAlias

from tests.support.invented_tables import Invented, Row

Rows: TypeAlias = list[tuple[Any, ...]]


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return dict(sorted(found.items()))


def mean(values: Iterable[float], digits: int = 4) -> float:
    return rounded(fmean(values), digits)


def rounded(value: float, digits: int) -> float:
    """Half away from zero, as SQL does."""
    return math.floor(abs(value) * 10**digits + 0.5) / 10**digits * (1 if value >= 0 else -1)


def stored_problems(of: Invented) -> dict[str, Row]:
    """The stored problems by id; those of the table problems come first."""
    found: dict[str, Row] = {}
    for row in of.rows["problems"]:
        found[row["id"]] = {**row, "dataset": "problems", "part": f"operator={row['operator']}"}
    for row in sorted(of.rows["problem_sets"], key=lambda row: row["problem_set"]):
        found.setdefault(row["id"], {**row, "dataset": "problem_sets", "part": f"problem_set={row['problem_set']}"})
    return found


def set_rows(of: Invented) -> list[Row]:
    known = stored_problems(of)
    rows = [
        {
            **row,
            "set_name": row["recipe"],
            "prompt": row["prompt"][0]["content"],
            "start": known.get(row["id"], {}).get("start"),
        }
        for row in of.rows["training_sets"]
    ]
    return rows + [{**row, "set_name": row["problem_set"]} for row in of.rows["problem_sets"]]


def brick_use(of: Invented) -> Rows:
    rows = [
        (
            brick["name"],
            brick["signature"],
            sum(row["environments"].count(brick["name"]) for row in of.rows["filtered_paths"]),
            sum(row["extensions"] for row in of.rows["rejected_extensions"] if row["environment"] == brick["name"]),
        )
        for brick in of.rows["environments"]
    ]
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def healthy_paths_by_size(of: Invented) -> Rows:
    kept = grouped(of.rows["filtered_paths"], "search", "size")
    return [
        (*key, len(found), len(kept.get(key, [])), rounded(len(kept.get(key, [])) / len(found), 3))
        for key, found in grouped(of.rows["discovered_paths"], "search", "size").items()
    ]


def order_problems(of: Invented) -> Rows:
    return [
        (
            *key,
            len(rows),
            mean((row["valid_answers"] for row in rows), 2),
            mean((row["feasible_answers"] for row in rows), 1),
            mean((row["chance"] for row in rows), 3),
        )
        for key, rows in grouped(of.rows["problems"], "operator", "size").items()
        if key[0] in ("sort", "select")
    ]


def _rejections(of: Invented, name: str, wanted: str | None = None) -> Rows:
    found = []
    for (key,), rows in grouped(of.rows["rejected_extensions"], name).items():
        total = sum(row["extensions"] for row in rows)
        counts = {why: sum(row["extensions"] for row in some) for (why,), some in grouped(rows, "reason").items()}
        if wanted in (None, key):
            found += [
                (key, why, n, rounded(n / total, 4)) for why, n in sorted(counts.items(), key=lambda c: (-c[1], c[0]))
            ]
    return found


def rejections_by_reason(of: Invented) -> Rows:
    return _rejections(of, "search")


def rejections_by_brick(of: Invented, brick: str | None = None) -> Rows:
    return _rejections(of, "environment", brick)


def training_set_composition(of: Invented) -> Rows:
    return [
        (
            *key,
            len(rows),
            rounded(fmean(row["prompt_characters"] for row in rows), 0),
            mean((row["level"] for row in rows), 2),
        )
        for key, rows in grouped(of.rows["training_sets"], "recipe", "operator", "size").items()
    ]


def training_set_themes(of: Invented) -> Rows:
    theme = {row["name"]: row["theme"] for row in of.rows["environments"]}
    found = []
    for (recipe,), rows in grouped(of.rows["training_sets"], "recipe").items():
        lines = []
        for name in set(theme.values()):
            steps = [[each for each in row["environments"] if theme[each] == name] for row in rows]
            have = [each for each in steps if each]
            bricks = {brick for each in have for brick in each}
            lines.append((recipe, name, len(have), rounded(len(have) / len(rows), 4), len(bricks), sum(map(len, have))))
        found += sorted((line for line in lines if line[2]), key=lambda line: (-line[2], line[1]))
    return found


def generated_problems(of: Invented) -> Rows:
    names = ("id", "operator", "size", "level", "environments", "fingerprints", "start", "path_id", "dataset", "part")
    return [tuple(row[name] for name in names) for _, row in sorted(stored_problems(of).items())]


def rows_of_sets(of: Invented) -> Rows:
    names = ("set_name", "id", "operator", "size", "level", "environments", "start", "prompt")
    return [tuple(row[name] for name in names) for row in set_rows(of)]


def last_records(of: Invented) -> dict[tuple[str, str], Row]:
    return {
        (row["dataset"], row["part"]): row for row in of.rows["materializations"]
    }  # later rows replace earlier ones


def last_rebuild(of: Invented) -> Rows:
    last = max(row["rebuild"] for row in of.rows["changes"])
    said = ("name", "change", "old_name", "old_fingerprint", "fingerprint")
    bricks = sorted((row for row in of.rows["changes"] if row["rebuild"] == last), key=lambda row: row["name"])
    found: Rows = [("brick", *(row[name] for name in said), None, None, None, row["run_id"]) for row in bricks]
    records = of.rows["materializations"]
    (begun,) = [number for number, row in enumerate(records) if row["dataset"] == "environments"]
    for row in records[begun:]:  # they were written in this order
        name = f"{row['dataset']} {row['part']}".strip()
        counts = (row["rows"] - row["rows_new"], row["rows_new"], row["rows_gone"])
        change = "changed" if row["changed"] else "the same"
        found.append(("table", name, change, None, None, None, *counts, row["run_id"]))
    return found


def latest_materializations(of: Invented) -> Rows:
    names = ("dataset", "part", "run_id", "code_version", "data_version", "rows", "changed")
    return [tuple(row[name] for name in names) for _, row in sorted(last_records(of).items())]


def lineage(of: Invented, recipe: str | None = None, problem: str | None = None) -> Rows:
    known, made = stored_problems(of), last_records(of)
    paths = {row["path_id"]: row["search"] for row in of.rows["filtered_paths"]}
    now = {row["name"]: row["fingerprint"] for row in of.rows["environments"]}
    nobody = {"run_id": None, "code_version": None}
    found = []
    for row in sorted(of.rows["training_sets"], key=lambda row: (row["recipe"], row["id"])):
        if recipe not in (None, row["recipe"]) or problem not in (None, row["id"]):
            continue
        stored = known.get(row["id"], {})
        search = paths.get(stored.get("path_id", ""))
        prints = stored.get("fingerprints")
        old = {
            name for name, each in zip(stored.get("environments", []), prints or [], strict=True) if now[name] != each
        }
        of_set = made[("training_sets", f"recipe={row['recipe']}")]
        of_problem = made.get((stored.get("dataset", ""), stored.get("part", "")), nobody)
        of_path = made[("filtered_paths", "")] if search else nobody
        found.append(
            (
                *(row[name] for name in ("recipe", "id", "operator", "size")),
                *(of_set["run_id"], of_set["code_version"], stored.get("dataset")),
                *(of_problem["run_id"], of_problem["code_version"], stored.get("path_id"), search),
                *(of_path["run_id"], of_path["code_version"], row["environments"], prints, sorted(old)),
            )
        )
    return found


def paths_through(of: Invented, brick: str | None = None, given: str | None = None, gives: str | None = None) -> Rows:
    found = []
    for row in sorted(of.rows["filtered_paths"], key=lambda row: (-row["size"], row["path_id"])):
        places = [
            place
            for place, name in enumerate(row["environments"], 1)
            if brick in (None, name)
            and given in (None, row["types"][place - 1])
            and gives in (None, row["types"][place])
        ]
        if places:
            shown = ("environments", "types", "start", "top_share")
            found.append(
                (row["path_id"], row["search"], row["size"], row["level"], places, *(row[name] for name in shown))
            )
    return found


def many_valid_orders(of: Invented, operator: str | None = None, least: int = 2) -> Rows:
    names = ("id", "operator", "size", "level", "valid_answers", "feasible_answers", "chance", "environments")
    rows = [
        row for row in of.rows["problems"] if row["operator"] in ("sort", "select") and row["valid_answers"] >= least
    ]
    rows.sort(key=lambda row: (-row["valid_answers"], row["id"]))
    return [tuple(row[name] for name in names) for row in rows if operator in (None, row["operator"])]


def bricks_solved_blind(of: Invented) -> Rows:
    rows = [
        (row["name"], row["theme"], row["grade"], row["solved_blind"], n, rounded(row["solved_blind"] / n, 3))
        for row in of.rows["environments"]
        if (n := row["solved_blind_of"])
    ]
    return sorted(rows, key=lambda row: (row[5], -row[4], row[0]))


def brick_scores(of: Invented, run: str | None = None, from_step: int = 1) -> Rows:
    bricks = {row["reward_model"]["ground_truth"]: row["environments"] for row in of.rows["training_sets"]}
    answers = [row for row in of.rows["rollouts"] if run in (None, row["run"]) and row["step"] >= from_step]
    found = []
    for brick in of.rows["environments"]:
        to = [(row, bricks[row["truth"]]) for row in answers if brick["name"] in bricks.get(row["truth"], [])]
        alone = [row["score"] for row, used in to if len(used) == 1]
        blind = rounded(brick["solved_blind"] / brick["solved_blind_of"], 3) if brick["solved_blind_of"] else None
        if to:
            unread = mean(row["status"] == "unparseable" for row, _ in to)
            score = mean(row["score"] for row, _ in to)
            of_it = (len(alone), mean(alone) if alone else None, blind)
            found.append((brick["name"], brick["theme"], len(to), score, unread, *of_it))
    return sorted(found, key=lambda row: (row[3], row[0]))


def heldout_brick_scores(of: Invented, checkpoint: str | None = None) -> Rows:
    known, found = stored_problems(of), []
    for (model,), rows in grouped(of.rows["heldout_scores"], "checkpoint").items():
        scores = defaultdict(list)
        for row in rows:
            for name in set(known[row["id"]]["environments"]) if row["score"] is not None else ():
                scores[name].append(row["score"])
        if checkpoint in (None, model):
            lines = [(model, name, len(some), mean(some)) for name, some in scores.items()]
            found += sorted(lines, key=lambda line: (line[3], line[1]))
    return found


def reward_over_training(of: Invented, run: str | None = None, stretch: int = 20) -> Rows:
    rows = [{**row, "first": (row["step"] - 1) // stretch * stretch + 1} for row in of.rows["rollouts"]]
    return [
        (
            *key,
            max(row["step"] for row in some),
            len(some),
            mean(row["score"] for row in some),
            mean(row["score"] == 1 for row in some),
            mean(row["status"] == "unparseable" for row in some),
        )
        for key, some in grouped(rows, "run", "operator", "size", "first").items()
        if run in (None, key[0])
    ]


def duplicates_across_sets(of: Invented) -> Rows:
    prompts = {name: {row["prompt"] for row in rows} for (name,), rows in grouped(set_rows(of), "set_name").items()}
    found = []
    for one, here in prompts.items():
        for other, there in prompts.items():
            if one < other and (both := len(here & there)):
                found.append((one, other, len(here), len(there), both, rounded(both / min(len(here), len(there)), 4)))
    return sorted(found, key=lambda row: (-row[4], row[0], row[1]))


def edits(one: str, other: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def near_duplicates(of: Invented, first: str, second: str, similarity: float = 0.8) -> Rows:
    rows = [row for row in set_rows(of) if row["start"] is not None]
    found = []
    for one in (row for row in rows if row["set_name"] == first):
        for other in (row for row in rows if row["set_name"] == second):
            bricks = sorted(set(one["environments"]))
            if one["id"] == other["id"] or bricks != sorted(set(other["environments"])):
                continue
            near = 1 - edits(one["start"], other["start"]) / max(len(one["start"]), len(other["start"]))
            if near >= similarity and (first != second or one["id"] < other["id"]):
                texts = (one["start"], other["start"])
                found.append((one["id"], other["id"], one["operator"], other["operator"], bricks, near, *texts))
    return sorted(found, key=lambda row: (-row[5], row[0], row[1]))


def recipes_difference(of: Invented, first: str, second: str) -> Rows:
    found = []
    some = [row for row in of.rows["training_sets"] if row["recipe"] in (first, second)]
    for key, rows in grouped(some, "operator", "size").items():
        one, other = ([row for row in rows if row["recipe"] == name] for name in (first, second))
        shared = {row["id"] for row in one} & {row["id"] for row in other}
        levels = [mean((row["level"] for row in each), 2) if each else None for each in (one, other)]
        bricks = [len({name for row in each for name in row["environments"]}) for each in (one, other)]
        found.append((*key, len(one), len(other), len(shared), *levels, *bricks))
    return found


def prompt_lengths(of: Invented, recipe: str | None = None, most: int = 2048) -> Rows:
    found = []
    for key, rows in grouped(of.rows["training_sets"], "recipe", "operator", "size").items():
        units = sorted(len(row["prompt"][0]["content"]) for row in rows)
        if recipe in (None, key[0]):
            least = [
                next(each for each in units if 100 * sum(u <= each for u in units) >= n * len(units)) for n in (50, 95)
            ]
            beyond = sum(each > most for each in units)
            found.append((*key, len(rows), "characters", rounded(fmean(units), 1), *least, units[-1], beyond))
    return found
