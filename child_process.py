"""Work in a process of its own, with bounds on memory and CPU time: what kills it ends there."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe
from typing import IO, Any, NoReturn, TypeVar

from .errors import interruption, printable, told

T = TypeVar("T")
Tell = Callable[[str], None]
"""Told the name of each step as it begins."""

LARGEST_REPLY = 1 << 30
GRACE_S = 5
"""A process that has given its result, or was ended, has so long to be gone, by the clock."""

UNWINDING_S = 3
"""Past its CPU time a process may take so much more of it to leave by itself before it is ended."""

LEAVING_S = 20
"""What a process that unwinds may take, on a machine with five times as much to do as it can."""

WALL = 20
"""A process may take so many times its CPU time by the clock."""

LAST_BYTES, LAST_LINES = 1 << 14, 6
"""So much of what a dying process wrote last is told."""

INTERRUPTED, UNKNOWN = 128 + signal.SIGINT, 255
NO_MEMORY = (
    *("MemoryError", "bad_alloc", "bad allocation"),
    *("Failed to allocate memory", "Cannot allocate memory", "pthread_create failed"),
)
PR_SET_PDEATHSIG = 1

THREADS, POOLS, STACK = min(4, os.cpu_count() or 1), 8, 8 << 20
"""Work is to ask for so many threads in a pool, on a server, too, and to have so many pools at a
time; a stack counts as private memory, used or not."""

COLLECTED = 100_000, 20, 20
"""So many new objects until Python looks for cycles, and so many looks at the new until one at
those that stayed: a graph of many nodes has few cycles, and each look goes through all nodes."""


@dataclass(frozen=True)
class Bounds:
    """What a process may take: bytes of memory of its own, seconds of CPU time, and of any.

    `wall_s` is for a process that neither computes nor ends; None: many times `cpu_s`, as
    others may keep the machine busy.
    """

    memory: int
    cpu_s: int
    wall_s: float | None = None

    @property
    def deadline_s(self) -> float:
        return WALL * self.cpu_s if self.wall_s is None else self.wall_s


UNBOUNDED = Bounds(0, 0)
FIRST: dict[int, tuple[int, int]] = {}
"""The limits that this process began with, before it set its own."""


class Ended(Exception):
    """A process ended without a result: `how`, a verb with its object, and its last words.

    `bounds` are those that it went beyond, if it did.
    """

    def __init__(self, how: str, words: str = "", bounds: Bounds = UNBOUNDED) -> None:
        super().__init__(how, words, bounds)
        self.how = how
        self.words = words
        self.bounds = bounds

    def __str__(self) -> str:
        return f"{self.how}: {self.words}" if self.words else self.how


class TooLargeError(Ended):
    """It took more memory than its bounds allow."""


class TooLongError(Ended):
    """It took more time than its bounds allow."""


@dataclass(frozen=True)
class _Result:
    """What the work returned, or the error that it raised."""

    value: Any = None
    error: Exception | None = None


def confined(
    work: Callable[[Tell], T],
    bounds: Bounds,
    tell: Tell = lambda step: None,
    *,
    is_users: bool = False,
) -> T:
    """What `work` returns, computed in a fork of this process under `bounds`.

    What it writes to stdout and stderr is kept from the user, but for the last words of a process
    that dies. `work` is given a function that passes the name of a step on to `tell`.
    Raises: MsconvertError for what `work` raises, or, of the user's code (`is_users`), what ended
    the process; Ended if it gives no result
    """
    ours, theirs = Pipe(duplex=False)
    with tempfile.TemporaryFile() as said, ours:
        child = _forked()
        if not child:
            ours.close()
            _leave_with(_status, work, bounds, theirs, said.fileno(), is_users)
        theirs.close()
        status = None
        try:
            result = _reply(ours, bounds, tell)
            status = _exit_status(child, GRACE_S)  # it leaves now, or has left
        finally:
            if status is None:
                status = _stopped(child)
        if result is None:
            raise _ended(status, _last_words(said), bounds)
    if result.error is not None:
        raise result.error
    return result.value  # type: ignore[no-any-return]  # pickled: its type is that of work


def extend(memory: int, cpu_s: int) -> None:
    """Lets this process, if it is confined, take so much more."""
    here = _here[-1]
    if here is None:
        return
    bounds = replace(
        here.bounds, memory=here.bounds.memory + memory, cpu_s=here.bounds.cpu_s + cpu_s
    )
    _here[-1] = replace(here, bounds=bounds)
    _limit(bounds, here.memory_before)
    here.replies.send(bounds)


def bounds_left(otherwise: Bounds) -> Bounds:
    """What a child of this process may take; `otherwise` where this one is not confined."""
    here = _here[-1]
    if here is None:
        return otherwise
    used = sum(
        part.ru_utime + part.ru_stime
        for part in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    return Bounds(here.bounds.memory, max(1, here.bounds.cpu_s - round(used)))


@dataclass(frozen=True)
class _Here:
    """This process, where it is confined: `memory_before` is what it had when it was made."""

    bounds: Bounds
    memory_before: int
    replies: Connection


_here: list[_Here | None] = [None]


def _forked() -> int:
    """As os.fork; the child never frees what is its parent's.

    A session of ONNX Runtime that only a cycle keeps would wait for threads that are not there.
    """
    _flush()
    was_enabled = gc.isenabled()
    gc.disable()
    child = -1
    try:
        child = os.fork()
    finally:
        if child == 0:
            gc.freeze()
            gc.set_threshold(*COLLECTED)
        if child == 0 or was_enabled:
            gc.enable()
    return child


def _leave_with(run: Callable[..., int], *arguments: Any) -> NoReturn:
    """Ends this process, a fork, whatever happens in `run`: what is above it is the parent's."""
    status = 1
    try:
        status = run(*arguments)
    finally:
        os._exit(status & 0xFF)


