"""The jail: known cheats score nothing and break nothing, honest programs pass, and what is no jail grades nothing."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from threading import Thread

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.evaluation.suites.livecode import Task
from races.resources.sandbox import seccomp
from races.resources.sandbox.sandbox import Limits, RunStatus, Sandbox, SandboxError
from tests.support.jail_programs import CHEATS, DONE, FAILED, HONEST, MARK, SEARCH, SUM

ROOT = Path(__file__).parents[2]
BUBBLEWRAP = shutil.which("bwrap")
needs_jail = pytest.mark.skipif(BUBBLEWRAP is None, reason="needs bubblewrap: apt-get install bubblewrap")
STRICT = Limits(cpu=0.5, wall=3.0, memory=2**29, output=2**20, processes=16)


@pytest.fixture(scope="module")
def jail() -> Iterator[Sandbox]:
    """What honest programs run in."""
    with livecode.sandbox() as entered:
        yield entered


@pytest.fixture(scope="module")
def strict() -> Iterator[Sandbox]:
    """A jail with little patience, which many cheats share one after another."""
    with Sandbox(STRICT, prelude=livecode.PRELUDE) as entered:
        yield entered


def problem(*pairs: tuple[str, str], function: str | None = None) -> Task:
    """A problem with tests of inputs and expected outputs, the first public and the others private."""
    kind = "functional" if function else "stdin"
    tests = [livecode.Test(input=given, output=expected, testtype=kind) for given, expected in pairs]
    return Task(starter_code="", public_test_cases=tests[:1], private_test_cases=tests[1:], fn_name=function)


def secret() -> str:
    return MARK + secrets.token_hex(16)


@needs_jail
@pytest.mark.parametrize("name", CHEATS)
def test_cheats_score_nothing_and_the_next_program_is_graded_rightly(strict: Sandbox, name: str) -> None:
    code, status = CHEATS[name]
    expected = secret()
    grade = livecode.grade(problem(("1 2", expected)), code, strict)
    assert grade.solved is False
    assert status in {None, grade.status}, grade
    assert expected not in grade.reason
    assert livecode.grade(problem(("1 2", "3"), ("5 6\n", "11\n")), SUM, strict).solved is True
    assert livecode.grade(problem(("1 2", "3"), ("5 6\n", "12\n")), SUM, strict).solved is False


@needs_jail
@pytest.mark.parametrize("name", [name for name, (_, status) in CHEATS.items() if status in {DONE, FAILED, None}])
def test_cheats_inside_a_function_return_nothing_of_use(strict: Sandbox, name: str) -> None:
    body = textwrap.indent(f"exec({CHEATS[name][0]!r}, {{'__name__': 'x'}})", " " * 8)
    code = f"class Solution:\n    def solve(self, x):\n{body}"
    expected = json.dumps(secret())
    assert livecode.grade(problem(("1", expected), function="solve"), code, strict).solved is False


@needs_jail
@pytest.mark.parametrize(
    "result",
    [
        "type('X', (), {'__eq__': lambda *_: True})()",
        "type('X', (str,), {'__eq__': lambda *_: True, '__hash__': str.__hash__})('')",
        "type('X', (list,), {'__eq__': lambda *_: True, '__hash__': None})()",
        "type('X', (list,), {'__iter__': lambda self: iter(int, 1)})()",
        "type('X', (int,), {'__eq__': lambda *_: True, '__repr__': lambda _: '[1, 2]'})(3)",
        "{1, 2}",
        "float('nan')",
        "10 ** 10000",
        "(lambda x: [x := [x] for _ in range(10**5)][-1])([])",
        "None",
        "'[1, 2]'",
        "__import__('unittest.mock').mock.ANY",
        "type('X', (complex,), {'__eq__': lambda *_: True, '__hash__': None, 'real': [1, 2]})()",
        "type('X', (), {'size': 1, 'tolist': lambda self: [1, type(self)()]})()",
        "__import__('numpy').array([1, 2])",
        "__import__('decimal').Decimal('sNaN')",
    ],
)
def test_results_that_pretend_to_equal_everything_are_wrong(strict: Sandbox, result: str) -> None:
    code = f"def solve():\n    return {result}"
    task = problem(("", "[1, 2]"), function="solve")
    task["public_test_cases"][0]["input"] = "0"
    assert livecode.grade(task, code.replace("solve()", "solve(_)"), strict).solved is False


@needs_jail
def test_a_tuple_is_a_list_at_the_top_alone(strict: Sandbox) -> None:
    task = problem(("0", "[[1, 2]]"), function="solve")
    assert livecode.grade(task, "def solve(x):\n    return ([1, 2],)", strict).solved is True
    assert livecode.grade(task, "def solve(x):\n    return [(1, 2)]", strict).solved is False


@needs_jail
def test_there_is_no_network(strict: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
import socket
for family in range(64):
    for address in (("127.0.0.1", {port}), ("1.1.1.1", 53), (2, {port}), "\\0x", "/run/systemd/private"):
        try:
            made = socket.socket(family)
            made.settimeout(0.1)
            made.connect(address)
            print("reached", family, address)
        except (OSError, TypeError, ValueError, OverflowError):
            pass
try:
    print(socket.getaddrinfo("example.com", 80))
except OSError:
    pass
"""
        verdict = strict.run(code)
    assert (verdict.status, verdict.output) == (DONE, "")


