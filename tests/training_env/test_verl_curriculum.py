"""The curriculum in verl's own trainer, loader, buffer and configuration."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from races.environments.curriculum import CurriculumSettings
from races.environments.errors import SettingError
from races.environments.seeding import generator
from races.resources.training.curriculum_sampler import CurriculumSampler
from races.resources.training.rows import VERL
from tests.support.curriculum_rows import BATCH, EXTRAS, GROUP, ROWS, score, steps

MODULE = "pkg://races.resources.training.verl.curriculum"
SWITCHED_ON = [
    f"data.custom_cls.path={MODULE}",
    "data.custom_cls.name=CurriculumDataset",
    f"trainer.v1.sampler.custom_sampler.path={MODULE}",
    "trainer.v1.sampler.custom_sampler.name=CurriculumBuffer",
    "data.dataloader_num_workers=0",
]
pytestmark = [
    # torchdata's loader calls a function that torch has deprecated.
    pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning"),
]


@pytest.fixture(scope="module")
def verl(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """verl's parts, a set as Parquet, and its configuration with the curriculum switched on."""
    folder = tmp_path_factory.mktemp("verl")
    for name in ("train", "val"):
        pq.write_table(pa.Table.from_pylist(ROWS, schema=VERL), folder / f"{name}.parquet")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_DATASETS_CACHE", str(folder / "cache"))
        # Engines that are not installed, and what Ray says of its own modules.
        warnings.simplefilter("ignore")
        import hydra
        import torch
        from torchdata.stateful_dataloader import StatefulDataLoader
        from verl.trainer.ppo.utils import create_rl_dataset, create_rl_sampler
        from verl.utils.dataset.rl_dataset import collate_fn

        import races.resources.training.verl.curriculum  # noqa: F401  # here, where its warnings are ignored

    def config(*overrides: str) -> Any:
        files = [f"data.{name}_files={folder}/{name}.parquet" for name in ("train", "val")]
        with hydra.initialize_config_module("verl.trainer.config", version_base=None):
            return hydra.compose(
                "ppo_trainer", [*SWITCHED_ON, *files, f"data.train_batch_size={BATCH}", "data.seed=5", *overrides]
            )

    def dataset(settings: Any, part: str = "train") -> Any:
        return create_rl_dataset(settings.data[f"{part}_files"], settings.data, None, None, is_train=part == "train")

    def loader(settings: Any, data: Any) -> Any:
        """As verl's trainer makes it."""
        return StatefulDataLoader(
            dataset=data,
            batch_size=settings.data.train_batch_size,
            num_workers=settings.data["dataloader_num_workers"],
            drop_last=True,
            collate_fn=collate_fn,
            sampler=create_rl_sampler(settings.data, data),
        )

    return SimpleNamespace(config=config, dataset=dataset, loader=loader, torch=torch, folder=folder)


def batches(loader: Any, count: int, rng: Random) -> list[list[str]]:
    """The ids of so many batches through verl's loader, epoch after epoch; each is learnt before the next is drawn."""
    found: list[list[str]] = []
    batch_iterator = iter(loader)
    while len(found) < count:
        batch = next(batch_iterator, None)
        if batch is None:
            batch_iterator = iter(loader)
            continue
        extras = list(batch["extra_info"])
        loader.dataset.sampler.update((row, score(row, rng)) for row in extras)
        found.append([row["id"] for row in extras])
    return found


@pytest.mark.parametrize("shuffle", [True, False])
def test_verls_loader_gives_the_rows_of_the_sampler(verl: SimpleNamespace, shuffle: bool) -> None:
    settings = verl.config(f"data.shuffle={shuffle}", "+data.curriculum.target=0.6")
    loader = verl.loader(settings, verl.dataset(settings))
    plain = CurriculumSampler(EXTRAS, CurriculumSettings(target=0.6), seed=5)
    rng = generator("plain")
    for ids in batches(loader, 25, generator("plain")):
        rows = [EXTRAS[plain.take()] for _ in range(BATCH)]
        plain.update((row, score(row, rng)) for row in rows)
        assert [row["id"] for row in rows] == ids


