"""Enigmata's scorer: verifiers of a commit, in a process or sandbox, and the judge that replaces `eval`."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.suites import datasets, enigmata, enigmata_judge
from races.resources.evaluation.suites.score import GraderError, Question

# A checkout of the verifiers' repository, for those who have one.
CHECKOUT = os.environ.get("RACES_ENIGMATA", "")


def question(name="aime_2025", **record):
    return Question(name, "q", record, "q")


@dataclass
class Open:
    """No jail at all: calls the code in a process of its own. For texts of ours."""

    folders: list[Path]

    def call(self, code, function, arguments):
        head = "import json, os, sys\nsys.stdout = open(os.devnull, 'w')\n"
        tail = f"\nprint(json.dumps({function}(*json.load(sys.stdin))), file=sys.__stdout__)"
        ran = subprocess.run(
            [sys.executable, "-S", "-c", head + code + tail],
            check=False,
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            env={"PYTHONPATH": os.pathsep.join(map(str, self.folders))},
        )
        return SimpleNamespace(
            status="failed" if ran.returncode else "done", output=ran.stdout, reason=ran.stderr[-200:]
        )


def test_golden_answers_of_the_invented_puzzles_are_accepted_and_others_not():
    scorer = enigmata.Enigmata(Open([datasets.MINI_FOLDER]), enigmata.MINI)
    golds = datasets.mini_golds("enigmata")
    found = datasets.load_mini("enigmata").questions
    for each, other in zip(found, [*found[1:], found[0]], strict=True):
        assert scorer(each, golds[each.id]).value == 1
        assert scorer(each, golds[other.id]).reason == "wrong answer"
        assert scorer(each, "<think>" + golds[each.id]).reason == "empty"


@pytest.mark.skipif(not CHECKOUT, reason="RACES_ENIGMATA names no checkout")
def test_the_authors_verifiers_accept_the_golden_answers_of_the_invented_puzzles():
    pytest.importorskip("numpy")
    golds = datasets.mini_golds("enigmata")
    with enigmata.verifiers(Path(CHECKOUT)) as folder:
        assert len(enigmata.tasks(folder)) == 37
        scorer = enigmata.Enigmata(Open([folder]))
        for each in datasets.load_mini("enigmata").questions:
            assert each.record["task_name"] in enigmata.tasks(folder)
            assert scorer(each, golds[each.id]).value == 1, each.id
            assert scorer(each, "```\n[0, 0]\n```").value == 0, each.id
        for task in enigmata.tasks(folder):
            each = Question("enigmata", task, {"task_name": task, "answer": "[7]", "meta": "{}"}, task)
            assert scorer(each, "nothing to see").value == 0, task


VERIFIER = """
def verify(output, answer, meta):
    print("said by a verifier")
    if output == "raise":
        raise KeyError("meta")
    return eval(output) == answer
"""


def git(folder, *command):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *command], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    place = tmp_path / "checkout"
    verifier = place / enigmata.TASKS / "sums" / "verifier.py"
    verifier.parent.mkdir(parents=True)
    verifier.write_text(VERIFIER)
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "verifiers")
    return place, git(place, "rev-parse", "HEAD")


def sums(answer):
    return question("enigmata", task_name="sums", answer=answer, meta="{}")


def test_verifiers_are_those_of_the_commit_whatever_lies_in_the_folder(checkout):
    place, commit = checkout
    (place / enigmata.TASKS / "sums" / "verifier.py").write_text("def verify(*_):\n    return 1\n")
    with enigmata.verifiers(place, commit) as folder:
        assert enigmata.tasks(folder) == ["sums"]
        assert (folder / enigmata.TASKS / "sums" / "verifier.py").read_text() == VERIFIER
    assert not folder.exists()


@pytest.mark.parametrize("commit", ["0" * 40, "--output=/tmp/x"])
def test_a_checkout_without_the_commit_is_refused(checkout, commit):
    with pytest.raises(SettingError, match="expected a checkout of Enigmata"), enigmata.verifiers(checkout[0], commit):
        pass


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    with pytest.raises(SettingError, match="expected a checkout"), enigmata.verifiers(tmp_path):
        pass


def test_verifiers_evaluate_arithmetic_and_nothing_else(checkout, tmp_path):
    place, commit = checkout
    trace = tmp_path / "trace"
    with enigmata.verifiers(place, commit) as folder:
        scorer = enigmata.Enigmata(Open([folder]))
        assert scorer(sums(24), "(9 - 5) * 6").value == 1
        assert scorer(sums([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]").value == 1
        assert scorer(sums(24), "25").reason == "wrong answer"
        assert scorer(sums(24), "raise").reason == "the verifier raised KeyError: 'meta'"
        for text in (
            f"open({str(trace)!r}, 'w')",
            "__import__('os')._exit(0)",
            "(lambda: 24)()",
            "x",
            "9**9**9",
            "[1][0]",
        ):
            found = scorer(sums(24), text)
            assert (found.value, found.reason[:19]) == (0, "the verifier raised"), text
    assert not trace.exists()


def test_what_is_not_the_doing_of_the_text_is_no_score(checkout):
    place, commit = checkout
    with enigmata.verifiers(place, commit) as folder:
        scorer = enigmata.Enigmata(Open([folder]))
        with pytest.raises(GraderError, match="ModuleNotFoundError"):
            scorer(Question("enigmata", "q", {"task_name": "unknown", "answer": 1, "meta": "{}"}, "q"), "1")
        for status, output in (("broken", ""), ("failed", ""), ("done", "no JSON")):
            verdict = SimpleNamespace(status=status, output=output, reason="lost")
            scorer.sandbox = SimpleNamespace(call=lambda *_, verdict=verdict: verdict)
            with pytest.raises(GraderError):
                scorer(sums(1), "1")
        scorer.sandbox = SimpleNamespace(
            call=lambda *_: SimpleNamespace(status="timeout", output="", reason="more than 6 s")
        )
        assert scorer(sums(1), "1").reason == "timeout: more than 6 s"


@pytest.mark.parametrize(
    "source",
    [
        "1 + 2 * 3",
        "(8 / 2) * (8 - 2)",
        " 7 // 2 % 2",
        "-3 + +2",
        "2 ** 3",
        "[(0, 1), (2, 3)]",
        "{'a': [1, None, True]}",
        "{1, 2}",
        "'x'",
        "()",
        "1e3",
    ],
)
def test_the_judge_evaluates_what_python_does(source):
    assert enigmata_judge.evaluate(source) == eval(source)


@pytest.mark.parametrize(
    "source",
    [
        "f(1)",
        "a",
        "a.b",
        "[1][0]",
        "lambda: 1",
        "[x for x in ()]",
        "f'{1}'",
        "{**{}}",
        "1 if 1 else 2",
        "1 < 2",
        "'a' * 9",
        "[1] * 9",
        "9 ** 99",
        "1, *a",
        "not 1",
        "(x := 1)",
        "\0",
        "",
        "1 +",
        "1 / 0",
        "(" * 300,
    ],
)
def test_the_judge_refuses_everything_else(source):
    with pytest.raises((ValueError, TypeError, SyntaxError, ArithmeticError, MemoryError)):
        enigmata_judge.evaluate(source)
