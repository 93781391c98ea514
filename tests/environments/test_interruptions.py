"""Scores after exceptions out of handlers of signals, which may cut an exchange with the guard at any point."""

import ctypes
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from races.environments.isolation.children import Child, ChildFailed
from races.environments.isolation.guard import Guard, shared_guard
from races.environments.operators import Problem, ScoreStatus, score
from races.environments.responses.answers import find_answer
from races.environments.reward import compute_score
from tests.support import bricks_for_tests as declared

MOMENTS = 60


class Cut(BaseException):
    """What a handler of a signal may raise, and no handler of ours may swallow."""


# The last two are caught on the way as if our own code had raised them, and end in a failure of the grader.
KINDS = (
    KeyboardInterrupt,
    *[
        pytest.param(kind, marks=pytest.mark.slow)
        for kind in (GeneratorExit, SystemExit, Cut, TimeoutError, ValueError)
    ],
)


@pytest.fixture(scope="module")
def orders(rows: list[Problem]) -> list[tuple[str, str, str]]:
    """Truths with a right order and the same reversed where that is wrong."""
    found = []
    for row in rows:
        if row.operator in ("sort", "select"):
            reversed_order = f"<answer>{json.dumps(json.loads(find_answer(row.answer))[::-1])}</answer>"
            if score(row.truth, reversed_order).value == 0.0:
                found.append((row.truth, row.answer, reversed_order))
    assert len(found) >= 30
    return found[:30]


def check(orders: list[tuple[str, str, str]], count: int = 30) -> None:
    for truth, right, wrong in orders[:count]:
        assert compute_score("t", wrong, truth)["score"] == 0.0
        assert compute_score("t", right, truth)["score"] == 1.0


@contextmanager
def handling(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, handler)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def raising(kind: type[BaseException]) -> Callable[[int, FrameType | None], Any]:
    def handler(number: int, frame: FrameType | None) -> None:
        raise kind

    return handler


def delays(seed: str, count: int) -> Iterator[float]:
    """Half of them within an exchange, the others while a process starts or is at work."""
    rng = Random(seed)
    for number in range(count):
        yield 10 ** rng.uniform(-6, -3.5 if number % 2 else -1)


def children() -> list[int]:
    """The children of this process, those included that have ended and are not waited for."""
    return [int(each) for task in Path("/proc/self/task").iterdir() for each in (task / "children").read_text().split()]


def interrupted(kind: type[BaseException], delay: float, pair: tuple[str, str]) -> bool:
    """Whether an alarm after so many seconds cut a score."""
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        failed = any([score(*pair).status is ScoreStatus.GRADER_FAILED for _ in range(20)])
        signal.setitimer(signal.ITIMER_REAL, 0)
    except kind:
        return True
    return failed


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a handler may strike in a finaliser
@pytest.mark.parametrize("kind", KINDS)
def test_every_reward_after_an_interruption_is_right(
    kind: type[BaseException], orders: list[tuple[str, str, str]]
) -> None:
    check(orders, 1)
    before, files = len(children()), len([*Path("/proc/self/fd").iterdir()])
    cuts = 0
    with handling(raising(kind)):
        for number, delay in enumerate(delays(kind.__name__, MOMENTS)):
            truth, right, _ = orders[number % len(orders)]
            if number % 12 == 11:
                shared_guard().close()  # so that some of them meet a process that starts
            cuts += interrupted(kind, delay, (truth, right))
            check(orders, 2)
    assert cuts > MOMENTS / 4
    check(orders)
    assert (len(children()), len([*Path("/proc/self/fd").iterdir()])) <= (before + 1, files + 1)
    shared_guard().close()


def test_an_exception_in_a_thread_leaves_every_later_reward_right(orders: list[tuple[str, str, str]]) -> None:
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    cut = []

    def work() -> None:
        try:
            while True:
                check(orders, 30)
        except Cut:
            cut.append(True)

    for delay in delays("threads", 20):
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(delay)
        raise_in(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Cut))
        thread.join(30)
        assert not thread.is_alive()
        check(orders, 2)
    assert len(cut) == 20
    check(orders)


def test_a_handler_may_score_while_an_exchange_waits(orders: list[tuple[str, str, str]]) -> None:
    scored = []

    def handler(number: int, frame: FrameType | None) -> None:
        truth, right, wrong = orders[len(scored) % 30]
        scored.append([score(truth, right), score(truth, wrong)])

    with handling(handler):
        for delay in delays("nested", 40):
            signal.setitimer(signal.ITIMER_REAL, min(delay, 0.002))
            check(orders, 10)
            signal.setitimer(signal.ITIMER_REAL, 0)
    assert len(scored) > 20
    assert {(right.value, wrong.value) for right, wrong in scored} == {(1.0, 0.0)}, scored
    assert len(shared_guard()._children.all) <= 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_two_interruptions_at_once_and_threads_that_wait(orders: list[tuple[str, str, str]]) -> None:
    """The second one meets the clearing away after the first."""
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(10):
                check(orders, 5)
        except BaseException as error:  # noqa: BLE001  # reported in the main thread
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    with handling(raising(Cut)):
        for delay in delays("twice", 40):
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, delay, 0.0003)
                    score(*orders[0][:2])
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except Cut:
                signal.setitimer(signal.ITIMER_REAL, 0)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert failed == []
    check(orders)


def test_a_fork_in_the_midst_of_an_exchange_takes_nothing_from_it(orders: list[tuple[str, str, str]]) -> None:
    """Both sides go on with the exchange that the handler was called in; the forked one with a failure, or anew."""
    codes = []

    def handler(number: int, frame: FrameType | None) -> None:
        child = os.fork()
        if child == 0:
            # In the new process the exchange that was cut must not be anybody's reply.
            try:
                check(orders, 3)
                os._exit(0)
            finally:
                os._exit(1)
        codes.append(os.waitpid(child, 0)[1])

    with handling(handler):
        for delay in delays("forks", 10):
            signal.setitimer(signal.ITIMER_REAL, min(delay, 0.002))
            check(orders, 5)
            time.sleep(0.002)
    assert len(codes) == 10
    assert set(codes) == {0}
    check(orders)


def test_a_process_that_stalls_is_not_slow(guard: Guard) -> None:
    """What counts is the time of the CPU: a stopped process uses none."""
    right = sum(range(2 * 10**7)) % 51
    assert guard.run(declared.slow_in_sum, 50).value == right
    (child,) = guard._children.all
    for delay, number in ((0.1, signal.SIGSTOP), (4, signal.SIGCONT)):
        threading.Timer(delay, os.kill, (child.pid, number)).start()
    begin = time.monotonic()
    assert guard.run(declared.slow_in_sum, 50).value == right
    assert time.monotonic() - begin > 3


def test_a_reply_to_another_request_is_none() -> None:
    child = Child("races.environments.guard_process", {})
    asked = {"task": "chain", "chain": [("digit_sum", "")], "type": "Nat", "start": "52", "steps": 400, "seconds": 2}
    assert child.ask(asked, 60)["text"] == "7"
    child._number += 1
    child._socket.sendall(json.dumps(asked | {"number": child._number, "start": "99"}).encode() + b"\n")
    with pytest.raises(ChildFailed, match=r"expected (the|a) reply"):
        child.ask(asked, 60)
    child.end()
    assert child.code is not None
