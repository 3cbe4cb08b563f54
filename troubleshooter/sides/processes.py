"""Processes that run the user's code: whether they live, and how they end with all they started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress

PAUSE_S = 0.01
ROUNDS = 20
"""So often processes are looked for that have been started while others were ended."""
LAST_S = 10.0

MARK = "MSCONVERT_SIDE"
"""The variable by which whatever a process has started is known, wherever it went."""


def status_of(process: subprocess.Popen[str], seconds: float = 0.0) -> int | None:
    """How a process has ended, negative for a signal; None if it has not within `seconds`.

    Its number stays its own, so that no other process can have its group's.
    """
    deadline = time.monotonic() + seconds
    while True:
        status = ended(process)
        if status is not None or time.monotonic() >= deadline:
            return status
        time.sleep(PAUSE_S)


def ended(process: subprocess.Popen[str]) -> int | None:
    if process.returncode is not None or not hasattr(os, "waitid"):
        return process.poll()
    found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def end(process: subprocess.Popen[str], mark: str) -> None:
    """Kills a process, its group, and whatever has the mark, which is a value of MARK."""
    if hasattr(os, "killpg") and process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    for _ in range(ROUNDS):
        others = [number for number in marked(mark) if number != process.pid]
        for number in others:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        if not others:
            break
        time.sleep(PAUSE_S)
    with suppress(subprocess.TimeoutExpired):  # the system does not let go of it
        process.wait(LAST_S)


def marked(mark: str) -> Iterator[int]:
    """The processes that live and have a mark, where the system tells it."""
    wanted = f"{MARK}={mark}".encode()
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in filter(str.isdecimal, names):
        if wanted in environment_of(name).split(b"\0"):
            yield int(name)


def environment_of(name: str) -> bytes:
    """What a process was started with; nothing of one that has ended, or is another user's."""
    try:
        with open(f"/proc/{name}/environ", "rb") as stream:
            return stream.read()
    except OSError:
        return b""
