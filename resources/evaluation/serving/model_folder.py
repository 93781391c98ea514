"""Settings and chat template of a Hugging Face folder, read without transformers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from races.environments.errors import SettingError


def json_object(file: Path) -> dict[str, Any]:
    """A JSON file of the folder; SettingError where it is missing or not a JSON object."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingError(f"expected a Hugging Face folder with {file.name}, got {file.parent}: {error}") from error
    if not isinstance(found, dict):
        raise SettingError(f"expected a JSON object in {file}, got {type(found).__name__}")
    return found


class ChatTemplate:
    """The chat template of a folder. text: its source, "" where the folder has none."""

    def __init__(self, folder: Path) -> None:
        file, settings = folder / "chat_template.jinja", folder / "tokenizer_config.json"
        self._tokenizer = json_object(settings) if settings.exists() else {}
        found = file.read_text(encoding="utf-8") if file.exists() else self._tokenizer.get("chat_template") or ""
        if isinstance(found, list):  # named templates
            found = next((each["template"] for each in found if each.get("name") == "default"), "")
        self.text = str(found)

    def prompt(self, messages: Sequence[dict[str, str]], think: bool) -> str:
        """The prompt, generation prompt included, as transformers renders it; "" where the template raises an error."""
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals |= {"raise_exception": _refuse, "strftime_now": lambda form: ""}
        tokens = {name: self._token(name) for name in ("bos_token", "eos_token", "pad_token")}
        try:
            template = environment.from_string(self.text)
            return template.render(messages=list(messages), add_generation_prompt=True, enable_thinking=think, **tokens)
        except (TemplateError, TypeError, ValueError):
            return ""

    def _token(self, name: str) -> str:
        token = self._tokenizer.get(name)
        return str(token.get("content", "") if isinstance(token, dict) else token or "")


def _refuse(message: str) -> None:
    raise TemplateError(message)
