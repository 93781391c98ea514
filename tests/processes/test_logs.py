"""What an error shows of a log: the first error in it, wherever that stands, and the end."""

import sys
from pathlib import Path

import pytest

from races.resources.evaluation.serving.protocol import ServingError
from races.resources.processes.launching import LocalLauncher, MetricsTail, watch_run
from races.resources.processes.logs import LINES_AFTER_ERROR, excerpt, first_error, read_lines, tail
from races.resources.processes.progress import ProcessError, Progress

CORE = "(EngineCore pid=77) ERROR 11-30 23:20:01 [core.py:1132] "
WAITED = "(APIServer pid=70) RuntimeError: Engine core initialization failed. See root cause above."
# As vLLM 0.32 writes it, shortened: the process that serves ends a hundred lines after the one that failed.
VLLM = [
    "(APIServer pid=70) INFO 11-30 23:19:40 [utils.py:299] version 0.32.0",
    "(APIServer pid=70) WARNING 11-30 23:19:41 [__init__.py:9] Failed to import vllm._C: ImportError: no such module",
    "/lib/python3.11/site-packages/torch/x.py:1: FutureWarning: old",
    f"{CORE}EngineCore failed to start.",
    f"{CORE}Traceback (most recent call last):",
    f'{CORE}  File "core.py", line 1, in run',
    f"{CORE}    raise ValueError(",
    f"{CORE}ValueError: To serve at least one request, 0.35 GiB of KV cache is needed, 0.05 GiB is there.",
    *[f'(APIServer pid=70)   File "server.py", line {number}' for number in range(100)],
    WAITED,
]


def test_the_cause_is_found_far_above_the_end() -> None:
    number, found = first_error(VLLM)
    assert number == 8
    assert found == VLLM[7 : 8 + LINES_AFTER_ERROR]
    text = excerpt(VLLM, "\n".join(VLLM[-40:]))
    assert text.startswith(f"The first error in its log, line 8:\n{VLLM[7]}\n")
    assert text.endswith(f"The end of its log:\n{chr(10).join(VLLM[-40:])}")


def test_an_error_that_the_end_holds_is_not_quoted_twice() -> None:
    assert excerpt(VLLM, "\n".join(VLLM)) == "The end of its log:\n" + "\n".join(VLLM)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["fine", "ok"], 0),
        ([], 0),
        (["INFO: up", "vllm serve: error: unrecognized arguments: --spam", "x"], 2),
        (["x", "/bin/sh: 1: exec: /no/python: No such file or directory"], 2),
        (["a", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"], 2),
        (["a", "ray.exceptions.RayTaskError(KeyError): ray::f()", "KeyError: 1"], 2),
        (["Traceback (most recent call last):", '  File "a"', "races.environments.errors.UnknownName: expected x"], 3),
        (["Traceback (most recent call last):", "    except ValueError:", "KeyboardInterrupt"], 3),
        (["WARNING: no triton, ModuleNotFoundError: triton", "x/y.py:3: UserWarning: odd", "UserWarning: odd"], 0),
        (["ERROR 1 [a.py:2] it failed", "more", "ValueError: the cause"], 3),
        (["ERROR 1 [a.py:2] it failed", "more"], 1),
        (["Fatal Python error: Segmentation fault", "x"], 1),
        (["pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig", "  Value error, big"], 1),
    ],
)
def test_what_counts_as_an_error(lines: list[str], expected: int) -> None:
    number, found = first_error(lines)
    assert number == expected
    if expected:
        assert found[0] == lines[expected - 1]


def test_lines_are_cut_and_a_log_is_read_from_where_this_run_began(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"ValueError: of an earlier run\n")
    begin = log.stat().st_size
    with log.open("ab") as more:
        more.write(b"KeyError: \xff" + b"x" * 5_000 + b"\n" + b"line\n" * 60)
    text = excerpt(read_lines(log, begin), tail(log, 40, begin))
    assert "earlier" not in text
    first = text.splitlines()[1]
    assert (first[:11], len(first)) == ("KeyError: �", 1_000)
    assert text.splitlines()[0] == "The first error in its log, line 1:"
    assert list(read_lines(tmp_path / "none")) == []
    assert tail(log, 3, log.stat().st_size) == ""


SCRIPT = """
import sys
print("ValueError: the cause", flush=True)
for number in range(200):
    print("line", number)
sys.exit("RuntimeError: see root cause above")
"""


def test_a_run_that_fails_tells_its_first_error_and_not_that_of_an_earlier_one(tmp_path: Path) -> None:
    def failure() -> str:
        metrics: MetricsTail[Progress] = MetricsTail(tmp_path / "metrics.jsonl", lambda line: None)
        with (
            pytest.raises(ProcessError) as caught,
            LocalLauncher().launch([sys.executable, "-c", SCRIPT], tmp_path / "log") as running,
        ):
            watch_run(running, metrics, 1, 20, lambda report: None, 0.02)
        return str(caught.value)

    for text in (failure(), failure()):
        assert "The first error in its log, line 1:\nValueError: the cause\nline 0\n" in text
        assert text.endswith("RuntimeError: see root cause above")


def test_a_server_that_dies_tells_the_cause_and_the_end(tmp_path: Path) -> None:
    from races.resources.evaluation.serving.servers import _running_server

    with (
        pytest.raises(ServingError) as caught,
        _running_server([sys.executable, "-c", SCRIPT], tmp_path / "log", {}, 1, 20),
    ):
        pass
    assert "server exited unexpectedly (code 1). The first error in its log, line 1:\nValueError: the cause" in str(
        caught.value
    )
    assert str(caught.value).endswith("RuntimeError: see root cause above")
