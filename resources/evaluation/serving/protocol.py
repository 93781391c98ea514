"""What is asked of a server that speaks OpenAI's protocol before a benchmark asks it anything."""

import json
import os
import re
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, ProxyHandler, Request, build_opener

from races.environments.errors import RacesError, SettingError

LOCAL = ("127.0.0.1", "localhost", "::1")
LARGEST = 2**22  # bytes of an answer that are read
EXCERPT = 300  # characters of an answer that an error shows


class ServingError(RacesError):
    """A model is not served: whom was asked for what, what was expected and what came."""


class _AsItCame(HTTPErrorProcessor):
    """Every answer is an answer: none is raised, and no redirection takes a key to another server."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response

    https_response = http_response


def base_url(url: str) -> str:
    """A base URL without the slash at its end; SettingError where it is none, or holds what must not be stored."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise SettingError(f"expected a base URL such as http://127.0.0.1:8000/v1, got {url}")
    if parts.username is not None or parts.password is not None:
        raise SettingError(f"expected a base URL without name and password, got one for {parts.hostname}")
    return url.rstrip("/")


def exchange(url: str, key: str, seconds: float, body: Mapping[str, Any] | None = None) -> tuple[int, str]:
    """The status and the text that a server answers; ServingError where none does."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = Request(url, None if body is None else json.dumps(body).encode(), headers)  # noqa: S310 - base_url has seen it
    local = urlsplit(url).hostname in LOCAL
    try:
        # A proxy, which variables of the environment may name, does not know this machine by this address.
        with build_opener(ProxyHandler({} if local else None), _AsItCame).open(request, timeout=seconds) as answer:
            return answer.status, answer.read(LARGEST).decode(errors="replace")
    except (OSError, HTTPException) as error:
        said = getattr(error, "reason", None) or error
        raise ServingError(
            f"{request.get_method()} {url}: expected an answer within {seconds:g} s, got: {said!r}"
        ) from error


def ask(url: str, variable: str, seconds: float, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON object that a server answers, by the key of an environment variable."""
    key = os.environ.get(variable, "") if variable else ""
    if variable and not re.fullmatch(r"[!-~]+", key):  # what else it holds would be shown by an error further down
        got = "one with spaces or other signs that a header cannot hold" if key else "none"
        raise SettingError(f"expected a key in the environment variable {variable}, got {got}")
    status, text = exchange(url, key, seconds, body)
    asked = (
        f"{'GET' if body is None else 'POST'} {url} ({f'with the key of {variable}' if variable else 'without a key'})"
    )
    shown = (text.replace(key, "***") if key else text)[:EXCERPT]
    if status != 200:
        raise ServingError(f"{asked}: expected status 200, got {status}: {shown}")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ServingError(f"{asked}: expected JSON, got: {shown}") from error
    if not isinstance(found, dict):
        raise ServingError(f"{asked}: expected a JSON object, got: {shown}")
    return found


def listed(base: str, model: str, variable: str, seconds: float) -> dict[str, Any]:
    """What a server says of a model in its list; nothing where it lists none at all."""
    data = ask(f"{base}/models", variable, seconds).get("data") or []
    entries = {str(entry.get("id")): entry for entry in data if isinstance(entry, dict)}
    if entries and model not in entries:
        known = ", ".join(sorted(entries)[:20]) + (", ..." if len(entries) > 20 else "")
        raise ServingError(f"GET {base}/models: expected the model {model} among those served, got: {known}")
    found: dict[str, Any] = entries.get(model, {})
    return found


def context(entry: Mapping[str, Any]) -> int:
    """Tokens of prompt and answer together, which vLLM and SGLang add to what they list; 0 where they are not there."""
    tokens = entry.get("max_model_len")
    return tokens if isinstance(tokens, int) else 0


def try_out(base: str, model: str, variable: str, seconds: float) -> None:
    """Have a word generated: a folder without a chat template, say, fails here and not in every sample."""
    asked = {"model": model, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    answer = ask(f"{base}/chat/completions", variable, seconds, asked)
    if not answer.get("choices") or not (answer.get("usage") or {}).get("completion_tokens"):
        raise ServingError(f"{base}: expected an answer with its count of tokens, got: {str(answer)[:EXCERPT]}")
