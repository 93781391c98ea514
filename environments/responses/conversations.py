"""What the model itself has written in a conversation: no tool, user or system message is an answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from races.environments.errors import WrongShape
from races.environments.types.base import shorten

_TEXTS = (None, "text", "output_text")  # types of the parts that hold an answer's text; None: the part names no type
# Where servers and chat templates put thinking that they have taken out of the content.
_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "thought")
_THOUGHT_PARTS = ("thinking", "reasoning", "redacted_thinking")


def response(completion: Any, where: str = "completion") -> tuple[str, bool]:
    """The text of the last message of the assistant, "" without one, and whether its thinking is held apart from it.

    completion: a text, a message or a conversation. Messages after the last one of the assistant do not count, nor
    do its tool calls. Raises WrongShape where it is neither; `where` names it in the error.
    """
    if isinstance(completion, str):
        return completion, False
    if isinstance(completion, Mapping):
        completion = [completion]
    if not isinstance(completion, Sequence) or isinstance(completion, bytes | bytearray):
        raise WrongShape(f"{where}: expected a text or a list of messages, got {shorten(completion)}")
    found = "", False
    for place, message in enumerate(completion):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise WrongShape(f"{where}, message {place}: expected an object with a role, got {shorten(message)}")
        text, apart = _content(message.get("content"), f"{where}, message {place}")
        if message["role"] == "assistant":
            found = text, apart or any(message.get(name) for name in _THOUGHTS)
    return found


def _content(content: Any, where: str) -> tuple[str, bool]:
    """The text of a message, and whether a part of it holds thinking."""
    if content is None or isinstance(content, str):
        return content or "", False
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray):
        raise WrongShape(f"{where}: expected a text, parts or None as content, got {shorten(content)}")
    texts, apart = [], False
    for part in content:
        if not isinstance(part, Mapping | str):
            raise WrongShape(f"{where}: expected objects as parts of the content, got {shorten(part)}")
        text, kind = (part, None) if isinstance(part, str) else (part.get("text"), part.get("type"))
        apart = apart or kind in _THOUGHT_PARTS
        if kind in _TEXTS and text is not None:
            if not isinstance(text, str):
                raise WrongShape(f"{where}: expected a text in a part of the content, got {shorten(text)}")
            texts.append(text)
    return "".join(texts), apart
