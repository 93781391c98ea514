"""Run a measurement in its own process, follow its progress, read its rows. Importable without the extra `eval`."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from races.resources.evaluation.measurement import EvaluationError, Measurement
from races.resources.extras import check_extra
from races.resources.processes.interpreter import variables
from races.resources.processes.json_lines import lines
from races.resources.processes.launching import LocalLauncher, MetricsTail, watch_run
from races.resources.processes.progress import ProcessError, Progress

GRADING_ALLOWANCE_S = 600.0  # for the grading of an answer, on top of its request
POLL_INTERVAL_S = 0.5


class ScorerSelfTestFailed(EvaluationError):
    """The scorer does not give known right answers 1, or empty ones 0; the model was not asked."""


def evaluate(measurement: Measurement, watch: Callable[[Progress], None]) -> list[dict[str, Any]]:
    """The rows of a measurement, one per sample. It resumes: samples from an earlier attempt in its folder are kept.

    watch: called with the number of graded samples. Raises EvaluationError with the end of the log, and
    SettingError where the extra `eval` is not installed.
    """
    check_extra("inspect_ai", "eval")
    folder = Path(measurement.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in (measurement.samples_file, measurement.progress_file, measurement.self_test_file):
        stale.unlink(missing_ok=True)
    file = folder / "request.json"
    file.write_text(json.dumps(asdict(measurement), indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "races.resources.evaluation.engine", str(file)]
    # Otherwise the engine would contact the hub.
    environment = variables() | {"INSPECT_LOG_LEVEL": "warning", "HF_HUB_OFFLINE": "1", "NO_PROXY": no_proxy()}
    stall_limit = measurement.timeout * (measurement.retries + 1) + GRADING_ALLOWANCE_S
    try:
        with LocalLauncher().launch(command, folder / "run.log", environment) as running:
            watch_run(
                running, MetricsTail(measurement.progress_file, _progress), 1, stall_limit, watch, POLL_INTERVAL_S
            )
    except ProcessError as error:
        if wrong := lines(measurement.self_test_file):
            raise ScorerSelfTestFailed("; ".join(each["wrong"] for each in wrong)) from error
        raise EvaluationError(str(error)) from error
    return lines(measurement.samples_file)


def _progress(line: dict[str, Any]) -> Progress:
    return Progress(done=int(line["step"]))


def no_proxy() -> str:
    """The value of NO_PROXY that adds this machine to the hosts that are reached without a proxy."""
    named = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    return ",".join(filter(None, [named, "127.0.0.1", "localhost"]))
