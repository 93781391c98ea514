"""Greedy answers of a model to prompts: `python -m races.resources.training.models.answering REQUEST.json`.

Answers are added to a file of JSON lines as they come; a process that is started again goes on where it was stopped.
"""

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow.parquet as pq
import torch

from races.environments.responses.thinking import marks_lost, opened_in_prompt
from races.resources.processes.json_lines import append, lines, replace
from races.resources.processes.json_worker import run
from races.resources.processes.progress import Progress
from races.resources.training.metrics import TrainingError
from races.resources.training.models.folders import load
from races.resources.training.models.generation import generate


@dataclass(frozen=True)
class Request:
    """What is asked. file: Parquet with columns id and prompt. answers, metrics: files of JSON lines that grow.

    A response begins with the mark with which the chat template opened the thinking, so that it can be read alone.
    """

    model: str
    file: str
    answers: str
    metrics: str
    response_length: int
    device: str = "cpu"
    threads: int = 1
    batch: int = 64


def answer(request: Request) -> None:
    """Answer what has no answer yet, prompts of like length together; TrainingError where thinking cannot be seen."""
    torch.set_num_threads(request.threads)
    given = lines(Path(request.answers))
    replace(Path(request.answers), given)  # without a last line that was cut off
    done = {line["id"] for line in given}
    rows = [row for row in pq.read_table(request.file, columns=["id", "prompt"]).to_pylist() if row["id"] not in done]
    rows.sort(key=lambda row: (len(row["prompt"]), row["id"]))
    model, tokenizer = load(request.model)
    if lost := marks_lost(tokenizer):
        raise TrainingError(
            f"{request.model}: expected marks of thinking that are no special tokens, got {', '.join(lost)}: texts are "
            "decoded without those, and a draft would count as an answer"
        )
    mark = opened_in_prompt(tokenizer)
    model.to(request.device)
    for begin in range(0, len(rows), request.batch):
        some, started = rows[begin : begin + request.batch], time.monotonic()
        asked = [[{"role": "user", "content": row["prompt"]}] for row in some]
        batch = generate(model, tokenizer, asked, request.response_length)
        found = [
            {"id": row["id"], "response": mark + text, "ended": ended}
            for row, text, ended in zip(some, batch.texts, batch.ended, strict=True)
        ]
        append(Path(request.answers), found)
        number = len(done) + begin + len(some)
        progress = Progress(done=number, seconds=time.monotonic() - started)
        append(Path(request.metrics), [asdict(progress)])


if __name__ == "__main__":
    run(lambda asked: answer(Request(**asked)))
