"""A Python that has imported what takes long: what it is to run, it runs in a fork of itself.

    python warm_python.py ADDRESS MODULE...     started by `warm.py`, with the Python to stand for

To import PyTorch or MindSpore costs more CPU time than most of what the tests ask of them.
`warm_client.py` stands in the place of the Python's program: it hands over its arguments, folder,
variables and streams, and ends as the fork ends. Where Python itself would begin otherwise, by an
option, a variable, a limit or a right, the client becomes the Python that it stands for.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import random
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

STREAMS = 3
OTHER = -1000
"""Instead of a status: the Python itself is to do it."""

AT_IMPORT = ("PYTHON", "LD_", "OMP_", "MKL_", "OPENBLAS_", "DNNL_", "ATEN_", "MS_", "MINDSPORE")
LATER = ("PYTHONPATH", "PYTHONIOENCODING", "PYTHONDONTWRITEBYTECODE", "OMP_WAIT_POLICY")
"""Variables that are read at imports; of these, what a fork reads again, or its children alone."""

OWN_RIGHTS = ("CapEff:", "Seccomp:", "NoNewPrivs:")

OF_MSCONVERT = "msconvert"
"""As a module: the package with all that is below it."""
NO_PARTS = ("tests", "benchmarks", "examples")


BEGUN = dict(os.environ)
"""The variables, before imports set some of their own."""


class Task(NamedTuple):
    """What a client asks for: Python's arguments, the folder, the variables, three streams."""

    folder: str
    arguments: list[str]
    environment: dict[str, str]
    streams: list[int]


def main(address: str, *modules: str) -> Task | None:
    """Serves until whoever has started it is gone; in a fork, the task to be run there."""
    for name in modules:
        warm(name)
    gc.collect()
    gc.freeze()  # or each fork would write to all that has been imported
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"ready\n")
        signal.signal(signal.SIGCHLD, lambda *_: reap())
        while True:
            ready, _, _ = select.select([0, listener], [], [])
            if 0 in ready:
                return None
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    listener.close()
                    if task := minded(connection):
                        return task
                    os._exit(0)


def warm(name: str) -> None:
    """Imports a module; MindSpore waits for each operation.

    Its threads would spin while they wait for each other, for up to nine tenths of the CPU time
    that a training takes.
    """
    try:
        module = importlib.import_module(name)
    except ImportError:  # it need not be installed
        return
    if name == "mindspore":
        module.runtime.launch_blocking()
    if name == OF_MSCONVERT:
        for part in parts_of(module):
            warm(part)


def parts_of(package: types.ModuleType) -> Iterator[str]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        own = found.name.split(".")[1]
        if own not in NO_PARTS and not found.name.endswith("__main__"):
            yield found.name