@needs_jail
def test_there_are_no_files_but_the_interpreter_and_no_place_to_write(strict: Sandbox, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("of the host")
    kept.chmod(0o666)
    tmp_path.chmod(0o777)
    hidden = [str(kept), "/etc/passwd", "/etc/hostname", str(Path(livecode.__file__)), "/bin/sh"]
    code = f"""
import os, sys
for name in {hidden!r}:
    for path in (name, "/proc/1/root" + name, "/proc/self/root" + name, "/proc/self/cwd" + name, "/../.." + name):
        try:
            open(path)
            print("read", path)
        except OSError:
            pass
for folder, folders, names in os.walk("/"):
    if folder.startswith("/proc"):
        continue
    for act in (lambda p: open(p, "w"), os.mkdir, lambda p: os.symlink({str(kept)!r}, p), os.mkfifo):
        try:
            act(os.path.join(folder, "new"))
            print("wrote", folder)
        except OSError:
            pass
    for name in names:
        try:
            path = os.path.join(folder, name)
            if not path.startswith("/dev/"):
                open(path, "r+")
                print("opened", path)
        except OSError:
            pass
print(sorted(os.listdir("/dev")))
"""
    verdict = strict.run(code)
    assert verdict.status is DONE
    assert verdict.output == "['null', 'random', 'stderr', 'stdin', 'stdout', 'urandom', 'zero']\n"
    assert kept.read_text() == "of the host"


@needs_jail
def test_the_program_is_nobody_and_gains_nothing(strict: Sandbox) -> None:
    code = """
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
print(os.getuid(), os.geteuid(), os.getgid())
for name in ("setuid", "setgid", "seteuid"):
    try:
        getattr(os, name)(0)
        print(name)
    except OSError:
        pass
for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(kind, (-1, -1))
        print("limit", kind)
    except ValueError:
        pass
calls = {"unshare": (0x10000000,), "mount": (0, b"/", 0, 4096, 0), "chroot": (b"/proc",), "shmget": (0, 9, 0o1666),
    "semget": (0, 1, 0o1666), "msgget": (0, 0o1666), "ptrace": (16, 1, 0, 0), "ptrace ": (16, os.getppid(), 0, 0),
    "memfd_create": (b"x", 0), "setns": (0, 0), "personality": (0xffffffff,), "mq_open": (b"/x", 0o102, 0o600, 0)}
for name, values in calls.items():
    if getattr(libc, name.strip())(*values) != -1:
        print(name)
if libc.syscall({"x86_64": 56}.get(os.uname().machine, 220), 0x10000011, 0, 0, 0, 0) != -1:
    print("clone into a user namespace")
try:
    bytearray(2**31)
    print("memory")
except MemoryError:
    pass
for path in ("/proc/1/mem", "/proc/1/environ", "/proc/1/maps", "/proc/1/fd/0", "/proc/1/ns/user", "/proc/1/cwd"):
    try:
        os.close(os.open(path, os.O_RDONLY))
        print(path)
    except OSError:
        pass
"""
    verdict = strict.run(code)
    assert (verdict.status, verdict.output) == (DONE, "65534 65534 65534\n")


@needs_jail
def test_nothing_passes_from_a_run_to_the_next(strict: Sandbox) -> None:
    first = """
import builtins, gc, json, math, os, random, sys, time
builtins.left = json.left = math.left = sys.left = open(0).read()
json.dumps = json.loads = builtins.print = None
random.seed(7)
sys.setrecursionlimit(99)
sys.path.append("/left")
os.environ["left"] = "x"
os.chdir("/proc")
if os.fork() == 0:
    os.setsid()
    time.sleep(99)
"""
    given = secret()
    assert strict.run(first, given).status is DONE
    state = """
import builtins, json, math, os, random, sys
print([hasattr(each, "left") for each in (builtins, json, math, sys)], os.environ.get("left"), os.getcwd())
print(sorted(filter(str.isdigit, os.listdir("/proc")), key=int) == ["1", str(os.getpid())], "/left" in sys.path)
print(random.random(), sys.getrecursionlimit(), json.dumps(1), hash("x"))
"""
    outputs = [strict.run(state).output]
    assert outputs[0].startswith("[False, False, False, False] None /\nTrue False\n")
    assert given not in strict.run(SEARCH).output
    strict.run("while True: pass")
    outputs.append(strict.run(state).output)
    with Sandbox(STRICT, prelude=livecode.PRELUDE) as another:
        outputs.append(another.run(state).output)
    assert len(set(outputs)) == 1


@needs_jail
def test_searches_do_find_what_is_there(strict: Sandbox) -> None:
    planted = secret()
    for plant in (f"import builtins\nbuiltins.x = [{planted!r}]\n", f"import os\nos.environ['X'] = {planted!r}\n"):
        assert planted in strict.run(plant + SEARCH).output
    assert planted in strict.run(SEARCH, planted).output


@needs_jail
@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(jail: Sandbox, name: str) -> None:
    task = problem(("1 2", "3"), ("-5 5\n", "0\n"), ("1000000000000 1", "1000000000001"))
    grade = livecode.grade(task, HONEST[name], jail)
    assert (grade.solved, grade.passed, grade.tests, grade.reason) == (True, 3, 3, "")
    assert grade.seconds > 0
    wrong = livecode.grade(problem(("1 2", "3"), ("1 2", "4"), ("1 2", "3")), HONEST[name], jail)
    assert (wrong.solved, wrong.passed, wrong.status) == (False, 1, DONE)


@needs_jail
@pytest.mark.parametrize(
    ("code", "given", "expected"),
    [
        ("class Solution:\n    def f(self, a, b):\n        print('noise')\n        return a + b", "1\n2", "3"),
        ("def f(a, b):\n    return a, b", '[1]\n{"x": null}', '[[1], {"x": null}]'),
        ("class Solution:\n    def f(self, x: List[int]) -> Optional[int]:\n        return max(x)", "[3, 1]", "3"),
        ("def f(x):\n    return x / 2", "5", "2.5"),
        ("def f(x):\n    return x / 2", "4", "2"),
        ("def f(x):\n    return x > 2", "4", "true"),
        ("def f(x):\n    return x[::-1]", '"\u00e9\\n\u4e2d"', '"\u4e2d\\n\u00e9"'),
        ("def f(x):\n    return None", "4", "null"),
        ("import sys\ndef f(x):\n    return list(range(x))", "100000", json.dumps(list(range(100000)))),
        ("def f(x):\n    return x + 1\nif __name__ == '__main__':\n    print(f(int(input())))", "4", "5"),
        ("class Solution:\n    def f(self, x):\n        return x\nif __name__ == '__main__':\n    1 / 0", "4", "4"),
        ("def f(x):\n    return x * 10", "1" + "0" * 30_000, "1" + "0" * 30_001),
        ("def f(x):\n    return [str(x), x]", "9" * 5_000, f'["{"9" * 5_000}", {"9" * 5_000}]'),
        ("def f(x):\n    return x", "[1e400, 1E2, -0]", "[Infinity, 100, 0.0]"),
        ("import numpy as np\ndef f(x):\n    return np.int64(x)", "4", "4"),
        (
            "import numpy as np\ndef f(x):\n    return [np.bool_(x), np.float32(x / 8), np.array([x])]",
            "4",
            "[1, 0.5, [4]]",
        ),
        ("import numpy as np\ndef f(x):\n    return (np.arange(x) * 2).tolist()", "4", "[0, 2, 4, 6]"),
        ("from fractions import Fraction\ndef f(x):\n    return [Fraction(x, 8), Fraction(x, 2)]", "4", "[0.5, 2]"),
        ("from decimal import Decimal\ndef f(x):\n    return [Decimal('0.5'), Decimal(x)]", "4", "[0.5, 4]"),
        ("def f(x):\n    return Counter(x)", '"aab"', '{"b": 1, "a": 2}'),
        (
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int'\ndef f(x):\n    return P(x).x",
            "4",
            "4",
        ),
        ("class I:\n    def __index__(self): return 7\ndef f(x):\n    return [I()]", "4", "[7]"),
    ],
)
def test_functions_are_called_and_compared(jail: Sandbox, code: str, given: str, expected: str) -> None:
    assert livecode.grade(problem((given, expected), function="f"), code, jail).solved is True
    assert livecode.grade(problem((given, '"another"'), function="f"), code, jail).solved is False
    assert livecode.grade(problem((given, expected), function="g"), code, jail).solved is False


@needs_jail
@pytest.mark.parametrize("function", [None, "f"])
def test_what_is_printed_is_bounded_by_what_is_expected(jail: Sandbox, function: str | None) -> None:
    """Five million numbers took the grader a gigabyte."""
    values = "' '.join(map(str, range(5 * 10**6)))"
    many = f"def f(x):\n    return list(range(5 * 10**6))\nif __name__ == '__main__':\n    print({values})"
    before = getrusage(RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    grade = livecode.grade(problem(("1", "3"), function=function), many, jail)
    assert (grade.solved, grade.status) == (False, RunStatus.OUTPUT)
    assert time.process_time() - begun < 1
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


@needs_jail
def test_a_right_answer_is_never_too_long(jail: Sandbox) -> None:
    numbers = range(10**5)
    shown = " ".join(map(str, numbers))
    wide = "print('  '.join(f'{n}.000' for n in range(10**5)) + ' ' * 10**5)"
    assert livecode.grade(problem(("", shown)), wide, jail).solved is True
    task = problem(("1", json.dumps(["\u4e2d"] * 10**5, ensure_ascii=False)), function="f")
    assert livecode.grade(task, "def f(x):\n    return ['\\u4e2d'] * 10**5", jail).solved is True


@needs_jail
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


@needs_jail
def test_a_run_is_told_by_its_status(strict: Sandbox) -> None:
    failed = strict.run("print(1)\nx = 1\n1 / 0")
    assert failed.status is FAILED
    assert failed.reason.splitlines()[1:] == [
        '  File "program.py", line 3, in <module>',
        "ZeroDivisionError: division by zero",
    ]
    assert strict.run("while True: pass").reason == "more than 0.5 s of CPU time"
    assert strict.run("import time\ntime.sleep(9)").reason == "more than 3 s"
    assert failed.output == strict.run("while True: print(1)").output == ""
    assert strict.run("import os\nos.abort()").reason == "ended by signal 6: Aborted"
    assert strict.run("import os\nos._exit(7)").reason == "ended with code 7"


@needs_jail
def test_threads_may_share_a_jail_and_have_their_own(jail: Sandbox) -> None:
    with ThreadPoolExecutor(4) as threads:
        verdicts = list(threads.map(lambda number: jail.run("print(int(input()) ** 2)", str(number)), range(40)))
    assert [verdict.output for verdict in verdicts] == [f"{number**2}\n" for number in range(40)]
    # A jail outlives the thread that started it.
    made: list[Sandbox] = []
    starter = Thread(target=lambda: made.append(Sandbox().__enter__()))
    starter.start()
    starter.join()
    with made[0] as entered:
        assert entered.run("print(1)").output == "1\n"


@needs_jail
def test_a_bomb_in_a_jail_leaves_the_processes_of_others_alone(jail: Sandbox, strict: Sandbox) -> None:
    with ThreadPoolExecutor(1) as threads:
        bomb = threads.submit(strict.run, CHEATS["fork bomb"][0])
        grades = [livecode.grade(problem(("1 2", "3")), HONEST["a process"], jail) for _ in range(20)]
        assert bomb.result().status is RunStatus.TIMEOUT
    assert all(grade.solved for grade in grades)


@needs_jail
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


@needs_jail
def test_a_fork_has_a_jail_of_its_own() -> None:
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


def processes_of(mark: str) -> list[int]:
    """The processes whose command holds a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def awaited(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 10
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


@needs_jail
def test_a_lost_jail_is_replaced_and_a_closed_one_leaves_nothing() -> None:
    mark = f"mark_{secrets.token_hex(8)}"
    with Sandbox(prelude=f"{mark} = 1") as entered:
        assert entered.run(f"print({mark})").output == "1\n"
        for process in processes_of(mark):
            os.kill(process, signal.SIGKILL)
        assert entered.run(f"print({mark})").output == "1\n"
        assert processes_of(mark)
    assert awaited(lambda: not processes_of(mark))


@needs_jail
def test_a_jail_ends_with_the_process_that_made_it() -> None:
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
    assert awaited(lambda: not processes_of(mark))


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


def test_a_bubblewrap_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, "echo 'No permissions to create new namespace' >&2; exit 1", monkeypatch)
    with pytest.raises(SandboxError, match="No permissions to create new namespace"):
        Sandbox().__enter__()


def test_an_interpreter_that_is_not_jailed_refuses_to_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'while [ "$#" -gt 0 ] && [ "$1" != "--" ]; do shift; done; shift; case "$1" in *setpriv) '
    script += 'while [ "$1" != "--" ]; do shift; done; shift;; esac; exec "$@"'
    stand_in(tmp_path, script, monkeypatch)
    with pytest.raises(SandboxError, match="expected to be the first process of a namespace"):
        Sandbox().__enter__()


@needs_jail
@pytest.mark.parametrize(
    ("more", "leak"),
    [("--ro-bind /etc /etc", "reading /etc/passwd"), ("--tmpfs /tmp", "writing into /tmp")],
)
def test_a_jail_that_leaks_is_refused(more: str, leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, f'exec {BUBBLEWRAP} {more} "$@"', monkeypatch)
    with pytest.raises(SandboxError, match=leak):
        Sandbox().__enter__()


def test_tests_that_cannot_be_used_are_errors() -> None:
    jail = livecode.sandbox()
    deep = "[" * 300 + "]" * 300
    unusable = [("1", "x"), ("x", "1"), ("1", deep), (deep, "1"), ("[" * 10**5, "1")]
    for task in (problem(), *(problem(pair, function="f") for pair in unusable)):
        with pytest.raises(livecode.InvalidValue, match="expected"):
            livecode.grade(task, SUM, jail)
    mixed = problem(("1", "2"))
    mixed["public_test_cases"][0]["testtype"] = "functional"
    with pytest.raises(livecode.InvalidValue, match="expected a stdin test"):
        livecode.grade(mixed, SUM, jail)
    assert livecode.grade(problem(("1", "2")), " \n", jail).solved is False


def test_the_filter_is_known_for_the_machines_that_it_names() -> None:
    for machine in seccomp.MACHINES:
        filtered = seccomp.program(machine)
        assert filtered is not None
        assert len(filtered) % 8 == 0
    assert seccomp.program("sparc") is None
