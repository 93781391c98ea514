"""IFEval's scorer: verdicts against lm-evaluation-harness, strictness, limits, hostile responses."""

import random
import time

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.suites import datasets, ifeval
from races.resources.evaluation.suites.score import Question
from tests.support.hostile_texts import HOSTILE


def question(name="ifeval", **record):
    return Question(name, "q", record, "q")


@pytest.fixture(scope="module")
def checkers():
    pytest.importorskip("lm_eval")
    with ifeval.IFEval(seconds=2) as scorer:
        yield scorer


def test_ifeval_names_the_extra_that_is_missing(monkeypatch):
    monkeypatch.setattr(ifeval, "find_spec", lambda name: None)
    with pytest.raises(SettingError, match=r"pip install 'races\[eval\]'"):
        ifeval.IFEval()


def test_the_invented_prompts_have_every_kind_of_instruction_and_both_layouts():
    found = datasets.load_mini("ifeval").questions
    assert {name for each in found for name in each.record["instruction_id_list"]} == set(ifeval.ARGUMENTS)
    assert len(ifeval.ARGUMENTS) == 25
    assert {None in given.values() for each in found for given in each.record["kwargs"] if given} == {True, False}


def test_golden_responses_follow_all_and_others_are_told_apart(checkers):
    golds = datasets.mini_golds("ifeval")
    for each in datasets.load_mini("ifeval").questions:
        right = checkers(each, f"<think>hm</think>\n{golds[each.id]}")
        assert (right.value, right.parts["prompt_strict"], right.parts["prompt_loose"], right.reason) == (
            1,
            True,
            True,
            "right",
        )
        assert right.parts["instructions"] == len(right.parts["strict"]) == len(each.record["instruction_id_list"])
        empty = checkers(each, "<think>" + golds[each.id])
        assert (empty.value, empty.parts["loose"], empty.reason) == (0, [False] * empty.parts["instructions"], "empty")


def test_a_preamble_costs_strictness_but_not_looseness(checkers):
    each = question("ifeval", instruction_id_list=["detectable_format:json_format"], kwargs=[{}])
    found = checkers(each, 'Here it is:\n{"a": 1}')
    assert (found.value, found.parts["strict"], found.parts["loose"]) == (0, [False], [True])
    assert found.reason == "not followed: detectable_format:json_format"


def test_an_argument_of_zero_is_not_taken_for_a_missing_one(checkers):
    given = {"keyword": "cat", "frequency": 0, "relation": "at least", "language": None}
    each = question("ifeval", instruction_id_list=["keywords:frequency"], kwargs=[given])
    assert {checkers(each, "no such word").value for _ in range(5)} == {1.0}


@pytest.mark.filterwarnings("ignore")  # another library's
def test_ifeval_agrees_with_lm_eval_on_golds_and_their_mutants(tmp_path):
    pytest.importorskip("lm_eval")
    ifeval.prepare(tmp_path)
    from lm_eval.tasks.ifeval.utils import process_results

    golds = list(datasets.mini_golds("ifeval").values())
    questions = datasets.load_mini("ifeval").questions
    rng, verdicts = random.Random(4), []
    for each in questions:
        for gold in (datasets.mini_golds("ifeval")[each.id], *rng.sample(golds, 2)):
            words = gold.split(" ")
            at = rng.randrange(len(words))
            for text in (gold, "Sure!\n" + gold, gold.upper(), " ".join(words[:at]), f"*{gold}*\nBye, then.", ""):
                theirs = process_results(dict(each.record), [text])
                strict, loose = ifeval.follows(each.record["instruction_id_list"], each.record["kwargs"], text)
                assert strict == theirs["inst_level_strict_acc"]
                assert loose == theirs["inst_level_loose_acc"]
                verdicts += [*strict, *loose]
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.9


def test_a_response_that_takes_minutes_to_check_scores_nothing_in_seconds(checkers):
    each = question(
        "ifeval", instruction_id_list=["detectable_content:number_placeholders"], kwargs=[{"num_placeholders": 1}]
    )
    begun = time.monotonic()
    assert checkers(each, "[" * 200_000).reason == "more than 2 s"
    assert time.monotonic() - begun < 30
    assert checkers(each, "[name]").value == 1


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_no_text_makes_the_checkers_of_ifeval_raise(case, checkers):
    names = list(ifeval.ARGUMENTS)
    given = {
        name: arguments
        for each in datasets.load_mini("ifeval").questions
        for name, arguments in zip(each.record["instruction_id_list"], each.record["kwargs"], strict=True)
    }
    each = question("ifeval", instruction_id_list=names, kwargs=[given[name] for name in names])
    assert checkers(each, HOSTILE[case][:3_000]).value == 0
