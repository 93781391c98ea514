"""The sections of the report: what each shows of which tables, as data; none needs all of its tables to be there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from races.assets.defs.evaluation.experiment_arms import experiment_picture
from races.assets.defs.reports.report_pictures import (
    curves,
    healthy_picture,
    heldout_pictures,
    score_pictures,
    sizes_picture,
    types_picture,
)
from races.assets.pictures import Picture

Row = dict[str, Any]
CPU_SIZE = "at CPU size: says nothing of models of a practical size"


@dataclass(frozen=True)
class Block:
    """A table, and the pictures of its rows.

    tables: what it reads. query: a file of `queries`. columns: those of the rows that are shown; empty for all.
    """

    title: str
    tables: tuple[str, ...]
    query: str
    note: str = ""
    columns: tuple[str, ...] = ()
    pictures: Callable[[list[Row]], list[Picture]] | None = None
    hidden: bool = False  # the pictures alone are shown
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """A section of the report. name: its anchor."""

    name: str
    title: str
    about: str
    blocks: tuple[Block, ...]


POOL = Section(
    "pool",
    "The pool",
    "A brick is a typed function with a statement, a sampler of inputs and a verifier.",
    (
        Block(
            "Bricks by what a solver must know",
            ("environments",),
            "bricks_by_grade",
            "Solved blind: problems that solvers answered as the brick does, who saw the prompts alone.",
        ),
        Block(
            "Types, and the bricks between them",
            ("environments",),
            "brick_types",
            "An arrow's width says how many bricks lead from one type to another.",
            pictures=types_picture,
            hidden=True,
        ),
        Block(
            "Bricks by theme",
            ("environments",),
            "bricks_by_theme",
            folded=True,
        ),
        Block(
            "All bricks",
            ("environments",),
            "bricks",
            folded=True,
        ),
        Block(
            "Rules of the contract",
            ("audits",),
            "contract_rules",
        ),
    ),
)
SPACE = Section(
    "space",
    "The composition space",
    "Types propose a path, running it decides: a healthy one runs, varies and depends on its start on fresh inputs.",
    (
        Block(
            "Type-correct sequences",
            ("path_counts",),
            "type_correct_sequences",
            pictures=sizes_picture,
            folded=True,
        ),
        Block(
            "Healthy paths by search and size",
            ("filtered_paths",),
            "healthy_paths",
        ),
        Block(
            "Why extensions were rejected",
            ("rejected_extensions",),
            "rejected_extensions",
        ),
        Block(
            "Searches compared",
            ("search_comparison",),
            "searches",
            pictures=healthy_picture,
            folded=True,
        ),
    ),
)
SETS = Section(
    "training-sets",
    "Training sets",
    "Each has a card of its own: races export RECIPE FOLDER writes it with the rows.",
    (
        Block(
            "Rows by recipe and operator",
            ("training_sets",),
            "training_set_rows",
        ),
        Block(
            "One problem of each",
            ("training_sets",),
            "example_problems",
            folded=True,
        ),
    ),
)
DYNAMICS = Section(
    "dynamics",
    "Training",
    "The reward of a step is the mean score of its responses; rewards of different training sets do not compare.",
    (
        Block(
            "Runs",
            ("checkpoints",),
            "runs",
            "Mean reward of the first and of the last 20 steps, and the standard error of their difference.",
        ),
        Block(
            "Reward of each step",
            ("training_runs", "checkpoints"),
            "step_rewards",
            "The thick line is the mean of a step and the nine before it.",
            pictures=curves,
            hidden=True,
        ),
        Block(
            "Answers of the last steps that were kept",
            ("rollouts",),
            "last_rollouts",
            folded=True,
        ),
    ),
)
HELDOUT = Section(
    "held-out",
    "Held-out problems",
    "Checkpoints against the models that they started from, paired by problem, with 95 % intervals over problems.",
    (
        Block(
            "Differences from the base model",
            ("heldout_differences", "checkpoints"),
            "heldout_differences",
            "Unseen: what of the problems the run was not trained on.",
            columns=tuple("checkpoint unseen operator problems base_score score difference low high scale".split()),
            pictures=heldout_pictures,
        ),
        Block(
            f"The experiment with a model of a million parameters, {CPU_SIZE}",
            ("micro_experiment",),
            "micro_experiment",
            "Composites minus individual bricks at equal tokens; the range is over seeds.",
            pictures=lambda rows: [experiment_picture(rows)] if rows else [],
        ),
    ),
)
BENCHMARKS = Section(
    "benchmarks",
    "Benchmarks",
    "Scores on one kind of data never compare with those on another, nor with the paper's.",
    (
        Block(
            "Scores",
            ("benchmark_scores",),
            "benchmark_scores",
            columns=(
                "data",
                "checkpoint",
                "benchmark",
                "value",
                "low",
                "high",
                "questions",
                "samples",
                "grader_errors",
            ),
            pictures=score_pictures,
        ),
        Block(
            "Pairs of checkpoints",
            ("benchmark_differences",),
            "benchmark_pairs",
        ),
        Block(
            "Averages of the five columns",
            ("benchmark_averages",),
            "benchmark_averages",
            "Where “baseline” names a checkpoint, the average is the difference from it.",
        ),
        Block(
            "Results of the paper (arXiv 2606.12373), none of which was measured here",
            ("paper_results",),
            "paper_results",
            folded=True,
        ),
    ),
)
SECTIONS = (POOL, SPACE, SETS, DYNAMICS, HELDOUT, BENCHMARKS)
