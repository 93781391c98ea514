"""What is used of inspect-ai beyond its public API: a provider that returns answers unparsed.

It extends an inner class, hence the exact version in pyproject.toml. tests/evaluation/test_inspect_adapter.py fails
where a new version moves or changes what is used here.
"""

import re
from contextvars import ContextVar
from typing import Any, Final

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelCall,
    ModelOutput,
    modelapi,
)
from inspect_ai.model._openai import OpenAIResponseError
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.tool import ToolChoice, ToolInfo
from openai import APIStatusError

from races.environments.errors import WrongShape
from races.environments.responses.conversations import response as answer_of
from races.environments.responses.thinking import unfinished

PROVIDER = "races"
TOO_LONG: Final = "model_length"
EXCERPT_CHARACTERS = 2_000  # of a response, in an error
OPENAI_MODEL = re.compile(r"(openai/)?(o\d|gpt-)")
# Finish reasons of vLLM, SGLang and gateways that are failures of the server.
SERVER_FAILURES = {"abort", "error"}
# The wording of vLLM, SGLang and llama.cpp, which send no error code for it.
CONTEXT_EXCEEDED = re.compile(r"(?i)context (length|size|window)|input length")

# Requests of the current sample, retries included: the engine itself counts only retries of HTTP errors.
REQUESTS: ContextVar[list[None]] = ContextVar("requests")


@modelapi(name=PROVIDER)
class UnparsedAPI(OpenAICompatibleAPI):
    """A server whose answers are kept as sent: the engine would strip thinking and the white space around it."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        REQUESTS.get().append(None)
        return await super().generate(input, tools, tool_choice, config)

    def chat_choices_from_completion(self, completion: Any, tools: Any) -> list[ChatCompletionChoice]:
        if not completion.choices or {each.finish_reason for each in completion.choices} & SERVER_FAILURES:
            response = completion.model_dump_json(exclude_none=True, warnings=False)
            raise OpenAIResponseError(
                "server_error", f"expected a complete answer, got {response[:EXCERPT_CHARACTERS]}"
            )
        choices = super().chat_choices_from_completion(completion, tools)
        originals = sorted(completion.choices, key=lambda choice: choice.index)
        for choice, original in zip(choices, originals, strict=True):
            choice.message = ChatMessageAssistant(content=full_text(original.message), model=completion.model)
        return choices

    def model_family(self) -> str:
        """The name for OpenAI's own models only: the engine finds o2 in "demo2" and then renames max_tokens."""
        found = super().model_family()
        return found if OPENAI_MODEL.match(found) else ""

    def handle_bad_request(self, ex: APIStatusError) -> ModelOutput | Exception:
        """A rejected request is not an answer: the engine would let a content filter's message be graded."""
        if ex.code == "context_length_exceeded" or CONTEXT_EXCEEDED.search(str(ex)):
            return ModelOutput.from_content(self.model_name, str(ex), stop_reason=TOO_LONG)
        return ex


def full_text(message: Any) -> str:
    """The text of an answer, with thinking that the server has split off put back."""
    fields = message.model_dump()
    thinking = fields.get("reasoning_content") or fields.get("reasoning") or ""
    content, _ = answer_of({"role": "assistant", "content": fields.get("content")}, "answer of the server")
    if not isinstance(thinking, str):
        raise WrongShape(f"answer of the server: expected thinking that is a text, got {thinking!r}")
    if not thinking:
        return content
    # Without an answer the thinking was never closed, however the server has parsed it.
    opened = f"<think>{thinking}"
    if content:
        return f"{opened}</think>{content}"
    return opened if unfinished(opened) else f"{opened}\n<think>"
