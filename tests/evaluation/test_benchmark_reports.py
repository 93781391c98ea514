"""Scores, differences, averages and the report, over invented answers."""

import base64
import json
import re
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import dagster as dg
import pytest
from scipy import stats

from races.assets.defs.benchmarks.paper_rows import of_paper
from races.assets.defs.benchmarks.scored_samples import shared
from races.environments.errors import InvalidValue
from races.resources.evaluation.suites.datasets import BENCHMARKS, MINI
from tests.support.benchmark_graph import Graph, checks, said
from tests.support.invented_samples import Row, all_six, answers, drawn, sample, write

pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

OFFICIAL = "official size"


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return Graph(tmp_path / "warehouse")


def of(rows: list[Row], measure: str, subset: str = "all") -> Row:
    (row,) = [row for row in rows if (row["measure"], row["subset"]) == (measure, subset)]
    return row


# Scores

AIME = {"checkpoint": "tiny", "benchmark": "aime_2024"}


def olympiad() -> list[Row]:
    """Four questions with four samples each; the grader failed on the third question, and once on the fourth."""
    scores = [[1, 0, 1, 0], [0, 0, 0, 1], [None] * 4, [1, 1, None, 1]]
    read = [["7", "8", "7", "9"], ["1", "1", None, "2"], ["5"] * 4, ["3"] * 4]
    rows = answers("tiny", "aime_2024", scores)
    for row, extracted in zip(rows, chain(*read), strict=True):
        level = "hard" if row["question"] in ("q1", "q2") else "easy"
        row.update(extracted=extracted, groups=json.dumps({"level": level}))
    rows[9]["grader_error"] = ""  # nor does it say why
    rows[0]["truncated"] = rows[5]["truncated"] = rows[6]["truncated"] = rows[8]["truncated"] = True
    return rows


def test_measures_are_means_over_questions_of_means_over_samples_that_have_a_score(graph: Graph) -> None:
    write(graph.warehouse, olympiad())
    rows = graph.rows("benchmark_scores", AIME)
    values = {row["measure"]: row["value"] for row in rows if row["subset"] == "all"}
    assert values == pytest.approx(
        {
            "score": (1 / 2 + 1 / 4 + 1) / 3,
            "truncated": (1 / 4 + 2 / 4 + 1 / 4 + 0) / 4,
            "prompt_cut": 0,
            "pass@1": (1 / 2 + 1 / 4 + 1) / 3,
            "pass@2": (5 / 6 + 1 / 2 + 1) / 3,  # no pass@4: a question has three samples with a score
            "maj@3": (1 + 0 + 1) / 3,
        }
    )
    score = of(rows, "score")
    assert (score["questions"], score["samples"], score["grader_errors"], score["data"]) == (3, 11, 5, MINI)
    assert (of(rows, "truncated")["questions"], of(rows, "truncated")["grader_errors"]) == (4, 0)
    assert of(rows, "score", "level: hard")["value"] == pytest.approx(3 / 8)
    assert (of(rows, "score", "level: easy")["value"], of(rows, "score", "level: easy")["grader_errors"]) == (1, 5)
    assert score["question_set"] == of(rows, "maj@3")["question_set"] != of(rows, "truncated")["question_set"]


def test_the_interval_is_that_of_student_over_questions(graph: Graph) -> None:
    rows = drawn("tiny", "aime_2024", questions=60, samples=3)
    write(graph.warehouse, rows)
    means = [fmean(row["score"] for row in rows if row["question"] == f"q{place}") for place in range(1, 61)]
    found, error = of(graph.rows("benchmark_scores", AIME), "score"), stats.sem(means)
    assert (found["error"], found["method"]) == (pytest.approx(error), "t")
    assert (found["low"], found["high"]) == pytest.approx(stats.t.interval(0.95, 59, fmean(means), error))


