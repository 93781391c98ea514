"""The life of a sandbox: its start and self-test, threads and forks, and what happens where it is lost or is none."""

import os
import secrets
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.sandbox import seccomp
from races.resources.sandbox.sandbox import RunStatus, Sandbox, SandboxError
from tests.support.cheating_programs import CHEATS, FAILED
from tests.support.honest_programs import HONEST, SUM
from tests.support.sandboxes import BUBBLEWRAP, STRICT, eventually, needs_sandbox, problem, processes_of

ROOT = Path(__file__).parents[2]


@needs_sandbox
def test_packages_that_are_let_in_can_be_imported_and_only_read(tmp_path: Path) -> None:
    folder = tmp_path / "packages"
    (folder / "helpers").mkdir(parents=True)
    (folder / "helpers" / "__init__.py").write_text("def double(x):\n    return 2 * x\n")
    (folder / "helpers").chmod(0o777)
    (folder / "helpers" / "__init__.py").chmod(0o666)
    code = "import helpers\nprint(helpers.double(4))\nopen(helpers.__file__, 'a')"
    with Sandbox(prelude="import helpers", packages=[folder]) as entered:
        assert entered.run(code).reason.endswith(f"Read-only file system: '{folder}/helpers/__init__.py'")
        assert entered.run("print(helpers.double(4))").output == "8\n"
    with Sandbox() as without:
        assert "No module named 'helpers'" in without.run(code).reason


@needs_sandbox
def test_a_run_has_a_status(strict: Sandbox) -> None:
    failed = strict.run("print(1)\nx = 1\n1 / 0")
    assert failed.status is FAILED
    assert failed.reason.splitlines()[1:] == [
        '  File "program.py", line 3, in <module>',
        "ZeroDivisionError: division by zero",
    ]
    assert strict.run("while True: pass").reason == "more than 0.5 s of CPU time"
    assert strict.run("import time\ntime.sleep(9)").reason == f"more than {STRICT.wall:g} s"
    assert failed.output == strict.run("while True: print(1)").output == ""
    assert strict.run("import os\nos.abort()").reason == "ended by signal 6: Aborted"
    assert strict.run("import os\nos._exit(7)").reason == "ended with code 7"


@needs_sandbox
def test_threads_may_share_a_sandbox_and_have_their_own(running: Sandbox) -> None:
    with ThreadPoolExecutor(4) as threads:
        verdicts = list(threads.map(lambda number: running.run("print(int(input()) ** 2)", str(number)), range(40)))
    assert [verdict.output for verdict in verdicts] == [f"{number**2}\n" for number in range(40)]
    # A sandbox outlives the thread that started it.
    made: list[Sandbox] = []
    starter = Thread(target=lambda: made.append(Sandbox().__enter__()))
    starter.start()
    starter.join()
    with made[0] as entered:
        assert entered.run("print(1)").output == "1\n"


@needs_sandbox
def test_a_bomb_in_a_sandbox_leaves_the_processes_of_others_alone(running: Sandbox, strict: Sandbox) -> None:
    with ThreadPoolExecutor(1) as threads:
        bomb = threads.submit(strict.run, CHEATS["fork bomb"][0])
        grades = [livecode.grade(problem(("1 2", "3")), HONEST["a process"], running) for _ in range(20)]
        assert bomb.result().status is RunStatus.TIMEOUT
    assert all(grade.solved for grade in grades)


