"""The sections of the report: what each shows of which tables, as data; none needs all of its tables to be there."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from races.assets.defs.benchmarks.paper import label, long_picture
from races.assets.defs.evaluation.heldout import differences_picture
from races.assets.defs.evaluation.micro_experiment import picture as experiment_picture
from races.assets.defs.reports.templates import template
from races.assets.pictures import Picture, curve, drawn, figure, type_graph_picture
from races.assets.tables.table_catalog import query_context
from races.resources.evaluation.statistics.measures import ALL, SCORE
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
SMALL = 1_000_000_000  # parameters below which figures are said to be of CPU size
CPU_SIZE = "at CPU size: says nothing of models of use"
LEAD = (
    "Figures marked “at CPU size” show that the way works and say nothing of models of use; benchmark figures marked "
    "“mini (invented)” are of a few invented questions and mean nothing at all. A table that is not there yet is made "
    "by materialising the asset of its name."
)
SIZED = f"case when parameters < {SMALL} then '{CPU_SIZE}' else '' end as said"


@dataclass(frozen=True)
class Block:
    """A table, and the pictures of its rows. tables: what it reads. columns: those of the rows that are shown."""

    title: str
    tables: tuple[str, ...]
    sql: str
    note: str = ""
    columns: tuple[str, ...] = ()
    pictures: Callable[[list[Row]], list[Picture]] | None = None
    hidden: bool = False  # the pictures alone are shown
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the report. name: its anchor."""

    name: str
    title: str
    about: str
    blocks: tuple[Block, ...]


@dataclass
class Shown:
    """A block with the rows of a warehouse."""

    title: str
    note: str
    head: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    folded: bool = False


@dataclass
class ShownSection:
    """A section with what there is of it. missing: tables that have not been made."""

    name: str
    title: str
    about: str
    missing: list[str]
    blocks: list[Shown]


def types_picture(rows: list[Row]) -> list[Picture]:
    """The types and the bricks between them."""
    return [type_graph_picture([(row["domain"], row["codomain"]) for row in rows])]


def sizes_picture(rows: list[Row]) -> list[Picture]:
    """The number of type-correct sequences by their length."""
    made = figure(6, 2.6)
    axes = made.subplots()
    for matching in sorted({row["matching"] for row in rows}):
        some = [row for row in rows if row["matching"] == matching]
        axes.semilogy([row["size"] for row in some], [row["paths"] for row in some], "o-", ms=3, label=matching)
    axes.set(xlabel="bricks in a sequence", ylabel="type-correct sequences")
    axes.legend()
    return [drawn(made, "type-correct sequences by length")]


def healthy_picture(rows: list[Row]) -> list[Picture]:
    """The share of found paths that is healthy, by size, for every search."""
    made = figure(7, 3)
    axes = made.subplots()
    lines: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        lines[f"{row['pool']}, {row['matching']}, {row['search']}"].append(row)
    for name, some in lines.items():
        found = [row for row in some if row["found"]]
        axes.plot(
            [row["size"] for row in found], [row["healthy"] / row["found"] for row in found], "o-", ms=3, label=name
        )
    axes.set(xlabel="bricks in a path", ylabel="healthy share", ylim=(0, 1))
    axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    return [drawn(made, "healthy share of found paths by size")]


def curves(rows: list[Row]) -> list[Picture]:
    """The reward of every step, a picture a run."""
    runs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        runs[row["run"], row["said"]].append(row["reward"])
    return [
        curve(rewards, ", ".join(filter(None, (f"reward of {run}", said)))) for (run, said), rewards in runs.items()
    ]


def heldout_picture(rows: list[Row]) -> list[Picture]:
    """Checkpoints against their base models."""
    return [differences_picture(rows)] if rows else []


def score_pictures(rows: list[Row]) -> list[Picture]:
    """The scores on each kind of data, which is named in every title."""
    return [long_picture(data, [r for r in rows if r["data"] == data]) for data in sorted({r["data"] for r in rows})]


