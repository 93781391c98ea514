"""The measuring process: `python -m races.resources.evaluation.engine REQUEST.json`, one model on one benchmark.

inspect-ai sends the requests (one per sample, so a server need not support `n`), waits, retries, logs every answer and
resumes from the log. It supports one evaluation per process and owns its event loop, hence a process of its own.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
from inspect_ai import Epochs, Task, eval_set
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import (
    EvalError,
    EvalLog,
    EvalSample,
    ProvenanceData,
    invalidate_samples,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
)
from inspect_ai.scorer import Score, Target, mean, mean_score, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from races.environments.responses.thinking import opening, unfinished
from races.environments.seeding import key_of
from races.resources.evaluation.inspect_adapter import PROVIDER, REQUESTS, TOO_LONG
from races.resources.evaluation.measurement import EvaluationError, Measurement
from races.resources.evaluation.suites import prompts
from races.resources.evaluation.suites import scorers as ours
from races.resources.evaluation.suites.datasets import MINI, Dataset
from races.resources.evaluation.suites.score import GraderError, Question, Scorer
from races.resources.processes.json_lines import append, replace
from races.resources.processes.json_worker import run

UNSCORED = "grader failed"
MAX_STORED_CHARACTERS = 2_000  # of a message, in a row
LOG_WRITES = 100  # per measurement; the log is rewritten as a whole, so one write per sample would be terabytes
SAMPLES_PER_READ = 64  # of the log, in memory at once
RETRY_WAIT_S = 5.0  # before a new attempt at failed samples, doubled each time
CUT: Final = "max_tokens"
CAUSE = re.compile(r"^[\w.]+(?:Error|Exception|Timeout)\b.*$", re.MULTILINE)  # in a traceback
NO_KEY = "none"  # the client requires a key; servers without authentication ignore it


def messages(
    question: Question, measurement: Measurement, tokenizer: prompts.Tokenizer | None
) -> tuple[list[ChatMessage], bool]:
    """The messages to send, and whether the prompt was truncated."""
    found, cut = prompts.messages(question, tokenizer, measurement.answers.prompt_limit)
    if not measurement.answers.system and found[0]["role"] == "system":
        found = [{"role": "user", "content": f"{found[0]['content']}\n\n{found[1]['content']}"}]
    kinds: dict[str, type[ChatMessageSystem] | type[ChatMessageUser]] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
    }
    return [kinds[each["role"]](content=each["content"]) for each in found], cut


def response_of(text: str, measurement: Measurement) -> str:
    """The text that is scored and stored: it includes an opening tag that the template wrote."""
    mark = opening(measurement.answers.thinking_opened)
    return text if text.lstrip().startswith(mark) else mark + text


# Solver and scorer names identify a log: under new names the engine would not resume older ones.
@solver(name="counted")
def counting_retries() -> Solver:
    """Generate an answer, and store the number of retries."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        requests: list[None] = []
        REQUESTS.set(requests)
        state = await generate(state)
        state.metadata["retries"] = len(requests) - 1
        return state

    return solve


def task(dataset: Dataset, measurement: Measurement, grade: Scorer, on_graded: Callable[[], None]) -> Task:
    """The benchmark as a task of the engine. on_graded: called for each sample."""
    tokenizer = prompts.FileTokenizer(Path(measurement.tokenizer)) if measurement.tokenizer else None
    samples = []
    for question in dataset.questions:
        asked, cut = messages(question, measurement, tokenizer)
        samples.append(Sample(input=asked, id=question.id, metadata={"cut": cut}))
    return Task(
        dataset=MemoryDataset(samples, name=dataset.benchmark),
        solver=counting_retries(),
        scorer=graded({each.id: each for each in dataset.questions}, measurement, grade, on_graded),
        epochs=Epochs(measurement.answers.samples, mean_score()),
        name=dataset.benchmark,
        version=key_of("benchmark task", measurement.settings(), dataset.sha256),
    )


