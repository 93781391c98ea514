"""Recipes, which say what a training set is made of, and problem sets, generated for a purpose. Both are data.

To add one, add an entry to RECIPES or PROBLEM_SETS, or name a file of your own in RACES_RECIPES
(races.environments.user_config).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

from races.environments.errors import SettingError
from races.environments.operators import SIZES
from races.environments.seeding import key_of
from races.environments.subpools import HELD_OUT, subpool_names
from races.environments.types import LEVELS
from races.environments.user_config import Entry, entries

Cell = tuple[str, int]  # an operator and a size


@dataclass(frozen=True)
class Recipe:
    """A training set: problems of the given operators and sizes, the same number for each (operator, size).

    name: the partition of training_sets.
    total: its rows.
    sizes: for each operator the numbers of bricks.
    seed: what the choice and the order of rows are seeded by, besides the name.
    source: `problems`, which has problems of the sub-pool `training`, or a partition of problem_sets.
    """

    name: str
    description: str
    total: int
    sizes: Mapping[str, tuple[int, ...]]
    seed: str = "races"
    source: str = "problems"

    def __post_init__(self) -> None:
        for operator, sizes in self.sizes.items():
            if operator not in SIZES or not set(sizes) <= set(SIZES[operator]):
                raise SettingError(
                    f"recipe {self.name}: expected operators and sizes of {SIZES}, got {operator}: {sizes}"
                )

    def cells(self) -> dict[Cell, int]:
        """How many rows each (operator, size) gets; a remainder goes one each to the first cells."""
        cells = [(operator, size) for operator, sizes in self.sizes.items() for size in sizes]
        each, rest = divmod(self.total, len(cells))
        return {cell: each + (place < rest) for place, cell in enumerate(cells)}


@dataclass(frozen=True)
class ProblemSet:
    """Problems of a sub-pool, generated for a purpose of their own.

    name: the partition of problem_sets.
    sub_pool: whose bricks the problems are made of.
    cells: how many problems of each (operator, size).
    levels: of the inputs.
    held_out: whether it is for evaluation. Of all possible problems one in ten, by its id, may be in a held-out set and
        nine in ten in the others, so that the two kinds never share one.
    paths_from: `search`, which searches the sub-pool for this set, or `filtered_paths`.
    seed: what the problems are seeded by, besides the name.
    distractors_from: the sub-pool that SELECT draws distractors from; "" for `sub_pool` itself.
    """

    name: str
    description: str
    sub_pool: str
    cells: Mapping[Cell, int]
    levels: tuple[int, ...] = LEVELS
    held_out: bool = True
    paths_from: Literal["search", "filtered_paths"] = "search"
    seed: str = "races"
    distractors_from: str = ""


def cells(count: int, **sizes: tuple[int, ...]) -> dict[Cell, int]:
    """The same number of problems of each (operator, size)."""
    return {(operator, size): count for operator, some in sizes.items() for size in some}


PROBLEM_SETS = {
    each.name: each
    for each in (
        ProblemSet(
            "quick",
            "Four bricks on a few digits, for a model that learns within a minute: to train on.",
            "quick",
            cells(3_000, single=(1,), sequential=(2,)),
            levels=(1,),
            held_out=False,
        ),
        ProblemSet(
            "quick_held_out",
            "The bricks of quick on inputs that are not in it.",
            "quick",
            cells(100, single=(1,), sequential=(2,)),
            levels=(1,),
        ),
        ProblemSet(
            "micro",
            "Few bricks on short inputs, for a model of a million parameters: to train on.",
            "micro",
            {**cells(9_000, single=(1,)), **cells(3_000, sequential=(2, 3), parallel=(2,))},
            levels=(1,),
            held_out=False,
        ),
        ProblemSet(
            "micro_depths",
            "The bricks of micro on inputs that are not in it, alone and in more steps than it has.",
            "micro",
            cells(100, single=(1,), sequential=(2, 3, 4, 5), parallel=(2, 3), sort=(2,)),
            levels=(1,),
        ),
        ProblemSet(
            "micro_bricks",
            "Bricks that are not in micro, on inputs like its own.",
            "micro_unseen",
            cells(100, single=(1,), sequential=(2,), parallel=(2,)),
            levels=(1,),
        ),
        ProblemSet(
            "unseen_bricks",
            "Bricks of heldout_40, which no recipe trains on, alone and composed with one another.",
            HELD_OUT,
            # No two of its bricks can change places, so there is no SORT; SELECT draws distractors from the whole pool.
            cells(200, single=(1,), sequential=(2, 3, 4), parallel=(2, 4, 6), select=(2, 3)),
            distractors_from="all",
        ),
        ProblemSet(
            "seen_bricks",
            "Bricks that recipes train on, on fresh inputs, by every operator and in all sizes.",
            "training",
            {(operator, size): 60 for operator, sizes in SIZES.items() for size in sizes},
            paths_from="filtered_paths",
        ),
    )
}


def _user_set(entry: Entry) -> ProblemSet:
    """The problem set of an entry [problem_sets.NAME]; SettingError where the entry is wrong."""
    required = {"description": str, "sub_pool": str, "sizes": dict, "per_cell": int, "held_out": bool}
    given = entry.checked(required, {"levels": list, "seed": str, "distractors_from": str})
    sizes, count = entry.sizes(), given.pop("per_cell")
    for operator, some in sizes.items():
        if operator not in SIZES or not set(some) <= set(SIZES[operator]):
            raise entry.error(f"sizes: expected operators and sizes of {SIZES}, got {operator}: {some}")
    for field in ("sub_pool", "distractors_from"):
        if field in given and given[field] not in subpool_names():
            raise entry.error(f"{field}: expected one of {', '.join(subpool_names())}, got {given[field]!r}")
    if count < 1:
        raise entry.error(f"per_cell: expected at least 1, got {count}")
    levels = entry.listed("levels", int) if "levels" in given else LEVELS
    if not levels or not set(levels) <= set(LEVELS):
        raise entry.error(f"levels: expected some of {list(LEVELS)}, got {list(levels)}")
    del given["sizes"]
    return ProblemSet(entry.name, cells=cells(count, **sizes), **given | {"levels": levels})


PROBLEM_SETS |= {name: _user_set(entry) for name, entry in entries("problem_sets", taken=PROBLEM_SETS).items()}


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "races_300",
            "The paper's main data: SEQUENTIAL and PARALLEL of size 2 to 12, SORT and SELECT of size 2 to 6.",
            12_800,
            {operator: SIZES[operator] for operator in ("sequential", "parallel", "sort", "select")},
        ),
        Recipe(
            "individual_300",
            "The baseline of the paper: the same number of problems, straight from single environments.",
            12_800,
            {"single": (1,)},
        ),
        Recipe(
            "races_analysis",
            "The paper's data for its analysis on a small model: sizes 2 to 6, SORT 2 to 3, no SELECT.",
            6_400,
            {"sequential": (2, 3, 4, 5, 6), "parallel": (2, 3, 4, 5, 6), "sort": (2, 3)},
        ),
        Recipe(
            "individual_analysis",
            "The baseline of the analysis: the same number of problems from single environments.",
            6_400,
            {"single": (1,)},
        ),
        Recipe(
            "quick",
            "Chains of two of four bricks on a few digits, for a first run of the whole pipeline.",
            960,
            {"sequential": (2,)},
            source="quick",
        ),
        Recipe(
            "micro_races",
            "Composites of few bricks on short inputs, for a model of a million parameters.",
            1_600,
            {"sequential": (2, 3), "parallel": (2,)},
            source="micro",
        ),
        Recipe(
            "micro_individual",
            "The baseline of micro_races: as many problems from the same bricks, each alone.",
            1_600,
            {"single": (1,)},
            source="micro",
        ),
    )
}


def _user_recipe(entry: Entry) -> Recipe:
    """The recipe of an entry [recipes.NAME]; SettingError where the entry is wrong."""
    given = entry.checked({"description": str, "total": int, "sizes": dict}, {"source": str, "seed": str})
    if given["total"] < 1:
        raise entry.error(f"total: expected at least 1, got {given['total']}")
    if given.get("source", "problems") not in ("problems", *PROBLEM_SETS):
        known = ", ".join(["problems", *PROBLEM_SETS])
        raise entry.error(f"source: expected one of {known}, got {given['source']!r}")
    try:
        return Recipe(entry.name, **given | {"sizes": entry.sizes()})
    except SettingError as error:
        raise entry.error(error) from error


RECIPES |= {name: _user_recipe(entry) for name, entry in entries("recipes", taken=RECIPES).items()}


def needed() -> dict[Cell, int]:
    """How many problems of each (operator, size) `problems` must have for every recipe that draws on it."""
    most: dict[Cell, int] = {}
    for recipe in (each for each in RECIPES.values() if each.source == "problems"):
        for cell, count in recipe.cells().items():
            most[cell] = max(count, most.get(cell, 0))
    return most


def version_with(entries: Mapping[str, Any], version: str) -> str:
    """A code version that changes with the entries that the code works on, so that an edit of one is noticed."""
    return f"{version}-{key_of(sorted(entries.items(), key=itemgetter(0)))[:8]}"
