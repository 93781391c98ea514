"""The prompts of training sets and benchmarks, and counts of the text that they share."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from races.resources.evaluation.statistics.overlap import Found, Text
from races.resources.evaluation.suites.datasets import Dataset
from races.resources.evaluation.suites.prompts import messages
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
WHOLE = "all words of the prompt"


def training_prompts(warehouse: Warehouse, recipe: str) -> Iterator[Text]:
    """The id and the prompt of every problem of a training set."""
    for batch in warehouse.scan("training_sets", {"recipe": recipe}, ["id", "prompt"]):
        for row in batch.to_pylist():
            yield row["id"], "\n".join(message["content"] for message in row["prompt"])


def benchmark_prompts(dataset: Dataset) -> Iterator[Text]:
    """The id of every question of a benchmark and what it puts to a model, whole."""
    for question in dataset.questions:
        yield question.id, "\n".join(message["content"] for message in messages(question)[0])


def counted(found: Found, holders: dict[str, str], most: int) -> Row:
    """How many questions share what, and the first example. Runs in more than `most` questions are boilerplate."""
    shared = {question: sorted(runs & holders.keys()) for question, runs in found.runs.items()}
    times = Counter(run for runs in shared.values() for run in runs)
    telling = {question: [run for run in runs if times[run] <= most] for question, runs in sorted(shared.items())}
    matches = {question: runs[0] for question, runs in telling.items() if runs}
    common = {question: shared[question][0] for question, runs in telling.items() if shared[question] and not runs}
    question, text = next(
        iter([*dict.fromkeys(found.exact, WHOLE).items(), *matches.items(), *common.items()]), ("", "")
    )
    return {
        "exact_matches": len(found.exact),
        "ngram_matches": len(matches),
        "boilerplate": len(common),
        "shared": text,
        "example_question": question,
        "example_problem": found.exact.get(question) or holders.get(text, ""),
    }
