"""The base class of settings: Dagster's Config where Dagster is installed, so that assets accept them, else pydantic's.

The interpreter that trains has no Dagster (verl's Hydra needs another antlr), but validates the same settings.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster import Config as Settings
else:
    try:
        from dagster import Config as Settings
    except ModuleNotFoundError as error:
        if error.name != "dagster":
            raise
        from pydantic import BaseModel, ConfigDict

        class Settings(BaseModel):
            """Immutable, as Dagster's Config is."""

            model_config = ConfigDict(frozen=True)


__all__ = ["Settings"]
