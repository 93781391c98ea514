"""Training sets as folders that a hub of data sets takes: the rows in Parquet, and README.md, their card."""

import ast
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from statistics import median_low
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from races.assets.catalog.recipes import PROBLEM_SETS, Recipe
from races.assets.defs.reports.templates import template
from races.environments.errors import SettingError
from races.environments.seeding import key_of
from races.environments.subpools import HELD_OUT, subpool
from races.resources.store.folders import move_into_place, staging
from races.resources.store.markdown import code
from races.resources.store.parquet_files import stored_version
from races.resources.store.warehouse import Warehouse
from races.resources.training.rows import VERL

Row = dict[str, Any]
README, DATA = "README.md", "data/train-00000-of-00001.parquet"
# The hub's names of sizes, by the number of rows below which each holds.
SIZE_NAMES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
SAME_NAME = (pa.types.is_int64, pa.types.is_int32, pa.types.is_float64, pa.types.is_string)
MEANINGS = {
    "id": "hash of operator, prompt and truth",
    "data_source": "`races/` and the operator; verl groups its metrics by it",
    "prompt": "one message of the user",
    "ability": "the operator",
    "reward_model": "`ground_truth`: JSON text with all that the score needs",
    "extra_info": "place of the row, id, operator, size, level, and the path that it was made from, if any",
    "operator": "single, sequential, parallel, sort or select",
    "size": "number of bricks to apply",
    "level": "size of the inputs, 1 to 5",
    "environments": "bricks in the order in which they are applied",
    "prompt_characters": "length of the prompt",
}
OPERATORS = (
    ("single", "one brick and an input", "1 for the answer, else 0"),
    ("sequential", "an input and the ordered statements", "share of the results right before the first wrong one"),
    ("parallel", "independent bricks with inputs", "share of the answers that are right"),
    ("sort", "an input, the final result, the shuffled statements", "1 for an order that gives the result, else 0"),
    ("select", "the same among distractors", "1 for a choice and order that give the result, else 0"),
)


def export(warehouse: Warehouse, recipe: Recipe, folder: Path) -> str:
    """Write the stored rows of a recipe and their card into a folder; the text of the card.

    What an earlier export left there is replaced. SettingError where the folder holds anything else.
    """
    stored, _ = warehouse.file("training_sets", {"recipe": recipe.name})
    _check_folder(folder)
    with staging(folder) as place:
        rows = place / "rows.parquet"
        shutil.copyfile(stored, rows)  # from here on the rows are these, whatever becomes of the table
        text = card(recipe, rows, stored_problems(warehouse, recipe, rows), made_by(warehouse, recipe))
        (place / README).write_text(text, encoding="utf-8")
        move_into_place([(rows, folder / DATA), (place / README, folder / README)])
    return text


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise SettingError(f"expected a folder to write to, got the file {folder}")
    found = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    others = sorted(found - {README, DATA})
    if others:
        raise SettingError(f"expected an empty folder, or one of an earlier export, got {folder} with {others[0]}")


def stored_problems(warehouse: Warehouse, recipe: Recipe, rows: Path) -> list[Row]:
    """The problems of these rows that are stored: bricks, themes, fingerprints, and what they were keyed by."""
    whole = recipe.source == "problems"
    name, part = ("problems", None) if whole else ("problem_sets", {"problem_set": recipe.source})
    if not warehouse.exists(name, part):
        return []
    ids = pq.read_table(rows, columns=["id"])["id"].combine_chunks()
    columns = ["id", "environments", "themes", "fingerprints", "key"]
    found: list[Row] = warehouse.read(name, part, columns, where=pc.field("id").isin(ids)).to_pylist()
    return found


def made_by(warehouse: Warehouse, recipe: Recipe) -> str:
    """The code version with which the rows of a recipe were made last; empty where that is not on record."""
    record = {"dataset": "training_sets"}
    if not warehouse.exists("materializations", record):
        return ""
    where = pc.field("part") == f"recipe={recipe.name}"
    found = warehouse.read("materializations", record, ["code_version", "made"], where).to_pylist()
    return str(max(found, key=lambda row: row["made"])["code_version"]) if found else ""


def card(recipe: Recipe, rows: Path, problems: Sequence[Row], code_version: str) -> str:
    """The card of the rows in a file. problems: those of the rows that are still stored."""
    table = pq.read_table(rows)
    found = table.to_pylist()
    bricks = brick_rows(problems)
    lengths = sorted(row["prompt_characters"] for row in found) or [0]
    return template("card.md.j2").render(
        front_matter=yaml.safe_dump(front_matter(recipe, table, rows.stat().st_size), sort_keys=False),
        pretty_name=pretty_name(recipe),
        recipe=recipe,
        rows=len(found),
        source=source_of(recipe),
        generation_seeds=generation_seeds(problems),
        version=package_version(),
        code_version=code_version,
        data_version=stored_version(rows)[1],
        bricks_key=key_of(sorted(brick[:3] for brick in bricks)),
        counts=counts(found, problems),
        shortest=lengths[0],
        longest=lengths[-1],
        median=median_low(lengths),
        columns=[(field.name, plain(field.type), MEANINGS[field.name]) for field in VERL],
        example=found[0]["prompt"][0]["content"] if found else "",
        operators=[each for each in OPERATORS if each[0] in recipe.sizes],
        not_stored=len(found) - len(problems),
        bricks=bricks,
        held_out_name=HELD_OUT,
        held_out=sorted({brick[0] for brick in bricks} & set(subpool(HELD_OUT))),
    )


