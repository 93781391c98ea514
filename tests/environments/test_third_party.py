"""Third-party bricks: modules that do not load, files of one name, and bricks that never end."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RACES = Path(sys.executable).with_name("races")
HEAD = "import itertools\nfrom races.environments import environment\nfrom races.environments.types import Nat\n"
BRICK = '@environment({0})\ndef {1}(number: Nat) -> Nat:\n    """{2}"""\n    return {3}\n'
ENDLESS = "sum(itertools.repeat(1))"  # in C, where no Python signal handler runs


def brick(name: str, result: str, arguments: str = "", statement: str = "Change the number.") -> str:
    return BRICK.format(arguments, name, statement, result)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of bricks."""
    made = tmp_path / "bricks"
    made.mkdir()
    return made


def environment_of(*folders: Path, **variables: str) -> dict[str, str]:
    return os.environ | {"RACES_BRICKS": os.pathsep.join(map(str, folders))} | variables


def output_of(code: str, *folders: Path, cwd: Path = ROOT, **variables: str) -> Any:
    """The JSON that a new process prints."""
    head = "import json, sys, warnings\nwarnings.simplefilter('ignore')\nfrom races.environments import get, pool\n"
    script = f"{head}from races.environments.registry import faults\n{code}"
    env = environment_of(*folders, **variables)
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def races(*arguments: str, folder: Path, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    env = environment_of(folder, PYTHONWARNINGS="ignore")
    return subprocess.run(
        [RACES, *arguments], env=env, cwd=cwd, capture_output=True, text=True, check=False, timeout=300
    )


COMMANDS = """
from click.testing import CliRunner
from races.environments import clock
clock.TIME_LIMIT_S = 0.4  # before anything takes it over
from races.assets.cli import main
results = [CliRunner().invoke(main, arguments) for arguments in {arguments}]
print(json.dumps([[each.exit_code, each.stdout, each.stderr] for each in results]))
"""


def commands(folder: Path, *arguments: tuple[str, ...], cwd: Path = ROOT) -> list[tuple[int, str, str]]:
    """Exit code, standard output and standard error of commands, run in one process with a short time limit."""
    return [tuple(each) for each in output_of(COMMANDS.format(arguments=arguments), folder, cwd=cwd)]


LEFT_OUT = "print(json.dumps([[each.source, each.reason] for each in faults()] + [sorted(pool())]))"


def left_out(folder: Path, **variables: str) -> tuple[dict[str, str], set[str]]:
    *found, names = output_of(LEFT_OUT, folder, **variables)
    return {Path(source).name: reason for source, reason in found}, set(names)


# Modules that do not load

BROKEN = {
    "base_exception": ("class Own(BaseException): ...\nraise Own('no')", "Own: no"),
    "changes_folder": ("import os; os.chdir('/')", "working directory"),
    "changes_builtins": ("import builtins; builtins.sum = lambda *_: 7", "builtins"),
    "ends_at_exit": ("import atexit, os; atexit.register(os._exit, 0)", "exit handlers end the process"),
    "changes_ours": (
        "import races.environments.themes.numbers.arithmetic as ours; ours.digit_list = None",
        "share: races.environments.themes.numbers.arithmetic",
    ),
    "loses_ours": (
        "import races.environments.themes.numbers.arithmetic as ours; del ours.digit_list",
        "share: races.environments.themes.numbers.arithmetic",
    ),
    "changes_draws": ("import random; random.Random.random = lambda _: 0.5", "share: random number generator"),
    "clears_imports": ("import sys; sys.meta_path.clear()", "its import "),
    "clears_path": ("import sys; sys.path.clear()", "share: import path"),
    "clears_variables": ("import os; os.environ.clear()", "share: environment variables"),
    "limits_files": (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))",
        "share: resource limits",
    ),
    "limits_digits": ("import sys; sys.set_int_max_str_digits(640)", "share: limit on digits"),
    "limits_recursion": ("import sys; sys.setrecursionlimit(90)", "share: recursion limit"),
    "raises_warnings": ("import warnings; warnings.simplefilter('error')", "share: warnings that are errors"),
    "takes_a_name": ("import sys; sys.modules['json'] = None", "share: loaded modules"),
    "closes_all": ("import os; os.closerange(3, 1000)", "its import ended the process"),
    "closes_output": ("import sys; sys.stdout.close()", "share: stdout"),
    "closes_file": ("import os; os.close(1)", "share: stdout"),
    "exits": ("import sys; sys.exit()", "SystemExit"),
    "forks": ("import os; os.fork()", "has left a process running"),
    "generator_exit": ("raise GeneratorExit", "GeneratorExit"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "is_killed": ("import os; os.kill(os.getpid(), 9)", "together with its process"),
    "is_no_code": ("def f(:", "SyntaxError"),
    "mutes_interrupts": ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)", "share: handler of SIGINT"),
    "speaks_twice": ("import os; os.write(3, b'{}\\n'); os.write(4, b'{}\\n'); raise ValueError('!')", ""),
    "vanishes": ("import os; os._exit(0)", "ended the process with code 0"),
    "writes_text": ("class Mute(Exception):\n  def __str__(self): raise ValueError\nraise Mute", "Mute"),
}