def graded(
    questions: Mapping[str, Question], measurement: Measurement, grade: Scorer, on_graded: Callable[[], None]
) -> Any:
    """A scorer as one of the engine's; where the grader fails, the sample has no score."""

    async def judge(state: TaskState, target: Target) -> Score:
        question = questions[str(state.sample_id)]
        text = response_of(state.output.completion, measurement)
        on_graded()
        try:
            if state.output.stop_reason == TOO_LONG:
                raise GraderError(f"the server refused the prompt as too long for the model: {text[:200]}")
            found = await anyio.to_thread.run_sync(grade, question, text)
        except GraderError as error:
            return Score.unscored(reason=UNSCORED, metadata={"grader_error": str(error)})
        return Score(
            value=found.value,
            answer=found.extracted,
            explanation=found.reason,
            metadata={"parts": dict(found.parts)},
        )

    # The engine stores a scorer's arguments with every sample, so it has none.
    return scorer(metrics=[mean()], name="graded")(lambda: judge)()


def model(measurement: Measurement) -> Model:
    """The server, with the settings of generation."""
    settings = measurement.answers
    # Beyond OpenAI's protocol; servers of open models take them in the body.
    extra: dict[str, Any] = {"chat_template_kwargs": settings.template} if settings.template else {}
    if settings.top_k is not None and measurement.takes_top_k:
        extra["top_k"] = settings.top_k
    return get_model(
        f"{PROVIDER}/served/{measurement.model}",
        base_url=measurement.base_url,
        api_key=os.environ.get(measurement.key_variable) or NO_KEY,
        max_retries=0,  # of the client; the engine itself counts retries and waits
        config=GenerateConfig(
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            extra_body=extra or None,
        ),
    )


def measure(measurement: Measurement) -> None:
    """Generate, grade and write the rows; EvaluationError where a sample has no answer."""
    dataset = measurement.data.load()
    progress = ProgressFile(measurement)
    mini = dataset.label == MINI
    checkout = Path(measurement.checkout) if measurement.checkout else None
    with ours.scorer(dataset.benchmark, mini, checkout, measurement.commit, measurement.graders) as grade:
        known, wrong = ours.self_test(dataset, grade)
        if wrong:
            replace(measurement.self_test_file, [{"wrong": each} for each in wrong])
            raise EvaluationError(f"{dataset.benchmark}: known answers are scored wrong: {'; '.join(wrong[:5])}")
        expected = len(dataset.questions) * measurement.answers.samples
        finished, logs = run_task(task(dataset, measurement, grade, progress), measurement, expected)
    log = read_eval_log(logs[0].location, header_only=True)
    rows, errors = read(log, dataset, measurement)
    if not finished or len(rows) != expected:
        raise EvaluationError(_unanswered(errors[0] if errors else log.error, len(rows), expected))
    engine = engine_score(log)
    replace(measurement.samples_file, [{**each, "engine_score": engine, "golds": known} for each in rows])
    invalidate(log.location, {(each["question"], each["sample"]) for each in rows if each["grader_error"]})
    progress.finish(expected)


