"""Measuring a model on a benchmark: the engine's process against servers whose answers are known."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, replace
from datetime import datetime
from statistics import fmean

import pytest

from races.resources.evaluation import launch
from races.resources.evaluation.launch import ScorerSelfTestFailed, evaluate
from races.resources.evaluation.measurement import Data, EvaluationError, GenerationSettings, Measurement, cost
from races.resources.evaluation.suites import datasets, local_copies, prompts, scorers
from races.resources.evaluation.suites.score import GraderError, Question, Score
from tests.support.openai_server import served

pytest.importorskip("inspect_ai", reason="the extra `eval` is not installed")


@pytest.fixture(scope="module")
def jailed():
    if fault := scorers.sandbox_fault():
        pytest.skip(f"there is no jail: {fault}")


def asked(name, folder, url, samples=1, data=None, **settings):
    drawn = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "max_tokens": 512}
    drawn |= {key: settings.pop(key) for key in tuple(settings) if key in GenerationSettings.__dataclass_fields__}
    settings = {"retries": 0, "attempts": 1, "timeout": 30} | settings
    return Measurement(data or Data(name), GenerationSettings(samples, **drawn), url, "m", str(folder), **settings)


def right_answers(name):
    """What a model that knows everything says to each prompt of an invented set."""
    golds = datasets.mini_golds(name)
    return {prompts.messages(each)[0][-1]["content"]: golds[each.id] for each in datasets.load_mini(name).questions}


def content(request):
    return request["messages"][-1]["content"]


def quiet(_):
    pass


@pytest.mark.parametrize("name", datasets.BENCHMARKS)
def test_a_model_that_knows_the_answers_scores_one(name, tmp_path, request):
    if name in scorers.SANDBOXED:
        request.getfixturevalue("jailed")
    known, steps = right_answers(name), []
    with served(lambda each: known[content(each)]) as (url, seen):
        rows = evaluate(asked(name, tmp_path, url), steps.append)
    questions = datasets.load_mini(name).questions
    assert [row["question"] for row in rows] == [each.id for each in questions]
    assert {(row["score"], row["sample"], row["engine_score"], row["golds"]) for row in rows} == {
        (1.0, 1, 1.0, len(questions))
    }
    assert {row["cluster"] for row in rows} == {each.cluster for each in questions}
    assert len(seen) == len(questions)
    drawn = {"model": "m", "temperature": 0.6, "top_p": 0.95, "top_k": 20, "max_tokens": 512}
    assert all(drawn.items() <= each.items() and "seed" not in each for each in seen)
    assert steps[-1].step == len(questions)


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
        rows = evaluate(asked("aime_2024", tmp_path, url), quiet)
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
        rows = evaluate(request, quiet)
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
        rows = evaluate(asked("aime_2024", tmp_path, url), quiet)
    scores = {json.loads(row["prompt"])[-1]["content"]: (row["score"], row["truncated"]) for row in rows}
    assert (scores[inside], scores[parts]) == ((0, True), (1, False))


def test_each_sample_is_a_request_of_its_own_and_the_score_is_a_mean_of_means(tmp_path):
    known, given = right_answers("aime_2024"), Counter()
    lucky, *_ = known

    def sometimes(request):
        given[content(request)] += 1
        return known[content(request)] if content(request) == lucky or given[content(request)] == 1 else "?"

    with served(sometimes) as (url, seen):
        rows = evaluate(asked("aime_2024", tmp_path, url, samples=4), quiet)
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
        evaluate(asked("aime_2024", tmp_path, url, samples=4, concurrency=1), quiet)
    # The server of the next attempt has another address.
    with served(lambda each: known[content(each)]) as (url, seen):
        rows = evaluate(asked("aime_2024", tmp_path, url, samples=4, concurrency=1), quiet)
    assert (len(rows), len(seen), rows[0]["engine_score"]) == (20, 13, 1.0)


def test_a_process_that_was_killed_goes_on_where_it_was(tmp_path):
    known = right_answers("aime_2024")

    def slowly(request):
        time.sleep(0.5)
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
        rows = evaluate(request, quiet)
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
        rows = evaluate(asked("aime_2025", tmp_path, url, data=data, retries=2), quiet)
    assert (len(rows), len(seen), rows[0]["score"], rows[0]["retries"]) == (1, 2, 1.0, 1)
    assert datetime.fromisoformat(rows[0]["answered_at"]).tzinfo is not None


TOO_LONG = "This model's maximum context length is 10 tokens"


# vLLM's error has the status as its code.
@pytest.mark.parametrize("code", ["context_length_exceeded", 400])
def test_a_prompt_that_is_too_long_is_no_wrong_answer(code, tmp_path):
    with served(lambda _: {"error": 400, "message": TOO_LONG, "code": code}) as (url, _):
        rows = evaluate(asked("aime_2024", tmp_path, url), quiet)
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
        before, after, again = (evaluate(request, quiet) for _ in range(3))
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
        pytest.raises(EvaluationError, match=f"expected 10 samples, got 0.*{cause}"),
    ):
        evaluate(asked("ifeval", tmp_path, url), quiet)


@pytest.mark.parametrize(("model", "limit"), [("demo2", "max_tokens"), ("o3-mini", "max_completion_tokens")])
def test_only_openais_own_models_are_asked_as_such(model, limit, tmp_path):
    with served(lambda _: "?") as (url, seen):
        request = asked("aime_2024", tmp_path, url, data=Data("aime_2024", limit=1))
        evaluate(replace(request, model=model), quiet)
    assert {name: seen[0].get(name) for name in ("model", limit)} == {"model": model, limit: 512}


def test_the_key_is_sent_and_kept_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY_FOR_TESTS", "s3cret-for-tests")
    known = right_answers("aime_2024")
    with served(lambda each: known[content(each)]) as (url, seen):
        evaluate(asked("aime_2024", tmp_path, url, key_variable="KEY_FOR_TESTS"), quiet)
    assert {each["authorization"] for each in seen} == {"Bearer s3cret-for-tests"}
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"s3cret-for-tests" in file.read_bytes()]


def test_a_model_without_a_system_message_gets_its_text_before_the_users(tmp_path, jailed):
    data = Data("livecodebench", limit=1)
    (question,) = data.load().questions
    system, user = prompts.messages(question)[0]
    with served(lambda _: "no program") as (url, seen):
        evaluate(asked("livecodebench", tmp_path / "a", url, data=data, system=False), quiet)
        evaluate(asked("livecodebench", tmp_path / "b", url, data=data), quiet)
    alone, both = (each["messages"] for each in seen)
    assert alone == [{"role": "user", "content": f"{system['content']}\n\n{user['content']}"}]
    assert both == [system, user]


def test_a_scorer_that_misjudges_known_answers_stops_it_before_the_model_is_asked(tmp_path):
    (question, *_) = datasets.load_mini("aime_2024").questions
    file = tmp_path / "own.jsonl"
    # Beyond 999, so that the schema refuses it; and a key that no answer can meet.
    file.write_text(json.dumps({"id": "q", "problem": "?", "answer": 1000}))
    with pytest.raises(datasets.DatasetError, match="expected an integer from 0 to 999, got 1000"):
        Data("aime_2024", str(file)).load()
    dataset = datasets.Dataset("aime_2024", (question,), "0" * 64, "partial")
    assert scorers.self_test(dataset, lambda *_: Score(1.0)) == (
        1,
        [f"{question.id}: an empty answer scores 1 ()"],
    )
    known, wrong = scorers.self_test(dataset, lambda *_: Score(0.0, reason="r"))
    assert (known, wrong) == (1, [f"{question.id}: a right answer scores 0 (r)"])

    def lost(*_):
        raise GraderError("lost")

    assert len(scorers.self_test(dataset, lost)[1]) == 2


def test_what_was_misjudged_is_told_by_the_process(tmp_path, jailed):
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


def test_smaller_limits_are_parts_of_larger_ones():
    chosen = [{each.id for each in Data("ifeval", limit=limit).load().questions} for limit in (3, 6, 0)]
    assert list(map(len, chosen)) == [3, 6, 10]
    assert chosen[0] < chosen[1] < chosen[2]
    assert {Data("ifeval", limit=limit).load().label for limit in (3, 0)} == {datasets.MINI}


def test_a_window_of_contests_is_for_livecodebench():
    months = {each.groups["month"] for each in Data("livecodebench", begin="2025-03-01").load().questions}
    every = {each.groups["month"] for each in Data("livecodebench").load().questions}
    assert months == {month for month in every if month >= "2025-03"} < every
    with pytest.raises(Exception, match="aime_2024: expected no window"):
        Data("aime_2024", begin="2025-03-01").load()
    with pytest.raises(Exception, match="expected days such as"):
        Data("livecodebench", begin="March").load()


def test_settings_are_what_scores_depend_on():
    base = asked("aime_2024", "f", "u").settings()
    assert asked("aime_2024", "g", "v", concurrency=3, timeout=7).settings() == base
    assert asked("aime_2024", "f", "u", temperature=0.7).settings() != base
    assert asked("aime_2024", "f", "u", data=Data("aime_2024", limit=1)).settings() != base
    assert asked("aime_2024", "f", "u", data=Data("aime_2024", sha256="0" * 64)).settings() == base
    request = asked("aime_2024", "f", "u", data=Data("aime_2024", limit=1), top_k=None, template={"a": 1})
    assert Measurement.from_json(json.loads(json.dumps(asdict(request)))) == request


def test_the_cost_of_a_measurement():
    answers = GenerationSettings(4, 0.6, 0.95, None, 1000, prompt_limit=100)
    found = cost([35, 3500], answers)
    assert asdict(found) == {
        "questions": 2,
        "generations": 8,
        "prompt_tokens": 4 * (10 + 100),
        "completion_tokens": 8000,
    }


def test_benchmarks_are_found_in_the_users_folder_and_held_to_their_pins(tmp_path, monkeypatch):
    monkeypatch.delenv(local_copies.VARIABLE, raising=False)
    assert local_copies.path_of("aime_2024") is None
    for name in datasets.BENCHMARKS:
        assert local_copies.pinned(name, None) == datasets.load_mini(name).sha256
    monkeypatch.setenv(local_copies.VARIABLE, str(tmp_path))
    copy = tmp_path / "aime_2024"
    copy.mkdir()
    line = json.dumps({"id": "q", "problem": "?", "answer": 7}) + "\n"
    (copy / "a.jsonl").write_text(line)
    assert local_copies.path_of("aime_2024") == copy
    assert local_copies.path_of("aime_2025") is None
    assert local_copies.pinned("aime_2024", copy) == ""
    pin = local_copies.pin("aime_2024", tmp_path)
    assert local_copies.pinned("aime_2024", copy) == pin == datasets.load("aime_2024", copy).sha256
    assert datasets.load("aime_2024", copy).label == "partial"
    (copy / "a.jsonl").write_text(line.replace("7", "8"))
    with pytest.raises(datasets.DatasetError, match=f"expected the sha256 {pin}"):
        datasets.load("aime_2024", copy, pin)
    (tmp_path / local_copies.PINS).write_text("[")
    with pytest.raises(Exception, match=re.escape(str(tmp_path / local_copies.PINS))):
        local_copies.pinned("aime_2024", copy)
    monkeypatch.setenv(local_copies.VARIABLE, str(tmp_path / "missing"))
    with pytest.raises(Exception, match="RACES_BENCHMARKS: expected a folder"):
        local_copies.path_of("aime_2024")


def test_scorers_that_are_shared_serve_one_caller_each():
    from concurrent.futures import ThreadPoolExecutor

    busy, clashes = set(), []

    def one(number):
        def grade(question, text):
            clashes.extend([number] if number in busy else [])
            busy.add(number)
            time.sleep(0.01)
            busy.discard(number)
            return Score(1.0)

        return grade

    shared = scorers.ScorerPool([one(1), one(2)])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: shared(Question("b", "q", {}, "q"), ""), range(40)))
    assert clashes == []


def test_official_puzzles_need_a_checkout():
    with pytest.raises(Exception, match="expected a checkout"), scorers.scorer("enigmata"):
        pass


def test_a_silent_server_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "GRADING_ALLOWANCE_S", 8.0)

    def silent(_):
        time.sleep(40)
        return "?"

    with served(silent) as (url, _), pytest.raises(EvaluationError):
        evaluate(asked("aime_2024", tmp_path, url, timeout=2), quiet)
