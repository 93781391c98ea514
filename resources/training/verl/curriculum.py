"""The adaptive curriculum inside verl's V1 trainer, through the two hooks that its configuration has.

    data.custom_cls.path=pkg://resources.training.verl_curriculum
    data.custom_cls.name=CurriculumDataset
    trainer.v1.sampler.custom_sampler.path=pkg://resources.training.verl_curriculum
    trainer.v1.sampler.custom_sampler.name=CurriculumBuffer
    data.dataloader_num_workers=0
    +data.curriculum.target=0.5

verl fixes the sampler of its loader to a sequential or a random one, so it is the data set that decides which row a
place stands for, and its replay buffer that learns how the groups of a step scored. The loader saves the state of a
data set that has one, so the curriculum is saved in every checkpoint (data.pt) and resumed from it. Only `sync` mode is
supported: the others draw rows long before the scores of earlier ones are known.
"""

from collections.abc import Mapping
from typing import Any

import transfer_queue
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer
from verl.utils.dataset.rl_dataset import RLHFDataset

from races.environments.errors import SettingError
from races.resources.training.curriculum_sampler import CurriculumSampler, Extra, settings_of


class CurriculumDataset(RLHFDataset):  # type: ignore[misc]  # verl ships no types
    """verl's data set, whose training rows come in the order of the curriculum, whatever places are asked for.

    verl makes its validation set of the same class; that one gives the row of the place, as ever.
    """

    def __init__(self, data_files: Any, tokenizer: Any, config: Any, **others: Any) -> None:
        super().__init__(data_files=data_files, tokenizer=tokenizer, config=config, **others)
        self.sampler: CurriculumSampler | None = None
        if _files(data_files) == _files(config.train_files):
            _check(config)
            self.sampler = CurriculumSampler(
                self.dataframe["extra_info"], settings_of(config.get("curriculum")), config.get("seed")
            )

    def __getitem__(self, item: int) -> dict[str, Any]:
        row: dict[str, Any] = super().__getitem__(item if self.sampler is None else self.sampler.take())
        return row

    def state_dict(self) -> dict[str, Any]:
        return {} if self.sampler is None else self.sampler.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if self.sampler is not None:
            self.sampler.load_state_dict(state)


class CurriculumBuffer(ReplayBuffer):  # type: ignore[misc]  # verl ships no types
    """verl's replay buffer for `sync` mode, which also tells the curriculum how the groups of each step scored."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        if self.trainer_mode != "sync":
            raise SettingError(f"curriculum: expected trainer.v1.trainer_mode sync, got {self.trainer_mode}")

    def sample(self, global_steps: int, partition_id: str, batch_size: int) -> tuple[Any, dict[str, Any]]:
        batch, metrics = super().sample(global_steps, partition_id, batch_size)
        if partition_id == "train":
            found = transfer_queue.kv_batch_get(
                keys=batch.keys, partition_id=partition_id, select_fields=["extra_info", "extra_fields"]
            )
            sampler = self.curriculum()
            sampler.update(outcomes(batch.keys, _plain(found["extra_info"]), _plain(found["extra_fields"])))
            metrics = {**metrics, **sampler.metrics()}
        return batch, metrics

    def curriculum(self) -> CurriculumSampler:
        """What draws the rows of the trainer that this buffer belongs to."""
        # The one way to them: verl hands a buffer a method of its trainer, which holds the data set.
        dataset = getattr(getattr(self.refill_fn, "__self__", None), "train_dataset", None)
        if not isinstance(dataset, CurriculumDataset) or dataset.sampler is None:
            raise SettingError(f"curriculum: expected data.custom_cls to be CurriculumDataset, got {dataset}")
        return dataset.sampler


def outcomes(keys: list[str], rows: list[Extra], fields: list[dict[str, Any]]) -> list[tuple[Extra, float]]:
    """The extra_info and mean score of each group, from the keys of its responses and what verl stores for each.

    A response that the grader failed on counts for nothing.
    """
    groups: dict[str, tuple[Extra, list[float]]] = {}
    for key, row, field in zip(keys, rows, fields, strict=True):
        reward = field.get("reward_extra_info", {})
        if "score" not in reward:
            raise SettingError(f"curriculum: expected a reward function that gives a score, got {sorted(reward)}")
        _, scores = groups.setdefault(key.split("_")[0], (row, []))
        if not reward.get("grader_failed"):
            scores.append(float(reward["score"]))
    return [(row, sum(scores) / len(scores)) for row, scores in groups.values() if scores]


def _check(config: Any) -> None:
    if config.dataloader_num_workers:
        # A worker process would draw from a copy of the curriculum, and ahead of the scores.
        raise SettingError(f"data.dataloader_num_workers: expected 0, got {config.dataloader_num_workers}")
    if _files(config.train_files) == _files(config.val_files):
        raise SettingError(
            f"data.val_files: expected other files than data.train_files, since those follow the curriculum, "
            f"got {config.val_files}"
        )


def _files(files: Any) -> list[str]:
    return [files] if isinstance(files, str) else list(files)


def _plain(column: Any) -> list[Any]:
    """A column of dictionaries, out of what the transfer queue wraps each in."""
    return [getattr(value, "data", value) for value in column]