def run_task(task: Task, measurement: Measurement, expected: int) -> tuple[bool, list[EvalLog]]:
    """Run a task of so many samples, or resume it from its log; whether it succeeded, and its logs."""
    return eval_set(
        task,
        log_dir=str(Path(measurement.folder) / "log"),
        model=model(measurement),
        retry_attempts=measurement.attempts - 1,
        retry_wait=RETRY_WAIT_S,
        retry_connections=1.0,
        retry_immediate=False,
        fail_on_error=True,
        continue_on_fail=False,  # otherwise each of thousands of samples would time out on a server that is gone
        max_samples=measurement.concurrency,
        max_connections=measurement.concurrency,
        max_retries=measurement.retries,
        timeout=measurement.timeout * (measurement.retries + 1),
        attempt_timeout=measurement.timeout,
        display="none",
        # Samples that are not in the log when the process is killed are recovered from the engine's own buffer.
        log_buffer=max(1, expected // LOG_WRITES),
        log_dir_allow_dirty=True,
        log_model_api=False,
        score_display=False,
        ctl_server=False,
        acp_server=False,
    )


def read(log: EvalLog, dataset: Dataset, measurement: Measurement) -> tuple[list[dict[str, Any]], list[EvalError]]:
    """The rows of samples with an answer, in the order of the questions, and the errors of the others."""
    questions = {each.id: each for each in dataset.questions}
    rows, errors = [], []
    for sample in samples_of(log.location):
        if sample.error is None:
            rows.append(row(sample, questions[str(sample.id)], measurement))
        else:
            errors.append(sample.error)
    order = {each: number for number, each in enumerate(questions)}
    return sorted(rows, key=lambda each: (order[each["question"]], each["sample"])), errors


def samples_of(log: str) -> Iterator[EvalSample]:
    """The samples in a log, a few at a time: each contains its prompt several times."""
    ids = [(each.id, each.epoch) for each in read_eval_log_sample_summaries(log)]
    for start in range(0, len(ids), SAMPLES_PER_READ):
        yield from read_eval_log_samples_by_id(log, ids[start : start + SAMPLES_PER_READ])


def invalidate(log: str, samples: set[tuple[str, int]]) -> None:
    """Have samples of a log, given by question and number, generated again by the next attempt."""
    if samples:
        content = read_eval_log(log)
        found = [each.uuid for each in content.samples or [] if each.uuid and (str(each.id), each.epoch) in samples]
        write_eval_log(invalidate_samples(content, found, ProvenanceData(author="races", reason=UNSCORED)), log)


class ProgressFile:
    """Appends the number of graded samples to a file."""

    def __init__(self, measurement: Measurement) -> None:
        self._file = measurement.progress_file
        self._count = 0
        self._file.unlink(missing_ok=True)

    def __call__(self) -> None:
        self._count += 1
        append(self._file, [{"step": self._count}])

    def finish(self, total: int) -> None:
        """Report the total, samples of earlier attempts included."""
        append(self._file, [{"step": total}])


def _unanswered(error: EvalError | None, answered: int, expected: int) -> str:
    # The last exception only says that retries were exhausted.
    causes = CAUSE.findall(error.traceback) if error else []
    reason = causes[0] if causes else error.message if error else "no reason"
    return (
        f"expected {expected} samples, got {answered}: run it again to resume. "
        f"The first failure: {' '.join(reason.split())[:500]}"
    )


def engine_score(log: EvalLog) -> float | None:
    """The score that the engine computed; None where no sample has one."""
    found = log.results.scores[0].metrics["mean"].value if log.results and log.results.scores else None
    return None if found is None or found != found else float(found)


def row(sample: EvalSample, question: Question, measurement: Measurement) -> dict[str, Any]:
    """A sample as a row of the table."""
    (found,) = (sample.scores or {}).values()
    details, usage = found.metadata or {}, sample.output.usage
    grader_error = details.get("grader_error", "")
    response = response_of(sample.output.completion, measurement)
    sent = [{"role": each.role, "content": each.text} for each in _messages_of(sample)]
    reason = str(sample.output.stop_reason)
    # Some servers report "stop" at the limit; the token count shows it.
    full = usage is not None and usage.output_tokens >= measurement.answers.max_tokens
    return {
        "question": question.id,
        "sample": sample.epoch,
        "cluster": question.cluster,
        "groups": ours.as_json(dict(question.groups)),
        "score": None if grader_error else found.as_float(),
        "parts": ours.as_json(details.get("parts", {})),
        "extracted": found.answer,
        "reason": found.explanation or "",
        "grader_error": grader_error,
        "response": response,
        "finish_reason": reason,
        "truncated": reason == CUT or unfinished(response) or full,
        "prompt": ours.as_json([{**each, "content": shortened(each["content"])} for each in sent]),
        "prompt_cut": bool(sample.metadata["cut"]),
        "prompt_hash": key_of("benchmark prompt", sent),
        # Tokens from the server's cache are counted separately.
        "prompt_tokens": usage.input_tokens + (usage.input_tokens_cache_read or 0) if usage else -1,
        "completion_tokens": usage.output_tokens if usage else -1,
        "seconds": sample.total_time or 0.0,
        "retries": int(sample.metadata["retries"]),
        "answered_at": str(sample.completed_at or ""),
    }


def _messages_of(sample: EvalSample) -> Sequence[ChatMessage]:
    return [] if isinstance(sample.input, str) else sample.input


def shortened(text: str) -> str:
    """A text; the middle of a long one is left out."""
    half, left_out = MAX_STORED_CHARACTERS // 2, len(text) - MAX_STORED_CHARACTERS
    return text if left_out <= 0 else f"{text[:half]} [... {left_out} characters ...] {text[-half:]}"


if __name__ == "__main__":
    run(lambda content: measure(Measurement.from_json(content)))
