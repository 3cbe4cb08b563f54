"""A process for each framework, which takes one request after another and may die of any."""

from __future__ import annotations

import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from ...errors import MsconvertError
from .child import wire
from .child.caught import is_below
from .child.messages import Failure
from .processes import MARK, end, status_of
from .replies import BEGIN as BEGIN_METHOD
from .replies import is_reply

CHILD = Path(__file__).with_name("child")

BEGIN = """
import importlib.util, sys
sys.path[:] = [path for path in sys.path if path]
folder, kind, where = sys.argv[1:]
spec = importlib.util.spec_from_file_location(
    "_msconvert_child", folder + "/__init__.py", submodule_search_locations=[folder]
)
package = importlib.util.module_from_spec(spec)
sys.modules["_msconvert_child"] = package
spec.loader.exec_module(package)
sys.argv[1:] = []
from _msconvert_child.serve import serve
serve(kind, where)
"""
"""How the child begins: its modules under a name that no project has, nothing else on the path."""

GRACE_S = 30.0
"""So much later than it should have ended by itself a process is ended."""

STARTING_S = 300.0
"""So long a framework may take to be imported."""

LOOK_S = 0.25
"""So often it is seen whether a process that is waited for has ended."""

NO_RESULT = "NoResult"
JUNK = "the network's code, or what it imports, writes where its results are taken from"
LONGEST, MOST_LINES = 100, 16
"""Of what a process answers: characters of a line, lines that nobody has asked for."""
LONGEST_LOG = 1 << 20

