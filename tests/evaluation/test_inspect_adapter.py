"""What is used of inspect-ai beyond its public API is there, and means what it meant."""

import inspect
from types import SimpleNamespace

import pytest

pytest.importorskip("inspect_ai", reason="the extra `eval` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of inspect-ai and what it imports

OVERRIDDEN = {
    "generate": ["self", "input", "tools", "tool_choice", "config"],
    "chat_choices_from_completion": ["self", "completion", "tools"],
    "model_family": ["self"],
    "handle_bad_request": ["self", "ex"],
}


@pytest.fixture(scope="module")
def api():
    """Our provider as the engine makes it."""
    from inspect_ai.model import get_model

    from races.resources.evaluation.inspect_adapter import PROVIDER

    return get_model(f"{PROVIDER}/served/m", base_url="http://127.0.0.1:9/v1", api_key="none", memoize=False).api


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_every_method_that_is_overridden_is_one_of_the_engines(name, api):
    from races.resources.evaluation.inspect_adapter import OpenAICompatibleAPI

    assert name in vars(type(api))
    assert type(api).__bases__ == (OpenAICompatibleAPI,)
    for owner in (OpenAICompatibleAPI, type(api)):
        assert list(inspect.signature(getattr(owner, name)).parameters) == OVERRIDDEN[name]


def test_an_error_of_the_server_is_one_that_the_engine_tries_again(api):
    from races.resources.evaluation.inspect_adapter import OpenAIResponseError

    assert api.should_retry(OpenAIResponseError("server_error", "half an answer"))
    assert not api.should_retry(ValueError("half an answer"))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"content": "7"}, "7"),
        ({"content": "7", "reasoning_content": "so"}, "<think>so</think>7"),
        ({"content": "7", "reasoning": "so"}, "<think>so</think>7"),
        ({"content": None, "reasoning_content": "so"}, "<think>so"),
        ({"content": "", "reasoning_content": "a</think>b"}, "<think>a</think>b\n<think>"),
    ],
)
def test_thinking_that_a_server_split_off_is_put_back(fields, text):
    from races.resources.evaluation.inspect_adapter import full_text

    assert full_text(SimpleNamespace(model_dump=lambda: fields)) == text
