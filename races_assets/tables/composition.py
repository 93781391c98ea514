"""The columns of the tables of the group `composition`: sub-pools, types, and what searches find."""

from typing import ClassVar

import pandera.polars as pandera

from races.assets.tables.columns import STRATEGIES, column, share, texts


class RefusedOutputs(pandera.DataFrameModel):
    """One row per environment: how many values that came out of other bricks it refuses."""

    name: str = column("Name of the brick.", unique=True)
    refused: float = share("Share of the values that it refuses.")
    tried: int = column("Values of its domain that came out of other bricks.", ge=0)


class SubPools(pandera.DataFrameModel):
    """One row per named part of the pool and brick in it."""

    pool: str = column("Name of the part, as recipes and searches use it.")
    name: str = column("Name of the brick.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["pool", "name"]


class Types(pandera.DataFrameModel):
    """One row per type of the vocabulary."""

    name: str = column("Name of the type.", unique=True)
    noun: str = column("How a statement calls a value of it.")
    notation: str = column("How an answer is to be written.")
    wider: list[str] = texts("Types that contain it with the same JSON, itself left out.")
    sink: bool = column("Whether only the last step of a path may produce it.")
    producers: int = column("Bricks whose answers are values of it, under subtyping.", ge=0)
    consumers: int = column("Bricks that take every value of it, under subtyping.", ge=0)
    producers_exact: int = column("Bricks with this very codomain.", ge=0)
    consumers_exact: int = column("Bricks with this very domain.", ge=0)
    component: int = column("Strongly connected component under subtyping, 0 the largest; -1 where no brick uses it.")
    component_exact: int = column("The same under exact matching.")
    example_value: str = column("JSON of a value at level 3.")


class TypeGraph(pandera.DataFrameModel):
    """One row per ordered pair of bricks of which the second may follow the first."""

    first: str = column("Brick whose answer is passed on.")
    second: str = column("Brick that takes it.")
    codomain: str = column("Type that the first gives.")
    domain: str = column("Type that the second takes.")
    exact: bool = column("Whether the two types are the same, and not one a subtype of the other.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["first", "second"]


class PathCounts(pandera.DataFrameModel):
    """One row per kind of matching and length: how many sequences of bricks are type-correct, repetitions included."""

    matching: str = column("exact or subtype.", isin=["exact", "subtype"])
    size: int = column("Number of bricks in a sequence.", ge=1)
    paths: float = column("Number of type-correct sequences.", ge=0)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["matching", "size"]


class SearchComparison(pandera.DataFrameModel):
    """One row per pool, matching, search and size: type-correct, found and healthy paths, and how even the use is."""

    pool: str = column("Named part of the pool.")
    matching: str = column("exact or subtype.", isin=["exact", "subtype"])
    search: str = column("Strategy of the search.", isin=STRATEGIES)
    bricks: int = column("Bricks of the pool.", ge=1)
    executions: int = column("Runs of bricks in the whole search.", ge=0)
    bricks_used: int = column("Bricks that stand in a healthy path of any size.", ge=0)
    type_pairs_used: int = column("Pairs of types that follow one another in a healthy path of any size.", ge=0)
    evenness: float = share("How evenly bricks are used in healthy paths: entropy by its largest value.")
    size: int = column("Number of bricks in a path.", ge=2)
    type_paths: float = column("Type-correct sequences of this size, repetitions included.", ge=0)
    found: int = column("Paths of this size that the search kept.", ge=0)
    healthy: int = column("Those whose composite is healthy.", ge=0)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["pool", "matching", "search", "size"]
