"""Known cheats score nothing, see nothing and leave nothing behind."""

import json
import socket
import textwrap
from pathlib import Path

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.sandbox.sandbox import Sandbox
from tests.support.cheating_programs import CHEATS, DONE, FAILED, SEARCH
from tests.support.honest_programs import SUM
from tests.support.sandboxes import STRICT, needs_sandbox, problem, secret


@needs_sandbox
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


@needs_sandbox
@pytest.mark.parametrize("name", [name for name, (_, status) in CHEATS.items() if status in {DONE, FAILED, None}])
def test_cheats_inside_a_function_return_nothing_of_use(strict: Sandbox, name: str) -> None:
    body = textwrap.indent(f"exec({CHEATS[name][0]!r}, {{'__name__': 'x'}})", " " * 8)
    code = f"class Solution:\n    def solve(self, x):\n{body}"
    expected = json.dumps(secret())
    assert livecode.grade(problem(("1", expected), function="solve"), code, strict).solved is False


@needs_sandbox
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


@needs_sandbox
def test_a_tuple_is_a_list_at_the_top_alone(strict: Sandbox) -> None:
    task = problem(("0", "[[1, 2]]"), function="solve")
    assert livecode.grade(task, "def solve(x):\n    return ([1, 2],)", strict).solved is True
    assert livecode.grade(task, "def solve(x):\n    return [(1, 2)]", strict).solved is False


@needs_sandbox
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


@needs_sandbox
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


@needs_sandbox
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


@needs_sandbox
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


@needs_sandbox
def test_searches_do_find_what_is_there(strict: Sandbox) -> None:
    planted = secret()
    for plant in (f"import builtins\nbuiltins.x = [{planted!r}]\n", f"import os\nos.environ['X'] = {planted!r}\n"):
        assert planted in strict.run(plant + SEARCH).output
    assert planted in strict.run(SEARCH, planted).output
