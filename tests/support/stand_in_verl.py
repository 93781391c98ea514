"""Stands in for the interpreter of verl's environment: replies to the worker's tasks, and trains as main_ppo does.

It writes metrics, rollouts and checkpoints of the layout and in the order of verl 0.9.1, and leaves a daemon in a
session of its own, as a Ray of its own does. STAND_IN, a JSON object, says what goes wrong, once in each folder:
{"at": step, "what": "kill" | "stall" | "full" | "cut"}, or {"steps": n} for a run that ends by itself after n steps.
"""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

SHARDS = ("model", "optim", "extra_state")


def main(arguments: list[str]) -> None:
    if arguments[0] != "-m":  # inside Dagster Pipes
        train(dict(each.split("=", 1) for each in arguments))
    elif arguments[1:3] == ["races.resources.training.verl.worker", "train"]:
        from races.resources.training.verl import worker as verl_worker  # not by every process: it takes a second

        verl_worker.train(arguments[3], "tests.support.stand_in_verl", arguments[5:])
    elif arguments[1] == "races.resources.training.verl.worker":
        task, request, reply = arguments[2:]
        Path(reply).write_text(json.dumps(worker(task, json.loads(Path(request).read_text()))))
    else:
        train(dict(each.split("=", 1) for each in arguments[2:]))


def worker(task: str, request: dict[str, Any]) -> dict[str, Any]:
    if task == "check":
        return {"config": json.dumps(request["overrides"]), "thinking": os.environ.get("STAND_IN_THINKING", "")}
    if task == "preflight":
        return json.loads(os.environ.get("STAND_IN_PREFLIGHT", '{"score": 0.5}'))
    with zipfile.ZipFile(Path(request["checkpoint"]) / "model_world_size_2_rank_0.pt") as shard:
        step = shard.read("step").decode()
    Path(request["target"]).mkdir(exist_ok=True)
    if os.environ.get("STAND_IN_CONVERTS") == "0":
        sys.exit("no memory for the whole model")
    (Path(request["target"]) / "weights").write_text(step)
    return {"prompt": "which step?", "answer": step}


def train(asked: dict[str, str]) -> None:
    checkpoints, rollouts = (
        Path(json.loads(asked[key])) for key in ("trainer.default_local_dir", "trainer.rollout_data_dir")
    )
    steps, every = int(asked["trainer.total_training_steps"]), int(asked["trainer.save_freq"])
    prompts, count = int(asked["data.train_batch_size"]), int(asked["actor_rollout_ref.rollout.n"])
    fault = fault_of(checkpoints.parent)
    here = [os.getpid()]
    if "RAY_ADDRESS" not in os.environ:  # in a job, it joins the cluster that there is
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        here.append(subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL).pid)
    print(*here, file=(checkpoints.parent / "pids").open("w"))
    named = checkpoints / "latest_checkpointed_iteration.txt"
    first = (
        int(named.read_text()) if named.exists() and (checkpoints / f"global_step_{named.read_text()}").exists() else 0
    )
    print(f"starts after step {first}", flush=True)  # noqa: T201  # into its log
    with Path(os.environ["VERL_FILE_LOGGER_PATH"]).open("wb", buffering=0) as metrics:
        for step in range(first + 1, fault.get("steps", steps) + 1):
            write_rollouts(rollouts, step, prompts, count)
            line = json.dumps({"step": step, "data": {"critic/score/mean": step / 100, "timing_s/step": 0.01}}) + "\n"
            if fault.get("at") == step:
                go_wrong(fault["what"], checkpoints, step, metrics, line)
            if step % every == 0 or step == steps:
                save(checkpoints, step)
                named.write_text(str(step))
            metrics.write(line.encode())


def fault_of(folder: Path) -> dict[str, Any]:
    mark = folder / "went_wrong"
    fault = {} if mark.exists() else json.loads(os.environ.get("STAND_IN", "{}"))
    mark.touch()
    return fault


def go_wrong(what: str, checkpoints: Path, step: int, metrics: Any, line: str) -> None:
    metrics.write(line[:20].encode())
    if what == "stall":
        time.sleep(600)
    if what == "full":
        (checkpoints / f"global_step_{step}" / "actor").mkdir(parents=True)
        raise OSError(28, "No space left on device")
    if what == "cut":  # the machine lost its power: the names are there, the contents not
        save(checkpoints, step)
        shard = checkpoints / f"global_step_{step}" / "actor" / "optim_world_size_2_rank_1.pt"
        shard.write_bytes(shard.read_bytes()[:-10])
        (checkpoints / "latest_checkpointed_iteration.txt").write_text(str(step))
    os.kill(os.getpid(), signal.SIGKILL)


def save(checkpoints: Path, step: int) -> None:
    actor = checkpoints / f"global_step_{step}" / "actor"
    actor.mkdir(parents=True, exist_ok=True)
    for kind in SHARDS:
        for rank in range(2):
            write_zip(actor / f"{kind}_world_size_2_rank_{rank}.pt", step)
    (actor / "fsdp_config.json").write_text('{"FSDP_version": 2, "world_size": 2}')
    write_zip(actor.parent / "data.pt", step)


def write_zip(file: Path, step: int) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("step", str(step))


def write_rollouts(folder: Path, step: int, prompts: int, count: int) -> None:
    """Odd prompts are half right; of the even ones every answer is right."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{step}.jsonl").open("w") as file:
        for prompt in range(prompts):
            for rollout in range(count):
                score = float(prompt % 2 == 0 or rollout % 2 == 0)
                row = {"input": f"p{prompt}", "output": f"r{rollout}", "gts": "t", "score": score, "step": step}
                print(json.dumps(row | {"uid": f"{step}-{prompt}_{rollout}_0"}), file=file)


if __name__ == "__main__":
    main(sys.argv[1:])
