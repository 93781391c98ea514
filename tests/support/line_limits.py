"""The limits of lines that ruff has no rule for: python -m tests.support.line_limits, which `make check` runs."""

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
# From `def` to the last line; decorators and the docstring, which may hold examples, do not count.
FUNCTION_LINES = 40
FILE_LINES = 400
BUILT = ("build", "dist")  # copies of the sources


def too_long(file: str, text: str) -> Iterator[str]:
    """What is over a limit in a Python file, as "file:line: what"."""
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield f"{file}:1: {lines} lines in a file, expected {FILE_LINES} at most"
    for node in ast.walk(ast.parse(text, file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = _length(node) - (_length(node.body[0]) if ast.get_docstring(node) is not None else 0)
            if lines > FUNCTION_LINES:
                yield f"{file}:{node.lineno}: {lines} lines in {node.name}, expected {FUNCTION_LINES} at most"


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def python_files(root: Path) -> list[str]:
    """The Python files of a checkout, each under its own path alone and not behind a link."""
    found = []
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".") and name not in BUILT]
        found += [Path(folder, name).relative_to(root).as_posix() for name in names if name.endswith(".py")]
    return sorted(found)


def main() -> int:
    """Print what is over a limit; 1 where anything is."""
    found = [each for name in python_files(ROOT) for each in too_long(name, (ROOT / name).read_text("utf-8"))]
    for each in found:
        print(each)  # noqa: T201  # a linter's output
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
