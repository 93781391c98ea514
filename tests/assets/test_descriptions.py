"""What the UI says of assets, checks, schedules, resources and settings is there, and told from one another."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from pydantic import BaseModel

from races.assets import defs as groups
from races.assets.definitions import definitions
from races.resources.store.warehouse import Warehouse
from races.resources.training.store import TrainingStore

# Dagster warns of itself where it takes in an observable source.
pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

MODULES = [importlib.import_module(each.name) for each in pkgutil.walk_packages(groups.__path__, f"{groups.__name__}.")]
SETTINGS = {
    each
    for module in MODULES
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, dg.Config) and each is not dg.Config
}


def undescribed(model: type[BaseModel]) -> Iterator[str]:
    """The fields of a model, and of models within it, that have no description."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            if not (field.description or inner.__doc__):
                yield f"{model.__name__}.{name}"
            yield from undescribed(inner)
        elif not field.description:
            yield f"{model.__name__}.{name}"


@pytest.mark.parametrize("model", [*sorted(SETTINGS, key=lambda each: each.__name__), TrainingStore, Warehouse])
def test_every_setting_is_described(model: type[BaseModel]) -> None:
    assert list(undescribed(model)) == []


def test_every_asset_check_and_schedule_is_described_in_a_sentence_of_its_own() -> None:
    made = definitions("nowhere")
    graph = made.resolve_asset_graph()
    said: dict[str, Any] = {key.to_user_string(): graph.get(key).description for key in graph.get_all_asset_keys()}
    said |= {key.name: graph.get(key).description for key in graph.asset_check_keys}
    said |= {each.name: each.description for each in made.schedules or [] if isinstance(each, dg.ScheduleDefinition)}
    assert [name for name, text in said.items() if not (text or "").endswith(".")] == []
    assert len(set(said.values())) == len(said)


def test_every_asset_is_in_a_group_and_of_a_kind() -> None:
    graph = definitions("nowhere").resolve_asset_graph()
    nodes = [graph.get(key) for key in graph.get_all_asset_keys()]
    assert [node.key for node in nodes if node.group_name == "default" or not node.kinds] == []
