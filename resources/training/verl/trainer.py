"""Training by verl on GPUs: validated before the start, followed by its metrics, resumable."""

import json
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from races.resources.atomic import new_folder
from races.resources.processes.interpreter import interpreter, variables
from races.resources.processes.launching import Launcher, LocalLauncher, MetricsTail, RayJobLauncher, watch_run
from races.resources.training.config import TrainingConfig, TrainingError, TrainingResult, Watch
from races.resources.training.rows import checked_rows, copy_first_row
from races.resources.training.verl.checkpoints import resumable
from races.resources.training.verl.config import MODULE, THINKING, VALIDATION, VerlSettings, overrides
from races.resources.training.verl.folder import RunFolder

if TYPE_CHECKING:
    from dagster import AssetExecutionContext  # training works without Dagster, but then without Pipes

WORKER = "races.resources.training.verl.worker"
MAX_GREEDY_TOKENS = 1024  # of the answer that a converted model generates


@dataclass(frozen=True)
class VerlTrainer:
    """verl as a Trainer."""

    settings: VerlSettings
    # Variables of its processes, such as those of an open Dagster Pipes session.
    environment: Mapping[str, str] = field(default_factory=dict)
    module: str = MODULE  # run with python -m
    poll_seconds: float = 1.0  # between reads of the metrics
    launcher: Launcher | None = None  # instead of the one in the settings, for other kinds of clusters

    def check(self, config: TrainingConfig, train_files: list[Path]) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            self._validate(config, train_files, Path(scratch))

    def train(self, config: TrainingConfig, train_files: list[Path], folder: Path, watch: Watch) -> TrainingResult:
        folder = folder.resolve()
        run = RunFolder(config, [file.resolve() for file in train_files], folder)
        folder.mkdir(parents=True, exist_ok=True)
        checked = self._validate(config, run.train_files, folder)
        (folder / "config.yaml").write_text(checked["config"])
        run = replace(run, thinking=checked.get("thinking", ""))
        if (done := resumable(folder / "checkpoints")) < config.steps:
            if done == 0:
                self._preflight(run)
            self._launch(run, watch)
        if (done := resumable(folder / "checkpoints")) < config.steps:
            raise TrainingError(f"{folder}: expected a checkpoint of step {config.steps}, got one of step {done}")
        greedy = self._convert(run)
        return TrainingResult("verl", done, folder / "model", run.metrics(), run.rollouts(), greedy)

    def _validate(self, config: TrainingConfig, train_files: list[Path], folder: Path) -> dict[str, str]:
        """The resolved configuration of a run as YAML, and the tag with which its prompts open the thinking.

        Raises TrainingError for a run that cannot work.
        """
        settings = self.settings
        if config.tokens:
            raise TrainingError(f"expected no token limit, which verl does not have, got {config.tokens}; use steps")
        if settings.engine and settings.sampler != "vllm":
            raise TrainingError(f"expected sampler=vllm for arguments of its engine, got {settings.sampler}")
        if settings.launcher == "ray" and not settings.ray_address:
            raise TrainingError("expected the address of a Ray cluster for launcher=ray, got none")
        if settings.launcher == "local" and settings.nodes > 1:
            raise TrainingError(f"expected launcher=ray for {settings.nodes} nodes, got local")
        rows = checked_rows(train_files)
        local_cpus = os.cpu_count() if settings.launcher == "local" else None
        request = {
            "overrides": overrides(config, settings, train_files, rows, folder),
            "train_files": [str(file) for file in train_files],
            "cpus": settings.cpus or local_cpus,
        }
        return self._run_task("check", request, folder, LocalLauncher())

    def _preflight(self, run: RunFolder) -> None:
        result = run.folder / "preflight.json"
        if self.settings.preflight_prompts == 0 or result.exists():
            return
        config = run.config
        request = self._sampler_settings(run) | {
            "model": config.model,
            "prompts": self.settings.preflight_prompts,
            "rollouts": config.rollouts,
            "response_length": config.response_length,
            "temperature": config.temperature,
        }
        result.write_text(json.dumps(self._run_task("preflight", request, run.folder, self._launcher(on_gpus=True))))

    def _launch(self, run: RunFolder, watch: Watch) -> None:
        copy_first_row(run.train_files[0], run.folder / VALIDATION)
        metrics, log = run.next_attempt()
        hydra_overrides = overrides(
            run.config, self.settings, run.train_files, checked_rows(run.train_files), run.folder
        )
        if run.thinking:
            hydra_overrides.append(f"++{THINKING}={json.dumps(run.thinking, ensure_ascii=False)}")
        # Otherwise Hydra creates a folder in the working directory.
        hydra_overrides.append(f"hydra.run.dir={json.dumps(str(run.folder / 'hydra'))}")
        command = [self._python, "-m", self.module, *hydra_overrides]
        (run.folder / "command.sh").write_text(
            f"VERL_FILE_LOGGER_PATH={shlex.quote(str(metrics))} {shlex.join(command)}\n"
        )
        if "DAGSTER_PIPES_CONTEXT" in self.environment:
            command = [self._python, "-m", WORKER, "train", str(metrics), self.module, *hydra_overrides]
        variables = self._variables | {"VERL_FILE_LOGGER_PATH": str(metrics)}
        tail = MetricsTail(metrics, run.step)
        with self._launcher().launch(command, log, variables) as running:
            watch_run(
                running,
                tail,
                run.config.steps,
                run.config.stall_seconds,
                lambda step: watch(run.with_groups(step)),
                self.poll_seconds,
            )
        run.update_group_statistics()

    def _convert(self, run: RunFolder) -> tuple[str, str]:
        """Convert the last checkpoint to model/, atomically and once; a prompt and the model's answer."""
        greedy, model = run.folder / "greedy.json", run.folder / "model"
        if not (model.exists() and greedy.exists()):
            request = self._sampler_settings(run) | {
                "checkpoint": str(run.folder / "checkpoints" / f"global_step_{run.config.steps}" / "actor"),
                "response_length": min(MAX_GREEDY_TOKENS, run.config.response_length),
            }
            with new_folder(model) as staged:
                request["target"] = str(staged)
                reply = self._run_task("convert", request, run.folder, self._launcher(on_gpus=True))
                greedy.write_text(json.dumps(reply))
        reply = json.loads(greedy.read_text())
        return reply["prompt"], reply["answer"]

    def _sampler_settings(self, run: RunFolder) -> dict[str, Any]:
        return {
            "train_files": [str(file) for file in run.train_files],
            "sampler": self.settings.sampler,
            "length": run.config.prompt_length + run.config.response_length,
            "tensor_parallel": self.settings.tensor_parallel,
            "engine": {"gpu_memory_utilization": self.settings.gpu_memory_utilization} | self.settings.engine,
            "seed": run.config.seed,
        }

    def _run_task(self, task: str, request: dict[str, Any], folder: Path, launcher: Launcher) -> dict[str, Any]:
        """The reply of a task of the worker; TrainingError where it rejects the run or fails."""
        input_file, reply, log = (folder / f"{task}.{kind}" for kind in ("request.json", "reply.json", "log"))
        input_file.write_text(json.dumps(request))
        reply.unlink(missing_ok=True)
        command = [self._python, "-m", WORKER, task, str(input_file), str(reply)]
        with launcher.launch(command, log, self._variables) as running:
            code = running.wait(self.poll_seconds)
            if code != 0 or not reply.exists():
                raise TrainingError(f"{task}: expected a reply, got exit code {code}. {running.log_excerpt()}")
        content: dict[str, Any] = json.loads(reply.read_text())
        if "error" in content:
            raise TrainingError(f"{task}: {content['error']}")
        return content

    def _launcher(self, on_gpus: bool = False) -> Launcher:
        """Where verl runs. on_gpus: for tasks that use GPUs without Ray, which a job then has to request itself."""
        if self.launcher is not None:
            return self.launcher
        if self.settings.launcher == "local":
            return LocalLauncher()
        gpus = self.settings.tensor_parallel if on_gpus and self.settings.sampler == "vllm" else 0
        return RayJobLauncher(self.settings.ray_address, gpus=gpus)

    @property
    def _python(self) -> str:
        return interpreter(self.settings.python)

    @property
    def _variables(self) -> dict[str, str]:
        return variables() | dict(self.environment)


@contextmanager
def piped(context: "AssetExecutionContext", settings: VerlSettings, folder: Path) -> Iterator[VerlTrainer]:
    """A trainer whose process reports each step to the run of `context` by Dagster Pipes, in a file in `folder`."""
    import dagster as dg

    folder.mkdir(parents=True, exist_ok=True)
    reader = dg.PipesFileMessageReader(str(folder / "pipes.jsonl"))
    # Given an asset's context, Pipes would read attributes that Dagster has deprecated.
    inner = context.op_execution_context
    with dg.open_pipes_session(inner, dg.PipesEnvContextInjector(), reader) as session:
        yield VerlTrainer(settings, session.get_bootstrap_env_vars())
