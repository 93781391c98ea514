"""The measuring process: `python -m races.resources.evaluation.engine REQUEST.json`, one model on one benchmark.

inspect-ai asks (one request a sample, so it does not matter whether a server knows `n`), waits, retries, keeps what has
been answered in a log and goes on from it. It allows one evaluation a process and owns its event loop, hence a process.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
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
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelCall,
    ModelOutput,
    get_model,
    modelapi,
)

# Not exported, though its documentation names this method as the place to read an answer by other rules: hence the
# exact version of inspect-ai in pyproject.toml.
from inspect_ai.model._openai import OpenAIResponseError
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.scorer import Score, Target, mean, mean_score, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from openai import APIStatusError

from races.environments.errors import WrongShape
from races.environments.responses.conversations import response as answer_of
from races.environments.responses.thinking import opening, unfinished
from races.environments.seeding import key_of
from races.resources.evaluation.request import EvaluationError, Request
from races.resources.evaluation.suites import prompts
from races.resources.evaluation.suites import scorers as ours
from races.resources.evaluation.suites.datasets import MINI, Dataset
from races.resources.evaluation.suites.score import GraderError, Question, Scorer
from races.resources.processes.json_lines import append, replace
from races.resources.processes.json_worker import run

UNSCORED = "grader failed"
SHOWN = 2_000  # characters of a message that a row keeps
FLUSHES = 100  # times that the log is written, each time whole: with every sample it would be terabytes
READ = 64  # samples of the log in memory at once
WAIT = 5.0  # seconds before what failed is attempted again, doubled each time
CUT: Final = "max_tokens"
TOO_LONG: Final = "model_length"
OPENAI = re.compile(r"(openai/)?(o\d|gpt-)")
BROKEN = {"abort", "error"}  # why answers of vLLM, SGLang and gateways end through no doing of the model
# How vLLM, SGLang and llama.cpp word it, which send no code that says so.
LONG = re.compile(r"(?i)context (length|size|window)|input length")
CAUSE = re.compile(r"^[\w.]+(?:Error|Exception|Timeout)\b.*$", re.MULTILINE)  # in a traceback
UNSENT_KEY = "none"  # the client insists on a key, servers without one do not look at it


# Of the sample under way, one for each try: the engine counts those alone whose failure it has seen as HTTP.
REQUESTS: ContextVar[list[None]] = ContextVar("requests")


@modelapi(name="races")
class WholeText(OpenAICompatibleAPI):
    """A server whose answers are taken as it sent them: the engine would remove thinking, and white space around it."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        REQUESTS.get().append(None)
        return await super().generate(input, tools, tool_choice, config)

    def chat_choices_from_completion(self, completion: Any, tools: Any) -> list[ChatCompletionChoice]:
        if not completion.choices or {each.finish_reason for each in completion.choices} & BROKEN:
            told = completion.model_dump_json(exclude_none=True, warnings=False)
            raise OpenAIResponseError("server_error", f"expected an answer to its end, got {told[:SHOWN]}")
        choices = super().chat_choices_from_completion(completion, tools)
        sent = sorted(completion.choices, key=lambda choice: choice.index)
        for choice, original in zip(choices, sent, strict=True):
            choice.message = ChatMessageAssistant(content=whole_text(original.message), model=completion.model)
        return choices

    def model_family(self) -> str:
        """OpenAI's models alone: the engine finds their o2 in "demo2", and names its limit as few servers know it."""
        found = super().model_family()
        return found if OPENAI.match(found) else ""

    def handle_bad_request(self, ex: APIStatusError) -> ModelOutput | Exception:
        """A refused request is no answer: the engine would let a filter's message be graded as one."""
        if ex.code == "context_length_exceeded" or LONG.search(str(ex)):
            return ModelOutput.from_content(self.model_name, str(ex), stop_reason=TOO_LONG)
        return ex


def whole_text(message: Any) -> str:
    """The text of an answer, with the thinking that a server has taken out of it put back."""
    told = message.model_dump()
    thinking = told.get("reasoning_content") or told.get("reasoning") or ""
    content, _ = answer_of({"role": "assistant", "content": told.get("content")}, "answer of the server")
    if not isinstance(thinking, str):
        raise WrongShape(f"answer of the server: expected thinking that is a text, got {thinking!r}")
    if not thinking:
        return content
    # Without an answer the thinking was not ended, whatever the server made of it.
    whole = f"<think>{thinking}"
    return f"{whole}</think>{content}" if content else whole if unfinished(whole) else f"{whole}\n<think>"