def test_instructions_of_ifeval_weigh_alike_and_their_prompts_are_the_clusters(graph: Graph) -> None:
    followed = {"q1": ([True], [True]), "q2": ([False, True, False], [True, True, False])}
    rows = [
        sample("tiny", "ifeval", question, number, float(all(strict)), parts={
            "prompt_strict": all(strict), "prompt_loose": all(loose), "strict": strict, "loose": loose,
        })
        for question, (strict, loose) in followed.items()
        for number in (1, 2)
    ]  # fmt: skip
    write(graph.warehouse, rows)
    rows = graph.rows("benchmark_scores", {"checkpoint": "tiny", "benchmark": "ifeval"})
    names = ("score", "prompt_loose", "instruction_strict", "instruction_loose")
    assert [of(rows, name)["value"] for name in names] == [1 / 2, 1 / 2, 2 / 4, 3 / 4]
    assert [of(rows, name)["questions"] for name in names] == [2, 2, 4, 4]
    assert [of(rows, name)["clusters"] for name in names] == [2, 2, 2, 2]
    assert {of(rows, name)["question_set"] for name in names} == {of(rows, "score")["question_set"]}


def test_puzzles_of_a_task_are_a_cluster_but_for_the_score_of_the_task_itself(graph: Graph) -> None:
    rows = [
        sample("tiny", "enigmata", f"{task} {place}", 1, float(place % 2), cluster=task, groups={"task": task})
        for task in ("maze", "sudoku", "chess")
        for place in range(8)
    ]
    write(graph.warehouse, rows)
    rows = graph.rows("benchmark_scores", {"checkpoint": "tiny", "benchmark": "enigmata"})
    assert (of(rows, "score")["clusters"], of(rows, "score")["questions"]) == (3, 24)
    alone = of(rows, "score", "task: maze")
    assert (alone["clusters"], alone["questions"]) == (8, 8)
    assert alone["error"] == pytest.approx(stats.sem([0, 1] * 4))


def test_samples_of_different_settings_have_no_score_together() -> None:
    rows = drawn("tiny", "aime_2024")
    rows[3]["settings_hash"] = "t" * 24
    with pytest.raises(InvalidValue, match="aime by tiny: expected samples of one data, dataset_sha256, settings_hash"):
        shared(rows, "aime by tiny")


# Checks of scores


def test_checks_of_scores_are_green_on_scores_that_agree(graph: Graph) -> None:
    write(graph.warehouse, drawn("tiny", "aime_2024", engine_score=None))
    rows = graph.warehouse.read("benchmark_samples").to_pylist()
    mean = fmean(row["score"] for row in rows)  # as many samples of each question
    write(graph.warehouse, [row | {"engine_score": mean + 1e-12} for row in rows])
    result = graph.made("benchmark_scores", AIME)
    assert [each.passed for each in checks(result).values()] == [True] * 3


