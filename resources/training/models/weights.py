"""Sizes and hashes of a Hugging Face folder, read without torch."""

import hashlib
import json
import math
from pathlib import Path

from races.environments.seeding import key_of
from races.resources.training.metrics import TrainingError

SETTINGS_SUFFIXES = frozenset({".json", ".jinja", ".model", ".txt"})


def parameters(folder: Path) -> int:
    """The number of parameters, from the headers of the safetensors files; tied ones are stored, and counted, once."""
    total = 0
    for file in _files(folder):
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            header = json.loads(opened.read(length))
        total += sum(math.prod(each["shape"]) for name, each in header.items() if name != "__metadata__")
    return total


def digest(folder: Path) -> str:
    """A hash of the weights."""
    found = hashlib.sha256()
    for file in _files(folder):
        with file.open("rb") as opened:
            found.update(hashlib.file_digest(opened, "sha256").digest())
    return found.hexdigest()


def fingerprint(folder: Path) -> str:
    """A hash of everything that answers depend on: weights, settings, tokenizer and chat template."""
    settings = sorted(file for file in folder.iterdir() if file.suffix in SETTINGS_SUFFIXES)
    return key_of(digest(folder), [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in settings])


def _files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise TrainingError(f"expected weights in safetensors files, got none in {folder}")
    return files