def messages(
    question: Question, request: Request, tokenizer: prompts.Tokenizer | None
) -> tuple[list[ChatMessage], bool]:
    """What is sent, and whether its middle was cut out."""
    found, cut = prompts.messages(question, tokenizer, request.answers.prompt_limit)
    if not request.answers.system and found[0]["role"] == "system":
        found = [{"role": "user", "content": f"{found[0]['content']}\n\n{found[1]['content']}"}]
    kinds: dict[str, type[ChatMessageSystem] | type[ChatMessageUser]] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
    }
    return [kinds[each["role"]](content=each["content"]) for each in found], cut


def response_of(text: str, request: Request) -> str:
    """The text that is scored and kept: what the template wrote before it belongs to it."""
    mark = opening(request.answers.thinking_opened)
    return text if text.lstrip().startswith(mark) else mark + text


@solver
def counted() -> Solver:
    """Ask, and say how often that was tried in vain."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tries: list[None] = []
        REQUESTS.set(tries)
        state = await generate(state)
        state.metadata["retries"] = len(tries) - 1
        return state

    return solve


def task(dataset: Dataset, request: Request, grade: Scorer, done: Callable[[], None]) -> Task:
    """The benchmark as the engine knows it. done: called after each sample that is graded."""
    tokenizer = prompts.FileTokenizer(Path(request.tokenizer)) if request.tokenizer else None
    samples = []
    for question in dataset.questions:
        asked, cut = messages(question, request, tokenizer)
        samples.append(Sample(input=asked, id=question.id, metadata={"cut": cut}))
    return Task(
        dataset=MemoryDataset(samples, name=dataset.benchmark),
        solver=counted(),
        scorer=graded({each.id: each for each in dataset.questions}, request, grade, done),
        epochs=Epochs(request.answers.samples, mean_score()),
        name=dataset.benchmark,
        version=key_of("benchmark task", request.settings(), dataset.sha256),
    )


def graded(questions: Mapping[str, Question], request: Request, grade: Scorer, done: Callable[[], None]) -> Any:
    """Our scorer as the engine's: a grader that fails leaves a sample without a score."""

    async def judge(state: TaskState, target: Target) -> Score:
        question = questions[str(state.sample_id)]
        text = response_of(state.output.completion, request)
        done()
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

    # The engine keeps a scorer's arguments with every sample, so it gets none.
    return scorer(metrics=[mean()], name="graded")(lambda: judge)()


def model(request: Request) -> Model:
    """The server, with how answers are drawn."""
    drawn = request.answers
    # Not among the parameters of the protocol; servers of open models take them beside those.
    beyond: dict[str, Any] = {"chat_template_kwargs": drawn.template} if drawn.template else {}
    if drawn.top_k is not None and request.takes_top_k:
        beyond["top_k"] = drawn.top_k
    return get_model(
        f"races/served/{request.model}",
        base_url=request.base_url,
        api_key=os.environ.get(request.key_variable) or UNSENT_KEY,
        max_retries=0,  # of the client beneath the engine, which counts and waits itself
        config=GenerateConfig(
            temperature=drawn.temperature,
            top_p=drawn.top_p,
            max_tokens=drawn.max_tokens,
            extra_body=beyond or None,
        ),
    )


