"""The scripts of examples/: short, and run as a reader would run them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import races
from races.resources.training.rows import checked_rows
from tests.support.openai_server import served
from tests.support.pages import ROOT

FOLDER = ROOT / "examples"
FILES = sorted(FOLDER.rglob("*.py"))


def shown(name: str, *arguments: object, place: Path) -> str:
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", *map(str, arguments)],
        cwd=place,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(place)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize("file", FILES, ids=[each.stem for each in FILES])
def test_an_example_is_short_and_says_what_it_does(file: Path) -> None:
    text = file.read_text()
    assert len(text.splitlines()) < 40
    assert compile(text, file, "exec").co_consts[0][0].isupper()


def test_the_stream(tmp_path: Path) -> None:
    text = shown("stream", place=tmp_path)
    assert text.count("<sequential problem at level") == 3
    assert "gold answer: 1.0\nno answer: unparseable\nfound again: True\n" in text
    assert "third problem of the data set: True" in text


def test_a_brick_of_ones_own(tmp_path: Path) -> None:
    text = shown("own_brick", place=tmp_path)
    assert text.startswith("<change_from_day_to_day: IntList -> IntList> (-4, 9)\n")
    assert "Each entry of the list is the temperature of a day." in text
    problems = re.findall(r"^<sequential problem at level \d: (.*)> (.*)$", text, re.MULTILINE)
    assert len(problems) == 5
    assert {score for _, score in problems} == {"1.0"}
    assert any("change_from_day_to_day" in chain for chain, _ in problems)


def test_an_endpoint_is_evaluated(tmp_path: Path) -> None:
    answers = {
        problem.prompt: problem.answer
        for operator, size in (("single", 1), ("sequential", 3), ("parallel", 3), ("sort", 3), ("select", 3))
        for problem in races.dataset("training", operator=operator, size=size, level=2, rows=4)[:3]
    }

    def reply(asked: dict[str, Any]) -> str:
        return answers.get(asked["messages"][0]["content"], "I do not know.")

    with served(reply, model="m") as (address, seen):
        text = shown("evaluate_endpoint", address, "m", 4, place=tmp_path)
    assert [line.split(": ")[1] for line in text.splitlines()] == ["0.750 over 4 problems"] * 5
    assert len(seen) == 20


def test_stored_rollouts_are_scored(tmp_path: Path) -> None:
    first, second = races.dataset("core_50", "sequential", 2, rows=2)
    (chosen,) = races.dataset("training", "sort", 3, rows=1)
    rollouts = [
        {"key": first.key, "response": first.answer},
        {"key": second.key, "response": first.answer},
        {"truth": second.truth, "response": "I do not know."},
        {"key": chosen.key, "response": chosen.answer},
    ]
    file = tmp_path / "rollouts.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rollouts))
    assert shown("score_rollouts", file, place=tmp_path).splitlines() == [
        "sequential, scored: 2 rollouts, mean score 0.500",
        "sequential, unparseable: 1 rollouts, mean score 0.000",
        "sort, scored: 1 rollouts, mean score 1.000",
    ]


def test_rows_for_verl(tmp_path: Path) -> None:
    text = shown("verl_command", tmp_path / "data", "MODEL", 30, place=tmp_path)
    assert text.startswith("python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo ")
    train, validation = tmp_path / "data" / "train.parquet", tmp_path / "data" / "validation.parquet"
    assert (checked_rows([train]), checked_rows([validation])) == (30, 100)
    ids = [set(pq.read_table(file)["id"].to_pylist()) for file in (train, validation)]
    assert not ids[0] & ids[1]
