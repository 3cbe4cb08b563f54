"""The real MindSpore, imported once: what it is to run, it runs in forks of itself.

    python mindspore_server.py      started by conftest.py, with the Python that has MindSpore

To import MindSpore costs more than most of what the tests ask of it. A line of the input is a job,
a JSON object; the line that answers it is the exit status.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import types
from pathlib import Path
from typing import Any

SECONDS = 900
"""After them whatever runs is killed: only what hangs takes minutes."""


def answer(job: dict[str, Any]) -> int:
    """Runs `arguments` as Python would, in `folder` with `environment`; its exit status.

    What it prints goes to the files `output` and `errors`. The fork ends as every Python does,
    with what is left to do at an end: threads are waited for, functions registered are called.
    """
    child = os.fork()
    if child == 0:
        settle(job)
        execute(job["arguments"])
        sys.exit()
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(SECONDS)
    status = os.waitpid(child, 0)[1]
    signal.alarm(0)
    return os.waitstatus_to_exitcode(status)


def settle(job: dict[str, Any]) -> None:
    for number, name in ((1, "output"), (2, "errors")):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(job["folder"])


def execute(arguments: list[str]) -> None:
    """`-c CODE ...` or `SCRIPT ...`, as the main module."""
    if arguments[0] != "-c":
        sys.argv = arguments
        sys.path[0] = str(Path(arguments[0]).resolve().parent)
        runpy.run_path(arguments[0], run_name="__main__")
        return
    sys.argv = ["-c", *arguments[2:]]
    sys.path[0] = ""
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    exec(compile(arguments[1], "<string>", "exec"), main.__dict__)


def main() -> None:
    """Each operation is waited for: MindSpore's threads would spin while they wait for each other,
    for up to nine tenths of the CPU time that a training takes."""
    import mindspore

    mindspore.runtime.launch_blocking()
    for line in sys.stdin:
        os.write(1, f"{answer(json.loads(line))}\n".encode())


if __name__ == "__main__":
    main()
