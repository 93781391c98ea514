"""Processes that do what a JSON file asks for: `python -m MODULE REQUEST.json`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from races.environments.errors import RacesError


def run(work: Callable[[dict[str, Any]], None]) -> None:
    """Do the work that the file named by the one argument asks for, and end the process.

    The exit code is 1, with a message on standard error, where it cannot be done.
    """
    try:
        work(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    except RacesError as error:
        sys.exit(f"error: {error}")
    sys.exit(0)
