"""The adaptive curriculum in verl's V1 trainer, through two hooks of its configuration.

    data.custom_cls.path=pkg://races.resources.training.verl.curriculum
    data.custom_cls.name=CurriculumDataset
    trainer.v1.sampler.custom_sampler.path=pkg://races.resources.training.verl.curriculum
    trainer.v1.sampler.custom_sampler.name=CurriculumBuffer
    data.dataloader_num_workers=0
    +data.curriculum.target=0.5

verl's loader has a sequential or a random sampler only, so the data set maps an index to a row, and the replay buffer
receives the scores of the groups of a step. The loader saves the state of a stateful data set, so every checkpoint
(data.pt) includes the curriculum. Only `sync` mode is supported: the others draw rows long before earlier scores are
known.
"""

from collections.abc import Mapping
from typing import Any

import transfer_queue
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer
from verl.utils.dataset.rl_dataset import RLHFDataset

from races.environments.errors import SettingError
from races.resources.training.curriculum_sampler import CurriculumSampler, Extra, settings_of
from races.resources.training.verl import internals


class CurriculumDataset(RLHFDataset):  # type: ignore[misc]  # verl ships no types
    """verl's data set; training rows follow the curriculum, whatever index is requested.

    verl uses the same class for the validation set, which returns the row at the index as usual.
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
    """verl's replay buffer for `sync` mode, which also passes the scores of each step to the curriculum."""

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
        """The sampler of the trainer's data set."""
        dataset = internals.training_dataset(self)
        if not isinstance(dataset, CurriculumDataset) or dataset.sampler is None:
            raise SettingError(f"curriculum: expected data.custom_cls to be CurriculumDataset, got {dataset}")
        return dataset.sampler


def outcomes(keys: list[str], rows: list[Extra], fields: list[dict[str, Any]]) -> list[tuple[Extra, float]]:
    """The extra_info and mean score of each group, from the keys of its responses and the fields verl stores for them.

    Responses on which the grader failed are ignored.
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
        # A worker process would have its own copy of the curriculum and prefetch rows.
        raise SettingError(f"data.dataloader_num_workers: expected 0, got {config.dataloader_num_workers}")
    if _files(config.train_files) == _files(config.val_files):
        raise SettingError(
            f"data.val_files: expected other files than data.train_files, since those follow the curriculum, "
            f"got {config.val_files}"
        )


def _files(files: Any) -> list[str]:
    return [files] if isinstance(files, str) else list(files)


def _plain(column: Any) -> list[Any]:
    """A column of dictionaries, unwrapped from the transfer queue's containers."""
    return [getattr(value, "data", value) for value in column]
