"""Nothing that a program does reaches another's run, and a sandbox that is hampered from outside is not trusted."""

import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.sandbox import sandbox
from races.resources.sandbox.sandbox import CANARY_LIMITS, Limits, RunStatus, Sandbox, SandboxError
from tests.support.sandboxes import needs_sandbox, problem, processes_of

pytestmark = needs_sandbox
LIMITS = Limits(cpu=1.0, wall=10.0, memory=300 * 2**20, processes=16)
SUM = "print(sum(map(int, input().split())))"

# What each of these does would stick to later programs, or to the process that watches them, if it could name it.
ATTACKS = {
    "limits of process 1": """
for pid in (1, os.getppid()):
    for kind in range(16):
        attempt(resource.prlimit, pid, kind, (10**8 if kind == resource.RLIMIT_AS else 1,) * 2)
""",
    "memory that process 1 may have": "attempt(resource.prlimit, 1, resource.RLIMIT_AS, (10**8, 10**8))\n",
    "limits of its own": """
import os
if os.fork() == 0:
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    resource.setrlimit(resource.RLIMIT_AS, (10**8, 10**8))
    os._exit(0)
resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))
""",
    "niceness": """
for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):
    for who in (0, 1, 65534):
        attempt(os.setpriority, which, who, 19)
attempt(os.nice, 19)
""",
    "affinity": """
for pid in range(99):
    attempt(os.sched_setaffinity, pid, [min(os.sched_getaffinity(0))])
""",
    "scheduling": """
for pid in range(99):
    for policy in (os.SCHED_IDLE, os.SCHED_BATCH):
        attempt(os.sched_setscheduler, pid, policy, os.sched_param(0))
""",
    "priority of input and output": """
for which in (1, 2, 3):
    for who in (0, 1, 65534):
        libc.syscall({"x86_64": 251}.get(os.uname().machine, 30), which, who, (3 << 13))
""",
    "files of processes": """
for pid in [*filter(str.isdigit, os.listdir("/proc")), "self", "thread-self"]:
    for name in ("oom_score_adj", "oom_adj", "autogroup", "comm", "clear_refs", "timerslack_ns", "coredump_filter"):
        for text in ("19", "1000", "5"):
            attempt(lambda: open(f"/proc/{pid}/{name}", "w").write(text))
""",
    "signals": """
for number in (1, 2, 3, 6, 9, 10, 12, 14, 15, 17, 18, 19, 20, 24, 25):
    signal.signal(number, signal.SIG_IGN) if number not in (9, 17, 19) else None
for number in (2, 9, 15, 17, 19, 20, 24, 25):
    attempt(os.kill, 1, number)
    attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(1), number))
    attempt(lambda: signal.pidfd_send_signal(os.open("/proc/1", os.O_RDONLY), number))
""",
    "timers and dispositions": """
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.umask(0o777)
os.chdir("/proc")
os.environ["LEFT"] = "1"
libc.prctl(4, 0, 0, 0, 0)
libc.prctl(1, 9, 0, 0, 0)
libc.prctl(29, 10**9, 0, 0, 0)
""",
    "memory of process 1": """
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
buffer = ctypes.create_string_buffer(8)
piece = Piece(ctypes.addressof(buffer), 8)
for call in (libc.process_vm_writev, libc.process_vm_readv):
    for pid in (1, os.getppid()):
        if call(pid, ctypes.byref(piece), 1, ctypes.byref(piece), 1, 0) != -1:
            print("reached the memory of", pid)
for pid in (1, os.getppid()):
    if libc.ptrace(16, pid, 0, 0) != -1:
        print("traces", pid)
    attempt(lambda: print(open(f"/proc/{pid}/mem", "r+b")))
""",
    "daemons": """
import time
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(99)
        os._exit(0)
""",
    "what belongs to the user": """
import socket
kept = []
for name in ("left", "control"):
    attempt(lambda: kept.append(socket.socket(socket.AF_UNIX)) or kept[-1].bind("\\0" + name))
for _ in range(200):
    libc.inotify_init1(0)
for call, values in ((libc.shmget, (7, 99, 0o1666)), (libc.semget, (7, 1, 0o1666)), (libc.msgget, (7, 0o1666))):
    if call(*values) != -1:
        print("left", call)
if libc.syscall({"x86_64": 248}.get(os.uname().machine, 217), b"user", b"left", b"x", 1, -3) != -1:
    print("left a key")
""",
    "namespaces": """
for flags in (0x10000000, 0x20000000, 0x00020000, 0x40000000, 0x10020000):
    if libc.unshare(flags) != -1:
        print("unshared", flags)
    if libc.syscall({"x86_64": 56}.get(os.uname().machine, 220), flags | 17, 0, 0, 0, 0) != -1:
        print("cloned", flags)
for fd in range(64):
    if libc.setns(fd, 0) != -1:
        print("entered", fd)
if libc.umount2(b"/proc", 2) != -1 or libc.mount(b"x", b"/proc", b"tmpfs", 0, None) != -1:
    print("mounted")
""",
    "open files": "os.closerange(3, 64)\n",
}
HELP = """
import ctypes, os, resource, signal
libc = ctypes.CDLL(None)
def attempt(act, *values):
    try:
        return act(*values)
    except (OSError, ValueError):
        return None
"""
STATE = """
import json, os, resource, signal
group = open("/proc/self/autogroup").read().split("nice")[-1] if os.path.exists("/proc/self/autogroup") else ""
print(json.dumps({
    "nice": [os.getpriority(os.PRIO_PROCESS, 0), group],
    "limits": [resource.getrlimit(kind) for kind in range(16) if kind != resource.RLIMIT_AS],
    "scheduling": [os.sched_getscheduler(0), sorted(os.sched_getaffinity(0))],
    "signals": [signal.getsignal(each) == signal.SIG_IGN for each in sorted(signal.valid_signals())],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "place": [os.getcwd(), os.umask(0), sorted(os.environ.items())],
    "memory": resource.getrlimit(resource.RLIMIT_AS)[0] > 200 * 2**20,
    "processes": len(list(filter(str.isdigit, os.listdir("/proc")))),
    "oom": open("/proc/self/oom_score_adj").read(),
}))
"""
# 675 MB in all, where each process alone keeps the limit of 300.
GREEDY = """
import os, time
for _ in range(2):
    os.fork()
x = bytearray(160 * 2**20)
time.sleep(5)
print("had it")
"""


