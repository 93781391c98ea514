"""Models that are evaluated at an endpoint: a TOML file of the user's, which RACES_ENDPOINTS names.

    [qwen3_4b]
    base_url = "http://gpu7:8000/v1"
    model = "Qwen/Qwen3-4B-Instruct-2507"
    key_variable = "QWEN_KEY"            # the environment variable with the key; the key itself is never stored
    like = "Qwen/Qwen3-8B"               # whose card gives the sampling settings, if the name of the model does not
    context = 262144                     # tokens of the longest prompt with its answer
    tokenizer = "/models/qwen3/tokenizer.json"   # to truncate LongBench's prompts to that

Each is a partition of the benchmark assets, like the models and runs of this project.
"""

import os
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from races.environments.errors import SettingError

VARIABLE = "RACES_ENDPOINTS"
NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class EndpointEntry:
    """An entry of the file; its fields are those of the example above."""

    base_url: str
    model: str
    key_variable: str = ""
    like: str = ""
    context: int = 0
    tokenizer: str = ""


def endpoints(taken: frozenset[str] = frozenset()) -> dict[str, EndpointEntry]:
    """The entries of the user's file by name; none where no file is named.

    taken: names that are in use already. Raises SettingError with the file and the entry that is wrong.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return {}
    file = Path(named).expanduser()
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingError(f"{VARIABLE}: expected a TOML file of endpoints at {file}, got {error}") from error
    found = {}
    for name, entry in read.items():
        if not NAME.fullmatch(name) or name in taken:
            raise SettingError(f"{file}: expected a new name of small letters, digits and _, got {name!r}")
        found[name] = _entry(file, name, entry)
    return found


def _entry(file: Path, name: str, entry: Any) -> EndpointEntry:
    known = {each.name: each.type for each in fields(EndpointEntry)}
    if not isinstance(entry, dict) or not {"base_url", "model"} <= entry.keys() or not entry.keys() <= known.keys():
        got = ", ".join(entry) if isinstance(entry, dict) else type(entry).__name__
        raise SettingError(f"{file}: [{name}]: expected base_url, model and maybe {', '.join(known)}, got {got}")
    for field, value in entry.items():
        if type(value) is not known[field]:
            raise SettingError(f"{file}: [{name}]: {field}: expected {known[field]}, got {value!r}")
    return EndpointEntry(**entry)