@pytest.mark.parametrize("done", [0, 3, 11, 14])
def test_verls_checkpoint_of_the_loader_continues_exactly(verl: SimpleNamespace, tmp_path: Path, done: int) -> None:
    """Eleven batches are an epoch."""
    settings = verl.config()
    loader = verl.loader(settings, verl.dataset(settings))
    batches(loader, done, generator("first"))
    verl.torch.save(loader.state_dict(), tmp_path / "data.pt")
    expected = batches(loader, 20, generator("second"))
    again = verl.loader(settings, verl.dataset(settings))
    again.load_state_dict(verl.torch.load(tmp_path / "data.pt", weights_only=False))
    assert batches(again, 20, generator("second")) == expected


def test_a_plain_loader_takes_the_sampler_as_it_is(verl: SimpleNamespace) -> None:
    from torchdata.stateful_dataloader import StatefulDataLoader

    def loader() -> Any:
        return StatefulDataLoader(EXTRAS, batch_size=BATCH, sampler=CurriculumSampler(EXTRAS, seed=6), collate_fn=list)

    first = loader()
    epoch = [[row["id"] for row in batch] for batch in first]
    assert [len(batch) for batch in epoch] == [8] * 11 + [2]
    second = loader()
    iterator = iter(second)
    for _ in range(4):
        next(iterator)
    again = loader()
    again.load_state_dict(second.state_dict())
    assert [[row["id"] for row in batch] for batch in again] == epoch[4:]


def test_the_validation_set_keeps_its_order(verl: SimpleNamespace) -> None:
    settings = verl.config()
    data = verl.dataset(settings, "val")
    assert data.sampler is None
    assert [data[place]["extra_info"]["id"] for place in range(5)] == [row["id"] for row in ROWS[:5]]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("data.dataloader_num_workers=2", "data.dataloader_num_workers: expected 0, got 2"),
        ("data.val_files={folder}/train.parquet", "data.val_files: expected other files"),
        ("+data.curriculum.aim=1", "expected some of target"),
    ],
)
def test_a_command_line_that_cannot_work_is_refused(verl: SimpleNamespace, override: str, message: str) -> None:
    settings = verl.config(override.format(folder=verl.folder))
    with pytest.raises(SettingError, match=message):
        verl.dataset(settings)


class Learner:
    """Stands where verl's agent loops are: answers a batch of prompts by a known curve, and stores what they store."""

    def __init__(self, rng: Random, drawn: list[list[str]]) -> None:
        self.rng, self.drawn = rng, drawn

    def generate_sequences(self, batch: Any) -> None:
        import torch
        import transfer_queue
        from verl.utils.tensordict_utils import list_of_dict_to_tensordict

        extras = [getattr(extra, "data", extra) for extra in batch["extra_info"]]
        self.drawn.append([extra["id"] for extra in extras])
        keys, fields = [], []
        for uid, extra in zip(batch["uid"], extras, strict=True):
            for session in range(GROUP):
                found = score(extra, self.rng)
                keys.append(f"{uid}_{session}_0")
                reward = {"score": found, "grader_failed": 0.0}
                fields.append(
                    {
                        "extra_info": extra,
                        "extra_fields": {"reward_extra_info": reward},
                        "rm_scores": torch.tensor([0.0] * (1 + session) + [found]),
                    }
                )
        tags = [{"status": "success", "global_steps": 1} for _ in keys]
        transfer_queue.kv_batch_put(
            keys=keys, partition_id="train", fields=list_of_dict_to_tensordict(fields), tags=tags
        )
        done = [{"is_prompt": True, "status": "finished", "global_steps": 1} for _ in batch["uid"]]
        transfer_queue.kv_batch_put(keys=list(batch["uid"]), partition_id="train", tags=done)


def trainer_of(settings: Any, learner: Learner) -> Any:
    """verl's trainer without its GPU workers, its agent loops replaced by the learner."""
    from verl.trainer.ppo.v1 import get_trainer_cls

    trainer = get_trainer_cls(settings.trainer.v1.trainer_mode)(settings)
    trainer.tokenizer = trainer.processor = None
    trainer.global_steps = 1
    trainer._init_dataloader()
    trainer.agent_loop_manager = learner
    return trainer


