"""The six benchmarks as data sets: source, exact schema, and loading from a local path.

Only `fetch` downloads anything. Files are JSON lines, a JSON list, or Parquet.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from races.environments.errors import InvalidValue, RacesError, UnknownName
from races.resources.evaluation.suites import ifeval, private_tests
from races.resources.evaluation.suites.score import INTEGER, Question
from races.resources.extras import missing_extra

MINI = "mini (invented)"
MINI_FOLDER = Path(__file__).with_name("mini")
TYPES: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "integer": int,
    "integer or text": (int, str),
    "list": list,
    "text or object": (str, dict),
    "anything": object,
}
TASK = re.compile(r"[A-Za-z0-9_]+")  # part of a module name

Record = Mapping[str, Any]


class DatasetError(RacesError):
    """A benchmark's file is invalid; the message names the file, the row, what was expected and what was found."""


@dataclass(frozen=True)
class Schema:
    """The required columns of a file; further columns are allowed."""

    columns: Mapping[str, str]  # name to type, a key of TYPES
    # Gives a record's id, cluster and groups; raises InvalidValue where the values are inconsistent.
    question: Callable[[Record], tuple[str, str, dict[str, str]]]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark and where its data set comes from."""

    name: str
    title: str
    repository: str  # on the dataset hub
    files: tuple[str, ...]  # patterns of file names in the repository
    rows: tuple[int, ...]  # of the complete set, for each release
    samples: int  # answers per question that the paper averages over
    schemas: tuple[Schema, ...]  # that of the repository, then those of other copies


@dataclass(frozen=True)
class Dataset:
    """The questions of one benchmark."""

    benchmark: str
    questions: tuple[Question, ...]
    sha256: str  # as `digest` computes it
    label: str  # "official size", "partial" or MINI


def _aime(record: Record) -> tuple[str, str, dict[str, str]]:
    if not INTEGER.fullmatch(str(record["answer"])):
        raise InvalidValue(f"answer: expected an integer from 0 to 999, got {record['answer']!r}")
    return str(record["id"]), str(record["id"]), {}


def _ifeval(record: Record) -> tuple[str, str, dict[str, str]]:
    names, given = record["instruction_id_list"], record["kwargs"]
    if not names or len(names) != len(given) or not all(isinstance(each, dict) for each in given):
        raise InvalidValue(f"kwargs: expected an object for each of {len(names)} instructions, got {given!r}")
    for name, each in zip(names, given, strict=True):
        if name not in ifeval.ARGUMENTS:
            raise InvalidValue(f"instruction_id_list: expected one of IFEval's 25 kinds, got {name!r}")
        if set(ifeval.arguments(each)) != set(ifeval.ARGUMENTS[name]):
            expected = ", ".join(ifeval.ARGUMENTS[name]) or "nothing"
            raise InvalidValue(
                f"kwargs of {name}: expected {expected}, got {', '.join(ifeval.arguments(each)) or 'nothing'}"
            )
    return str(record["key"]), str(record["key"]), {}


def _longbench(record: Record) -> tuple[str, str, dict[str, str]]:
    _one_of(record, "answer", "ABCD")
    _one_of(record, "difficulty", ("easy", "hard"))
    _one_of(record, "length", ("short", "medium", "long"))
    groups = {key: record[key] for key in ("length", "difficulty", "domain")}
    return record["_id"], _hash(record["context"].encode()), groups


def _livecodebench(record: Record) -> tuple[str, str, dict[str, str]]:
    _one_of(record, "platform", ("leetcode", "codeforces", "atcoder"))
    _one_of(record, "difficulty", ("easy", "medium", "hard"))
    if not isinstance(json.loads(record["metadata"]), dict):
        raise InvalidValue(f"metadata: expected a JSON object, got {record['metadata'][:40]}")
    private_tests.tests_of(record["public_test_cases"])
    # The private tests are large and are parsed only when they are run.
    month = datetime.fromisoformat(record["contest_date"]).strftime("%Y-%m")
    return record["question_id"], record["question_id"], {"difficulty": record["difficulty"], "month": month}


def _enigmata(record: Record) -> tuple[str, str, dict[str, str]]:
    meta = json.loads(record["meta"]) if isinstance(record["meta"], str) else record["meta"]
    if not isinstance(meta, dict):
        raise InvalidValue(f"meta: expected a JSON object, got {type(meta).__name__}")
    if not TASK.fullmatch(record["task_name"]):
        raise InvalidValue(f"task_name: expected letters, digits and _, got {record['task_name']!r}")
    difficulty = str(meta.get("difficulty_level") or meta.get("difficulty") or "unknown")
    # The puzzles have no ids and similar prompts: the whole row identifies one.
    content = json.dumps([record[key] for key in ("task_name", "prompt", "answer", "meta")], sort_keys=True)
    identity = f"{record['task_name']}-{_hash(content.encode())[:12]}"
    return identity, record["task_name"], {"task": record["task_name"], "difficulty": difficulty}


AIME = (
    Schema({"id": "integer or text", "problem": "text", "answer": "integer or text"}, _aime),
    Schema(
        {"ID": "text", "Problem": "text", "Solution": "text", "Answer": "integer or text"},
        lambda record: _aime({key.lower(): value for key, value in record.items()}),
    ),
)
LIVECODEBENCH = (
    "question_title question_content platform question_id contest_id contest_date starter_code difficulty "
    "public_test_cases private_test_cases metadata"
)
LONGBENCH = "_id domain sub_domain difficulty length question choice_A choice_B choice_C choice_D answer context"

BENCHMARKS = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark("aime_2024", "AIME 2024", "Maxwell-Jia/AIME_2024", ("*.parquet", "*.jsonl"), (30,), 32, AIME),
        Benchmark("aime_2025", "AIME 2025", "math-ai/aime25", ("*.jsonl", "*.parquet"), (30,), 32, AIME),
        Benchmark(
            "livecodebench",
            "LiveCodeBench",
            "livecodebench/code_generation_lite",
            ("test6.jsonl",),
            (175, 167, 400, 511, 612, 713, 880, 1055),  # the files of v6 and of v5 alone, and all up to v1 ... v6
            4,
            (Schema(dict.fromkeys(LIVECODEBENCH.split(), "text"), _livecodebench),),
        ),
        Benchmark(
            "ifeval",
            "IFEval",
            "google/IFEval",
            ("*.jsonl",),
            (541,),
            4,
            (Schema({"key": "integer", "prompt": "text", "instruction_id_list": "list", "kwargs": "list"}, _ifeval),),
        ),
        Benchmark(
            "longbench_v2",
            "LongBench-v2",
            "THUDM/LongBench-v2",
            ("data.json",),
            (503,),
            4,
            (Schema(dict.fromkeys(LONGBENCH.split(), "text"), _longbench),),
        ),
        Benchmark(
            "enigmata",
            "Enigmata-Eval",
            "BytedTsinghua-SIA/Enigmata-Eval",
            ("*.parquet",),
            (4758,),
            4,
            (
                Schema(
                    {"prompt": "text", "answer": "anything", "task_name": "text", "meta": "text or object"}, _enigmata
                ),
            ),
        ),
    )
}


def benchmark(name: str) -> Benchmark:
    """The benchmark of this name; UnknownName, which lists the known names, for any other."""
    if name not in BENCHMARKS:
        raise UnknownName(f"expected a benchmark ({', '.join(BENCHMARKS)}), got {name!r}")
    return BENCHMARKS[name]


def load(name: str, path: Path, sha256: str = "", keep: Callable[[Record], bool] | None = None) -> Dataset:
    """The questions in a file, or in the files of a folder in order of their names.

    sha256: the expected `digest`, "" to accept any. keep: filters the records, after all of them have been validated.
    Raises DatasetError, with file and row, for anything that violates the benchmark's schema.
    """
    kind, files = benchmark(name), source_files(path)
    found = digest(files)
    if sha256 and found != sha256.lower():
        raise DatasetError(f"{name}: expected the sha256 {sha256} of {path}, got {found}")
    questions: dict[str, Question] = {}
    for file in files:
        for number, record in enumerate(records(file), 1):
            try:
                question = _question(kind, record)
            except (InvalidValue, ValueError) as error:
                raise DatasetError(f"{name}: row {number} of {file}: {error}") from error
            if question.id in questions:
                raise DatasetError(f"{name}: row {number} of {file}: duplicate id {question.id}")
            if keep is None or keep(record):
                questions[question.id] = question
    if not questions:
        raise DatasetError(f"{name}: expected questions in {path}, got none")
    complete = len(questions) in kind.rows
    label = MINI if found == digest(source_files(mini_path(name))) else "official size" if complete else "partial"
    return Dataset(name, tuple(questions.values()), found, label)


def load_mini(name: str) -> Dataset:
    """The invented miniature set of a benchmark. Its scores are not comparable with those of the benchmark."""
    return load(name, mini_path(name))


def mini_path(name: str) -> Path:
    """The file of an invented set."""
    return MINI_FOLDER / f"{benchmark(name).name}{'.json' if name == 'longbench_v2' else '.jsonl'}"


def mini_golds(name: str) -> dict[str, str]:
    """A right answer, as a model might word it, for each question of an invented set."""
    lines = records(MINI_FOLDER / "golds.jsonl")
    return {line["id"]: line["text"] for line in lines if line["benchmark"] == benchmark(name).name}


def contest_window(begin: date, end: date) -> Callable[[Record], bool]:
    """A filter for the problems of LiveCodeBench whose contest took place from `begin` to `end`, both inclusive."""
    return lambda record: begin <= datetime.fromisoformat(record["contest_date"]).date() <= end


def digest(files: Sequence[Path]) -> str:
    """The sha256 of a file, as sha256sum prints it; for several files, the sha256 of what sha256sum prints."""
    sums = []
    for file in files:
        with file.open("rb") as opened:
            sums.append(hashlib.file_digest(opened, "sha256").hexdigest())
    if len(files) == 1:
        return sums[0]
    return _hash("".join(f"{each}  {file.name}\n" for each, file in zip(sums, files, strict=True)).encode())


def records(file: Path) -> Iterator[dict[str, Any]]:
    """The records of a file; DatasetError where its content does not match its extension."""
    try:
        if file.suffix == ".parquet":
            yield from _from_parquet(file)
        elif file.suffix == ".json":
            yield from _objects(file, json.loads(file.read_text(encoding="utf-8")))
        else:
            with file.open(encoding="utf-8") as lines:
                yield from _objects(file, (json.loads(line) for line in lines if line.strip()))
    except ValueError as error:  # of JSON, of UTF-8, of Arrow
        raise DatasetError(f"{file}: expected {file.suffix or 'JSON lines'}, got {error}") from error


def fetch_command(name: str, folder: Path, revision: str = "main") -> str:
    """A shell command that downloads a benchmark's files from the hub, for a machine with access to it."""
    kind = benchmark(name)
    patterns = " ".join(f"--include '{pattern}'" for pattern in kind.files)
    return f"hf download {kind.repository} --repo-type dataset {patterns} --revision {revision} --local-dir {folder}"


