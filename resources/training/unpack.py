"""The small chat model as a Hugging Face folder: `python -m resources.training.unpack REQUEST.json`."""

import json
import sys
from pathlib import Path

from environments.errors import RacesError
from resources.training.models import smollm2


def main(file: str) -> int:
    """Unpack into the folder that the request names; 1 with a message on standard error where that fails."""
    request = json.loads(Path(file).read_text())
    try:
        smollm2(Path(request["folder"]))
    except RacesError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
