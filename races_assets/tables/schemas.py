"""The columns of every table: what each means, its type and its bounds. Rows are checked before they replace others."""

from typing import Any, ClassVar

import pandera.polars as pandera
import polars as pl
import pyarrow as pa

from races.assets.tables.benchmarks import (
    BenchmarkAverages,
    BenchmarkDifferences,
    BenchmarkModels,
    BenchmarkOverlap,
    BenchmarkReport,
    BenchmarkSamples,
    BenchmarkScores,
    PaperResults,
)
from races.assets.tables.columns import column, share, texts

STRATEGIES = ["balanced", "chains", "orders"]


class Environments(pandera.DataFrameModel):
    """One row per environment of the pool."""

    name: str = column("Name of the brick.", unique=True)
    theme: str = column("Theme, which is the module that declares it.")
    statement: str = column("What is to be done, as the model reads it.")
    domain: str = column("Type of the input.")
    codomain: str = column("Type of the answer.")
    signature: str = column("Domain and codomain in one.")
    grade: str = column("What a solver must know.", isin=["everyday", "course", "advanced"])
    terminal: bool = column("Whether only the last step of a path may use it.")
    fingerprint: str = column("Hash of all that the brick is; rows and caches go by it.", str_length=16)
    words: int = column("Words of the statement.", ge=1)
    measured_by: str = column("Version of the measurements in the columns that follow.")
    steps: float = column("Median of metered steps at level 3.", ge=1)
    steps_1: float = column("Median of metered steps at level 1.", ge=0)
    steps_2: float = column("Median of metered steps at level 2.", ge=0)
    steps_3: float = column("Median of metered steps at level 3.", ge=0)
    steps_4: float = column("Median of metered steps at level 4.", ge=0)
    steps_5: float = column("Median of metered steps at level 5.", ge=0)
    question_length: float = column("Median length of the input's JSON at level 3, in characters.")
    answer_length: float = column("Median length of the answer's JSON at level 3, in characters.")
    refused: float = share("Share of its own inputs that it refuses.")
    duplicates: float = share("Share of its own inputs that were drawn before.")
    identity: float = share("Share of answers that repeat their question.")
    top_share: float = share("Largest share of one answer at a level from 2 to 5: what always giving it would earn.")
    entropy: float = column("Entropy of the answers over all levels, in bits.", ge=0)
    idempotent: bool = column("Whether applying it twice always gives what once gives.")
    involution: bool = column("Whether applying it twice always gives back the question.")
    tags: list[str] = texts("bridge, idempotent, involution, terminal: as measured.")
    example_question: str = column("JSON of an input at level 3.")
    example_answer: str = column("JSON of its answer.")
    solved_blind: int = column("Problems that solvers answered rightly from the prompt alone.", ge=0)
    solved_blind_of: int = column("Problems that they were given; 0 where the brick in this form was not solved.", ge=0)
    posed_per_second: float = column("Problems of SINGLE posed a second of CPU time, as recorded once; 0 if not.", ge=0)
    scored_per_second: float = column("Answers scored a second of CPU time, as recorded once; 0 if not.", ge=0)


class ForeignRefusals(pandera.DataFrameModel):
    """One row per environment: how many values that came out of other bricks it refuses."""

    name: str = column("Name of the brick.", unique=True)
    refused: float = share("Share of the values that it refuses.")
    tried: int = column("Values of its domain that came out of other bricks.", ge=0)


