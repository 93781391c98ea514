"""What all commands share, and `python -m races.environments`."""

import subprocess
import sys
from pathlib import Path

from races.assets.cli.generate import make_problem
from races.environments import get, pool
from tests.support.command_line import RACES, printed, races


def test_errors_of_usage_exit_with_2() -> None:
    for arguments in (["show"], ["show", "digit_sum", "--level", "6"], ["shwo"], ["query"], ["score", "no.jsonl"]):
        result = races(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")


def test_the_installed_command_fails_without_a_traceback() -> None:
    done = subprocess.run([RACES, "show", "digit_summ"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: the pool has no brick 'digit_summ'")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)


def test_commands_that_need_no_store_import_nothing_heavy() -> None:
    script = (
        "import sys; from races.assets.cli import main\n"
        "for arguments in (['show', 'digit_sum'], ['pool'], ['compose', 'digit_sum', '--gold']):\n"
        "    main(arguments, standalone_mode=False)\n"
        "    print([each for each in ('dagster', 'duckdb', 'pyarrow', 'polars', 'pandera') if each in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=HERE)
    assert [line for line in done.stdout.splitlines() if line.startswith("[") and "'" in line] == []
    assert done.stdout.splitlines().count("[]") == 3


HERE = Path(__file__).parents[2]


def look(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "races.environments", *arguments]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def test_the_module_shows_the_problem_that_the_command_shows() -> None:
    done = look("gcd_pair", "--level", "2", "--seed", "5")
    shown = make_problem("single", [get("gcd_pair")], 2, 5)
    assert done.returncode == 0
    assert done.stdout.startswith("gcd_pair: IntPair -> Nat\n")
    assert f"\n\n{shown.prompt}\n\n{shown.answer} " in done.stdout
    assert shown.prompt in printed("show", "gcd_pair", "--level", "2", "--seed", "5")


def test_the_module_lists_the_pool_and_suggests_names() -> None:
    assert look().stdout.startswith(f"{len(pool())} bricks in ")
    unknown = look("digit_summ")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert unknown.stderr.startswith("error: ")
    assert "did you mean digit_sum" in unknown.stderr
    assert look("digit_sum", "--level", "6").returncode == 2