@pytest.fixture(scope="module")
def limited() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, prelude=livecode.PRELUDE) as entered:
        yield entered


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_that_a_program_does_reaches_the_next(limited: Sandbox, name: str) -> None:
    before = limited.run(STATE)
    process = limited._worker
    attack = limited.run(HELP + ATTACKS[name])
    assert attack.output == "", attack
    after = limited.run(STATE)
    assert (before.status, json.loads(after.output)) == (RunStatus.DONE, json.loads(before.output))
    assert livecode.grade(problem(("1 2", "3"), ("4 5", "9")), SUM, limited).solved is True
    assert limited.run(GREEDY).status is RunStatus.MEMORY
    assert limited.fault() == ""
    assert limited._worker is process, "the worker was replaced, where it should not have noticed"


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_the_failure_of_the_program_and_never_of_the_sandbox(limited: Sandbox, name: str) -> None:
    grade = livecode.grade(problem(("1 2", "3")), HELP + ATTACKS[name], limited)
    assert grade.solved is False


# Each of two processes ends its first thread, whose record the kernel then empties, and takes memory in another.
HEADLESS = """
import ctypes, mmap, os, threading, time
def take():
    time.sleep(0.5)
    memory = mmap.mmap(-1, 200 * 2**20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for place in range(0, len(memory), mmap.PAGESIZE):
        memory[place] = 1
    time.sleep(3)
    os._exit(0)
for _ in range(2):
    if os.fork() == 0:
        threading.Thread(target=take).start()
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
time.sleep(3)
print("had it")
"""
# A child whose end nobody waits for, and which dies in the name of nobody: its time is in no account.
UNTOLD = """
import os, signal, time
{how}
while True:
    if os.fork() == 0:
        while time.process_time() < 0.1:
            pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""
IGNORES = (
    "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "import ctypes; ctypes.CDLL(None).signal(17, ctypes.c_void_p(1))",
    "import ctypes; ctypes.CDLL(None).sigaction(17, (ctypes.c_ulong * 19)(0, *[0] * 16, 2), None)",
)


def test_memory_counts_where_the_first_thread_has_ended(limited: Sandbox) -> None:
    assert limited.run(HEADLESS).status is RunStatus.MEMORY


@pytest.mark.parametrize("how", IGNORES)
def test_the_time_of_children_counts_whoever_waits_for_them(limited: Sandbox, how: str) -> None:
    verdict = limited.run(UNTOLD.format(how=how))
    assert verdict.status is RunStatus.FAILED or verdict.seconds >= LIMITS.cpu, verdict


@pytest.mark.parametrize("ends", ["os.kill(os.getppid(), 9)", "os.kill(-1, 9)", "os.killpg(0, 9)", "os._exit(99)"])
def test_a_program_that_ends_what_it_can_fails_by_itself(limited: Sandbox, ends: str) -> None:
    grade = livecode.grade(problem(("1 2", "3")), f"import os\n{ends}", limited)
    assert grade.solved is False
    assert livecode.grade(problem(("1 2", "3")), SUM, limited).solved is True


def hampered(mark: str, how: str) -> None:
    """Do to the processes of a limited, from outside, what a program inside once could."""
    done = []
    for process in processes_of(mark):
        if how in {"--as=100000000", "--nofile=32"}:  # only the user that it belongs to may
            user = 65534 if os.geteuid() == 0 else None
            command = ["prlimit", f"--pid={process}", how]
            done.append(
                subprocess.run(command, user=user, group=user, capture_output=True, check=False).returncode == 0
            )
        elif how == "nice":
            os.setpriority(os.PRIO_PROCESS, process, 15)
        elif how == "affinity":
            os.sched_setaffinity(process, [max(os.sched_getaffinity(0))])
        else:
            os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))
    assert any(done) or not done


@pytest.mark.parametrize("how", ["--as=100000000", "--nofile=32", "nice", "affinity", "scheduling"])
def test_a_hampered_sandbox_is_noticed_and_replaced(how: str) -> None:
    if how == "affinity" and len(os.sched_getaffinity(0)) == 1:
        pytest.skip("needs two processors")
    mark = f"mark_{secrets.token_hex(8)}"
    with Sandbox(LIMITS, prelude=f"{mark} = 1") as entered:
        assert entered.run(SUM, "1 2").output == "3\n"
        process = entered._worker
        hampered(mark, how)
        assert "SandboxError" in entered.fault()
        assert entered.run(SUM, "1 2").output == "3\n"
        hampered(mark, how)
        assert entered.run(SUM + "\n", "1 2").output == "3\n"  # another program
        assert entered._worker is not process
        process = entered._worker
        hampered(mark, how)
        assert entered.run(SUM + "\n", "x").status is RunStatus.FAILED  # the same program, whose failure is doubted
        assert entered._worker is not process
        hampered(mark, how)
        wrong = livecode.grade(problem(("1 2", "4")), SUM, entered)
        assert wrong.solved is False


def test_a_sandbox_that_cannot_be_trusted_grades_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(LIMITS) as entered:
        monkeypatch.setattr(
            sandbox, "CANARY_LIMITS", replace(CANARY_LIMITS, memory=2**30)
        )  # the greedy program is not stopped
        grade = livecode.grade(problem(("1 2", "3")), SUM, entered)
        assert (grade.solved, grade.status) == (None, RunStatus.BROKEN)
        assert "to see what it saw at first" in grade.reason or "too much memory" in grade.reason
        with pytest.raises(SandboxError):
            Sandbox(LIMITS).__enter__()
        monkeypatch.setattr(sandbox, "CANARY_LIMITS", CANARY_LIMITS)
        monkeypatch.setattr(sandbox.canary, "total", lambda: 0)  # the known good program gives another sum
        assert livecode.grade(problem(("1 2", "3")), SUM, entered).solved is None
    monkeypatch.undo()
    with Sandbox(LIMITS) as entered:
        assert livecode.grade(problem(("1 2", "4")), SUM, entered).solved is False
        monkeypatch.setattr(sandbox, "CANARY_LIMITS", replace(CANARY_LIMITS, cpu=0.000001, wall=0.0))
        assert livecode.grade(problem(("1 2", "4")), SUM, entered).solved is None  # a wrong output is doubted


def test_a_run_has_a_session_and_processes_of_its_own(limited: Sandbox) -> None:
    code = "import os\nprint(os.getsid(0) == os.getpgrp() == os.getpid(), os.getppid())\n"
    assert limited.run(code + "print(*filter(str.isdigit, os.listdir('/proc')))").output == "True 1\n1 2\n"


def test_what_a_run_leaves_behind_is_gone_outside_too(limited: Sandbox) -> None:
    mark = f"left_{secrets.token_hex(8)}"
    limited.run(
        f"import os, sys\nif os.fork() == 0:\n    os.setsid()\n    os.execv(sys.executable, ['{mark}', '-c', ''])"
    )
    leave = f"import os, sys\nif os.fork() == 0:\n    os.execv(sys.executable, ['{mark}', '-c', 'input()'])\n"
    limited.run(leave + "import time\ntime.sleep(0.2)")
    assert not [folder for folder in Path("/proc").glob("[0-9]*") if mark.encode() in _command(folder)]


def _command(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""
