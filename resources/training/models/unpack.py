"""The small chat model as a Hugging Face folder: `python -m races.resources.training.models.unpack REQUEST.json`."""

from pathlib import Path

from races.resources.processes.json_worker import run
from races.resources.training.models.folders import smollm2

if __name__ == "__main__":
    run(lambda content: smollm2(Path(content["folder"])))