def test_checks_of_scores_say_what_is_wrong(graph: Graph) -> None:
    write(graph.warehouse, [row | {"engine_score": 0.5} for row in olympiad()])
    found = checks(graph.made("benchmark_scores", AIME))
    engine = found["scores_are_those_of_sql_and_of_the_engine"]
    assert not engine.passed
    assert said(engine, "unlike")[0].startswith("tiny aime_2024: expected 0.58333")
    grader = found["no_grader_failed_on_a_benchmark"]
    assert (grader.passed, said(grader, "count")) == (False, 5)
    assert said(grader, "failed")[0] == "tiny aime_2024 q3 #1: the judge ended"
    cut = found["few_answers_are_truncated"]
    assert (cut.passed, cut.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert said(cut, "truncated") == [f"tiny aime_2024 ({MINI}): 25%"]


def test_a_stored_score_that_is_not_that_of_the_samples_is_found(graph: Graph) -> None:
    write(graph.warehouse, drawn("tiny", "aime_2024"))
    graph.made("benchmark_scores", AIME)
    write(graph.warehouse, [row | {"score": 1 - row["score"]} for row in drawn("tiny", "aime_2024")])
    write(graph.warehouse, drawn("tiny", "aime_2025"))
    found = checks(graph.made("benchmark_scores", {"checkpoint": "tiny", "benchmark": "aime_2025"}))
    assert "(stored)" in said(found["scores_are_those_of_sql_and_of_the_engine"], "unlike")[0]


# Differences and averages


def test_checkpoints_are_compared_on_the_same_data_files_and_questions_alone(graph: Graph) -> None:
    scores = {"tiny": [[0, 0], [0, 1], [1, 1], [0, 0]], "micro": [[1, 0], [1, 1], [1, 1], [0, 1]]}
    rows = [row for name, each in scores.items() for row in answers(name, "aime_2024", each)]
    rows += answers("micro_races", "aime_2024", scores["micro"], data="partial")
    rows += answers("smollm2", "aime_2024", scores["micro"], dataset_sha256="o" * 64)
    rows += answers("paper_14b", "aime_2024", scores["micro"][:3])
    rows += answers("analysis_4b", "aime_2024", [*scores["micro"][:3], [None, None]], settings_hash="t" * 24)
    write(graph.warehouse, [row for row in rows if row["checkpoint"] != "micro_races"])
    write(graph.warehouse, [row | {"checkpoint": "micro_composites_1"} for row in rows if row["data"] == "partial"])
    found = graph.rows("benchmark_differences")
    # The last two have the same three questions with scores.
    assert [(row["first"], row["second"]) for row in found] == [("paper_14b", "analysis_4b"), ("tiny", "micro")]
    assert [row["same_settings"] for row in found] == [False, True]
    changes = [1 / 2, 1 / 2, 0, 1 / 2]
    row, error = found[1], stats.sem(changes)
    assert (row["first_score"], row["second_score"]) == (3 / 8, 6 / 8)
    assert (row["difference"], row["error"], row["questions"]) == (fmean(changes), pytest.approx(error), 4)
    assert (row["low"], row["high"]) == pytest.approx(stats.t.interval(0.95, 3, fmean(changes), error))
    assert row["p"] == 2 / 2**3  # of the signs of three changes all are alike


def test_p_values_are_adjusted_over_the_benchmarks_of_a_pair_and_kind_of_data(graph: Graph) -> None:
    rows = []
    for benchmark, wins, kind in (("aime_2024", 6, MINI), ("aime_2025", 5, MINI), ("ifeval", 6, "partial")):
        rows += answers("tiny", benchmark, [[0]] * 6, data=kind)
        rows += answers("micro", benchmark, [[float(place < wins)] for place in range(6)], data=kind)
    write(graph.warehouse, rows)
    found = {row["benchmark"]: (row["p"], row["p_holm"]) for row in graph.rows("benchmark_differences")}
    assert found == {
        "aime_2024": (2 / 2**6, 2 * 2 / 2**6),
        "aime_2025": (2 / 2**5, 2 / 2**5),
        "ifeval": (2 / 2**6, 2 / 2**6),  # other data are another family
    }


def test_averages_are_of_all_six_benchmarks_of_one_kind_of_data(graph: Graph) -> None:
    rows = [*all_six("tiny"), *all_six("micro"), *all_six("smollm2", data="partial")]
    for name, missing in (("paper_14b", "ifeval"), ("analysis_4b", "aime_2025")):
        some = all_six(name)
        rows += [row for row in some if row["benchmark"] != missing]
        rows += [row | {"data": "partial"} for row in some if row["benchmark"] == missing and name == "analysis_4b"]
    write(graph.warehouse, rows)
    found = {(row["checkpoint"], row["baseline"]): row for row in graph.rows("benchmark_averages")}
    assert set(found) == {("tiny", ""), ("micro", ""), ("smollm2", ""), ("micro", "tiny")}
    means = {
        name: {
            benchmark: fmean(r["score"] for r in rows if (r["checkpoint"], r["benchmark"]) == (name, benchmark))
            for benchmark in BENCHMARKS
        }
        for name in ("tiny", "micro")
    }
    for name, each in means.items():
        aime = (each["aime_2024"] + each["aime_2025"]) / 2
        row = found[name, ""]
        four = [each[benchmark] for benchmark in ("livecodebench", "enigmata", "longbench_v2", "ifeval")]
        assert row["average"] == pytest.approx((sum(four) + aime) / 5)
        assert row["mean_of_six"] == pytest.approx(sum(each.values()) / 6)
        assert (row["aime"], row["ifeval"]) == pytest.approx((aime, each["ifeval"]))
        assert row["low"] < row["average"] < row["high"]
    pair = found["micro", "tiny"]
    assert pair["average"] == pytest.approx(found["micro", ""]["average"] - found["tiny", ""]["average"])
    assert (pair["data"], pair["same_settings"]) == (MINI, True)
    assert found["smollm2", ""]["question_set"] != found["tiny", ""]["question_set"] == pair["question_set"]


# The paper and the report


def test_the_papers_averages_are_the_means_of_its_five_columns() -> None:
    rows = of_paper()
    assert len(rows) == 78
    lines: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in rows:
        key = tuple(row[name] for name in ("model", "training", "environments", "size", "note"))
        lines.setdefault(key, {})[row["benchmark"]] = row["points"]
    whole = [line for line in lines.values() if len(line) == 6]
    assert len(whole) == 12
    for line in whole:
        average = line.pop("average")
        assert fmean(line.values()) == pytest.approx(average, abs=0.0501)
    assert [row["points"] for row in rows if row["size"]] == [50.8, 50.7, 51.0, 51.2, 50.7]


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Row], str]:
    """The report on a run on the paper's model, and on all that may not stand beside the paper's figures."""
    graph = Graph(tmp_path_factory.mktemp("reported"))
    rows = [*all_six("paper_14b", data=OFFICIAL), *drawn("micro", "aime_2024", data=OFFICIAL)]
    rows += drawn("tiny", "aime_2024")
    rows += [row for name in ("aime_2024", "ifeval") for row in drawn("paper_14b_individual", name, data="partial")]
    # A small model that is served under a great name.
    rows += drawn("smollm2", "ifeval", data=OFFICIAL, model="Qwen/Qwen3-14B")
    write(graph.warehouse, rows)
    graph.score_all()
    graph.made("benchmark_averages")
    graph.made("paper_results")
    result = graph.made("benchmark_report")
    (made,) = result.asset_materializations_for_node("benchmark_report")
    return graph.warehouse.read("benchmark_report").to_pylist(), str(made.metadata["report"].value)


