import json
import os
import pickle
import random
import subprocess
import sys
import zlib
from base64 import b64encode
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from races.environments.errors import InvalidValue, SettingError, UnknownName
from races.resources.evaluation.suites import datasets, private_tests
from races.resources.evaluation.suites.datasets import DatasetError

NAMES = sorted(datasets.BENCHMARKS)


@pytest.mark.parametrize("name", NAMES)
def test_invented_sets_are_small_and_say_what_they_are(name):
    found = datasets.load_mini(name)
    assert 5 <= len(found.questions) <= 10
    assert found.label == "mini (invented)"
    assert {each.id for each in found.questions} == set(datasets.mini_golds(name))
    assert all(each.benchmark == name and each.cluster for each in found.questions)


def test_a_copy_of_an_invented_set_still_says_so_and_another_set_does_not(tmp_path):
    lines = datasets.mini_path("aime_2025").read_text().splitlines(keepends=True)
    (tmp_path / "real.jsonl").write_text("".join(lines))
    assert datasets.load("aime_2025", tmp_path / "real.jsonl").label == "mini (invented)"
    (tmp_path / "real.jsonl").write_text("".join(lines[1:]))
    assert datasets.load("aime_2025", tmp_path / "real.jsonl").label == "partial"


def test_a_set_of_the_official_size_says_so(tmp_path):
    rows = [{"id": n, "problem": f"What is {n}?", "answer": n} for n in range(30)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert datasets.load("aime_2024", tmp_path).label == "official size"


def test_both_layouts_of_aime_become_the_same_record():
    older, newer = (datasets.load_mini(name).questions[0].record for name in ("aime_2024", "aime_2025"))
    assert {"id", "problem", "answer"} <= older.keys() & newer.keys()


def test_questions_that_share_a_source_share_a_cluster():
    found = {each.id: each for each in datasets.load_mini("longbench_v2").questions}
    assert found["mini-1"].cluster == found["mini-2"].cluster != found["mini-3"].cluster
    assert {each.cluster for each in datasets.load_mini("enigmata").questions} >= {"game24", "maze"}


def test_parquet_json_and_json_lines_are_read_alike(tmp_path):
    lines = [json.loads(line) for line in datasets.mini_path("enigmata").read_text().splitlines()]
    for line in lines:
        line["answer"] = json.dumps(line["answer"])
    pq.write_table(pa.Table.from_pylist(lines), tmp_path / "a.parquet")
    (tmp_path / "a.json").write_text(json.dumps(lines))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    a, b, c = (datasets.load("enigmata", tmp_path / f"a.{kind}").questions for kind in ("parquet", "json", "jsonl"))
    assert a == b == c


def test_the_hash_of_a_file_or_folder_is_the_one_of_sha256sum(tmp_path):
    for name, part in (("test2.jsonl", slice(3, None)), ("test.jsonl", slice(3))):
        lines = datasets.mini_path("livecodebench").read_text().splitlines(keepends=True)
        (tmp_path / name).write_text("".join(lines[part]))
    command = "sha256sum test.jsonl test2.jsonl | sha256sum"
    expected = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True).stdout[
        :64
    ]
    found = datasets.load("livecodebench", tmp_path, sha256=expected.upper())
    assert (found.sha256, len(found.questions)) == (expected, 6)
    one = subprocess.run(["sha256sum", tmp_path / "test.jsonl"], capture_output=True, text=True, check=True).stdout[:64]
    assert datasets.load("livecodebench", tmp_path / "test.jsonl").sha256 == one
    with pytest.raises(DatasetError, match=f"expected the sha256 {'0' * 64} of .* got {expected}"):
        datasets.load("livecodebench", tmp_path, sha256="0" * 64)


def test_a_window_of_contests_keeps_both_ends():
    keep = datasets.contest_window(date(2025, 2, 22), date(2025, 3, 15))
    found = datasets.load("livecodebench", datasets.mini_path("livecodebench"), keep=keep)
    assert [each.id for each in found.questions] == ["mini-b", "mini-d", "mini-e"]