def test_a_module_that_does_not_load_is_named_and_the_rest_of_the_pool_stands(folder: Path) -> None:
    for name, (code, _) in BROKEN.items():
        (folder / f"{name}.py").write_text(f"{HEAD}{brick(f'brick_that_{name}', 'number')}{code}\n")
    (folder / "sound.py").write_text(HEAD + brick("a_sound_brick", "number + 1"))
    adds = "import os, sys; os.environ['A_NEW'] = ''; sys.path.append('/'); sys.setrecursionlimit(5_000)"
    (folder / "adds.py").write_text(HEAD + brick("a_brick_that_adds", "number + 1") + adds)
    reasons, names = left_out(folder)
    assert reasons.keys() == {f"{name}.py" for name in BROKEN}
    assert "a_brick_that_adds" in names
    for name, (_, reason) in BROKEN.items():
        assert reason in reasons[f"{name}.py"], (name, reasons)
        assert f"brick_that_{name}" not in names
    assert {"a_sound_brick", "digit_sum"} <= names
    assert len(names) > 400


@pytest.mark.slow
def test_a_module_that_never_ends_or_fills_the_memory_is_left_out(folder: Path) -> None:
    (folder / "loops.py").write_text(HEAD + brick("brick_in_loop", "number") + ENDLESS)
    (folder / "eats.py").write_text("found = [bytearray(2**20) for _ in range(2**20)]")
    (folder / "sound.py").write_text(HEAD + brick("a_sound_brick", "number + 1"))
    reasons, names = left_out(folder)
    assert "took more than 10 s" in reasons["loops.py"]
    assert "MemoryError" in reasons["eats.py"]
    assert "a_sound_brick" in names


def test_asking_for_a_brick_that_was_left_out_gives_the_reason(folder: Path) -> None:
    (folder / "exits.py").write_text(HEAD + brick("brick_that_exits", "number") + "import sys; sys.exit()")
    for code, _, errors in commands(folder, *[(name, "brick_that_exits") for name in ("audit", "show", "compose")]):
        assert code == 1
        assert "no brick 'brick_that_exits'; left out of the pool: " in errors
        assert "exits.py: SystemExit" in errors


