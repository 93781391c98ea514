"""Measuring a model on a benchmark: the engine, here and in its process, against servers whose answers are known."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from dataclasses import asdict, replace
from datetime import datetime
from statistics import fmean

import pytest

from races.environments.errors import SettingError
from races.resources import extras
from races.resources.evaluation.launch import ScorerSelfTestFailed, evaluate
from races.resources.evaluation.measurement import Data, EvaluationError
from races.resources.evaluation.suites import datasets, prompts, scorers
from races.resources.processes.json_lines import lines
from tests.support.measurements import asked, content, right_answers
from tests.support.openai_server import served

pytest.importorskip("inspect_ai", reason="the extra `eval` is not installed")
# Warnings of inspect-ai and what it imports, which a process of its own would not turn into errors.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _connections_are_collected_here():
    """The engine leaves its connections to the garbage collector, which may come in any later test."""
    yield
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()


@pytest.fixture(scope="module")
def sandboxed():
    if fault := scorers.sandbox_fault():
        pytest.skip(f"there is no sandbox: {fault}")


def quiet(_):
    pass


def measured(measurement):
    """The rows of a measurement that runs here: a process of its own takes its time to import the engine."""
    from races.resources.evaluation import engine

    engine.measure(measurement)
    return lines(measurement.samples_file)


@pytest.mark.parametrize("name", datasets.BENCHMARKS)
def test_a_model_that_knows_the_answers_scores_one(name, tmp_path, request):
    if name in scorers.SANDBOXED:
        request.getfixturevalue("sandboxed")
    known = right_answers(name)
    with served(lambda each: known[content(each)]) as (url, seen):
        rows = measured(asked(name, tmp_path, url))
    questions = datasets.load_mini(name).questions
    assert [row["question"] for row in rows] == [each.id for each in questions]
    assert {(row["score"], row["sample"], row["engine_score"], row["golds"]) for row in rows} == {
        (1.0, 1, 1.0, len(questions))
    }
    assert {row["cluster"] for row in rows} == {each.cluster for each in questions}
    assert len(seen) == len(questions)
    drawn = {"model": "m", "temperature": 0.6, "top_p": 0.95, "top_k": 20, "max_tokens": 512}
    assert all(drawn.items() <= each.items() and "seed" not in each for each in seen)
    progress = [line["step"] for line in lines(tmp_path / "progress.jsonl")]
    assert progress == [*range(1, len(questions) + 1), len(questions)]


def test_a_process_is_followed_to_the_end_of_its_measurement(tmp_path, monkeypatch):
    """Its key is sent, and is in none of the files that it leaves."""
    monkeypatch.setenv("KEY_FOR_TESTS", "s3cret-for-tests")
    known, reports = right_answers("aime_2024"), []
    with served(lambda each: known[content(each)]) as (url, seen):
        rows = evaluate(asked("aime_2024", tmp_path, url, key_variable="KEY_FOR_TESTS"), reports.append)
    assert [row["score"] for row in rows] == [1.0] * 5
    assert reports[-1].done == 5
    assert {each["authorization"] for each in seen} == {"Bearer s3cret-for-tests"}
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"s3cret-for-tests" in file.read_bytes()]


def test_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(SettingError, match=r"expected the package inspect_ai, got none: pip install 'races\[eval\]'"):
        evaluate(asked("aime_2024", tmp_path, "http://127.0.0.1:9/v1"), quiet)
    assert not list(tmp_path.iterdir())


def test_texts_are_kept_and_scored_as_they_were_sent(tmp_path):
    known = right_answers("aime_2024")
    right, wrong, unended, apart, late = known
    told = {
        right: f"  <think>no {known[wrong]}</think>\n{known[right]} \n",
        wrong: r"\boxed{1}",
        unended: {"content": f"<think>{known[unended]}", "finish_reason": "length"},
        apart: {"content": known[apart], "reasoning_content": "so"},
        late: {
            "content": None,
            "reasoning_content": known[late],
            "usage": {"prompt_tokens": 1, "completion_tokens": 512, "total_tokens": 513},
        },
    }
    with served(lambda each: told[content(each)]) as (url, _):
        rows = measured(asked("aime_2024", tmp_path, url))
    by_prompt = {json.loads(row["prompt"])[-1]["content"]: row for row in rows}
    assert by_prompt[right]["response"] == told[right]
    assert by_prompt[apart]["response"] == f"<think>so</think>{known[apart]}"
    assert [by_prompt[each]["score"] for each in known] == [1, 0, 0, 1, 0]
    assert [by_prompt[each]["truncated"] for each in known] == [False, False, True, False, True]
    assert [by_prompt[each]["finish_reason"] for each in known] == ["stop", "stop", "max_tokens", "stop", "stop"]
    assert by_prompt[late]["completion_tokens"] == 512
    assert rows[0]["engine_score"] == pytest.approx(2 / 5)


def test_thinking_that_the_template_opens_is_thinking(tmp_path):
    known = right_answers("aime_2025")
    first, *_ = known
    with served(lambda each: known[content(each)] + ("</think>7" if content(each) == first else "")) as (url, seen):
        request = asked("aime_2025", tmp_path, url, thinking_opened=True, template={"enable_thinking": True})
        rows = measured(request)
    assert {row["score"] for row in rows} == {0}
    assert sum(row["truncated"] for row in rows) == len(rows) - 1
    assert all(row["response"].startswith("<think>") for row in rows)
    assert all(each["chat_template_kwargs"] == {"enable_thinking": True} for each in seen)


def test_an_answer_that_a_server_holds_to_be_thinking_is_none(tmp_path):
    known = right_answers("aime_2024")
    inside, parts, *_ = known
    told = dict.fromkeys(known, "?")
    told[inside] = {"content": "", "reasoning_content": f"a</think>{known[inside]}"}
    told[parts] = {"content": known[parts], "reasoning": "I ended it with </think>, so"}
    with served(lambda each: told[content(each)]) as (url, _):
        rows = measured(asked("aime_2024", tmp_path, url))
    scores = {json.loads(row["prompt"])[-1]["content"]: (row["score"], row["truncated"]) for row in rows}
    assert (scores[inside], scores[parts]) == ((0, True), (1, False))


def test_each_sample_is_a_request_of_its_own_and_the_score_is_a_mean_of_means(tmp_path):
    known, given = right_answers("aime_2024"), Counter()
    lucky, *_ = known

    def sometimes(request):
        given[content(request)] += 1
        return known[content(request)] if content(request) == lucky or given[content(request)] == 1 else "?"

    with served(sometimes) as (url, seen):
        rows = measured(asked("aime_2024", tmp_path, url, samples=4))
    assert len(rows) == len(seen) == 20
    assert all("n" not in each for each in seen)
    assert Counter((row["question"], row["sample"]) for row in rows).most_common(1)[0][1] == 1
    means = [fmean(row["score"] for row in rows if row["question"] == each) for each in {r["question"] for r in rows}]
    assert sorted(means) == [0.25, 0.25, 0.25, 0.25, 1.0]
    assert rows[0]["engine_score"] == pytest.approx(fmean(means))


def test_what_was_answered_before_a_failure_is_not_asked_again(tmp_path):
    known, count = right_answers("aime_2024"), Counter()

    def breaking(request):
        count["all"] += 1
        return known[content(request)] if count["all"] <= 7 else 500

    with (
        served(breaking) as (url, _),
        pytest.raises(EvaluationError, match=r"expected 20 samples, got 7.*planned failure"),
    ):
        measured(asked("aime_2024", tmp_path, url, samples=4, concurrency=1))
    # The server of the next attempt has another address.
    with served(lambda each: known[content(each)]) as (url, seen):
        rows = measured(asked("aime_2024", tmp_path, url, samples=4, concurrency=1))
    assert (len(rows), len(seen), rows[0]["engine_score"]) == (20, 13, 1.0)


def test_a_process_that_was_killed_goes_on_where_it_was(tmp_path):
    known = right_answers("aime_2024")

    def slowly(request):
        time.sleep(0.3)
        return known[content(request)]

    with served(slowly) as (url, seen):
        request = asked("aime_2024", tmp_path, url, samples=4, concurrency=1)
        file = tmp_path / "request.json"
        file.write_text(json.dumps(asdict(request)))
        process = subprocess.Popen(
            [sys.executable, "-m", "races.resources.evaluation.engine", str(file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + 60
        while len(seen) < 6:
            assert time.monotonic() < until
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        rows = measured(request)
    assert len(rows) == 20
    # The answer that was under way is lost, and at most one that was there and not yet on the disk.
    assert 20 < len(seen) <= 22


@pytest.mark.parametrize("failure", [503, {"content": "half", "finish_reason": "abort"}])
def test_a_failure_that_passes_is_tried_again(failure, tmp_path):
    known, failed = right_answers("aime_2025"), set()

    def at_second_try(request):
        if content(request) in failed:
            return known[content(request)]
        failed.add(content(request))
        return failure

    data = Data("aime_2025", limit=1)
    with served(at_second_try) as (url, seen):
        rows = measured(asked("aime_2025", tmp_path, url, data=data, retries=2))
    assert (len(rows), len(seen), rows[0]["score"], rows[0]["retries"]) == (1, 2, 1.0, 1)
    assert datetime.fromisoformat(rows[0]["answered_at"]).tzinfo is not None


TOO_LONG = "This model's maximum context length is 10 tokens"


# vLLM's error has the status as its code.
@pytest.mark.parametrize("code", ["context_length_exceeded", 400])
def test_a_prompt_that_is_too_long_is_no_wrong_answer(code, tmp_path):
    with served(lambda _: {"error": 400, "message": TOO_LONG, "code": code}) as (url, _):
        rows = measured(asked("aime_2024", tmp_path, url))
    assert {row["score"] for row in rows} == {None}
    assert all("too long" in row["grader_error"] for row in rows)
    assert rows[0]["engine_score"] is None


def test_what_has_no_score_is_asked_for_again_and_the_rest_is_kept(tmp_path):
    known, count = right_answers("aime_2024"), Counter()

    def refusing(request):
        count["all"] += 1
        return {"error": 400, "message": TOO_LONG} if count["all"] in (1, 2, 5) else known[content(request)]

    with served(refusing) as (url, seen):
        request = asked("aime_2024", tmp_path, url, samples=2, concurrency=1)
        before, after, again = (measured(request) for _ in range(3))
    assert [sum(row["score"] is None for row in rows) for rows in (before, after, again)] == [3, 0, 0]
    assert (len(seen), len(after), after[0]["engine_score"]) == (13, 10, 1.0)
    scores = [[row["score"] for row in before if row["question"] == each["question"]] for each in before[::2]]
    means = [fmean(score for score in each if score is not None) for each in scores if any(each)]
    assert before[0]["engine_score"] == pytest.approx(fmean(means))


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        ({"error": 400, "message": "The prompt was filtered", "code": "content_filter"}, "The prompt was filtered"),
        ({"error": 403, "message": "blocked", "type": "invalid_request_error", "code": None}, "blocked"),
        ({"content": "7", "reasoning_content": ["so"]}, "expected thinking that is a text"),
    ],
)
def test_what_is_no_answer_is_not_graded(told, cause, tmp_path):
    with (
        served(lambda _: told) as (url, _),
        pytest.raises(EvaluationError, match=f"expected 5 samples, got 0.*{cause}"),
    ):
        measured(asked("aime_2024", tmp_path, url))


@pytest.mark.parametrize(("model", "limit"), [("demo2", "max_tokens"), ("o3-mini", "max_completion_tokens")])
def test_only_openais_own_models_are_asked_as_such(model, limit, tmp_path):
    with served(lambda _: "?") as (url, seen):
        request = asked("aime_2024", tmp_path, url, data=Data("aime_2024", limit=1))
        measured(replace(request, model=model))
    assert {name: seen[0].get(name) for name in ("model", limit)} == {"model": model, limit: 512}


def test_a_model_without_a_system_message_gets_its_text_before_the_users(tmp_path, sandboxed):
    data = Data("livecodebench", limit=1)
    (question,) = data.load().questions
    system, user = prompts.messages(question)[0]
    with served(lambda _: "no program") as (url, seen):
        measured(asked("livecodebench", tmp_path / "a", url, data=data, system=False))
        measured(asked("livecodebench", tmp_path / "b", url, data=data))
    alone, both = (each["messages"] for each in seen)
    assert alone == [{"role": "user", "content": f"{system['content']}\n\n{user['content']}"}]
    assert both == [system, user]


def test_what_was_misjudged_is_told_by_the_process(tmp_path, sandboxed):
    (problem,) = (
        record for record in datasets.records(datasets.mini_path("livecodebench")) if record["question_id"] == "mini-a"
    )
    file = tmp_path / "own.jsonl"
    file.write_text(json.dumps(problem | {"private_test_cases": "no tests"}))
    with (
        served(lambda _: "?") as (url, seen),
        pytest.raises(ScorerSelfTestFailed, match="mini-a: an empty answer cannot be graded"),
    ):
        evaluate(asked("livecodebench", tmp_path / "f", url, data=Data("livecodebench", str(file))), quiet)
    assert seen == []


def test_a_silent_server_is_given_up(tmp_path):
    answered = threading.Event()

    def silent(_):
        answered.wait(40)
        return "?"

    with served(silent) as (url, seen):
        with pytest.raises(EvaluationError, match="expected 5 samples, got 0"):
            measured(asked("aime_2024", tmp_path, url, timeout=1))
        answered.set()
    assert seen