def broken(name, change):
    rows = [dict(row) for row in datasets.records(datasets.mini_path(name))]
    change(rows[1])
    return rows


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("aime_2025", lambda row: row.pop("answer"), r"row 2 of .*expected the columns \(id, problem, answer\) or"),
        ("aime_2025", lambda row: row.update(answer="1000"), "answer: expected an integer from 0 to 999, got '1000'"),
        ("aime_2025", lambda row: row.update(answer=2.5), "answer: expected integer or text, got float"),
        ("aime_2025", lambda row: row.update(answer=True), "answer: expected integer or text, got bool"),
        ("aime_2025", lambda row: row.update(id="0"), "duplicate id 0"),
        ("ifeval", lambda row: row["kwargs"].pop(), "kwargs: expected an object for each of 3 instructions"),
        ("ifeval", lambda row: row["kwargs"][2].pop("frequency"), "kwargs of keywords:frequency: expected frequency, "),
        ("ifeval", lambda row: row["instruction_id_list"].__setitem__(0, "x:y"), "one of IFEval's 25 kinds, got 'x:y'"),
        ("longbench_v2", lambda row: row.update(answer="E"), "answer: expected one of A, B, C, D, got 'E'"),
        ("longbench_v2", lambda row: row.update(context=None), "context: expected text, got NoneType"),
        ("livecodebench", lambda row: row.update(contest_date="May"), "row 2 of .*Invalid isoformat"),
        ("livecodebench", lambda row: row.update(platform="other"), "platform: expected one of leetcode"),
        ("livecodebench", lambda row: row.update(metadata="[]"), "metadata: expected a JSON object"),
        ("livecodebench", lambda row: row.update(public_test_cases="[1]"), "expected a list of tests"),
        ("enigmata", lambda row: row.update(meta="[]"), "meta: expected a JSON object, got list"),
        ("enigmata", lambda row: row.update(task_name="os.path"), "task_name: expected letters, digits and _"),
    ],
)
def test_a_row_that_is_not_as_the_schema_says_is_named(name, change, message, tmp_path):
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in broken(name, change)))
    with pytest.raises(DatasetError, match=message):
        datasets.load(name, tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("a.jsonl", b'{"id": ', "expected .jsonl, got"),
        ("a.jsonl", b"\xff", "expected .jsonl, got"),
        ("a.jsonl", b"[]\n", "row 1: expected an object, got list"),
        ("a.jsonl", b"", "expected questions in"),
        ("a.json", b"{}", "expected a list of objects"),
        ("a.parquet", b"PAR1", "expected .parquet, got"),
        ("a.txt", b"", "expected a file .* or a folder"),
    ],
)
def test_a_file_that_is_something_else_is_named(file, content, message, tmp_path):
    (tmp_path / file).write_bytes(content)
    with pytest.raises(DatasetError, match=message):
        datasets.load("aime_2024", tmp_path)
    with pytest.raises(DatasetError):
        datasets.load("aime_2024", tmp_path / "missing.jsonl")


def test_an_unknown_benchmark_is_named_with_those_that_there_are():
    with pytest.raises(UnknownName, match=r"expected a benchmark .*aime_2024.*got 'gsm8k'"):
        datasets.load("gsm8k", Path("x"))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_brings_each_benchmark(name, tmp_path):
    command = datasets.fetch_command(name, tmp_path)
    assert command.startswith(f"hf download {datasets.BENCHMARKS[name].repository} --repo-type dataset --include '")
    assert command.endswith(f"--local-dir {tmp_path}")


def test_fetch_names_the_extra_that_is_missing(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SettingError, match=r"pip install 'races\[eval\]'"):
        datasets.fetch("ifeval", tmp_path)


# The hidden tests of LiveCodeBench


def packed(content):
    return b64encode(zlib.compress(pickle.dumps(content))).decode()


def test_hidden_tests_are_read_in_both_forms():
    tests = [{"input": "1\n", "output": "2", "testtype": "stdin"}]
    assert private_tests.tests_of(json.dumps(tests)) == tests
    assert private_tests.tests_of(packed(json.dumps(tests))) == tests
    for protocol in range(6):
        text = b64encode(zlib.compress(pickle.dumps(json.dumps(tests), protocol))).decode()
        assert private_tests.tests_of(text) == tests


class Runs:
    def __reduce__(self):
        return os.mkdir, ("a-pickle-ran",)


@pytest.mark.parametrize(
    "text",
    [
        packed(Runs()),
        packed([1]),
        packed("not JSON"),
        packed(json.dumps([{"input": "1"}])),
        packed(json.dumps([{"input": "1", "output": "1", "testtype": "shell"}])),
        packed(json.dumps([]))[:-8],
        b64encode(zlib.compress(b"\x80\x04.")).decode(),
        b64encode(zlib.compress(b"\x80\x04\x8c\x02[]r\xff\xff\xff\x7f\x8c\x02[].")).decode(),  # a memo of 16 GB
        b64encode(zlib.compress(b"]\x940.")).decode(),
        b64encode(zlib.compress(b"cos\nsystem\n(S'true'\ntR.")).decode(),
        b64encode(zlib.compress(b"cos\nsystem\n(V[]\ntR.")).decode(),
        b64encode(b"no zlib").decode(),
        "no base64!",
        "é",
        "{}",
        "7",
        "[" * 100_000,
        packed("[" * 100_000),
    ],
)
def test_a_pickle_of_anything_but_tests_is_refused_and_runs_nothing(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidValue):
        private_tests.tests_of(text)
    assert not list(tmp_path.iterdir())


def test_random_bytes_as_a_pickle_are_refused_in_one_way():
    rng = random.Random(3)
    for _ in range(3_000):
        body = rng.randbytes(rng.randrange(1, 30)) + b"."
        with pytest.raises(InvalidValue):
            private_tests.tests_of(b64encode(zlib.compress(body)).decode())


def test_a_problem_becomes_what_running_it_needs():
    tasks = {each.id: private_tests.task_of(each.record) for each in datasets.load_mini("livecodebench").questions}
    assert tasks["mini-a"]["fn_name"] is None
    assert tasks["mini-e"]["fn_name"] == "shifted"
    assert {test["testtype"] for test in tasks["mini-e"]["private_test_cases"]} == {"functional"}
    assert all(task["private_test_cases"] for task in tasks.values())