def _status(
    work: Callable[[Tell], Any], bounds: Bounds, replies: Connection, said: int, is_users: bool
) -> int:
    """Runs the child, and sends what comes of it; its exit status."""
    _detach(said, signal.SIGTERM if _here[-1] is None else signal.SIGKILL)
    _here[-1] = _Here(bounds, _data_bytes(), replies)
    try:
        _limit(bounds, _data_bytes())
        replies.send(_result(work, replies.send, bounds, is_users))
    except (KeyboardInterrupt, BrokenPipeError):  # Ctrl-C, or the parent has gone
        return INTERRUPTED
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except Exception:  # noqa: BLE001  # of the user's code, as Python tells it
        traceback.print_exc()
        return 1
    finally:
        _flush()
    return 0


def _result(work: Callable[[Tell], Any], tell: Tell, bounds: Bounds, is_users: bool) -> _Result:
    """Raises: what `work` does, if it is the user's code"""
    try:
        return _Result(work(tell))
    except Ended as error:
        return _Result(error=error)
    except MemoryError:
        return _Result(error=_too_large(bounds))
    except Exception as error:  # the outermost function of a process, as commands.main is
        if is_users:
            raise
        if interruption(error) is not None:
            raise KeyboardInterrupt from error
        wrapped = told(error)
        wrapped.add_note("".join(traceback.format_exception(error)))
        return _Result(error=wrapped)