def run(trainer: Any, count: int) -> dict[str, float]:
    """So many steps as far as the sampling of their batch; the metrics of the last."""
    import transfer_queue

    metrics: dict[str, float] = {}
    for _ in range(count):
        trainer.prepare_step()
        batch, metrics = trainer.replay_buffer.sample(global_steps=1, partition_id="train", batch_size=BATCH)
        assert len(batch.keys) == BATCH * GROUP
        transfer_queue.kv_clear(keys=batch.keys, partition_id="train")
    return metrics


@pytest.fixture
def queue(verl: SimpleNamespace) -> Iterator[Any]:
    """Settings, while a transfer queue of theirs runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Ray, of sockets that it leaves open
        import ray
        import transfer_queue

        # Each storage unit takes a processor of Ray's, and waits for one without a word.
        storage = "transfer_queue.backend.SimpleStorage.num_data_storage_units=1"
        settings = verl.config(storage, "+data.curriculum.half_life=64")
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
        transfer_queue.init(settings.transfer_queue)
        yield settings
        transfer_queue.close()
        ray.shutdown()


@pytest.mark.slow  # Ray and the transfer queue start processes of their own
def test_verls_trainer_learns_from_its_steps_and_resumes_exactly(
    verl: SimpleNamespace, queue: Any, tmp_path: Path
) -> None:
    drawn: list[list[str]] = []
    first = trainer_of(queue, Learner(generator("trainer"), drawn))
    run(first, 14)
    verl.torch.save(first.train_dataloader.state_dict(), tmp_path / "data.pt")
    plain = CurriculumSampler(EXTRAS, CurriculumSettings(half_life=64), seed=5)
    assert [name for ids in drawn for name in ids] == steps(plain, 14, generator("trainer"))
    first.agent_loop_manager.rng = generator("later")
    assert run(first, 4) == first.train_dataset.sampler.metrics()

    resumed: list[list[str]] = []
    second = trainer_of(queue, Learner(generator("later"), resumed))
    second.train_dataloader.load_state_dict(verl.torch.load(tmp_path / "data.pt", weights_only=False))
    run(second, 4)
    assert resumed == drawn[14:]


def test_a_group_counts_by_its_mean_without_what_the_grader_failed_on(verl: SimpleNamespace) -> None:
    from races.resources.training.verl.curriculum import outcomes

    keys = ["a_0_0", "b_0_0", "a_1_0", "b_1_0", "c_0_0"]
    rows = [EXTRAS[{"a": 0, "b": 1, "c": 2}[key[0]]] for key in keys]
    rewards = [(1.0, 0.0), (0.25, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0)]
    fields = [{"reward_extra_info": {"score": value, "grader_failed": failed}} for value, failed in rewards]
    assert outcomes(keys, rows, fields) == [(EXTRAS[0], 0.5), (EXTRAS[1], 0.25)]
    with pytest.raises(SettingError, match="a reward function that gives a score, got"):
        outcomes(keys[:1], rows[:1], [{"reward_extra_info": {"acc": 1.0}}])


def test_a_buffer_without_the_data_set_or_of_another_mode_is_refused(verl: SimpleNamespace) -> None:
    from races.resources.training.verl.curriculum import CurriculumBuffer

    sampler = verl.config().trainer.v1.sampler
    given = {
        "trainer_config": {},
        "max_off_policy_threshold": sampler.max_off_policy_threshold,
        "max_off_policy_strategy": sampler.max_off_policy_strategy,
        "sampler_kwargs": sampler.sampler_kwargs,
    }
    with pytest.raises(SettingError, match=r"trainer\.v1\.trainer_mode sync, got colocate_async"):
        CurriculumBuffer(trainer_mode="colocate_async", **given)
    with pytest.raises(SettingError, match=r"data\.custom_cls to be CurriculumDataset, got None"):
        CurriculumBuffer(trainer_mode="sync", **given).curriculum()
