"""Pages that are executed: fenced blocks run in order in a copy of the repository, and their output is compared.

```shell                 lines of one bash session
```text                  what the block before it prints, on either stream; `...` stands for anything
```python                a program of its own
```python file=a/b.py    the content of a file, in any language
```shell setup           what a copy with an existing virtual environment does not need; it is not run
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from races.resources.processes.interpreter import interpreter

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\S*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WILDCARD = "..."
DROPPED_VARIABLES = ("RACES_", "DAGSTER_", "PYTHON")  # prefixes of what whoever runs the tests may have set


@dataclass(frozen=True)
class Block:
    """A fenced block of Markdown.

    language: the first word of its info string.
    info: the rest of the info string.
    text: its lines.
    line: where it begins in the page, counted from 1.
    """

    language: str
    info: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page in Markdown."""
    return [
        Block(found[1], found[2].strip(), found[3], page.count("\n", 0, found.start()) + 1)
        for found in FENCE.finditer(page)
    ]


def copy_of_repository(target: Path) -> Path:
    """What git would clone to another machine, with links to the virtual environments of this one."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    (target / ".venv").symlink_to(sys.prefix)
    (target / ".venv-train").symlink_to(Path(interpreter()).parents[1])
    return target


def session(page: str) -> Iterator[tuple[Block, str]]:
    """The commands of each block that runs or writes a file."""
    for block in blocks(page):
        if block.info.startswith("file="):
            file = block.info.removeprefix("file=")
            yield block, f"mkdir -p '{Path(file).parent}'\ncat > '{file}' <<'END OF BLOCK'\n{block.text}END OF BLOCK\n"
        elif block.language == "shell" and block.info != "setup":
            yield block, block.text
        elif block.language == "python":
            yield block, f".venv/bin/python - <<'END OF BLOCK'\n{block.text}END OF BLOCK\n"


def printed(page: str, place: Path, seconds: float, variables: Mapping[str, str] | None = None) -> dict[int, str]:
    """What each block prints, by its line in the page, when all run in order in one session in a folder.

    AssertionError with the block and all that was printed where a command of it fails.
    """
    script, lines = ["set -e", "exec 2>&1"], []
    for block, commands in session(page):
        script += [f"echo '=== block {block.line}'", commands]
        lines.append(block.line)
    script.append("echo '=== end'")
    env = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED_VARIABLES)}
    # The virtual environment has the package of another checkout installed.
    env |= {"PYTHONPATH": str(place), "COLUMNS": "120", **(variables or {})}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=place,
        env=env,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    parts = re.split(r"^=== (?:block (\d+)|end)\n", done.stdout, flags=re.MULTILINE)
    found = {int(line): text for line, text in zip(parts[1::2], parts[2::2], strict=True) if line}
    assert done.returncode == 0, f"the block at line {max(found, default=0)} failed:\n{done.stdout}"
    assert list(found) == lines
    return found


def expectations(page: str) -> Iterator[tuple[Block, Block]]:
    """Each block with the block of text that shows what it prints."""
    before = None
    for block in blocks(page):
        if block.language == "text" and not block.info and before is not None:
            yield before, block
        before = block


def agrees(got: str, shown: str) -> bool:
    """Whether a text is what a page shows; its `...` matches anything, and spaces at the ends of lines do not count."""
    pattern = ".*".join(re.escape(part) for part in tidy(shown).split(WILDCARD))
    return re.fullmatch(pattern, tidy(got), re.DOTALL) is not None


def tidy(text: str) -> str:
    """A text without invisible differences: blank lines around it and spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
