import csv
import io
import json
import os
import pty
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from races.assets.cli import main
from races.assets.cli.console import print_table
from races.assets.cli.generate import posed
from races.environments import get, pool
from races.environments.operators import Problem, single
from races.environments.seeding import generator
from races.resources.store.warehouse import Warehouse

HERE = Path(__file__).parents[2]
RACES = Path(sys.executable).with_name("races")
PATH = ["gcd_pair", "digit_sum"]
LISTS = ["running_totals", "swap_halves", "neighbour_differences"]


def races(*arguments: str | Path, stdin: str | None = None) -> Result:
    # A test runner may set a width of its own, in which rows would be folded.
    return CliRunner().invoke(main, [str(each) for each in arguments], input=stdin, env={"COLUMNS": "200"})


def printed(*arguments: str | Path, stdin: str | None = None) -> str:
    result = races(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str | Path, stdin: str | None = None) -> str:
    result = races(*arguments, stdin=stdin)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    assert isinstance(result.exception, SystemExit)
    return result.stderr


def problem(operator: str, *names: str, seed: int = 0) -> Problem:
    return posed(operator, [get(name) for name in names], 3, seed)


def write_lines(file: Path, records: Sequence[object]) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def read_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def cells(table: str) -> list[list[str]]:
    return [line.split() for line in table.splitlines()]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    warehouse = Warehouse(root=str(tmp_path / "store"))
    warehouse.write("numbers", pa.table({"x": list(range(60)), "word": [None, "a,b"] * 30}))
    warehouse.write("nested", pa.table({"values": [[1, 2], []], "note": ["[red]é", "x" * 150]}))
    return warehouse.folder


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    folder = tmp_path / "sql"
    (folder / "reports").mkdir(parents=True)
    (folder / "small.sql").write_text("-- The smallest numbers.\nselect x from numbers where x < 3 order by x;\n")
    (folder / "reports" / "total.sql").write_text("select sum(x) as total from small")
    return folder


# show


def test_show_prints_what_a_brick_is_and_the_prompt_to_the_letter() -> None:
    brick = get("digit_sum")
    posed_here = single.pose(brick, generator("show", "digit_sum", 2, 7), 2)
    text = printed("show", "digit_sum", "--level", "2", "--seed", "7")
    assert text.startswith("digit_sum: Nat -> SmallNat\ntheme: arithmetic\n")
    assert f"fingerprint: {brick.fingerprint}\nstatement: {brick.statement}\n" in text
    assert f"---\n{posed_here.prompt}\n\n---" in text
    assert f"answer: {posed_here.answer}\natomic steps: {posed_here.steps}\n" in text


def test_show_gives_the_same_problem_for_the_same_seed_alone() -> None:
    texts = [printed("show", "gcd_pair", "--seed", seed) for seed in ("1", "1", "2")]
    assert texts[0] == texts[1] != texts[2]


def test_show_poses_a_problem_of_every_level() -> None:
    text = printed("show", "digit_sum", "--level", "all")
    assert [f"single, level {level}, seed 0" in text for level in range(1, 6)] == [True] * 5


@pytest.mark.parametrize("name", ["(gcd_pair > digit_sum)", "gcd_pair > digit_sum"])
def test_show_poses_a_composite_as_one_task_with_the_result_of_each_part(name: str) -> None:
    text = printed("show", name)
    whole = problem("single", *PATH)
    assert "theme: composite" in text
    assert whole.prompt in text
    assert f"\n2. digit_sum: {whole.outputs[0]}\n" in text


@pytest.mark.parametrize("operator", ["sequential", "parallel"])
def test_show_poses_the_parts_of_a_composite(operator: str) -> None:
    text = printed("show", "(gcd_pair > digit_sum)", "--operator", operator)
    whole = problem(operator, *PATH)
    assert whole.prompt in text
    assert f"1. gcd_pair: {whole.outputs[0]}\n2. digit_sum: {whole.outputs[1]}\n" in text


def test_show_suggests_names_and_says_why_there_is_no_problem() -> None:
    assert "did you mean digit_sum" in refused("show", "digit_summ")
    assert "a composite such as (a > b)" in refused("show", "(gcd_pair > digit_sum")
    assert "the order is forced by the types" in refused("show", "gcd_pair > digit_list", "--operator", "sort")


