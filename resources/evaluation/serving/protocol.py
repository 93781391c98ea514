"""Requests to an OpenAI-compatible server that precede a benchmark: list of models, context length, smoke test."""

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
MAX_RESPONSE_BYTES = 2**22
EXCERPT_CHARACTERS = 300  # of a response, in an error


class ServingError(RacesError):
    """A model cannot be reached; the message has the request, what was expected and what came back."""


class _AnyStatus(HTTPErrorProcessor):
    """Returns every response: no status raises, and no redirect sends the key to another server."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response

    https_response = http_response


def base_url(url: str) -> str:
    """A base URL without its trailing slash; SettingError where it is invalid or contains credentials."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise SettingError(f"expected a base URL such as http://127.0.0.1:8000/v1, got {url}")
    if parts.username is not None or parts.password is not None:
        raise SettingError(f"expected a base URL without name and password, got one for {parts.hostname}")
    return url.rstrip("/")


def exchange(url: str, key: str, seconds: float, body: Mapping[str, Any] | None = None) -> tuple[int, str]:
    """The status and the body of a response; ServingError where there is none within `seconds`."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = Request(url, None if body is None else json.dumps(body).encode(), headers)  # noqa: S310 - base_url has validated it
    local = urlsplit(url).hostname in LOCAL
    try:
        # A proxy named by environment variables cannot reach this machine under a loopback address.
        with build_opener(ProxyHandler({} if local else None), _AnyStatus).open(request, timeout=seconds) as answer:
            return answer.status, answer.read(MAX_RESPONSE_BYTES).decode(errors="replace")
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise ServingError(
            f"{request.get_method()} {url}: expected an answer within {seconds:g} s, got: {reason!r}"
        ) from error


def ask(url: str, variable: str, seconds: float, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON object in a response. variable: the environment variable that holds the key, "" for no key."""
    key = os.environ.get(variable, "") if variable else ""
    if variable and not re.fullmatch(r"[!-~]+", key):  # http.client would show an invalid header in its error
        got = "one with spaces or other characters that a header cannot hold" if key else "none"
        raise SettingError(f"expected a key in the environment variable {variable}, got {got}")
    status, text = exchange(url, key, seconds, body)
    method, credentials = (
        "GET" if body is None else "POST",
        f"with the key of {variable}" if variable else "without a key",
    )
    request = f"{method} {url} ({credentials})"
    excerpt = (text.replace(key, "***") if key else text)[:EXCERPT_CHARACTERS]
    if status != 200:
        raise ServingError(f"{request}: expected status 200, got {status}: {excerpt}")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ServingError(f"{request}: expected JSON, got: {excerpt}") from error
    if not isinstance(found, dict):
        raise ServingError(f"{request}: expected a JSON object, got: {excerpt}")
    return found


def listed(base: str, model: str, variable: str, seconds: float) -> dict[str, Any]:
    """A model's entry in a server's list of models; empty where the server lists none at all."""
    data = ask(f"{base}/models", variable, seconds).get("data") or []
    entries = {str(entry.get("id")): entry for entry in data if isinstance(entry, dict)}
    if entries and model not in entries:
        names = ", ".join(sorted(entries)[:20]) + (", ..." if len(entries) > 20 else "")
        raise ServingError(f"GET {base}/models: expected the model {model} among those served, got: {names}")
    found: dict[str, Any] = entries.get(model, {})
    return found


def context(entry: Mapping[str, Any]) -> int:
    """The context length in tokens, which vLLM and SGLang list with a model; 0 for servers that do not."""
    tokens = entry.get("max_model_len")
    return tokens if isinstance(tokens, int) else 0


def smoke_test(base: str, model: str, variable: str, seconds: float) -> None:
    """Generate one token: a folder without a chat template, say, fails here instead of in every sample."""
    body = {"model": model, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    answer = ask(f"{base}/chat/completions", variable, seconds, body)
    if not answer.get("choices") or not (answer.get("usage") or {}).get("completion_tokens"):
        raise ServingError(
            f"{base}: expected an answer with its count of tokens, got: {str(answer)[:EXCERPT_CHARACTERS]}"
        )
