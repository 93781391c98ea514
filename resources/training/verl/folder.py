"""The folder of a verl run.

config.yaml, command.sh: what was run
attempts/: a log and a file of metrics for each start
checkpoints/: verl's own
rollouts/: all rollouts of every rollouts_every-th step
groups.jsonl: statistics of the groups of each step
model/: the last step in Hugging Face's format
greedy.json: a prompt and the model's greedy answer
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from races.resources.processes.launching import MetricsTail
from races.resources.training.config import StepMetrics, TrainingConfig

RETURNED_GROUPS = 8  # per step, in TrainingResult.rollouts


@dataclass(frozen=True)
class RunFolder:
    """A run and its folder."""

    config: TrainingConfig
    train_files: list[Path]
    folder: Path
    thinking: str = ""  # the tag with which its prompts open the thinking; "" for none

    def next_attempt(self) -> tuple[Path, Path]:
        """A new file of metrics and a new log: verl truncates the file that it is given."""
        attempts = self.folder / "attempts"
        attempts.mkdir(exist_ok=True)
        number = len(list(attempts.glob("*.log"))) + 1
        return attempts / f"{number:04}.jsonl", attempts / f"{number:04}.log"

    def step(self, row: dict[str, Any]) -> StepMetrics | None:
        """The step in a line of verl's file logger; None for a line without rollouts."""
        data = row["data"]
        if "critic/score/mean" not in data:
            return None
        # verl's clip ratio counts the responses that are as long as the longest of their batch.
        cut = data.get("response_length/max", 0) >= self.config.response_length
        return StepMetrics(
            step=row["step"],
            reward=data["critic/score/mean"],
            clip_fraction=data.get("actor/pg_clipfrac"),
            response_length=data.get("response_length/mean"),
            truncated=data.get("response_length/clip_ratio") if cut else 0.0,
            entropy=data.get("actor/entropy_loss"),
            grad_norm=data.get("actor/grad_norm"),
            loss=data.get("actor/pg_loss"),
            seconds=data.get("timing_s/step"),
        )

    def metrics(self) -> tuple[StepMetrics, ...]:
        """The steps of all attempts; of repeated ones the last."""
        steps: dict[int, StepMetrics] = {}
        for file in sorted((self.folder / "attempts").glob("*.jsonl")):
            steps |= {each.step: each for each in MetricsTail(file, self.step).new()}
        groups = self._groups()
        return tuple(_with(steps[step], groups) for step in sorted(steps))

    def _groups(self) -> dict[int, dict[str, float]]:
        """The stored statistics of the groups of each step; of repeated ones the last."""
        file = self.folder / "groups.jsonl"
        return {row["step"]: row for row in _lines(file)} if file.exists() else {}

    def with_groups(self, step: StepMetrics) -> StepMetrics:
        """The step with the statistics of its groups, if verl has already written the rollouts."""
        self.update_group_statistics()
        return _with(step, self._groups())

    def update_group_statistics(self) -> None:
        """Store statistics of the groups in complete files of rollouts, and remove files that are not kept."""
        known = self._groups()
        for file in sorted((self.folder / "rollouts").glob("*.jsonl"), key=_step):
            step, written = _step(file), file.stat().st_mtime_ns
            if step in known and known[step]["written"] == written:
                continue
            rows = _lines(file)
            if len(rows) < self.config.prompts * self.config.rollouts:
                continue  # verl is still writing it
            scores: dict[str, list[float]] = {}
            for row in rows:
                scores.setdefault(_group(row), []).append(row["score"])
            statistics = {
                "step": step,
                "written": written,
                "reward_std": fmean(map(pstdev, scores.values())),
                "mixed_groups": fmean(min(group) < max(group) for group in scores.values()),
            }
            with (self.folder / "groups.jsonl").open("a") as groups:
                groups.write(json.dumps(statistics) + "\n")
            if step % self.config.rollouts_every:
                file.unlink()

    def rollouts(self) -> tuple[dict[str, Any], ...]:
        """Rollouts of a few groups of each kept step, including an opening tag of thinking from the prompt."""
        found: list[dict[str, Any]] = []
        for file in sorted((self.folder / "rollouts").glob("*.jsonl"), key=_step):
            rows = _lines(file)
            groups = list(dict.fromkeys(map(_group, rows)))[:RETURNED_GROUPS]
            found += [
                {
                    "step": row["step"],
                    "prompt": row["input"],
                    "response": self.thinking + row["output"],
                    "truth": row["gts"],
                    "score": row["score"],
                }
                for row in rows
                if _group(row) in groups
            ]
        return tuple(found)


def _with(step: StepMetrics, groups: dict[int, dict[str, float]]) -> StepMetrics:
    statistics = groups.get(step.step, {})
    return replace(step, reward_std=statistics.get("reward_std"), mixed_groups=statistics.get("mixed_groups"))


def _step(file: Path) -> int:
    """The step of a file of rollouts, which is its name."""
    return int(file.stem)


def _lines(file: Path) -> list[dict[str, Any]]:
    """The complete lines of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]


def _group(row: dict[str, Any]) -> str:
    """The id of a rollout's group: verl's key is prompt_rollout_output."""
    return str(row["uid"]).rsplit("_", 2)[0]
