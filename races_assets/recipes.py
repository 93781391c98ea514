"""Recipes: what a training set is made of. A recipe is data; to add one, add an entry to RECIPES."""

from collections.abc import Mapping
from dataclasses import dataclass

from environments.errors import SettingError
from environments.operators.factory import SIZES

Cell = tuple[str, int]  # an operator and a size


@dataclass(frozen=True)
class Recipe:
    """So many problems of the given operators and sizes, the same number for each (operator, size).

    name: the partition of training_sets. total: rows. sizes: for each operator the numbers of bricks. seed: what the
    choice and the order of rows are keyed by, besides the name.
    """

    name: str
    description: str
    total: int
    sizes: Mapping[str, tuple[int, ...]]
    seed: str = "races"

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
    )
}


def needed() -> dict[Cell, int]:
    """How many problems each cell must have for every recipe to be filled from it."""
    most: dict[Cell, int] = {}
    for recipe in RECIPES.values():
        for cell, count in recipe.cells().items():
            most[cell] = max(count, most.get(cell, 0))
    return most