def test_an_interrupt_of_the_user_ends_the_loading(folder: Path) -> None:
    (folder / "waits.py").write_text("import time; time.sleep(20)")
    command = [sys.executable, "-c", "from races.environments import pool; pool()"]
    with subprocess.Popen(command, env=environment_of(folder), cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(3)
        process.send_signal(2)
        assert "KeyboardInterrupt" in process.communicate(timeout=10)[1]
    assert process.returncode != 0


def test_without_third_party_bricks_no_process_is_started(tmp_path: Path) -> None:
    code = "import subprocess\nsubprocess.Popen = None\nprint(json.dumps([len(pool()), get('digit_sum')(472)]))"
    assert output_of(code)[1] == 13


# Files of one name

TWO = """
from races.environments.execution import run
from races.environments.isolation.guard import Guard
import pickle, inspect
found = {}
for name in sys.argv[1:] or {names}:
    brick = get(name)
    again = pickle.loads(pickle.dumps(brick))
    values = [brick(5), run(brick, 5).value, Guard().run(brick, 5).value, again(5)]
    source = inspect.getsource(brick.function)
    found[name] = [values, again is brick, brick.fingerprint, brick.theme, name in source]
print(json.dumps(found))
"""
HELPED = HEAD + "from .helpers import changed\n"


def place(folder: Path, name: str, code: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(HELPED + brick(name, "changed(number)"))
    (folder / "helpers.py").write_text(f"def changed(number):\n    return {code}\n")
    return folder


def test_files_and_helpers_of_one_name_keep_their_own_code(tmp_path: Path) -> None:
    first = place(tmp_path / "first", "the_first_one", "2 * number")
    second = place(tmp_path / "first" / "second", "the_second_one", "3 * number")
    code = TWO.replace("{names}", "['the_first_one', 'the_second_one']")
    found = output_of(code, first, second)
    for name, value in (("the_first_one", 10), ("the_second_one", 15)):
        values, same, _, theme, has_source = found[name]
        assert values == [value] * 4
        assert (same, theme, has_source) == (True, "races_bricks_mine", True)
    moved = tmp_path / "moved"
    shutil.copytree(first, moved)
    again = output_of(TWO.replace("{names}", "['the_first_one']"), moved)
    assert again["the_first_one"] == found["the_first_one"], "a fingerprint must not depend on where a folder lies"
    (moved / "helpers.py").write_text("def changed(number):\n    return 2 + number\n")
    edited = output_of(TWO.replace("{names}", "['the_first_one']"), moved)
    assert edited["the_first_one"][2] != found["the_first_one"][2], "a helper is a part of the brick"


def test_a_file_may_be_called_like_a_module_of_anybody(tmp_path: Path) -> None:
    called = ("json", "arithmetic", "environments", "my-bricks", "1st", "a.b", "a_b", "a..b")
    for number, name in enumerate(called):
        (tmp_path / f"{name}.py").write_text(HEAD + brick(f"brick_number_{number}", f"number + {number}"))
    names = [f"brick_number_{number}" for number in range(len(called))]
    found = output_of(TWO.replace("{names}", repr(names)), tmp_path)
    assert [found[name][0] for name in names] == [[5 + number] * 4 for number in range(len(called))]


def test_a_brick_of_two_files_is_refused_with_both_named(tmp_path: Path) -> None:
    first, second = (place(tmp_path / name, "a_double", f"{name} * number") for name in ("_2", "_3"))
    for folder in (first, second):
        (folder / "mine.py").write_text(HEAD + brick("a_double", "number") + brick(f"only{folder.name}", "number"))
    *found, names = output_of(LEFT_OUT, first, second)
    assert [source for source, _ in found] == [str(first / "mine.py"), str(second / "mine.py")]
    for _, reason in found:
        assert str(first / "mine.py") in reason
        assert str(second / "mine.py") in reason
    assert {"only_2", "only_3"} <= set(names)
    assert "a_double" not in names


def test_a_folder_that_is_listed_twice_and_a_link_count_once(tmp_path: Path) -> None:
    first = place(tmp_path / "first", "the_first_one", "2 * number")
    (tmp_path / "link").symlink_to(first)
    (first / "other.py").symlink_to(first / "mine.py")
    *found, names = output_of(LEFT_OUT, first, tmp_path / "link", first / ".." / "first")
    assert found == []
    assert "the_first_one" in names


def test_bricks_of_a_relative_folder_are_found_after_a_change_of_folder(tmp_path: Path) -> None:
    place(tmp_path / "first", "the_first_one", "2 * number")
    code = """
import os
from races.environments.isolation.guard import Guard
brick = get("the_first_one")
os.chdir("/")
print(json.dumps(Guard().run(brick, 5).value))
"""
    assert output_of(code, Path("first"), cwd=tmp_path) == 10


# Time limits


@pytest.fixture
def stuck(folder: Path) -> Path:
    """Bricks that never end, each in its way, and one that does."""
    endless = "def endless(rng, level):\n    return sum(itertools.repeat(1))\n"
    bricks = [
        brick("stuck_f", ENDLESS),
        brick("stuck_sampler", "number + 2", "sample=endless"),
        brick("stuck_test", "number + 2", "accepts=endless"),
        brick("sound_one", "number + 2"),
    ]
    (folder / "stuck.py").write_text(HEAD + endless + "".join(bricks))
    return folder


COMPOSED = ("--answer", "[1, 2]")
BY_HAND = [
    (("show", "stuck_f"), "stuck_f"),
    (("show", "stuck_sampler"), "stuck_sampler"),
    (("show", "stuck_test"), "stuck_test"),
    (("compose", "sound_one", "stuck_f", *COMPOSED), "stuck_f"),
    (("compose", "stuck_sampler", "sound_one", *COMPOSED), "stuck_sampler"),
    (("show", "(sound_one > digit_sum)", "--operator", "sequential"), ""),
]


def test_making_a_problem_by_hand_ends_and_names_the_brick(stuck: Path) -> None:
    results = commands(stuck, *[arguments for arguments, _ in BY_HAND])
    for (arguments, named), (code, _, errors) in zip(BY_HAND, results, strict=True):
        assert code == bool(named), arguments
        assert (not named) or named in errors.splitlines()[-1], arguments


def test_the_command_line_ends_a_brick_that_never_does(stuck: Path) -> None:
    done = races("show", "stuck_f", folder=stuck)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "more than 2.0 seconds" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_an_audit_ends_and_names_the_bricks(stuck: Path, shadowed: Path) -> None:
    done = races("audit", "stuck_f", "stuck_sampler", "stuck_test", "sound_one", folder=stuck, cwd=shadowed)
    for name in ("stuck_f", "stuck_sampler", "stuck_test"):
        assert f"{name} " in done.stdout
    assert "bricks: 4, with faults: 3" in done.stdout
    assert "shadowed" not in done.stderr
    assert done.returncode == 1


JUDGED = """
from races.environments import clock
clock.TIME_LIMIT_S = 0.4  # before anything takes it over
from races.environments.operators import score
brick = get("stuck_test")
truth = json.dumps({"operator": "single", "types": ["Nat"], "answers": ["5"],
    "terminals": {"0": {"environment": "stuck_test", "start": "3"}}})
scored = score(truth, "<answer>5</answer>")
try:
    verified = brick.verify("5", 5, 3)
except Exception as error:
    verified = str(error)
print(json.dumps([scored.status, scored.reason, verified]))
"""


def test_a_test_of_answers_that_never_ends_is_a_failure_of_the_grader(stuck: Path) -> None:
    status, reason, verified = output_of(JUDGED, stuck)
    assert status == "grader_failed"
    for text in (reason, verified):
        assert "stuck_test: its test of an answer took more than 0.4 seconds" in text


def test_a_brick_that_ends_its_process_is_run_three_times_at_most(folder: Path) -> None:
    (folder / "vanishes.py").write_text("import os\n" + HEAD + brick("a_vanishing_brick", "os._exit(0)"))
    code = "from races.environments.execution import run\nb = get('a_vanishing_brick')\n"
    found = output_of(f"{code}print(json.dumps([run(b, 5).status for _ in range(5)]))", folder)
    assert found == ["crashed"] * 3 + ["time"] * 2