def test_errors_of_usage_exit_with_2() -> None:
    for arguments in (["show"], ["show", "digit_sum", "--level", "6"], ["shwo"], ["query"], ["score", "no.jsonl"]):
        result = races(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")


def test_the_installed_command_fails_without_a_traceback() -> None:
    done = subprocess.run([RACES, "show", "digit_summ"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: the pool has no brick 'digit_summ'")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)


def test_commands_that_need_no_store_import_nothing_heavy() -> None:
    script = (
        "import sys; from races.assets.cli import main; main({}, standalone_mode=False); "
        "print([each for each in ('dagster', 'duckdb', 'pyarrow', 'polars', 'pandera') if each in sys.modules])"
    )
    for arguments in (["show", "digit_sum"], ["pool"], ["compose", "digit_sum", "--gold"]):
        command = [sys.executable, "-c", script.format(arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE)
        assert done.stdout.splitlines()[-1] == "[]"


# pool


def test_the_pool_is_listed_with_counts() -> None:
    lines = printed("pool").splitlines()
    assert lines[0].split() == ["name", "signature", "theme", "statement"]
    assert sum(line.split()[0] in pool() for line in lines[2:-1]) == len(pool())
    assert lines[-1].startswith(f"bricks: {len(pool())} of {len(pool())}, ")


def test_the_pool_is_filtered_by_all_that_is_asked() -> None:
    expected = [each.name for each in pool().values() if each.domain.name == "IntPair" and each.codomain.name == "Nat"]
    found = json.loads(printed("pool", "--domain", "IntPair", "--codomain", "Nat", "--json"))
    assert [each["name"] for each in found] == expected
    assert [each["name"] for each in json.loads(printed("pool", "--search", "GCD_pair", "--json"))] == ["gcd_pair"]
    themes = {each["theme"] for each in json.loads(printed("pool", "--theme", "arithmetic", "--json"))}
    assert themes == {"arithmetic"}
    assert "bricks: 0 of" in printed("pool", "--search", "no statement says this")


def test_the_pool_as_csv_has_whole_statements_and_fingerprints() -> None:
    rows = list(csv.DictReader(io.StringIO(printed("pool", "--csv"))))
    assert [row["name"] for row in rows] == list(pool())
    assert all(row["statement"] == get(row["name"]).statement for row in rows)
    assert rows[0]["fingerprint"] == get(rows[0]["name"]).fingerprint


def test_unknown_themes_and_types_are_suggested() -> None:
    assert "there is no theme 'arithmetics': did you mean arithmetic" in refused("pool", "--theme", "arithmetics")
    assert "there is no type 'IntLists': did you mean IntList" in refused("pool", "--codomain", "IntLists")


def test_a_table_shows_what_looks_like_markup_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["name"], [["[red]a[/red] :smile:"]])
    assert "[red]a[/red] :smile:" in capsys.readouterr().out


# compose


def test_a_path_is_posed_and_the_answer_is_scored() -> None:
    path = problem("sequential", *PATH)
    first, last = path.outputs
    text = printed("compose", *PATH, "--answer", path.answer)
    assert text.startswith(path.prompt)
    assert "score: 1 (2 of 2 right)\n" in text
    assert f"start: {path.start}\n1. gcd_pair: {first}\n2. digit_sum: {last}\n" in text
    assert "score: 0.5 (1 of 2 right): result 2 is wrong or missing" in printed(
        "compose", *PATH, "--answer", f"[{first}, {int(last) + 1}]"
    )


def test_an_answer_is_read_from_a_pipe_with_or_without_its_marks() -> None:
    path = problem("sequential", *PATH)
    for answer in (f"[{', '.join(path.outputs)}]\n", f"I think\n{path.answer}\n"):
        assert "score: 1 " in printed("compose", *PATH, stdin=answer)
    assert "score: 0 (0 of 2 right): expected a JSON array" in printed("compose", *PATH, stdin="no idea")


def test_a_person_at_a_terminal_is_asked_for_the_answer() -> None:
    ours, theirs = pty.openpty()
    arguments = [str(RACES), "compose", "digit_sum", "--operator", "single"]
    with subprocess.Popen(arguments, stdin=theirs, stdout=subprocess.PIPE, text=True) as process:
        os.write(ours, f"{problem('single', 'digit_sum').outputs[0]}\n".encode())
        text, _ = process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0
    assert "your answer: " in text
    assert "score: 1 (1 of 1 right)" in text


def test_the_solution_is_shown_instead_of_a_score() -> None:
    text = printed("compose", *PATH, "--gold")
    assert problem("sequential", *PATH).answer in text
    assert "score" not in text


@pytest.mark.parametrize("operator", ["single", "sort", "select"])
def test_every_operator_scores_its_own_answer_1(operator: str) -> None:
    answer = problem(operator, *LISTS, seed=1).answer
    arguments = ["compose", *LISTS, "--operator", operator, "--seed", "1"]
    assert "score: 1 (1 of 1 right)\n" in printed(*arguments, "--answer", answer)
    assert "score: 0 (0 of 1 right): " in printed(*arguments, "--answer", "?")


def test_steps_that_do_not_fit_are_named_with_bricks_that_would() -> None:
    said = refused("compose", "digit_sum", *PATH)
    assert "digit_sum gives SmallNat, which does not fit IntPair, the domain of gcd_pair" in said
    assert "\n  between them fit: " in said or ("\n  after digit_sum" in said and "\n  before gcd_pair" in said)
    between = refused("compose", "digit_sum", "running_totals").splitlines()
    assert between[1].startswith("  between them fit: ")
    assert len(between) == 2


def test_an_order_of_equal_bricks_is_refused() -> None:
    assert "expected different bricks for sort" in refused("compose", "digit_sum", "digit_sum", "--operator", "sort")


# score


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
    lines = [{"response": said} for said in (alone.answer, chat, cut, f"{cut}</think>{alone.answer}", [])]
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
        table = pa.Table.from_pylist([each.row()])
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
    said = refused("score", file, "--out", out)
    assert said.startswith("error: line 3: expected ")
    assert expected in said
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


# query


def test_a_query_prints_a_table_with_as_many_rows_as_asked(store: Path) -> None:
    text = printed("query", "select x, word from numbers order by x", "--warehouse", store, "--limit", "2")
    assert cells(text) == [["x", "word"], [text.splitlines()[1]], ["0", "null"], ["1", "a,b"], "2 of 60 rows".split()]
    assert printed("query", "numbers", "--warehouse", store).endswith("50 of 60 rows\n")


def test_a_query_as_csv_has_all_rows_and_whole_values(store: Path) -> None:
    text = printed("query", "select x, word from numbers order by x", "--warehouse", store, "--csv")
    assert text.splitlines()[:3] == ["x,word", "0,", '1,"a,b"']
    assert len(text.splitlines()) == 61
    nested = list(csv.reader(io.StringIO(printed("query", "nested", "--warehouse", store, "--csv"))))
    assert nested == [["values", "note"], ["[1, 2]", "[red]é"], ["[]", "x" * 150]]
    assert "[red]é" in printed("query", "nested", "--warehouse", store)


def test_the_warehouse_may_be_named_by_the_environment(store: Path) -> None:
    done = subprocess.run(
        [RACES, "query", "select count(*) as n from numbers", "--csv"],
        env={**os.environ, "RACES_WAREHOUSE": str(store)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "n\n60\n"


def test_tables_and_views_are_listed_with_their_rows(store: Path, queries: Path) -> None:
    table = cells(printed("query", "--tables", "--warehouse", store, "--sql", queries))
    assert table[2:] == [["nested", "2"], ["numbers", "60"], ["small", "3"]]


def test_a_named_query_is_listed_and_run(store: Path, queries: Path) -> None:
    listed = printed("query", "--list", "--sql", queries)
    assert [line.split(maxsplit=1) for line in listed.splitlines()[2:]] == [
        ["reports/total"],
        ["small", "The smallest numbers."],
    ]
    arguments = ["--warehouse", str(store), "--sql", str(queries), "--csv"]
    assert printed("query", "small", *arguments) == "x\n0\n1\n2\n"
    assert printed("query", "reports/total", *arguments) == "total\n3\n"


def test_errors_of_queries_are_clear(store: Path, queries: Path, tmp_path: Path) -> None:
    where = ["--warehouse", str(store), "--sql", str(queries)]
    assert 'Did you mean "numbers"' in refused("query", "select * from numberz", *where)
    assert "there is no query or table 'smal': did you mean small?" in refused("query", "smal", *where)
    assert "expected one SELECT, got DROP" in refused("query", "drop view numbers", *where)
    assert "expected a folder as the warehouse" in refused("query", "select 1", "--warehouse", tmp_path / "none")
    assert "expected files NAME.sql in" in refused("query", "--list", "--sql", tmp_path / "none")


# python -m races.environments


def look(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "races.environments", *arguments]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def test_the_module_shows_the_problem_that_the_command_shows() -> None:
    done = look("gcd_pair", "--level", "2", "--seed", "5")
    shown = posed("single", [get("gcd_pair")], 2, 5)
    assert done.returncode == 0
    assert done.stdout.startswith("gcd_pair: IntPair -> Nat\n")
    assert f"\n\n{shown.prompt}\n\n{shown.answer} " in done.stdout
    assert shown.prompt in printed("show", "gcd_pair", "--level", "2", "--seed", "5")


def test_the_module_lists_the_pool_and_suggests_names() -> None:
    assert look().stdout.startswith(f"{len(pool())} bricks in ")
    unknown = look("digit_summ")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert unknown.stderr.startswith("error: ")
    assert "did you mean digit_sum" in unknown.stderr
    assert look("digit_sum", "--level", "6").returncode == 2


def test_a_file_of_oracles_that_belongs_to_no_theme_is_named(tmp_path: Path) -> None:
    (tmp_path / "arithmetics.py").write_text("EXAMPLES, ORACLES = {}, {}")
    result = races("audit", "digit_sum", "--oracles", tmp_path)
    assert "arithmetics.py belongs to no theme" in result.stderr
    assert "belongs to no theme" not in races("audit", "digit_sum").stderr
