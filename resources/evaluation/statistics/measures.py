"""The measures of a benchmark: values by question, in the form that `intervals` takes, from rows of samples.

A row has question, sample (its number), cluster, groups and parts (JSON), score (None where the grader failed),
extracted, truncated and prompt_cut. Samples without a score are dropped, and so are questions without any score.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from races.environments.seeding import key_of
from races.resources.evaluation.statistics.intervals import Clusters, Samples, majority, pass_rates

ALL = "all"
SCORE, TRUNCATED, PROMPT_CUT = "score", "truncated", "prompt_cut"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """One measure on all questions, or on a subset of them."""

    measure: str
    subset: str
    samples: Samples  # values by question, or by instruction of IFEval
    clusters: Clusters
    questions: tuple[str, ...]  # ids of the questions that they belong to
    left_out: int  # samples whose grader failed


def measures(benchmark: str, rows: Sequence[Row]) -> Iterator[Measured]:
    """Every measure of the samples of one checkpoint on one benchmark; none where no sample has a score."""
    for subset, some in subsets(rows):
        failed = sum(row["score"] is None for row in some)
        for measure in (SCORE, TRUNCATED, PROMPT_CUT):
            if samples := values(some, measure):
                left_out = failed if measure == SCORE else 0
                yield Measured(measure, subset, samples, clusters(some, subset), tuple(samples), left_out)
    scored, failed = [row for row in rows if row["score"] is not None], sum(row["score"] is None for row in rows)
    if not scored:
        return
    whole: list[tuple[str, Samples, Clusters]] = [*_pass_at_k(scored)]
    if benchmark.startswith("aime"):
        whole.append(_majority_vote(scored))
    if benchmark == "ifeval":
        whole += _instruction_measures(scored)
    questions, shared = tuple(values(scored, SCORE)), clusters(scored)
    for measure, found, own in whole:
        yield Measured(measure, ALL, found, own or shared, questions, failed)


def subsets(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """All rows, and those of each value of each group, such as `difficulty: hard`."""
    yield ALL, list(rows)
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for key, value in json.loads(row["groups"]).items():
            found[f"{key}: {value}"].append(row)
    yield from sorted(found.items())


def values(rows: Iterable[Row], measure: str) -> dict[str, list[float]]:
    """The values of a column by question, in the order of the samples."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in in_order(rows):
        if row[measure] is not None:
            found[row["question"]].append(float(row[measure]))
    return dict(found)


def clusters(rows: Iterable[Row], subset: str = ALL) -> dict[str, str]:
    """The cluster of each question. In a subset that is itself one cluster, every question is its own cluster."""
    found = {row["question"]: row["cluster"] for row in rows}
    return {} if subset != ALL and set(found.values()) == {subset.partition(": ")[2]} else found


def question_set(questions: Iterable[str]) -> str:
    """A hash of question ids, independent of their order."""
    return key_of("questions", *sorted(questions))


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows sorted by question and sample number."""
    return sorted(rows, key=lambda row: (row["question"], row["sample"]))


def _pass_at_k(rows: Sequence[Row]) -> Iterator[tuple[str, Samples, Clusters]]:
    """pass@k, for k the powers of 2 up to the number of samples that every question has."""
    samples = values(rows, SCORE)
    fewest, k = min(map(len, samples.values())), 1
    while k <= fewest:
        yield f"pass@{k}", pass_rates(samples, k), {}
        k *= 2


def _majority_vote(rows: Sequence[Row]) -> tuple[str, Samples, Clusters]:
    """maj@k, with k the number of samples that every question has; the first k of each question count."""
    answers: dict[str, list[tuple[str | None, float]]] = defaultdict(list)
    for row in in_order(rows):
        answers[row["question"]].append((row["extracted"], row["score"]))
    fewest = min(map(len, answers.values()))
    votes = {
        question: [majority([answer for answer, _ in each[:fewest]], [value for _, value in each[:fewest]])]
        for question, each in answers.items()
    }
    return f"maj@{fewest}", votes, {}


def _instruction_measures(rows: Sequence[Row]) -> list[tuple[str, Samples, Clusters]]:
    """IFEval's other three measures. Instructions weigh equally, and those of one prompt form a cluster."""
    loose: dict[str, list[float]] = defaultdict(list)
    by_instruction: dict[str, dict[str, list[float]]] = {"strict": defaultdict(list), "loose": defaultdict(list)}
    prompts: dict[str, str] = {}
    for row in in_order(rows):
        parts = json.loads(row["parts"])
        loose[row["question"]].append(float(parts["prompt_loose"]))
        for kind, found in by_instruction.items():
            for number, holds in enumerate(parts[kind]):
                instruction = f"{row['question']} {number}"
                found[instruction].append(float(holds))
                prompts[instruction] = row["question"]
    instructions = [(f"instruction_{kind}", dict(found), prompts) for kind, found in by_instruction.items()]
    return [("prompt_loose", dict(loose), {}), *instructions]
