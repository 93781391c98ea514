"""The packages of the extras, which are imported where they are used: the asset graph loads without them."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from races.environments.errors import SettingError


def missing_extra(package: str, extra: str) -> SettingError:
    """The error where a package that an extra of races brings is not installed."""
    return SettingError(f"expected the package {package}, got none: pip install 'races[{extra}]'")


def check_extra(package: str, extra: str) -> None:
    """Raise SettingError where the package is not installed: before work whose last step needs it."""
    if find_spec(package) is None:
        raise missing_extra(package, extra)


class LazyPackage:
    """A package that is imported when a name in it is first used; SettingError where it is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        self._package, self._extra = package, extra

    def __getattr__(self, name: str) -> Any:
        check_extra(self._package, self._extra)
        return getattr(import_module(self._package), name)