def fetch(name: str, folder: Path, revision: str = "main") -> Path:
    """Download a benchmark's files from the hub; returns the folder. revision: a branch or a full commit hash."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise missing_extra("huggingface_hub", "eval") from error
    kind = benchmark(name)
    snapshot_download(
        kind.repository, repo_type="dataset", revision=revision, allow_patterns=list(kind.files), local_dir=folder
    )
    return folder


def _question(kind: Benchmark, record: Record) -> Question:
    schema = next((each for each in kind.schemas if each.columns.keys() <= record.keys()), None)
    if schema is None:
        wanted = " or ".join(f"({', '.join(each.columns)})" for each in kind.schemas)
        raise InvalidValue(f"expected the columns {wanted}, got ({', '.join(record)})")
    for column, type_ in schema.columns.items():
        value = record[column]
        if not isinstance(value, TYPES[type_]) or isinstance(value, bool):
            raise InvalidValue(f"{column}: expected {type_}, got {type(value).__name__}")
    identity, cluster, groups = schema.question(record)
    if kind.schemas is AIME:
        record = {key.lower(): value for key, value in record.items()}
    return Question(kind.name, identity, record, cluster, groups)


def source_files(path: Path) -> list[Path]:
    """The file, or the files of a folder in order of their names; DatasetError where there are none."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in {".json", ".jsonl", ".parquet"})
        # The hub's client keeps a cache beside the files.
        files = [file for file in files if ".cache" not in file.relative_to(path).parts]
    else:
        files = [path] if path.is_file() else []
    if not files:
        raise DatasetError(f"expected a file (.json, .jsonl, .parquet) or a folder with some at {path}, got none")
    return files


def _from_parquet(file: Path) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as table:
        for batch in table.iter_batches(64):
            yield from batch.to_pylist()


def _objects(file: Path, found: Iterable[Any]) -> Iterator[dict[str, Any]]:
    if isinstance(found, dict):
        raise DatasetError(f"{file}: expected a list of objects, got one object")
    for number, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise DatasetError(f"{file}: row {number}: expected an object, got {type(each).__name__}")
        yield each


def _one_of(record: Record, column: str, values: Sequence[str]) -> None:
    if record[column] not in tuple(values):
        raise InvalidValue(f"{column}: expected one of {', '.join(values)}, got {record[column]!r}")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
