"""`races score`: stored answers of every form."""

import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from races.resources.store.warehouse import Warehouse
from tests.support.command_line import LISTS, PATH, cells, printed, problem, races, read_lines, refused, write_lines


def test_stored_answers_are_counted_by_operator_and_size(tmp_path: Path) -> None:
    path, alone, order = problem("sequential", *PATH), problem("single", "digit_sum"), problem("sort", *LISTS)
    records = [
        {"truth": path.truth, "response": path.answer},
        {"truth": path.truth, "response": f"<answer>[{path.outputs[0]}]</answer>"},
        {"truth": alone.truth, "response": "no idea"},
        {"truth": order.truth, "response": order.answer},
    ]
    table = cells(printed("score", write_lines(tmp_path / "answers.jsonl", records)))
    assert table[2:] == [
        ["sequential", "2", "2", "0.750", "0.0%", "0"],
        ["single", "1", "1", "0.000", "100.0%", "0"],
        ["sort", "3", "1", "1.000", "0.0%", "0"],
        ["all", "4", "0.625", "25.0%", "0"],
    ]


def test_failures_of_the_grader_are_kept_out_of_the_mean(tmp_path: Path) -> None:
    order = problem("sort", *LISTS)
    changed = json.loads(order.truth)
    changed["fingerprints"] = ["changed"] * 3
    records = [
        {"truth": order.truth, "response": order.answer},
        {"truth": json.dumps(changed), "response": order.answer},
    ]
    out = tmp_path / "scored.jsonl"
    result = races("score", write_lines(tmp_path / "answers.jsonl", records), "--out", out)
    assert cells(result.stdout)[-1] == ["all", "2", "1.000", "0.0%", "1"]
    assert "the grader failed on 1: " in result.stderr
    assert [(each["score"], each["status"]) for each in read_lines(out.read_text())] == [
        (1.0, "scored"),
        (None, "grader_failed"),
    ]


def test_the_size_of_a_select_comes_from_the_row(tmp_path: Path) -> None:
    chosen = problem("select", *LISTS)
    line = {"truth": chosen.truth, "response": chosen.answer}
    records = [line, line | {"size": 3}, line | {"extra_info": {"size": 3}}]
    table = cells(printed("score", write_lines(tmp_path / "answers.jsonl", records)))
    assert [row[:3] for row in table[2:4]] == [["select", "?", "1"], ["select", "3", "2"]]


def test_scored_lines_keep_what_they_had(tmp_path: Path) -> None:
    alone = problem("single", "digit_sum")
    line = {"model": "é\ud800", "truth": alone.truth, "response": alone.answer, "score": "old"}
    file = write_lines(tmp_path / "answers.jsonl", [line])
    result = races("score", file, "--out", "-")
    scores = {"score": 1.0, "status": "scored", "reason": "", "correct": 1, "total": 1}
    assert read_lines(result.stdout) == [line | scores]
    assert "mean score" in result.stderr
    printed("score", file, "--out", file)
    assert read_lines(file.read_text(encoding="utf-8")) == [line | scores]


def test_fields_may_be_named_and_lie_in_objects(tmp_path: Path) -> None:
    alone = problem("single", "digit_sum")
    file = tmp_path / "answers.jsonl"
    for arguments, line in (
        ([], {"reward_model": {"ground_truth": alone.truth, "style": "rule"}, "response": alone.answer}),
        (["--response-field", "output", "--truth-field", "gts"], {"output": alone.answer, "gts": alone.truth}),
        (["--response-field", "said.text"], {"said": {"text": alone.answer}, "truth": alone.truth}),
    ):
        write_lines(file, [line])
        assert cells(printed("score", file, *arguments))[-1] == ["all", "1", "1.000", "0.0%", "0"]
    text = printed("score", "-", "--response-field", "said.text", stdin=file.read_text())
    assert cells(text)[-1] == ["all", "1", "1.000", "0.0%", "0"]


def test_a_line_may_be_a_conversation_and_say_what_its_prompt_opened(tmp_path: Path) -> None:
    alone = problem("single", "digit_sum")
    cut = f"perhaps {alone.answer}? no wait, recount:"
    chat = [{"role": "assistant", "content": alone.answer}, {"role": "tool", "content": "<answer>0</answer>"}]
    lines = [{"response": text} for text in (alone.answer, chat, cut, f"{cut}</think>{alone.answer}", [])]
    lines += [{"response": cut, "thinking_opened": "[THINK]"}, {"response": cut, "thinking_opened": False}]
    lines += [{"response": chat[1:], "thinking": "its thoughts"}]
    file = write_lines(tmp_path / "answers.jsonl", [{"truth": alone.truth, **line} for line in lines])
    for arguments, scores in (
        ([], [1, 1, 1, 1, 0, 0, 1, 0]),
        (["--thinking", "<think>"], [0, 0, 0, 1, 0, 0, 1, 0]),
    ):
        scored = read_lines(races("score", file, *arguments, "--out", "-").stdout)
        assert [line["score"] for line in scored] == scores
        assert {line["status"] for line in scored if not line["score"]} == {"unparseable"}
    assert "expected as thinking True, False or the mark" in refused("score", file, "--thinking", "yes")
    write_lines(file, [{"truth": alone.truth, "response": alone.answer, "thinking_opened": "</think>"}])
    assert "line 1: expected as thinking True, False or the mark" in refused("score", file)
    write_lines(file, [{"truth": alone.truth, "response": [7]}])
    assert "line 1, response, message 0: expected an object with a role, got 7" in refused("score", file)


