"""The folder of a verl run: what is put there, and what it tells of the run.

config.yaml and command.sh, what was run; attempts/, a log and a file of metrics for each start; checkpoints/;
rollouts/, all of them, of every so many steps; groups.jsonl, what the rollouts of each step say of their groups;
model/, the last step in Hugging Face's format; greedy.json, what that answers to a question.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from races.resources.processes.launching import MetricsTail
from races.resources.training.config import StepMetrics, TrainingConfig

KEPT_GROUPS = 8  # groups of a step whose rollouts are handed back


@dataclass(frozen=True)
class RunFolder:
    """A run and what its folder tells of it. thinking: the mark with which its prompts open the thinking, or ""."""

    config: TrainingConfig
    train_files: list[Path]
    folder: Path
    thinking: str = ""

    def next_attempt(self) -> tuple[Path, Path]:
        """A file of metrics and a log that no attempt had: verl empties the file that it is given."""
        attempts = self.folder / "attempts"
        attempts.mkdir(exist_ok=True)
        number = len(list(attempts.glob("*.log"))) + 1
        return attempts / f"{number:04}.jsonl", attempts / f"{number:04}.log"

    def step(self, row: dict[str, Any]) -> StepMetrics | None:
        """A line of verl's file logger; None for one without rollouts."""
        said = row["data"]
        if "critic/score/mean" not in said:
            return None
        # verl counts the responses that are as long as the longest of their batch.
        cut = said.get("response_length/max", 0) >= self.config.response_length
        return StepMetrics(
            step=row["step"],
            reward=said["critic/score/mean"],
            clip_fraction=said.get("actor/pg_clipfrac"),
            response_length=said.get("response_length/mean"),
            truncated=said.get("response_length/clip_ratio") if cut else 0.0,
            entropy=said.get("actor/entropy_loss"),
            grad_norm=said.get("actor/grad_norm"),
            loss=said.get("actor/pg_loss"),
            seconds=said.get("timing_s/step"),
        )

    def metrics(self) -> tuple[StepMetrics, ...]:
        """The steps of all attempts; of one that was repeated, the last time."""
        steps: dict[int, StepMetrics] = {}
        for file in sorted((self.folder / "attempts").glob("*.jsonl")):
            steps |= {each.step: each for each in MetricsTail(file, self.step).new()}
        groups = self._groups()
        return tuple(_with(steps[step], groups) for step in sorted(steps))

    def _groups(self) -> dict[int, dict[str, float]]:
        """What was taken down of the groups of each step, the last time."""
        file = self.folder / "groups.jsonl"
        return {row["step"]: row for row in _lines(file)} if file.exists() else {}

    def with_groups(self, step: StepMetrics) -> StepMetrics:
        """The step with what its rollouts say, where verl has written them already."""
        self.digest_groups()
        return _with(step, self._groups())

    def digest_groups(self) -> None:
        """Take down what whole files of rollouts say of their groups, and remove those that are not to be kept."""
        known = self._groups()
        for file in sorted((self.folder / "rollouts").glob("*.jsonl"), key=_step):
            step, written = _step(file), file.stat().st_mtime_ns
            if step in known and known[step]["written"] == written:
                continue
            rows = _lines(file)
            if len(rows) < self.config.prompts * self.config.rollouts:
                continue  # verl still writes it
            scores: dict[str, list[float]] = {}
            for row in rows:
                scores.setdefault(_group(row), []).append(row["score"])
            said = {
                "step": step,
                "written": written,
                "reward_std": fmean(map(pstdev, scores.values())),
                "mixed_groups": fmean(min(group) < max(group) for group in scores.values()),
            }
            with (self.folder / "groups.jsonl").open("a") as groups:
                groups.write(json.dumps(said) + "\n")
            if step % self.config.rollouts_every:
                file.unlink()

    def rollouts(self) -> tuple[dict[str, Any], ...]:
        """Rollouts of the kept steps: all of a few groups each, with what the prompt begins of a response."""
        found: list[dict[str, Any]] = []
        for file in sorted((self.folder / "rollouts").glob("*.jsonl"), key=_step):
            rows = _lines(file)
            groups = list(dict.fromkeys(map(_group, rows)))[:KEPT_GROUPS]
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
    said = groups.get(step.step, {})
    return replace(step, reward_std=said.get("reward_std"), mixed_groups=said.get("mixed_groups"))


def _step(file: Path) -> int:
    """A file of rollouts is named by its step."""
    return int(file.stem)


def _lines(file: Path) -> list[dict[str, Any]]:
    """The whole lines of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]


def _group(row: dict[str, Any]) -> str:
    """What the rollouts of one prompt share: verl's key is prompt_rollout_output."""
    return str(row["uid"]).rsplit("_", 2)[0]