def _flush() -> None:
    """Writes what is buffered, which would be written twice, or by nobody."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):  # closed, or gone with its reader
                stream.flush()


def _detach(said: int, farewell: signal.Signals) -> None:
    """Sends what this process writes to `said`, and lets signals end it in order.

    If its parent dies it gets the signal `farewell`: only a child of a child has nothing to undo.
    """
    signal.set_wakeup_fd(-1)  # else signals of this process reach the event loop of its parent
    for number in (1, 2):
        os.dup2(said, number)
    sys.stdout = sys.stderr = open(  # noqa: SIM115  # it stays open
        2, "w", encoding="utf-8", errors="backslashreplace", closefd=False
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
        if signal.getsignal(number) != signal.SIG_IGN:  # as of SIGINT, under nohup
            signal.signal(number, _leave)
    with contextlib.suppress(OSError, AttributeError):  # not Linux: it lives until its CPU time
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, farewell)


def _leave(number: int, frame: object) -> NoReturn:
    """Unwinds this process, so that what is half written is removed; a second signal waits."""
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
        signal.signal(other, signal.SIG_IGN)
    if number == signal.SIGXCPU:
        here = _here[-1]
        raise _too_long(here.bounds if here is not None else Bounds(0, 0))
    raise KeyboardInterrupt


def _limit(bounds: Bounds, memory_before: int) -> None:
    """Private memory, not address space: weights that are mapped from files cost nothing.

    Only soft limits, which can be raised again. What turns in C and does not hear of its CPU time
    is ended by the timer.
    """
    _soften(resource.RLIMIT_DATA, memory_before + bounds.memory + _stack_bytes())
    _soften(resource.RLIMIT_CPU, bounds.cpu_s)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, max(1.0, bounds.cpu_s + UNWINDING_S - time.process_time()))


def _stack_bytes() -> int:
    """What the stacks of all threads may come to."""
    stack, _hard = resource.getrlimit(resource.RLIMIT_STACK)
    return POOLS * THREADS * (STACK if stack == resource.RLIM_INFINITY else stack)


def _soften(limit: int, value: int) -> None:
    """Sets a soft limit; the user's own, if it is lower, holds."""
    soft, hard = FIRST.setdefault(limit, resource.getrlimit(limit))
    limits = [value, *(own for own in (soft, hard) if own != resource.RLIM_INFINITY)]
    resource.setrlimit(limit, (min(limits), hard))


def _data_bytes() -> int:
    """The private memory that this process has, as RLIMIT_DATA counts it; 0 if nothing tells."""
    with contextlib.suppress(OSError), open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


def _reply(ours: Connection, bounds: Bounds, tell: Tell) -> _Result | None:
    """The child's result; None if it ended without one. Raises: Ended past the deadline"""
    started = time.monotonic()
    while ours.poll(max(0.0, started + bounds.deadline_s - time.monotonic())):
        try:
            message = pickle.loads(ours.recv_bytes(bounds.memory + LARGEST_REPLY))
        except (EOFError, ConnectionError):
            return None
        except OSError as error:
            raise Ended("gave a result that is too large") from error
        if isinstance(message, _Result):
            return message
        if isinstance(message, Bounds):
            bounds = message
        else:
            tell(str(message))
    raise Ended(f"did not finish within {bounds.deadline_s:g} s")


def _exit_status(child: int, patience_s: float) -> int | None:
    """How a child ended, negative for a signal; None if it has not within so much time."""
    deadline = time.monotonic() + patience_s
    pause = 0.0005
    while True:
        try:
            pid, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:  # somebody else has reaped it, or SIGCHLD is ignored
            return UNKNOWN
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _stopped(child: int) -> int:
    """Lets a child leave in order, and ends one that does not: after its own children's time."""
    with contextlib.suppress(ProcessLookupError):  # somebody else has reaped it
        os.kill(child, signal.SIGTERM)
    status = _exit_status(child, LEAVING_S if _here[-1] is not None else 3 * LEAVING_S)
    if status is None:
        os.kill(child, signal.SIGKILL)
        status = _exit_status(child, GRACE_S)
    return UNKNOWN if status is None else status


def _ended(status: int, words: str, bounds: Bounds) -> BaseException:
    """What a child without a result died of."""
    if status == INTERRUPTED:
        return KeyboardInterrupt()
    if is_no_memory(words):
        return _too_large(bounds)
    if -status in (signal.SIGXCPU, signal.SIGPROF):
        return _too_long(bounds)
    if status < 0:
        known = {number.value: number.name for number in signal.Signals}
        return Ended(f"was ended by {known.get(-status, f'signal {-status}')}", words)
    return Ended(f"ended with exit status {status}", words)


def is_no_memory(words: str) -> bool:
    """Whether a library says in these words that it got no memory."""
    return any(word in words for word in NO_MEMORY)


def _too_large(bounds: Bounds) -> TooLargeError:
    return TooLargeError(f"took more than {bounds.memory / 1e9:.1f} GB of memory", "", bounds)


def _too_long(bounds: Bounds) -> TooLongError:
    return TooLongError(f"took more than {bounds.cpu_s} s of CPU time", "", bounds)


def _last_words(said: IO[bytes]) -> str:
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - LAST_BYTES))
    lines = said.read().decode("utf-8", "replace").splitlines()
    return printable(" | ".join([x.strip() for x in lines if x.strip(" ^~")][-LAST_LINES:]), 1500)
