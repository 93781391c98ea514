"""The small chat model as a Hugging Face folder: `python -m resources.training.unpack REQUEST.json`."""

from pathlib import Path

from resources.requested import run
from resources.training.models import smollm2

if __name__ == "__main__":
    run(lambda asked: smollm2(Path(asked["folder"])))