def pretty_name(recipe: Recipe) -> str:
    """The title of a set."""
    return f"RACES {recipe.name}"


def source_of(recipe: Recipe) -> str:
    """Where the problems of a recipe come from, in words."""
    if recipe.source == "problems":
        return "the table `problems`, of the bricks of the part `training`"
    part = PROBLEM_SETS[recipe.source].sub_pool
    return f"the problem set {code(recipe.source)}, of the bricks of the sub-pool {code(part)}"


def package_version() -> str:
    """The version of this package; where it is not installed, so much is said."""
    try:
        return version_of("races")
    except PackageNotFoundError:
        return "(not installed)"


def generation_seeds(problems: Iterable[Row]) -> list[str]:
    """The seeds of the problems."""
    return sorted({ast.literal_eval(row["key"])[1] for row in problems if row["key"]})


def brick_rows(problems: Iterable[Row]) -> list[tuple[str, str, str, int]]:
    """Name, theme and fingerprint of every brick of the problems, and the number of problems that it stands in."""
    used: Counter[tuple[str, str, str]] = Counter()
    for row in problems:
        used.update(set(zip(row["environments"], row["themes"], row["fingerprints"], strict=True)))
    return [(*brick, count) for brick, count in sorted(used.items())]


def counts(rows: Sequence[Row], problems: Sequence[Row]) -> list[tuple[str, tuple[str, ...], list[tuple[Any, ...]]]]:
    """The tables of counts: title, head and lines."""
    cells = Counter((row["operator"], row["size"]) for row in rows)
    levels = Counter(row["level"] for row in rows)
    themes = Counter(theme for row in problems for theme in set(row["themes"]))
    return [
        ("By operator and size", ("operator", "size", "rows"), [(*cell, n) for cell, n in sorted(cells.items())]),
        ("By level of the inputs", ("level", "rows"), sorted(levels.items())),
        ("By theme, a row once for each theme that it has a brick of", ("theme", "rows"), sorted(themes.items())),
    ]


def front_matter(recipe: Recipe, table: pa.Table, file_size: int) -> Row:
    """What the hub reads of a card: https://huggingface.co/docs/hub/datasets-cards."""
    size = next((name for most, name in SIZE_NAMES.items() if table.num_rows < most), "n>1M")
    split = {"name": "train", "num_bytes": table.nbytes, "num_examples": table.num_rows}
    return {
        "pretty_name": pretty_name(recipe),
        "license": "apache-2.0",
        "language": ["en"],
        "task_categories": ["text-generation"],
        "size_categories": [size],
        "source_datasets": ["original"],
        "annotations_creators": ["machine-generated"],
        "tags": ["reinforcement-learning", "verifiable-rewards", "reasoning", "synthetic"],
        "configs": [{"config_name": "default", "data_files": [{"split": "train", "path": DATA}]}],
        "dataset_info": {
            "features": features(VERL),
            "splits": [split],
            "download_size": file_size,
            "dataset_size": table.nbytes,
        },
    }


def features(fields: Iterable[pa.Field]) -> list[Row]:
    """Columns in the hub's notation: a struct is a list of features, and so is a list of structs."""
    return [{"name": field.name} | feature(field.type) for field in fields]


def feature(kind: pa.DataType) -> Row:
    """A type in the hub's notation."""
    if pa.types.is_struct(kind):
        return {"struct": features(kind.fields)}
    if pa.types.is_list(kind):
        inner = feature(kind.value_type)
        return {"list": inner.get("struct") or inner.get("dtype") or inner}
    if any(same(kind) for same in SAME_NAME):
        return {"dtype": "float64" if pa.types.is_float64(kind) else str(kind)}
    raise SettingError(f"expected a type that the card can name, got {kind}")


def plain(kind: pa.DataType) -> str:
    """A type in few words."""
    if pa.types.is_list(kind):
        return f"list of {plain(kind.value_type)}"
    if pa.types.is_struct(kind):
        return f"{{{', '.join(f'{field.name}: {plain(field.type)}' for field in kind.fields)}}}"
    return str(kind)


def without_front_matter(text: str) -> str:
    """The body of a card, for pages that show Markdown."""
    return text.split("---\n", 2)[2]
