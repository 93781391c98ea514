"""A measurement as the process of Dagster sees it: started, followed sample by sample, its rows read."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from races.resources.evaluation.request import EvaluationError, Request
from races.resources.processes.interpreter import variables
from races.resources.processes.json_lines import lines
from races.resources.processes.launching import LocalLauncher, MetricsTail, watch_run
from races.resources.processes.progress import ProcessError, Progress

GRADING = 600.0  # seconds that the grading of an answer may take on top of its request


class Misjudged(EvaluationError):
    """A scorer does not give known right answers 1, or empty ones 0; the model was not asked."""


def evaluate(request: Request, watch: Callable[[Progress], None]) -> list[dict[str, Any]]:
    """The rows of a measurement, one a sample; what an earlier attempt in its folder has is not asked for again.

    watch: gets the number of samples that are done. Raises EvaluationError, with the end of the log.
    """
    folder = Path(request.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in (request.samples_file, request.progress_file, request.misjudged_file):
        stale.unlink(missing_ok=True)
    asked = folder / "request.json"
    asked.write_text(json.dumps(asdict(request), indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "races.resources.evaluation.engine", str(asked)]
    # The engine would look for a hub and for settings of its own where it is started.
    quiet = {"INSPECT_LOG_LEVEL": "warning", "HF_HUB_OFFLINE": "1", "NO_PROXY": direct()}
    patience = request.timeout * (request.retries + 1) + GRADING
    try:
        with LocalLauncher().launch(command, folder / "run.log", variables() | quiet) as running:
            watch_run(running, MetricsTail(request.progress_file, _progress), 1, patience, watch, 0.5)
    except ProcessError as error:
        if wrong := lines(request.misjudged_file):
            raise Misjudged("; ".join(each["wrong"] for each in wrong)) from error
        raise EvaluationError(str(error)) from error
    return lines(request.samples_file)


def _progress(line: dict[str, Any]) -> Progress:
    return Progress(done=int(line["step"]))


def direct() -> str:
    """The hosts that no proxy stands before: those that the machine names, and the machine itself."""
    named = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    return ",".join(filter(None, [named, "127.0.0.1", "localhost"]))