def test_only_the_papers_models_on_data_of_official_size_stand_beside_its_figures(
    reported: tuple[list[Row], str],
) -> None:
    rows, _ = reported
    paper = [row for row in rows if row["source"] == "paper (arXiv 2606.12373)"]
    assert [row["points"] for row in paper] == [row["points"] for row in of_paper()]
    mine = [row for row in rows if row["source"] == "ours"]
    assert {(row["note"], row["model"], row["data"], row["training"]) for row in mine} == {
        ("paper_14b", "Qwen3-14B", OFFICIAL, "RACES")
    }
    assert {row["benchmark"] for row in mine} == {row["benchmark"] for row in paper}
    assert len(paper) + len(mine) == len(rows)
    scores = [row["score"] for row in drawn("paper_14b", "ifeval")]
    (ifeval,) = [row for row in mine if row["benchmark"] == "IFEval"]
    assert ifeval["points"] == pytest.approx(100 * fmean(scores))
    assert ifeval["low"] < ifeval["points"] < ifeval["high"]


def test_tables_and_pictures_of_other_scores_name_their_data(reported: tuple[list[Row], str]) -> None:
    _, text = reported
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    beside, *others = parts[1:]
    assert not [each for each in ("tiny", "smollm2", MINI, "partial") if each in beside]
    kinds = [MINI, "official size, models that the paper does not have", "partial"]
    assert [part.splitlines()[0].startswith(f"Ours alone: {kind}") for part, kind in zip(others, kinds, strict=True)]
    for part, kind, name in zip(others, (MINI, OFFICIAL, "partial"), ("tiny", "smollm2", "individual"), strict=True):
        assert "paper (arXiv" not in part
        assert name in part
        heads = [before for before, line in pairwise(part.splitlines()) if line.startswith("| ---")]
        assert heads
        assert all(head.startswith(f"| {kind}: ") for head in heads)
        ((title, picture),) = re.findall(r"!\[(.*)\]\(data:image/svg\+xml;base64,(.*)\)", part)
        assert kind in title
        assert f"AIME 2024, {kind}" in base64.b64decode(picture).decode()
