"""The hidden tests of LiveCodeBench: JSON, or JSON in a pickle in zlib in base64, parsed without unpickling."""

import json
import zlib
from base64 import b64decode
from collections.abc import Mapping
from pickletools import genops
from typing import Any

from races.environments.errors import InvalidValue

KINDS = ("stdin", "functional")
TEXTS = frozenset({"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"})
BOOKKEEPING = frozenset({"PROTO", "FRAME", "PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE", "STOP"})
MAX_TEST_BYTES = 2**30  # of one problem's tests; a few hundred MB occur


def tests_of(text: str) -> list[dict[str, str]]:
    """The tests in a column of a problem: dictionaries of input, output and testtype, all texts.

    Raises InvalidValue for any other content.
    """
    try:
        tests = _load(text)
    except RecursionError as error:
        raise InvalidValue("expected a list of tests, got one that is nested too deeply") from error
    if not isinstance(tests, list) or not all(map(_is_test, tests)):
        raise InvalidValue("expected a list of tests with the texts input, output and testtype (stdin or functional)")
    return [{key: test[key] for key in ("input", "output", "testtype")} for test in tests]


def task_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a problem that running a program needs: tests, starter code and the function to call, if any.

    Raises InvalidValue where a column cannot be parsed.
    """
    try:
        metadata = json.loads(record["metadata"], parse_int=str)  # of any number of digits
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"expected metadata in JSON: {error}") from error
    if not isinstance(metadata, dict):
        raise InvalidValue(f"expected metadata that is an object, got {type(metadata).__name__}")
    return {
        "starter_code": record["starter_code"],
        "public_test_cases": tests_of(record["public_test_cases"]),
        "private_test_cases": tests_of(record["private_test_cases"]),
        "fn_name": metadata.get("func_name"),
    }


def _load(text: str) -> Any:
    try:
        return json.loads(text, parse_int=str)
    except ValueError:
        return _unpacked(text)


def _unpacked(text: str) -> Any:
    try:
        inflater = zlib.decompressobj()
        packed = inflater.decompress(b64decode(text, validate=True), MAX_TEST_BYTES)
        if not inflater.eof:
            raise InvalidValue(f"expected a whole zlib stream of at most {MAX_TEST_BYTES} bytes")
        return json.loads(_pickled_text(packed), parse_int=str)
    except (zlib.error, ValueError) as error:  # base64, pickle and JSON raise subclasses of ValueError
        raise InvalidValue(f"expected JSON, or its pickle in zlib in base64: {error}") from error


def _pickled_text(packed: bytes) -> str:
    """The string in a pickle, read from its opcodes; InvalidValue for opcodes other than those of a string.

    Even an unpickler that refuses classes would allocate as much memory as a pickle asks for.
    """
    texts = []
    for instruction, argument, _ in genops(packed):
        if instruction.name in TEXTS:
            texts.append(str(argument))
        elif instruction.name not in BOOKKEEPING:
            raise InvalidValue(f"expected a pickled text, got a pickle with {instruction.name}")
    if len(texts) != 1:
        raise InvalidValue(f"expected a pickled text, got {len(texts)}")
    return texts[0]


def _is_test(test: Any) -> bool:
    return (
        isinstance(test, dict)
        and isinstance(test.get("input"), str)
        and isinstance(test.get("output"), str)
        and test.get("testtype") in KINDS
    )