def measure(request: Request) -> None:
    """Ask, grade and write the rows; EvaluationError where a sample is left without an answer."""
    dataset = request.data.load()
    progress = Progress(request)
    mini = dataset.label == MINI
    checkout = Path(request.checkout) if request.checkout else None
    with ours.scorer(dataset.benchmark, mini, checkout, request.commit, request.graders) as grade:
        known, wrong = ours.misjudged(dataset, grade)
        if wrong:
            replace(request.misjudged_file, [{"wrong": each} for each in wrong])
            raise EvaluationError(f"{dataset.benchmark}: known answers are misjudged: {'; '.join(wrong[:5])}")
        expected = len(dataset.questions) * request.answers.samples
        finished, logs = eval_set(
            task(dataset, request, grade, progress),
            log_dir=str(Path(request.folder) / "log"),
            model=model(request),
            retry_attempts=request.attempts - 1,
            retry_wait=WAIT,
            retry_connections=1.0,
            retry_immediate=False,
            fail_on_error=True,
            continue_on_fail=False,  # a server that is gone would let each of thousands of samples wait in vain
            max_samples=request.concurrency,
            max_connections=request.concurrency,
            max_retries=request.retries,
            timeout=request.timeout * (request.retries + 1),
            attempt_timeout=request.timeout,
            display="none",
            # What a killed process has not written yet is in the engine's own store of what is under way.
            log_buffer=max(1, expected // FLUSHES),
            log_dir_allow_dirty=True,
            log_model_api=False,
            score_display=False,
            ctl_server=False,
            acp_server=False,
        )
    log = read_eval_log(logs[0].location, header_only=True)
    rows, errors = read(log, dataset, request)
    if not finished or len(rows) != expected:
        raise EvaluationError(_unanswered(errors[0] if errors else log.error, len(rows), expected))
    engine = engine_score(log)
    replace(request.samples_file, [{**each, "engine_score": engine, "golds": known} for each in rows])
    forget(log.location, {(each["question"], each["sample"]) for each in rows if each["grader_error"]})
    progress.finish(expected)


def read(log: EvalLog, dataset: Dataset, request: Request) -> tuple[list[dict[str, Any]], list[EvalError]]:
    """The rows of the samples with an answer, in the order of the questions, and the errors of the others."""
    questions = {each.id: each for each in dataset.questions}
    rows, errors = [], []
    for sample in samples_of(log.location):
        if sample.error is None:
            rows.append(row(sample, questions[str(sample.id)], request))
        else:
            errors.append(sample.error)
    order = {each: number for number, each in enumerate(questions)}
    return sorted(rows, key=lambda each: (order[each["question"]], each["sample"])), errors


def samples_of(log: str) -> Iterator[EvalSample]:
    """The samples in a log, a few at a time: each holds its prompt several times."""
    there = [(each.id, each.epoch) for each in read_eval_log_sample_summaries(log)]
    for start in range(0, len(there), READ):
        yield from read_eval_log_samples_by_id(log, there[start : start + READ])


def forget(log: str, samples: set[tuple[str, int]]) -> None:
    """Have samples of a log, by question and number, asked for again by the next attempt."""
    if samples:
        whole = read_eval_log(log)
        found = [each.uuid for each in whole.samples or [] if each.uuid and (str(each.id), each.epoch) in samples]
        write_eval_log(invalidate_samples(whole, found, ProvenanceData(author="races", reason=UNSCORED)), log)


class Progress:
    """Tells how many samples have been graded, by adding lines to a file."""

    def __init__(self, request: Request) -> None:
        self._file = request.progress_file
        self._count = 0
        self._file.unlink(missing_ok=True)

    def __call__(self) -> None:
        self._count += 1
        append(self._file, [{"step": self._count}])

    def finish(self, total: int) -> None:
        """Say that all are there, those of earlier attempts included."""
        append(self._file, [{"step": total}])


def _unanswered(error: EvalError | None, answered: int, expected: int) -> str:
    # What is raised last only says that it was tried for so long.
    causes = CAUSE.findall(error.traceback) if error else []
    said = causes[0] if causes else error.message if error else "no reason"
    return (
        f"expected {expected} samples, got {answered}: run it again to go on from there. "
        f"The first failure: {' '.join(said.split())[:500]}"
    )


def engine_score(log: EvalLog) -> float | None:
    """The score as the engine reduced it; None where no sample has one."""
    found = log.results.scores[0].metrics["mean"].value if log.results and log.results.scores else None
    return None if found is None or found != found else float(found)


def row(sample: EvalSample, question: Question, request: Request) -> dict[str, Any]:
    """A sample as a table keeps it."""
    (found,) = (sample.scores or {}).values()
    told, usage = found.metadata or {}, sample.output.usage
    failed = told.get("grader_error", "")
    response = response_of(sample.output.completion, request)
    sent = [{"role": each.role, "content": each.text} for each in _asked(sample)]
    reason = str(sample.output.stop_reason)
    # Servers that say "stop" at the limit betray themselves by the count.
    full = usage is not None and usage.output_tokens >= request.answers.max_tokens
    return {
        "question": question.id,
        "sample": sample.epoch,
        "cluster": question.cluster,
        "groups": ours.as_json(dict(question.groups)),
        "score": None if failed else found.as_float(),
        "parts": ours.as_json(told.get("parts", {})),
        "extracted": found.answer,
        "reason": found.explanation or "",
        "grader_error": failed,
        "response": response,
        "finish_reason": reason,
        "truncated": reason == CUT or unfinished(response) or full,
        "prompt": ours.as_json([{**each, "content": shortened(each["content"])} for each in sent]),
        "prompt_cut": bool(sample.metadata["cut"]),
        "prompt_hash": key_of("benchmark prompt", sent),
        # Those that the server had in its cache are counted apart.
        "prompt_tokens": usage.input_tokens + (usage.input_tokens_cache_read or 0) if usage else -1,
        "completion_tokens": usage.output_tokens if usage else -1,
        "seconds": sample.total_time or 0.0,
        "retries": int(sample.metadata["retries"]),
        "answered_at": str(sample.completed_at or ""),
    }


def _asked(sample: EvalSample) -> Sequence[ChatMessage]:
    return [] if isinstance(sample.input, str) else sample.input


def shortened(text: str) -> str:
    """A text, without its middle where it is long."""
    half = SHOWN // 2
    return text if len(text) <= SHOWN else f"{text[:half]} [... {len(text) - SHOWN} characters ...] {text[-half:]}"


if __name__ == "__main__":
    run(lambda asked: measure(Request.of(asked)))
