"""The base class of settings: Dagster's where Dagster is, so that an asset takes them; pydantic's where it is not.

The interpreter that trains has no Dagster (verl's Hydra needs another antlr), and yet reads and checks the same runs.
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
            """Fixed once made, as Dagster's is."""

            model_config = ConfigDict(frozen=True)


__all__ = ["Settings"]
