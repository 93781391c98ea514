"""A model server that is already running: its key, its list of models, and what goes wrong with it."""

from typing import Any

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.serving.protocol import ServingError
from races.resources.evaluation.serving.servers import Endpoint, Remote
from tests.support.model_servers import KEY, enter, listing


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)


@pytest.mark.usefixtures("_key")
def test_a_server_that_is_there_is_asked_once_and_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody's: this machine is not reached by a proxy
    with listing() as (url, asked):
        assert enter(Remote(f"{url}/", "one", "SOME_KEY")) == Endpoint(url, "one", "SOME_KEY", "remote", 8192)
        assert enter(Remote(url, "two", "SOME_KEY")).context == 0
        assert enter(Remote(url, "one", "SOME_KEY", context=99)).context == 99
        assert asked == [("/v1/models", f"Bearer {KEY}")] * 3


def test_a_server_that_lists_no_models_is_taken_at_its_word() -> None:
    with listing(key="", body='{"data": []}') as (url, asked):
        assert enter(Remote(url, "any")) == Endpoint(url, "any")
        assert asked == [("/v1/models", None)]


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(
    ("how", "variable", "message"),
    [
        ({}, "", r"/models \(without a key\): expected status 200, got 401"),
        (
            {"key": "another"},
            "SOME_KEY",
            r"with the key of SOME_KEY\): expected status 200, got 401: wrong key: Bearer \*\*\*",
        ),
        ({"status": 500, "body": "oh no"}, "SOME_KEY", "expected status 200, got 500: oh no"),
        ({"body": "<html>"}, "SOME_KEY", "expected JSON, got: <html>"),
        ({"body": "[1]"}, "SOME_KEY", r"expected a JSON object, got: \[1\]"),
        ({"body": '{"data": [{"id": "b"}, {"id": "a"}]}'}, "SOME_KEY", "expected the model one among .*, got: a, b$"),
        ({"status": 0}, "SOME_KEY", "expected an answer within 0.3 s, got: .*timed out"),
    ],
)
def test_what_a_server_answers_amiss_is_in_the_error(how: dict[str, Any], variable: str, message: str) -> None:
    with listing(**how) as (url, _), pytest.raises(ServingError, match=message) as caught:
        enter(Remote(url, "one", variable, seconds=0.3 if how.get("status") == 0 else 20))
    assert KEY not in str(caught.value)


@pytest.mark.usefixtures("_key")
def test_no_redirection_takes_the_key_elsewhere() -> None:
    with listing(key="") as (other, heard), listing(status=307, location=f"{other}/models") as (url, _):
        with pytest.raises(ServingError, match="expected status 200, got 307"):
            enter(Remote(url, "one", "SOME_KEY"))
        assert heard == []


def test_a_server_that_is_not_there_is_an_error() -> None:
    with listing() as (url, _):
        pass
    with pytest.raises(ServingError, match=f"GET {url}/models: expected an answer .*refused"):
        enter(Remote(url, "one"))


def test_a_setting_that_cannot_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("127.0.0.1:8000", "file:///etc/passwd", "http://", "http://a/v1?key=b"):
        with pytest.raises(SettingError, match="expected a base URL such as"):
            enter(Remote(url, "one"))
    with pytest.raises(SettingError, match=r"without name and password, got one for a$"):
        enter(Remote(f"http://me:{KEY}@a/v1", "one"))
    with pytest.raises(SettingError, match="a key in the environment variable NOT_THERE, got none"):
        enter(Remote("http://127.0.0.1:9/v1", "one", "NOT_THERE"))
    monkeypatch.setenv("TWO_LINES", f"{KEY}\n")
    with pytest.raises(SettingError, match="TWO_LINES, got one with spaces") as caught:
        enter(Remote("http://127.0.0.1:9/v1", "one", "TWO_LINES"))
    assert KEY not in str(caught.value)