def reap() -> None:
    """Lets go of those that have ended: what they took counts as this process's children's."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def minded(connection: socket.socket) -> Task | None:
    """Forks for a client, tells it how the fork has ended, and ends the fork with the client."""
    task = asked(connection)
    if not is_alike(connection, task):
        connection.sendall(struct.pack("i", OTHER))
        return None
    child = os.fork()
    if child == 0:
        connection.close()
        return task
    for stream in task.streams:
        os.close(stream)
    select.select([connection, os.pidfd_open(child)], [], [])
    ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        with contextlib.suppress(ProcessLookupError):  # it has not come to lead a group
            os.killpg(child, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):  # the client has gone
        connection.sendall(struct.pack("i", os.waitstatus_to_exitcode(status)))
    return None


def asked(connection: socket.socket) -> Task:
    """What the client has sent: a length with the streams, then its task."""
    head, streams, _, _ = socket.recv_fds(connection, 4, STREAMS)
    (length,) = struct.unpack("i", head)
    content = connection.recv(length, socket.MSG_WAITALL)
    folder, arguments, environment = marshal.loads(content)
    return Task(folder, arguments, environment, streams)


def is_alike(connection: socket.socket, task: Task) -> bool:
    """Whether a fork of this process is what the client would be."""
    first = task.arguments[0] if task.arguments else "-"
    is_code = first in ("-c", "-m") or os.path.isfile(os.path.join(task.folder, first))
    if len(task.streams) < STREAMS or not is_code:
        return False
    names = {n for n in task.environment.keys() | BEGUN.keys() if n.startswith(AT_IMPORT)}
    if any(task.environment.get(n, "") != BEGUN.get(n, "") for n in names - set(LATER)):
        return False
    size = struct.calcsize("3i")
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    (process, _, _) = struct.unpack("3i", peer)
    return surroundings(str(process)) == surroundings("self")


def surroundings(process: str) -> tuple[str, list[str]]:
    """The limits of a process, and what it may do."""
    place = Path("/proc", process)
    lines = (place / "status").read_text().splitlines()
    return (place / "limits").read_text(), [s for s in lines if s.startswith(OWN_RIGHTS)]


def run(task: Task, base: list[str], program: str) -> None:
    """Does the task as Python would, as the main module."""
    settle(task, program)
    given = task.environment.get("PYTHONPATH", "")
    paths = [*filter(None, given.split(os.pathsep)), *base]
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    module.__annotations__ = {}
    first, *rest = task.arguments
    if first == "-c":
        code, *rest = rest
        sys.argv, sys.path[:] = ["-c", *rest], ["", *paths]
        exec(compile(code, "<string>", "exec"), vars(module))
    elif first == "-m":
        name, *rest = rest
        sys.argv, sys.path[:] = ["-m", *rest], [task.folder, *paths]
        runpy._run_module_as_main(name)  # type: ignore[attr-defined]  # as Python itself
    else:
        sys.argv, sys.path[:] = task.arguments, [str(Path(first).resolve().parent), *paths]
        module.__file__ = file = os.path.join(task.folder, first)
        exec(compile(Path(file).read_bytes(), file, "exec"), vars(module))


def settle(task: Task, program: str) -> None:
    """Makes of this process one that has just begun."""
    os.setsid()  # so that what it starts can be ended with it
    for number, stream in enumerate(task.streams):
        os.dup2(stream, number)
        os.close(stream)
    of_imports = {name: v for name, v in os.environ.items() if BEGUN.get(name) != v}
    os.environ.clear()
    os.environ.update(task.environment | of_imports)
    os.chdir(task.folder)
    sys.executable = program
    sys.dont_write_bytecode = bool(task.environment.get("PYTHONDONTWRITEBYTECODE"))
    encoding, _, errors = task.environment.get("PYTHONIOENCODING", "").partition(":")
    how: dict[str, Any] = {"encoding": encoding or "utf-8", "closefd": False}
    sys.stdin = sys.__stdin__ = os.fdopen(0, errors=errors or None, **how)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", errors=errors or None, **how)
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", errors="backslashreplace", **how)
    sys.excepthook = tell
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


def tell(
    kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
) -> None:
    """Prints a traceback without the frames of this module."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(kind, error, trace)


def status_of(error: BaseException) -> int:
    """What Python ends with, having told what it tells, when this comes to the end of the stack."""
    if not isinstance(error, SystemExit):
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    if error.code is None or isinstance(error.code, int):
        return (error.code or 0) & 0xFF
    sys.stderr.write(f"{error.code}\n")
    return 1


def leave(status: int) -> NoReturn:
    """Ends as Python does, but takes nothing apart that has been imported: it is the server's, and
    to write to all of it takes a third of a second."""
    threading._shutdown()  # type: ignore[attr-defined]  # as Python itself
    atexit._run_exitfuncs()
    vars(sys.modules["__main__"]).clear()  # files that are closed when they are let go
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    ADDRESS, *MODULES = sys.argv[1:]
    BASE = sys.path[1:]
    TASK = main(ADDRESS, *MODULES)
    if TASK is not None:
        STATUS = 0
        try:
            run(TASK, BASE, ADDRESS.removesuffix(".address"))
        except BaseException as error:  # noqa: BLE001  # the outermost place of a process
            STATUS = status_of(error)
        leave(STATUS)