DUMPS = "MINDSPORE_DUMP_CONFIG"
NO_SPINNING = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads that wait for work sleep: two frameworks share the cores, and where these were busy the
comparison of a small network took five times as long. What the user has set counts."""

FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)')


class Worker:
    """One framework's process; started when it is first needed, and again when it has died.

    `lives` counts its starts: what an earlier one had loaded is gone.
    """

    def __init__(self, python: str, kind: str) -> None:
        self.python = python
        self.kind = kind
        self.lives = 0
        self.own: tuple[str, ...] = ()
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.Queue[str] = queue.Queue()
        self._folder = ""
        self._number = 0
        self._method = ""
        self._seconds = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def is_alive(self) -> bool:
        return self._process is not None and status_of(self._process) is None

    def start(self) -> None:
        """Starts the process, if there is none, and lets it import its framework."""
        if self.is_alive:
            return
        self.stop()
        self.lives += 1
        self._folder = tempfile.mkdtemp(prefix="msconvert-side-")
        self._replies = queue.Queue()
        with open(f"{self._folder}/log", "wb") as log:
            self._process = self._spawned(log)
        threading.Thread(target=listen, args=(self._process, self._replies), daemon=True).start()
        self._ask(BEGIN_METHOD, STARTING_S)

    def _spawned(self, log: BinaryIO) -> subprocess.Popen[str]:
        """Raises: MS401 if there is no such program"""
        given = {"PYTHONPATH": absolute_paths(), "PYTHONIOENCODING": "utf-8", MARK: self._folder}
        given[DUMPS] = ""  # what is compared is not to be dumped
        try:
            return subprocess.Popen(
                [self.python, "-c", BEGIN, str(CHILD), self.kind, self._folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # so that all that it starts can be ended with it
                env={**NO_SPINNING, **os.environ, **given},
            )
        except OSError as error:
            problem = "this Python cannot be started"
            raise MsconvertError("MS401", self.python, problem, got=str(error)) from error

    def begun(self) -> Failure | None:
        """Waits until a process that was started anew can take requests; ends one that cannot."""
        result = self.answer() if self._number == 0 else None
        if not isinstance(result, Failure):
            return None
        self.stop()  # it has answered all that it will: who asked again would wait
        return result

    def send(self, method: str, *arguments: Any, seconds: float) -> None:
        """Asks; `answer` waits for the result."""
        self._number += 1
        with suppress(OSError):  # it has removed its folder: it will not find what it is asked
            wire.write(f"{self._folder}/request_{self._number}", arguments)
        self._ask(method, seconds)

    def _ask(self, method: str, seconds: float) -> None:
        self._method, self._seconds = method, seconds
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{self._number} {method} {seconds}\n")
            self._process.stdin.flush()
        except OSError:  # it has died meanwhile: `answer` says so
            return

    def answer(self) -> Any:
        """The result of what was asked last; a Failure if that is what came of it."""
        reply = self._reply()
        while reply is not None and is_earlier(reply, self._number):  # nobody has waited for it
            reply = self._reply()
        failure = Failure(NO_RESULT, f"{JUNK}: {reply!r}") if reply else self._death(reply is None)
        if reply is not None and reply.strip() == str(self._number):
            try:
                found = wire.read(f"{self._folder}/reply_{self._number}")
                if is_reply(self._method, found):
                    return found
                failure = Failure(NO_RESULT, f"{JUNK}: a {type(found).__name__}")
            except wire.DamagedError as error:
                failure = Failure(NO_RESULT, f"{JUNK}: {error}")
        self.stop()
        return failure

    def _reply(self) -> str | None:
        """The line that the process answers with; "" if it has ended without, None if it takes too
        long."""
        assert self._process is not None
        deadline = time.monotonic() + self._seconds + GRACE_S
        while (left := deadline - time.monotonic()) > 0:
            try:
                return self._replies.get(timeout=min(left, LOOK_S))
            except queue.Empty:
                if status_of(self._process) is not None:  # its children may keep the pipe open
                    return self._last_reply()
        return None

    def _last_reply(self) -> str:
        try:
            return self._replies.get(timeout=LOOK_S)
        except queue.Empty:
            return ""

    def call(self, method: str, *arguments: Any, seconds: float) -> Any:
        self.send(method, *arguments, seconds=seconds)
        return self.answer()

    def _death(self, is_late: bool) -> Failure:
        """Why the process has ended, with the user's line if Python could still say it."""
        assert self._process is not None
        status = status_of(self._process, 1.0)
        stacks = read_text(f"{self._folder}/stacks")
        kind, message = "Crash", f"the process has ended with status {status}"
        if status is None and not is_late:
            return Failure(NO_RESULT, f"{JUNK}: it has closed the file of the results")
        if "Timeout (" in stacks or is_late:
            kind, message = "Timeout", f"not done after {self._seconds:g} s"
        elif not stacks:
            message += last_line(read_text(f"{self._folder}/log"))
        for frame in FRAME.finditer(stacks):
            if is_below(frame["file"], self.own):
                return Failure(kind, message, frame["file"], int(frame["line"]), "", stacks)
        return Failure(kind, message, stack=stacks)

    def stop(self) -> None:
        """Ends the process, if there is one, and removes what it has written."""
        process, self._process = self._process, None
        if process is not None:
            end(process, self._folder)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    close(stream)
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder, self._number = "", 0


def is_earlier(reply: str, number: int) -> bool:
    """Whether the reply is to a request before this one."""
    text = reply.strip()
    return text.isdecimal() and text.isascii() and int(text) < number


def listen(process: subprocess.Popen[str], replies: queue.Queue[str]) -> None:
    """Puts each line that the process writes into the queue; an empty one when it has ended."""
    assert process.stdout is not None
    try:
        while replies.qsize() < MOST_LINES and (line := process.stdout.readline(LONGEST)):
            replies.put(line)
    except ValueError:  # closed by us
        return
    replies.put("")


def close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:  # what was still to be written has no reader
        return


def absolute_paths() -> str:
    """PYTHONPATH for a process that will change its folder."""
    given = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(os.path.abspath(path) for path in given.split(os.pathsep) if path)


def read_text(path: str) -> str:
    """The end of a file that the process may have written."""
    try:
        return wire.content(path, LONGEST_LOG, end=True).decode(errors="replace")
    except OSError:  # it had not come so far
        return ""


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f": {lines[-1][:300]}" if lines else ""


def python_with(given: str | None, variable: str) -> str:
    """The Python to run a framework with: what is given, what the variable says, or our own."""
    return given or os.environ.get(variable) or sys.executable
