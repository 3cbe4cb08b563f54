"""Work in a process of its own: what comes back, and what is said of a process that dies."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.child_process import (
    Bounds,
    Ended,
    Tell,
    TooLargeError,
    TooLongError,
    bounds_left,
    confined,
    extend,
)
from msconvert.errors import MsconvertError, UsageError

BOUNDS = Bounds(memory=200 << 20, cpu_s=20)


def test_a_result_and_the_steps_on_the_way() -> None:
    steps: list[str] = []

    def work(tell: Tell) -> tuple[int, int]:
        tell("first")
        os.write(1, b"what it prints is not seen")
        tell("second")
        return os.getpid(), 7

    pid, seven = confined(work, BOUNDS, steps.append)
    assert (pid != os.getpid(), seven, steps) == (True, 7, ["first", "second"])


def failing(error: Exception) -> Callable[[Tell], None]:
    def work(tell: Tell) -> None:
        raise error

    return work


@pytest.mark.parametrize("kind", [MsconvertError, UsageError])
def test_an_error_for_the_user_comes_back_whole(kind: type[MsconvertError]) -> None:
    error = kind("MS104", "model.onnx", "planted", got="this", expected="that", advice="so")
    with pytest.raises(kind) as caught:
        confined(failing(error), BOUNDS)
    assert caught.value.text() == error.text()


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ZeroDivisionError("planted"), "MS901", "ZeroDivisionError at test_child_process.py:"),
        (KeyError("planted"), "MS901", "KeyError"),
        (OSError(28, "No space left on device"), "MS107", "No space left on device"),
    ],
)
def test_any_other_error_is_told_as_the_command_tells_it(
    error: Exception, code: str, words: str
) -> None:
    with pytest.raises(MsconvertError) as caught:
        confined(failing(error), BOUNDS)
    assert caught.value.code == code
    assert words in caught.value.text()


def exits(tell: Tell) -> None:
    os._exit(3)


def aborts(tell: Tell) -> None:
    faulthandler.disable()  # pytest's, which writes where it was made
    os.write(2, b"terminate called\x1b[31m without an active exception\n")
    os.abort()


def reads_nowhere(tell: Tell) -> None:
    faulthandler.disable()
    ctypes.string_at(0)


def is_killed(tell: Tell) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def closes_its_pipe_and_leaves(tell: Tell) -> None:
    os.closerange(3, 1000)
    os._exit(0)


def users_exit(tell: Tell) -> None:
    sys.exit(5)


DEATHS = {
    exits: "ended with exit status 3",
    aborts: "was ended by SIGABRT: terminate called\\x1b[31m without an active exception",
    reads_nowhere: "was ended by SIGSEGV",
    is_killed: "was ended by SIGKILL",
    closes_its_pipe_and_leaves: "ended with exit status 0",
    users_exit: "ended with exit status 5",
}


@pytest.mark.parametrize("work", DEATHS, ids=lambda work: work.__name__)
def test_a_death_is_an_error_with_its_last_words(work: Callable[[Tell], None]) -> None:
    with pytest.raises(Ended) as caught:
        confined(work, BOUNDS)
    assert str(caught.value).startswith(DEATHS[work])


def in_python(tell: Tell) -> int:
    return len(b"x" * (1 << 30))


def in_c(tell: Tell) -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    if not libc.malloc(1 << 30):
        os.write(2, b"std::bad_alloc\n")
        os.abort()


def little_by_little(tell: Tell) -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def in_a_dictionary(tell: Tell) -> None:
    kept: dict[int, list[int]] = {}
    while True:
        kept[len(kept)] = [0] * 1000


@pytest.mark.parametrize("work", [in_python, in_c, little_by_little, in_a_dictionary])
def test_memory_is_bounded(work: Callable[[Tell], object]) -> None:
    with pytest.raises(TooLargeError, match=r"took more than 0\.2 GB of memory"):
        confined(work, BOUNDS)


def test_stacks_are_not_counted() -> None:
    """Thirty threads of 8 MB: more than the bound, and nothing is used of them."""

    def work(tell: Tell) -> int:
        threading.stack_size(8 << 20)
        leave = threading.Event()
        threads = [threading.Thread(target=leave.wait) for _ in range(30)]
        for thread in threads:
            thread.start()
        leave.set()
        for thread in threads:
            thread.join()
        return len(threads)

    assert confined(work, BOUNDS) == 30


def turns(tell: Tell) -> None:
    while True:
        pass


def turns_in_c(tell: Tell) -> None:
    pow(3, 10**9)


def turns_in_a_child_of_its_own(tell: Tell) -> None:
    confined(turns, bounds_left(BOUNDS))


@pytest.mark.parametrize("work", [turns, turns_in_c, turns_in_a_child_of_its_own])
def test_cpu_time_is_bounded(work: Callable[[Tell], None]) -> None:
    with pytest.raises(TooLongError, match="took more than 1 s of CPU time"):
        confined(work, Bounds(200 << 20, cpu_s=1))


def test_a_process_that_sleeps_is_stopped() -> None:
    with pytest.raises(Ended, match=r"did not finish within 0\.2 s"):
        confined(lambda tell: time.sleep(600), Bounds(200 << 20, 10, wall_s=0.2))


def test_bounds_can_be_extended_from_within_and_hold_only_there() -> None:
    limits = resource.RLIMIT_DATA, resource.RLIMIT_CPU
    before = [resource.getrlimit(limit) for limit in limits]

    def work(tell: Tell) -> int:
        extend(2 << 30, 0)
        return len(b"x" * (1 << 30))

    assert confined(work, BOUNDS) == 1 << 30
    extend(1, 1)  # of a process that is not confined: nothing
    assert [resource.getrlimit(limit) for limit in limits] == before


def test_time_can_be_extended_from_within() -> None:
    def work(tell: Tell) -> bool:
        extend(0, 19)
        deadline = time.process_time() + 3
        while time.process_time() < deadline:
            pass
        return True

    assert confined(work, Bounds(200 << 20, cpu_s=1))


def test_a_child_gets_what_is_left_of_the_time() -> None:
    def work(tell: Tell) -> Bounds:
        deadline = time.process_time() + 2
        while time.process_time() < deadline:
            pass
        return bounds_left(Bounds(0, 0))

    assert confined(work, BOUNDS).cpu_s <= 18
    assert bounds_left(BOUNDS) == BOUNDS


class WaitsInVain:
    """As a session of ONNX Runtime does in a fork, whose threads are not there."""

    def __init__(self) -> None:
        self.itself = self
        self.owner = os.getpid()

    def __del__(self) -> None:
        if os.getpid() != self.owner:
            time.sleep(600)


def test_what_is_the_parents_is_not_freed_in_the_child() -> None:
    def work(tell: Tell) -> int:
        return gc.collect() * 0 + len([[i] for i in range(200_000)])

    gc.disable()
    WaitsInVain()
    gc.enable()
    assert confined(work, Bounds(200 << 20, 20, wall_s=60)) == 200_000
    assert gc.isenabled()


def test_a_signal_that_is_ignored_is_ignored_by_the_child() -> None:
    def work(tell: Tell) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return True

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert confined(work, BOUNDS)
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    """What is half written is removed when the process that asked for it is killed."""
    half = tmp_path / "half"

    def work(tell: Tell) -> None:
        try:
            half.touch()
            time.sleep(600)
        finally:
            half.unlink()

    parent = os.fork()
    if parent == 0:
        confined(work, BOUNDS)
        os._exit(0)
    while not half.exists():
        time.sleep(0.01)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    deadline = time.monotonic() + 60
    while half.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not half.exists()
