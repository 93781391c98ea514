"""The search for text that training sets share with benchmarks."""

import re
from pathlib import Path
from random import Random

import dagster as dg
import pyarrow as pa
import pytest

from races.assets.defs.benchmarks.overlap_counts import benchmark_prompts
from races.assets.tables.table_catalog import known_tables
from races.resources.evaluation.statistics import overlap
from races.resources.evaluation.statistics.overlap import Overlap
from races.resources.evaluation.suites.datasets import BENCHMARKS, MINI, load_mini
from races.resources.store.warehouse import Warehouse
from tests.support.benchmark_graph import Graph, checks, said

pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return Graph(tmp_path / "warehouse")


def random_texts(rng: Random, name: str, count: int, words: int) -> list[tuple[str, str]]:
    some = ["Ab", "cd", "7", "8,", "(ef)", "gh."]
    return [(f"{name} {n}", " ".join(rng.choices(some, k=rng.randint(0, words)))) for n in range(count)]


def test_shared_runs_are_those_of_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "CHUNK_WORDS", 7)  # n-grams cross chunks
    for seed in range(30):
        rng = Random(f"overlap {seed}")
        count = rng.randint(1, 5)
        sets = {each: random_texts(rng, each, 6, 9) for each in ("first", "second")}
        copied = sets["first"][0][1].upper().replace(" ", " ; ")
        questions = [*random_texts(rng, "question", 8, 40), ("copy", copied)]
        searched = Overlap(count)
        assert [searched.add(name, prompts) for name, prompts in sets.items()] == [6, 6]
        found = searched.search(questions)
        for name, prompts in sets.items():
            taught = {prompt: runs(text, count) for prompt, text in prompts}
            expected = {question: runs(text, count) & set().union(*taught.values()) for question, text in questions}
            assert found[name].runs == {question: some for question, some in expected.items() if some}
            all_runs = set().union(*expected.values())
            holders = {run: next(prompt for prompt, some in taught.items() if run in some) for run in all_runs}
            assert searched.holders([*all_runs, "not there at all"], prompts) == holders
        assert found["first"].exact["copy"] == "first 0"


def runs(text: str, count: int) -> set[str]:
    words = "".join(letter if letter.isalnum() or letter == " " else "" for letter in text.lower()).split()
    return {" ".join(words[place : place + count]) for place in range(len(words) - count + 1)}


def train_on(warehouse: Warehouse, recipe: str, prompts: list[str]) -> None:
    known = known_tables()["training_sets"]
    schema = pa.schema([known.field("id"), known.field("prompt")])
    rows = [
        {"id": f"{recipe} {n}", "prompt": [{"role": "user", "content": prompt}]} for n, prompt in enumerate(prompts)
    ]
    warehouse.write("training_sets", pa.Table.from_pylist(rows, schema=schema), {"recipe": recipe})


OWN = ["Add up the decimal digits of the number 1234.", "Sort [3, 1, 2] from the smallest to the largest number."]


def test_planted_questions_of_benchmarks_are_found_in_training_sets(graph: Graph) -> None:
    prompts = dict(benchmark_prompts(load_mini("aime_2024")))
    first, second, *_ = sorted(prompts)
    words = re.findall(r"\w+", prompts[second])
    train_on(graph.warehouse, "clean", OWN)
    train_on(graph.warehouse, "copied", [*OWN, prompts[first].upper()])
    train_on(graph.warehouse, "cited", [*OWN, f"Solve this. {' - '.join(words[2:15])} Thanks."])
    result = graph.made("benchmark_overlap")
    rows = {(row["recipe"], row["benchmark"]): row for row in graph.warehouse.read("benchmark_overlap").to_pylist()}
    assert len(rows) == 3 * len(BENCHMARKS)
    numbers = {
        name: tuple(row[column] for column in ("exact_matches", "ngram_matches", "boilerplate"))
        for name, row in rows.items()
    }
    # The whole copy has the words that say where to put an answer, which five questions of each year have.
    assert numbers["copied", "aime_2024"][0] == 1
    assert rows["copied", "aime_2024"]["example_question"] == first
    assert rows["copied", "aime_2024"]["example_problem"] == "copied 2"
    assert numbers["cited", "aime_2024"] == (0, 1, 0)
    assert rows["cited", "aime_2024"]["shared"] == " ".join(words[2:15]).lower()
    assert {name for name, each in numbers.items() if any(each)} <= {
        ("copied", "aime_2024"),
        ("copied", "aime_2025"),
        ("cited", "aime_2024"),
    }
    (check,) = checks(result).values()
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert any(line.startswith(f"cited and aime_2024 ({MINI})") for line in said(check, "shared"))


def test_what_many_questions_have_is_reported_as_boilerplate(graph: Graph) -> None:
    train_on(graph.warehouse, "framed", ["Please reason step by step, and put your final answer within \\boxed{}."])
    (check,) = checks(graph.made("benchmark_overlap", words=8, boilerplate=4)).values()
    found = graph.warehouse.read("benchmark_overlap").to_pylist()
    assert {(row["benchmark"], row["ngram_matches"], row["boilerplate"]) for row in found if row["shared"]} == {
        (year, 0, len(load_mini(year).questions)) for year in ("aime_2024", "aime_2025")
    }
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)


def test_training_sets_that_share_nothing_are_let_through(graph: Graph) -> None:
    train_on(graph.warehouse, "clean", OWN)
    (check,) = checks(graph.made("benchmark_overlap")).values()
    assert (check.passed, said(check, "shared"), said(check, "pairs")) == (True, [], 6)