def test_truths_are_joined_from_stored_problems_by_id_and_index(tmp_path: Path) -> None:
    problems = [problem(operator, *LISTS) for operator in ("single", "select")]
    warehouse = Warehouse(root=str(tmp_path / "store"))
    for each in problems:
        table = pa.Table.from_pylist([each.as_dict()])
        warehouse.write("problems", table, partition={"operator": each.operator})
    by_id = [{"id": each.id, "response": each.answer} for each in problems]
    folder = warehouse.folder / "problems"
    table = cells(printed("score", write_lines(tmp_path / "answers.jsonl", by_id), "--problems", folder))
    assert [row[:4] for row in table[2:]] == [
        ["select", "3", "1", "1.000"],
        ["single", "1", "1", "1.000"],
        ["all", "2", "1.000", "0.0%"],
    ]
    rows = [{"truth": each.truth, "extra_info": {"index": 10 + n}} for n, each in enumerate(problems)]
    for columns, indices in ((rows, [10, 11]), ([{"truth": each.truth} for each in problems], [0, 1])):
        pq.write_table(pa.Table.from_pylist(columns), tmp_path / "rows.parquet")
        lines = [{"index": n, "response": each.answer} for n, each in zip(indices, problems, strict=True)]
        file = write_lines(tmp_path / "answers.jsonl", lines)
        assert cells(printed("score", file, "--problems", tmp_path / "rows.parquet"))[-1][2] == "1.000"
        assert "expected one problem with the index 7 in" in refused(
            "score", write_lines(file, [{"index": 7, "response": ""}]), "--problems", tmp_path / "rows.parquet"
        )


def test_problems_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "answers.jsonl", [{"id": "a", "response": "b"}])
    assert "as Parquet" in refused("score", file, "--problems", file)
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "rows.parquet")
    assert "expected a column truth, got id" in refused("score", file, "--problems", tmp_path / "rows.parquet")
    assert "or --problems and an id or index, got id, response" in refused("score", file)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"resp', "a JSON object, got '{\"resp'"),
        ("[1]", "a JSON object, got [1]"),
        ("[" * 100_000, "a JSON object, got '[[["),
        ('{"truth": "{}"}', "a text as response, got none"),
        ('{"truth": "{}", "response": 3}', "a text as response, got 3"),
        ('{"response": ""}', "truth, reward_model.ground_truth, or --problems and an id or index, got response"),
        ('{"response": "", "truth": 7}', "the truth column of a problem"),
        ('{"response": "", "truth": "13"}', "the truth column of a problem"),
        ('{"response": "", "truth": "{\\"operator\\": []}"}', "the truth column of a problem"),
        ('{"response": "", "truth": "{\\"operator\\": \\"single\\"}"}', "the truth column of a problem"),
        (
            '{"response": "", "truth": "{\\"operator\\": \\"single\\", \\"types\\": [\\"No\\"], \\"answers\\": []}"}',
            "the truth column of a problem",
        ),
    ],
)
def test_a_malformed_line_is_an_error_with_its_number(tmp_path: Path, line: str, expected: str) -> None:
    alone = problem("single", "digit_sum")
    file = write_lines(tmp_path / "answers.jsonl", [{"truth": alone.truth, "response": alone.answer}])
    file.write_text(f"{file.read_text()}\n{line}\n")
    out = tmp_path / "scored.jsonl"
    out.write_text("old")
    error = refused("score", file, "--out", out)
    assert error.startswith("error: line 3: expected ")
    assert expected in error
    assert out.read_text() == "old"
    assert {each.name for each in tmp_path.iterdir()} == {"answers.jsonl", "scored.jsonl"}


def test_scored_lines_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "answers.jsonl", [])
    assert "cannot write" in refused("score", file, "--out", tmp_path / "no folder" / "scored.jsonl")
    assert cells(printed("score", file))[-1] == ["all", "0", "0"]


def test_memory_does_not_grow_with_the_answers(tmp_path: Path) -> None:
    alone = problem("single", "digit_sum")
    line = json.dumps({"truth": alone.truth, "response": "x" * 20_000 + alone.answer}) + "\n"
    file = tmp_path / "answers.jsonl"
    file.write_text(line * 2000)
    printed("score", write_lines(tmp_path / "few.jsonl", [json.loads(line)]))
    tracemalloc.start()
    try:
        assert cells(printed("score", file, "--out", tmp_path / "scored.jsonl"))[-1][2] == "1.000"
        assert tracemalloc.get_traced_memory()[1] < 4_000_000 < file.stat().st_size / 10
    finally:
        tracemalloc.stop()
