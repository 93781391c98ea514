"""The columns of the tables of the group `paths`: what the search found, rejected and kept."""

from typing import ClassVar

import pandera.polars as pandera

from races.assets.tables.columns import STRATEGIES, column, share, texts


class _PathColumns(pandera.DataFrameModel):
    search: str = column("Strategy: balanced or chains; orders: paths whose order types hide.", isin=STRATEGIES)
    start_brick: str = column("First brick of the path, whose sampler drew the start value.")
    shard_index: int = column("Number of the search tree among those of the start brick.", ge=0)
    level: int = column("Level of the start value.", ge=1, le=5)
    path_id: str = column("Hash of start value and bricks.")
    size: int = column("Number of bricks.", ge=2)
    environments: list[str] = texts("Bricks in order.")
    themes: list[str] = texts("Their themes.")
    types: list[str] = texts("Types of the start value and of every output.")
    fingerprints: list[str] = texts("Their fingerprints.")
    start: str = column("JSON of the start value.")
    outputs: list[str] = texts("JSON of every output.")
    steps: int = column("Metered steps of the whole path.", ge=1)
    alive: float = share("Share of fresh inputs that run to the end.")
    healthy: float = share("Share of their final answers in the healthy range of the type.")
    distinct: int = column("Different final answers among them.", ge=0)
    top_share: float = share("Share of their commonest final answer.")
    entropy: float = column("Entropy of their final answers, in bits.", ge=0)
    identity: float = share("Largest share at which one step repeats its input.")
    step_top_share: float = share("Largest share that one output takes at any step.")
    sensitivity: float = share("Smallest chance, over the steps, that two inputs differ in the step's output.")
    feasible_orders: int = column(
        "Orders of the same bricks that types allow between the printed types of both ends; 0 beyond 6 bricks.", ge=0
    )
    redundant_steps: int = column("Steps without which the final answer is the same; 0 if unhealthy.", ge=0)


class DiscoveredPaths(_PathColumns):
    """One row per path that the search kept: a start value, and bricks that run one after another from it."""

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["search", "start_brick", "shard_index", "path_id"]


class SearchShards(pandera.DataFrameModel):
    """One row per tree of the search, with all that it depends on; it grows again only if that has changed."""

    search: str = column("Strategy of the search.", isin=STRATEGIES)
    start_brick: str = column("Brick whose input is the root.")
    shard_index: int = column("Number of the tree among those of the start brick.", ge=0)
    settings: str = column("Hash of the settings of the search.")
    ran: str = column("JSON: fingerprints of the bricks that were run.")
    compatible_bricks: str = column("JSON: for each type of state a hash of the compatible bricks.")
    executions: int = column("Runs of bricks.", ge=0)
    content: str = column("Hash of the rows of the tree in the other two tables.")
    paths: int = column("Paths kept.", ge=0)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["search", "start_brick", "shard_index"]


class RejectedExtensions(pandera.DataFrameModel):
    """One row per tree, brick and reason: how many extensions by the brick were rejected for it."""

    search: str = column("Strategy of the search.", isin=STRATEGIES)
    start_brick: str = column("Brick whose input is the root of the tree.")
    shard_index: int = column("Number of the tree among those of the start brick.", ge=0)
    environment: str = column("Brick that was tried.")
    reason: str = column("Why the extension was not kept.")
    extensions: int = column("How many.", ge=1)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["search", "start_brick", "shard_index", "environment", "reason"]


class FilteredPaths(_PathColumns):
    """One row per discovered path whose composite is healthy on fresh inputs, each once; problems pose them."""

    path_id: str = column("Hash of start value and bricks.", unique=True)


class FailedHealthChecks(pandera.DataFrameModel):
    """One row per search, size and health check: how many discovered paths failed it."""

    search: str = column("Strategy of the search.", isin=STRATEGIES)
    size: int = column("Number of bricks.", ge=2)
    health_check: str = column("Health check that failed; `kept` counts the paths that fail none.")
    paths: int = column("How many; a path that failed several counts for each.", ge=1)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["search", "size", "health_check"]
