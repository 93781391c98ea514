"""Greedy answers of a model to prompts: `python -m races.resources.training.models.answering REQUEST.json`.

Answers are appended to a file of JSON lines; a process that is started again resumes where it was stopped.
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
class AnsweringSpec:
    """The input of the process.

    A response starts with the tag with which the chat template opens the thinking, if any, so that it is complete.
    """

    model: str
    file: str  # Parquet with columns id and prompt
    answers: str  # a file of JSON lines
    metrics: str  # a file of JSON lines
    response_length: int  # tokens
    device: str = "cpu"
    threads: int = 1
    batch: int = 64  # prompts


def answer(spec: AnsweringSpec) -> None:
    """Answer the prompts without an answer, in batches of similar length.

    Raises TrainingError where the tags of thinking are special tokens, which decoding would drop.
    """
    torch.set_num_threads(spec.threads)
    earlier = lines(Path(spec.answers))
    replace(Path(spec.answers), earlier)  # without an incomplete last line
    done = {line["id"] for line in earlier}
    rows = [row for row in pq.read_table(spec.file, columns=["id", "prompt"]).to_pylist() if row["id"] not in done]
    rows.sort(key=lambda row: (len(row["prompt"]), row["id"]))
    model, tokenizer = load(spec.model)
    if lost := marks_lost(tokenizer):
        raise TrainingError(
            f"{spec.model}: expected tags of thinking that are not special tokens, got {', '.join(lost)}: "
            "decoding drops those, and a draft would count as an answer"
        )
    mark = opened_in_prompt(tokenizer)
    model.to(spec.device)
    for begin in range(0, len(rows), spec.batch):
        some, started = rows[begin : begin + spec.batch], time.monotonic()
        prompts = [[{"role": "user", "content": row["prompt"]}] for row in some]
        batch = generate(model, tokenizer, prompts, spec.response_length)
        found = [
            {"id": row["id"], "response": mark + text, "ended": ended}
            for row, text, ended in zip(some, batch.texts, batch.ended, strict=True)
        ]
        append(Path(spec.answers), found)
        number = len(done) + begin + len(some)
        progress = Progress(done=number, seconds=time.monotonic() - started)
        append(Path(spec.metrics), [asdict(progress)])


if __name__ == "__main__":
    run(lambda content: answer(AnsweringSpec(**content)))
