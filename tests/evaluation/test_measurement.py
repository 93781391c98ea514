"""Measurements as data: selection of questions, settings, cost; pinned copies; scorers and their self-test."""

import json
import re
import time
from dataclasses import asdict

import pytest

from races.resources.evaluation.measurement import Data, GenerationSettings, Measurement, cost
from races.resources.evaluation.suites import datasets, local_copies, scorers
from races.resources.evaluation.suites.score import GraderError, Question, Score
from tests.support.measurements import asked


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
