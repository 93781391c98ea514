"""What counts in what a trainer hands over: the model's own last message, and an error of ours for what is no batch."""

from collections import deque
from typing import Any

import pytest

from races.environments import get
from races.environments.errors import RacesError, SettingError, WrongShape
from races.environments.operators import ScoreStatus, single
from races.environments.responses.conversations import response
from races.environments.reward import RewardUnavailable, compute_score, graded, trl_reward, trl_reward_for
from races.environments.seeding import generator
from tests.environments.test_thinking import CHATML, GENERATE, MISTRAL, Tokenizer

PROBLEM = single.pose(get("digit_sum"), generator("conversations"), 2)
GOLD = PROBLEM.answer


def said(content: Any, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def rewards(*completions: Any, **more: Any) -> list[float | None]:
    return trl_reward(list(completions), [PROBLEM.truth] * len(completions), **more)


CALL = [{"type": "function", "function": {"name": "f", "arguments": GOLD}}]
ANSWERS: list[Any] = [
    GOLD,
    said(GOLD),
    [said(GOLD)],
    (said(GOLD),),
    [said("?", "user"), said(GOLD)],
    [said("no"), said("?", "user"), said(GOLD)],
    [said(GOLD), said("<answer>1</answer>", "tool")],  # a trailing message of a tool takes nothing away
    [said(GOLD), said(None, "tool"), said([], "user")],
    [said([text(GOLD)])],
    [said([text(GOLD[:9]), text(GOLD[9:])])],
    [said([{"type": "image_url", "image_url": {}}, text(GOLD), {"type": "text"}, {"type": "text", "text": None}])],
    [said([{"text": GOLD}])],
    [said([{"type": "output_text", "text": GOLD}])],
    [said([GOLD])],
    [said(GOLD, tool_calls=CALL)],
    [said(GOLD, reasoning_content="<answer>1</answer>")],
    [said(None, tool_calls=CALL), said("3", "tool"), said(GOLD)],
]
NONE: list[Any] = [
    "",
    [],
    {"role": "assistant"},
    [said(None)],
    [said("")],
    [said([])],
    [said([{"type": "image_url", "image_url": {}}])],
    [said([{"type": "text"}])],
    [said([{"type": "thinking", "thinking": GOLD, "text": GOLD}])],
    [said([{"type": "tool_result", "text": GOLD}])],
    [said(GOLD, "tool")],
    [said(GOLD, "user")],
    [said(GOLD, "system")],
    [said(GOLD, "Assistant")],
    [said("no answer"), said(GOLD, "tool")],
    [said(GOLD), said(None, tool_calls=CALL)],  # the last one counts, and is a call
    [said(None, tool_calls=CALL)],
    [said(None, reasoning_content=GOLD)],
    [said(None, reasoning=GOLD), said(GOLD, "tool")],
    [said("", thinking=GOLD)],
]


@pytest.mark.parametrize("completion", ANSWERS, ids=repr)
def test_the_last_message_of_the_assistant_counts(completion: Any) -> None:
    assert rewards(completion, "no") == [1.0, 0.0]


@pytest.mark.parametrize("completion", NONE, ids=repr)
def test_what_the_model_did_not_write_is_no_answer(completion: Any) -> None:
    assert rewards(completion, GOLD) == [0.0, 1.0]
    assert graded(PROBLEM.truth, response(completion)[0]).status is ScoreStatus.UNPARSEABLE


WRONG: list[tuple[Any, str]] = [
    (None, "completion 1: expected a text or a list of messages, got None"),
    (7, "completion 1: expected a text or a list of messages, got 7"),
    (b"<answer>", "completion 1: expected a text or a list of messages, got b'<answer>'"),
    ([GOLD], "completion 1, message 0: expected an object with a role, got"),
    ([None], "completion 1, message 0: expected an object with a role, got None"),
    ([said(GOLD), {"content": GOLD}], "completion 1, message 1: expected an object with a role, got"),
    ([said(GOLD, None)], "completion 1, message 0: expected an object with a role"),  # type: ignore[arg-type]
    ([said(7)], "completion 1, message 0: expected a text, parts or None as content, got 7"),
    ([said({"text": GOLD})], "completion 1, message 0: expected a text, parts or None as content, got"),
    ([said([7])], "completion 1, message 0: expected objects as parts of the content, got 7"),
    ([said([{"type": "text", "text": 7}])], "completion 1, message 0: expected a text in a part of the content, got 7"),
]


@pytest.mark.parametrize(("completion", "message"), WRONG, ids=repr)
def test_a_wrong_shape_is_an_error_of_ours_that_names_its_place(completion: Any, message: str) -> None:
    for how in ("raise", "none"):
        with pytest.raises(WrongShape) as error:
            rewards(GOLD, completion, on_failure=how)
        assert str(error.value).startswith(message)


def test_a_batch_of_wrong_columns_is_an_error_of_ours() -> None:
    with pytest.raises(WrongShape, match="expected a truth for each of 2 completions, got 1"):
        trl_reward([GOLD, GOLD], [PROBLEM.truth])
    with pytest.raises(WrongShape, match="reward_model 1: expected an object with ground_truth, got None"):
        trl_reward([GOLD, GOLD], reward_model=[{"ground_truth": PROBLEM.truth}, None])  # type: ignore[list-item]
    with pytest.raises(WrongShape, match=r"reward_model 0: expected an object with ground_truth, got \{\}"):
        trl_reward([GOLD], reward_model=[{}])
    with pytest.raises(SettingError, match="expected a column ground_truth or reward_model"):
        trl_reward([GOLD])
    assert issubclass(WrongShape, RacesError)


@pytest.mark.parametrize("wrong", [None, 7, ["<answer>7</answer>"], {"content": "x"}, b"<answer>7</answer>"], ids=repr)
def test_a_response_or_truth_that_is_no_text_is_a_failure_of_the_grader(wrong: Any) -> None:
    for truth, said_text in ((PROBLEM.truth, wrong), (wrong, GOLD)):
        assert graded(truth, said_text).status is ScoreStatus.GRADER_FAILED
        with pytest.raises(RewardUnavailable, match=r"^t: expected a text as (truth|response), got "):
            compute_score("t", said_text, truth)
        assert compute_score("t", said_text, truth, on_failure="flag")["grader_failed"] == 1.0
    with pytest.raises(RewardUnavailable):
        trl_reward([GOLD], [wrong])


CUT = f"perhaps {GOLD}? no wait, recount:"


def test_trl_takes_what_the_prompt_opened_from_the_tokenizer() -> None:
    opens = trl_reward_for(Tokenizer(CHATML + GENERATE.replace("END", "<think>\n")))
    batch = [[said(CUT)], [said(f"{CUT}</think>{GOLD}")], CUT]
    truths = [PROBLEM.truth] * 3
    assert opens(prompts=["p"] * 3, completions=batch, ground_truth=truths) == [0.0, 1.0, 0.0]
    plain = trl_reward_for(Tokenizer(CHATML + GENERATE.replace("END", "")))
    assert plain(prompts=["p"] * 3, completions=batch, ground_truth=truths) == [1.0, 1.0, 1.0]
    assert opens.__name__ == plain.__name__ == "trl_reward"
    assert trl_reward_for(Tokenizer(None))(completions=[GOLD], ground_truth=[PROBLEM.truth]) == [1.0]


def test_thinking_that_is_held_apart_has_been_ended() -> None:
    apart = [said(GOLD, reasoning_content="hm")], [said([{"type": "thinking", "thinking": "hm"}, text(GOLD)])]
    assert rewards(*apart, thinking="<think>") == [1.0, 1.0]
    assert rewards([said(GOLD, reasoning_content=None)], [said(GOLD, reasoning="")], thinking=True) == [0.0, 0.0]


def test_a_tokenizer_whose_marks_are_left_out_of_completions_is_refused() -> None:
    lossy = Tokenizer(MISTRAL, ("[THINK]", "[/THINK]"))
    with pytest.raises(SettingError, match=r"no special tokens, got \[THINK\], \[/THINK\]: TRL leaves them out"):
        trl_reward_for(lossy)
    lossy.response_schema = {"type": "object"}  # type: ignore[attr-defined]
    assert trl_reward_for(lossy)(completions=[GOLD], ground_truth=[PROBLEM.truth]) == [1.0]


@pytest.mark.parametrize("wrong", [None, 5, "<answer>18</answer>", b"x", {"a": 1}, {"x"}])
def test_a_batch_that_is_no_list_is_an_error_of_ours(wrong: Any) -> None:
    truths = ['{"operator": "single", "types": ["Int"], "answers": ["18"]}']
    with pytest.raises(WrongShape, match="expected a list of completions"):
        trl_reward(wrong, ground_truth=truths)
    if wrong is not None:
        with pytest.raises(WrongShape, match="expected a list of truths"):
            trl_reward(["18"], ground_truth=wrong)
        with pytest.raises(WrongShape, match="expected a list as reward_model"):
            trl_reward(["18"], reward_model=wrong)
    assert trl_reward(deque(["<answer>18</answer>"]), ground_truth=tuple(truths)) == [1.0]