@needs_sandbox
def test_a_run_that_was_given_up_is_not_taken_for_the_next(strict: Sandbox) -> None:
    def give_up(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            strict.run("import time\ntime.sleep(0.6)\nprint('late')")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert strict.run("print('new')").output == "new\n"


@needs_sandbox
def test_a_fork_has_a_sandbox_of_its_own() -> None:
    code = """
import os
from races.resources.sandbox.sandbox import Sandbox
with Sandbox() as entered:
    child = os.fork()
    print({entered.run(f"print({min(child, 1)})").output for _ in range(20)}, flush=True)
    if child:
        os.wait()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert sorted(done.stdout.splitlines()) == ["{'0\\n'}", "{'1\\n'}"]


@needs_sandbox
def test_a_lost_sandbox_is_replaced_and_a_closed_one_leaves_nothing() -> None:
    mark = f"mark_{secrets.token_hex(8)}"
    with Sandbox(prelude=f"{mark} = 1") as entered:
        assert entered.run(f"print({mark})").output == "1\n"
        for process in processes_of(mark):
            os.kill(process, signal.SIGKILL)
        assert entered.run(f"print({mark})").output == "1\n"
        assert processes_of(mark)
    assert eventually(lambda: not processes_of(mark))


@needs_sandbox
def test_a_sandbox_ends_with_the_process_that_made_it() -> None:
    mark = f"mark_{secrets.token_hex(8)}"
    code = f"""
from races.resources.sandbox.sandbox import Sandbox
with Sandbox(prelude="{mark} = 1") as entered:
    print("ready", flush=True)
    entered.run("import os\\nos.fork()\\nwhile True: pass")
"""
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        owner.kill()
    assert eventually(lambda: not processes_of(mark))


def stand_in(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program before bubblewrap on the PATH."""
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_without_bubblewrap_nothing_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="Debian's package bubblewrap"):
        livecode.sandbox().__enter__()
    verdict = livecode.sandbox().run("print(3)")
    assert (verdict.status, verdict.output) == (RunStatus.BROKEN, "")
    assert "bubblewrap" in verdict.reason
    grade = livecode.grade(problem(("1 2", "3")), SUM, livecode.sandbox())
    assert (grade.solved, grade.status) == (None, RunStatus.BROKEN)


def test_a_bubblewrap_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, "echo 'No permissions to create new namespace' >&2; exit 1", monkeypatch)
    with pytest.raises(SandboxError, match="No permissions to create new namespace"):
        Sandbox().__enter__()


def test_an_interpreter_outside_a_sandbox_refuses_to_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'while [ "$#" -gt 0 ] && [ "$1" != "--" ]; do shift; done; shift; case "$1" in *setpriv) '
    script += 'while [ "$1" != "--" ]; do shift; done; shift;; esac; exec "$@"'
    stand_in(tmp_path, script, monkeypatch)
    with pytest.raises(SandboxError, match="expected to be the first process of a namespace"):
        Sandbox().__enter__()


@needs_sandbox
@pytest.mark.parametrize(
    ("more", "leak"),
    [("--ro-bind /etc /etc", "reading /etc/passwd"), ("--tmpfs /tmp", "writing into /tmp")],
)
def test_a_sandbox_that_fails_its_self_test_is_refused(
    more: str, leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, f'exec {BUBBLEWRAP} {more} "$@"', monkeypatch)
    with pytest.raises(SandboxError, match=leak):
        Sandbox().__enter__()


def test_tests_that_cannot_be_used_are_errors() -> None:
    unused = livecode.sandbox()
    deep = "[" * 300 + "]" * 300
    unusable = [("1", "x"), ("x", "1"), ("1", deep), (deep, "1"), ("[" * 10**5, "1")]
    for task in (problem(), *(problem(pair, function="f") for pair in unusable)):
        with pytest.raises(livecode.InvalidValue, match="expected"):
            livecode.grade(task, SUM, unused)
    mixed = problem(("1", "2"))
    mixed["public_test_cases"][0]["testtype"] = "functional"
    with pytest.raises(livecode.InvalidValue, match="expected a stdin test"):
        livecode.grade(mixed, SUM, unused)
    assert livecode.grade(problem(("1", "2")), " \n", unused).solved is False


def test_the_filter_is_known_for_the_machines_that_it_names() -> None:
    for machine in seccomp.MACHINES:
        filtered = seccomp.program(machine)
        assert filtered is not None
        assert len(filtered) % 8 == 0
    assert seccomp.program("sparc") is None