class Audits(pandera.DataFrameModel):
    """One row per environment and rule of the contract: whether it is kept, and what was found."""

    name: str = column("Name of the brick.")
    rule: str = column("Rule of the contract, as races.environments.audit.contract names it.")
    kept: bool = column("Whether nothing was found.")
    faults: int = column("Number of findings.", ge=0)
    findings: list[str] = texts("The first of them.")
    fingerprint: str = column("Fingerprint of the brick.", str_length=16)
    oracle: bool = column("Whether the brick has an oracle that its answers were compared with.")
    draws: int = column("Inputs of its own that were drawn at each level.", ge=1)
    foreign: int = column("Values of other bricks that were tried, at most.", ge=0)
    seed: str = column("What the draws were keyed by.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["name", "rule"]


class SubPools(pandera.DataFrameModel):
    """One row per named part of the pool and brick in it."""

    pool: str = column("Name of the part, as recipes and searches use it.")
    name: str = column("Name of the brick.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["pool", "name"]


class Changes(pandera.DataFrameModel):
    """One row per environment that a rebuild found added, changed, renamed or removed."""

    rebuild: int = column("Number of the rebuild, from 1.", ge=1)
    change: str = column("What happened to the brick.", isin=["added", "changed", "renamed", "removed"])
    name: str = column("Name of the brick, after a renaming the new one.")
    old_name: str = column("Its name before; empty where it was added.")
    old_fingerprint: str = column("Its fingerprint before; empty where it was added.")
    fingerprint: str = column("Its fingerprint now; empty where it was removed.")
    meaning: str = column("Hash of statement and signature, by which a renamed brick is known again.")
    run_id: str = column("Run of Dagster that found it; its time is in materializations.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["rebuild", "name"]


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


class CompositionFigures(pandera.DataFrameModel):
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
    idle_steps: int = column("Steps that could be left out with the same final answer; 0 if unhealthy.", ge=0)


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
    menus: str = column("JSON: for each type of state a hash of the bricks on offer.")
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


class PathAilments(pandera.DataFrameModel):
    """One row per search, size and ailment: how many discovered paths were filtered out for it."""

    search: str = column("Strategy of the search.", isin=STRATEGIES)
    size: int = column("Number of bricks.", ge=2)
    ailment: str = column("Why a path is not kept; `kept` counts those that are.")
    paths: int = column("How many; a path with several ailments counts for each.", ge=1)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["search", "size", "ailment"]


class Problems(pandera.DataFrameModel):
    """One row per problem of one operator."""

    id: str = column("Hash of operator, prompt and truth.", unique=True)
    operator: str = column("Operator that posed it.")
    size: int = column("Number of bricks to apply.", ge=1)
    level: int = column("Level of the inputs.", ge=1, le=5)
    prompt: str = column("What the model is shown.")
    truth: str = column("JSON: all that the score needs.")
    answer: str = column("One right answer, as the model should write it.")
    environments: list[str] = texts("Bricks in the order of the path.")
    themes: list[str] = texts("Their themes.")
    types: list[str] = texts("Types of the start value and of every output; for PARALLEL of every answer.")
    start: str = column("JSON of the input; for PARALLEL a list of inputs.")
    outputs: list[str] = texts("JSON of every result.")
    fingerprints: list[str] = texts("Fingerprints of the bricks.")
    steps: int = column("Metered steps of the solution.", ge=1)
    path_id: str = column("Discovered path that it was made from, if any.")
    chance: float = share(
        "For SORT and SELECT the most that a guess among the answers left open earns; in SELECT at its best length."
    )
    valid_answers: int = column("For SORT and SELECT the number of right answers.", ge=0)
    feasible_answers: int = column(
        "For SORT and SELECT the answers that the printed types, execution and the output's form leave open.", ge=0
    )
    shortest: int = column("For SORT and SELECT the length of the shortest right answer.", ge=0)
    distractors: list[str] = texts("For SELECT the bricks on offer that are not on the path.")
    key: str = column("What its randomness was drawn for.")


class ProblemSets(Problems):
    """One row per problem that was posed to train a small model on, or to measure any model on."""


class TrainingSets(pandera.DataFrameModel):
    """One row per problem of a recipe, in the columns that verl reads, shuffled."""

    id: str = column("Id of the problem.", unique=True)
    data_source: str = column("races/ and the operator; metrics are grouped by it.")
    ability: str = column("The operator.")
    operator: str = column("The operator.")
    size: int = column("Number of bricks to apply.", ge=1)
    level: int = column("Level of the inputs.", ge=1, le=5)
    environments: list[str] = texts("Bricks in the order of the path.")
    prompt_characters: int = column("Length of the prompt.", ge=1)


class BaseModels(pandera.DataFrameModel):
    """One row per model that runs may start from."""

    model: str = column("Its name.", unique=True)
    folder: str = column("Hugging Face folder of its weights.")
    parameters: int = column("Number of its weights.", ge=1)
    vocabulary: int = column("Tokens that its tokenizer has.", ge=1)
    taught_steps: int = column("Supervised steps that made it; 0 where it came trained.", ge=0)
    greedy_score: float = share("What its greedy answers earned on problems of micro that it was not taught.")
    weights: str = column("Hash of its weights.")


class TrainingRuns(pandera.DataFrameModel):
    """One row per step of a training run: reward, loss, lengths, times. What the back end does not report is empty."""

    run: str = column("Name of the run.")
    step: int = column("Step, from 1: a batch of rollouts and the updates on it.", ge=1)
    reward: float = column("Mean score of the responses.")
    reward_std: float = column("Standard deviation of scores in a group, mean over groups.", nullable=True)
    mixed_groups: float = column("Share of groups whose responses do not all score the same.", nullable=True)
    clip_fraction: float = column("Share of tokens whose probability ratio was clipped.", nullable=True)
    response_length: float = column("Mean length of responses, in tokens.", nullable=True)
    truncated: float = column("Share of responses that were cut at the limit.", nullable=True)
    entropy: float = column("Mean entropy of the next token, in nats.", nullable=True)
    grad_norm: float = column("Norm of the gradient before it was clipped.", nullable=True)
    loss: float = column("Policy loss.", nullable=True)
    tokens: float = column("Tokens so far, of prompts and responses.", nullable=True)
    seconds: float = column("Wall time of the step.", nullable=True)


class Rollouts(pandera.DataFrameModel):
    """One row per kept response of a run: a sample of prompts every so many steps, with all responses to each."""

    run: str = column("Name of the run.")
    step: int = column("Step at which it was given.", ge=1)
    operator: str = column("Operator of the problem; empty where the set no longer has its prompt.")
    size: int = column("Number of bricks; 0 where it is not known.", ge=0)
    prompt: str = column("What the model was shown.")
    response: str = column("What it answered, behind the mark of thinking that its prompt ended with, if any.")
    truth: str = column("JSON: all that the score needs; `races score` reads it.")
    score: float = share("Score that it was trained on.")
    status: str = column("scored, unparseable or grader_failed, when the row was written.")
    reason: str = column("What was wrong, in a few words.")


class Checkpoints(pandera.DataFrameModel):
    """One row per trained model: where it lies, and its mean reward over its first and its last steps."""

    run: str = column("Name of the run.", unique=True)
    backend: str = column("torch, which is one process of a small machine, or verl.", isin=["torch", "verl"])
    recipe: str = column("Training set that it learnt from.")
    base: str = column("Model that it started from.")
    folder: str = column("Hugging Face folder of its weights.")
    parameters: int = column("Number of its weights.", ge=1)
    last_step: int = column("Step that was reached.", ge=1)
    reward_first: float = column("Mean reward of the first 20 steps.")
    reward_last: float = column("Mean reward of the last 20 steps.")
    reward_gain_error: float = column("Standard error of the difference of the two, steps taken as independent.")
    config: str = column("JSON of the settings.")
    rows: str = column("Hash of the training set's rows.")
    greedy_prompt: str = column("A prompt of the training set.")
    greedy_answer: str = column("What the saved model, loaded anew, answers to it.")


class HeldoutScores(pandera.DataFrameModel):
    """One row per checkpoint and held-out problem: its greedy answer and what that earns."""

    checkpoint: str = column("Run or base model.")
    problem_set: str = column("Set that the problem is of.")
    id: str = column("Problem.")
    operator: str = column("Operator of the problem.")
    size: int = column("Number of bricks to apply.", ge=1)
    unseen: str = column("What its run was not trained on: bricks, operator, size, or nothing but the inputs.")
    score: float = share("What the answer earns; of a grader that failed there is none.", nullable=True)
    status: str = column("scored, unparseable or grader_failed.")
    response: str = column("The answer, behind the mark of thinking that its prompt ended with, if any.")
    ended: bool = column("Whether it ended by itself and was not cut.")


class HeldoutDifferences(pandera.DataFrameModel):
    """One row per checkpoint, what is unseen, operator and size: it against its base model, paired by problem."""

    checkpoint: str = column("Run.")
    base: str = column("Model that it started from.")
    unseen: str = column("What the run was not trained on: bricks, operator, size, or nothing but the inputs.")
    operator: str = column("Operator; all for the mean over them.")
    size: int = column("Number of bricks; 0 for the mean over sizes.", ge=0)
    problems: int = column("Problems that both were scored on.", ge=1)
    base_score: float = share("Mean score of the base model.")
    score: float = share("Mean score of the checkpoint.")
    difference: float = column("Their mean difference over problems.")
    standard_error: float = column("Its standard error over problems.", nullable=True)
    low: float = column("Lower end of its 95 % interval, by Student's t.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)


class MicroExperiment(pandera.DataFrameModel):
    """One row per measure of the experiment: composites against individual bricks at equal tokens, the tiny model."""

    measure: str = column("What is unseen, operator and size.")
    seeds: int = column("Pairs of runs.", ge=1)
    problems: int = column("Problems of each seed.", ge=1)
    base: float = share("Mean score of the base model.")
    individual: float = share("Mean score after individual bricks, over seeds.")
    composites: float = share("Mean score after composites, over seeds.")
    difference: float = column("Composites less individual, paired by problem and seed.")
    low: float = column("Lower end of its 95 % interval over problems, seeds averaged.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)
    seed_low: float = column("Smallest difference of a seed.")
    seed_high: float = column("Largest difference of a seed.")


def arrow_schema(model: type[pandera.DataFrameModel], *dimensions: str) -> pa.Schema:
    """The Arrow schema of a table's model, without the columns that its partition says."""
    columns = model.to_schema().columns.items()
    return pa.schema(
        [
            pa.field(name, _arrow(each.dtype.type), nullable=each.nullable)
            for name, each in columns
            if name not in dimensions
        ]
    )


def _arrow(kind: Any) -> pa.DataType:
    if isinstance(kind, pl.List):
        return pa.list_(pa.field("element", _arrow(kind.inner), nullable=False))
    plain = {"String": pa.string(), "Int64": pa.int64(), "Float64": pa.float64(), "Boolean": pa.bool_()}
    return plain[str(kind)]


def table(model: type[pandera.DataFrameModel], rows: list[dict[str, Any]], *dimensions: str) -> pa.Table:
    """Rows as a table of the model's columns, without the columns that its partition says."""
    return pa.Table.from_pylist(rows, schema=arrow_schema(model, *dimensions))


MODELS: dict[str, type[pandera.DataFrameModel]] = {
    "environments": Environments,
    "foreign_refusals": ForeignRefusals,
    "audits": Audits,
    "changes": Changes,
    "sub_pools": SubPools,
    "types": Types,
    "type_graph": TypeGraph,
    "path_counts": PathCounts,
    "composition_figures": CompositionFigures,
    "discovered_paths": DiscoveredPaths,
    "search_shards": SearchShards,
    "rejected_extensions": RejectedExtensions,
    "filtered_paths": FilteredPaths,
    "path_ailments": PathAilments,
    "problems": Problems,
    "problem_sets": ProblemSets,
    "training_sets": TrainingSets,
    "base_models": BaseModels,
    "training_runs": TrainingRuns,
    "rollouts": Rollouts,
    "checkpoints": Checkpoints,
    "heldout_scores": HeldoutScores,
    "heldout_differences": HeldoutDifferences,
    "micro_experiment": MicroExperiment,
    "benchmark_models": BenchmarkModels,
    "benchmark_samples": BenchmarkSamples,
    "benchmark_scores": BenchmarkScores,
    "benchmark_differences": BenchmarkDifferences,
    "benchmark_averages": BenchmarkAverages,
    "benchmark_report": BenchmarkReport,
    "benchmark_overlap": BenchmarkOverlap,
    "paper_results": PaperResults,
}