POOL = Section(
    "pool",
    "The pool",
    "A brick is a typed function with a statement, a sampler of inputs and a verifier.",
    (
        Block(
            "Bricks by what a solver must know",
            ("environments",),
            "select grade, count(*) as bricks, count(distinct theme) as themes, sum(solved_blind) as solved_blind, "
            "sum(solved_blind_of) as solved_blind_of from environments group by all order by all",
            "Solved blind: problems that solvers answered as the brick does, who saw the prompts alone.",
        ),
        Block(
            "Types, and the bricks between them",
            ("environments",),
            "select domain, codomain from environments order by name",
            "An arrow's width says how many bricks lead from one type to another.",
            pictures=types_picture,
            hidden=True,
        ),
        Block(
            "Bricks by theme",
            ("environments",),
            "select theme, count(*) as bricks, avg(steps) as median_steps, avg(top_share) as best_constant "
            "from environments group by all order by all",
            folded=True,
        ),
        Block(
            "All bricks",
            ("environments",),
            "select name, signature, statement, fingerprint from environments order by name",
            folded=True,
        ),
        Block(
            "Rules of the contract",
            ("audits",),
            "select rule, count(*) filter (kept) as kept, count(*) filter (not kept) as broken from audits "
            "group by all order by all",
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
            "select matching, size, paths from path_counts order by all",
            pictures=sizes_picture,
            folded=True,
        ),
        Block(
            "Healthy paths by search and size",
            ("filtered_paths",),
            "select search, size, count(*) as paths, count(distinct environments[1]) as first_bricks "
            "from filtered_paths group by all order by all",
        ),
        Block(
            "Why extensions were rejected",
            ("rejected_extensions",),
            "select search, reason, sum(extensions)::bigint as extensions from rejected_extensions "
            "group by all order by search, extensions desc, reason",
        ),
        Block(
            "Searches compared",
            ("composition_figures",),
            "select pool, matching, search, size, found, healthy, bricks_used, bricks, type_pairs_used, evenness "
            "from composition_figures order by all",
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
            "select recipe, operator, min(size) as from_size, max(size) as to_size, count(*) as rows, "
            "avg(level) as level, avg(prompt_characters) as prompt_characters "
            "from training_sets group by all order by all",
        ),
        Block(
            "One problem of each",
            ("training_sets",),
            "select recipe, operator, prompt[1].content as prompt from training_sets "
            "qualify row_number() over (partition by recipe, operator order by size, id) = 1 order by recipe, operator",
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
            "select run, backend, base, recipe, parameters, last_step, reward_first, reward_last, reward_gain_error, "
            f"{SIZED} from checkpoints order by run",
            "Mean reward of the first and of the last 20 steps, and the standard error of their difference.",
        ),
        Block(
            "Reward of each step",
            ("training_runs", "checkpoints"),
            f"select run, step, reward, {SIZED} from training_runs join checkpoints using (run) order by run, step",
            "The thick line is the mean of a step and the nine before it.",
            pictures=curves,
            hidden=True,
        ),
        Block(
            "Answers of the last steps that were kept",
            ("rollouts",),
            "select run, step, score, status, prompt, response from rollouts "
            "qualify row_number() over (partition by run order by step desc, score desc, prompt, response) <= 2 "
            "or row_number() over (partition by run order by step desc, score, prompt, response) <= 2 "
            "order by run, score desc, prompt, response",
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
            "select d.checkpoint, d.unseen, d.operator, d.size, d.problems, d.base_score, d.score, d.difference, "
            f"d.low, d.high, {SIZED} from heldout_differences d left join checkpoints c on c.run = d.checkpoint "
            "where d.size = 0 order by all",
            "Unseen: what of the problems the run was not trained on.",
            columns=tuple("checkpoint unseen operator problems base_score score difference low high said".split()),
            pictures=heldout_picture,
        ),
        Block(
            f"The experiment with a model of a million parameters, {CPU_SIZE}",
            ("micro_experiment",),
            "select measure, problems, base, individual, composites, difference, low, high, seed_low, seed_high "
            "from micro_experiment order by measure",
            "Composites less individual bricks at equal tokens; the range is over seeds.",
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
            "select data, checkpoint, benchmark, value, low, high, questions, samples, grader_errors, dataset_sha256, "
            f"question_set from benchmark_scores where measure = '{SCORE}' and subset = '{ALL}' "
            "order by data, benchmark, question_set, checkpoint",
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
            "select data, first, second, benchmark, difference, low, high, p, p_holm, questions, same_settings "
            "from benchmark_differences order by all",
        ),
        Block(
            "Averages of the five columns",
            ("benchmark_averages",),
            "select data, checkpoint, less, average, low, high, mean_of_six, same_settings from benchmark_averages "
            "order by all",
            "Where “less” names a checkpoint, the figure is the difference from it.",
        ),
        Block(
            "Figures of the paper (arXiv 2606.12373), none of which was measured here",
            ("paper_results",),
            "select model, training, environments, size, note, benchmark, points from paper_results order by all",
            folded=True,
        ),
    ),
)
SECTIONS = (POOL, SPACE, SETS, DYNAMICS, HELDOUT, BENCHMARKS)


def sections(warehouse: Warehouse) -> list[ShownSection]:
    """Every section with what the warehouse has of it."""
    there = set(warehouse.datasets())
    found = []
    with warehouse.connect(query_context=query_context()) as connection:
        for section in SECTIONS:
            missing = sorted({name for block in section.blocks for name in block.tables} - there)
            blocks = [shown(block, connection) for block in section.blocks if there.issuperset(block.tables)]
            found.append(ShownSection(section.name, section.title, section.about, missing, blocks))
    return found


def shown(block: Block, connection: duckdb.DuckDBPyConnection) -> Shown:
    """A block with its rows; where there are none, or the table is of an older version, it says so."""
    try:
        rows: list[Row] = connection.sql(block.sql).to_arrow_table().to_pylist()
    except duckdb.BinderException as error:
        reason = str(error).splitlines()[0]
        return Shown(block.title, f"To be made again, since it was made by another version: {reason}")
    if not rows:
        return Shown(block.title, "The table is there and has no rows for this.")
    head = list(block.columns or rows[0])
    lines = [] if block.hidden else [[labelled(name, row[name]) for name in head] for row in rows]
    pictures = block.pictures(rows) if block.pictures else []
    return Shown(block.title, block.note, head, lines, pictures, block.folded)


def labelled(name: str, value: Any) -> Any:
    """A value; of a kind of data also whether it may be compared."""
    return label(value) if name == "data" else value


def said(value: Any) -> str:
    """A value as text: nothing for what is not there, numbers in few digits."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1e5 else f"{value:,.0f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def page(found: Sequence[ShownSection]) -> str:
    """The report as one HTML file that loads nothing."""
    return template("report.html.j2").render(sections=found, lead=LEAD, shown=said)


def preview(found: Sequence[ShownSection]) -> str:
    """What the UI shows of the report: its pictures, and what is not there yet."""
    lines = []
    for section in found:
        lines += [f"## {section.title}", ""]
        lines += [f"Not there yet: {', '.join(section.missing)}", ""] if section.missing else []
        for block in section.blocks:
            lines += [line for each in block.pictures for line in (each.markdown, "")]
    return "\n".join(lines)
