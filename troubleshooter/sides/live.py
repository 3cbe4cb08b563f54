"""A side that is a network at hand: it runs in this process, and is left as it was."""

from __future__ import annotations

import inspect
import os
import sys
from contextlib import ExitStack
from typing import Any

from .child.caught import INSTALLED, Caught
from .child.messages import Failure, Held, Loaded
from .child.serve import side_of
from .child.side import Side
from .unchanged import (
    framework_kept,
    functions_of,
    imports_kept,
    names_exchanged,
    network_kept,
    numbers_kept,
)
from .workers import Worker


class LiveWorker(Worker):
    """Answers as a worker does, of one network at hand; `stop` undoes what was done for it."""

    def __init__(self, network: Any, kind: str) -> None:
        super().__init__(sys.executable, kind)
        self.network = network
        self._kept = ExitStack()
        self._side: Side | None = None
        self._answer: Any = None

    @property
    def is_alive(self) -> bool:
        return self._side is not None

    def start(self) -> None:
        if self._side is not None:
            return
        self.lives += 1
        self._kept.enter_context(numbers_kept(self.kind))
        self._kept.enter_context(framework_kept(self.kind))
        before = functions_of(self.kind)
        with imports_kept():
            self._side = side_of(self.kind)
        self._kept.enter_context(names_exchanged(self.network, self.kind, before))

    def begun(self) -> Failure | None:
        return None

    def send(self, method: str, *arguments: Any, seconds: float) -> None:
        """Does it at once; nothing would end it if it took too long."""
        with Caught(self._folders) as caught:
            self._answer = self._answered(method, *arguments)
        if caught.failure is not None:
            self._answer = caught.failure

    def answer(self) -> Any:
        found, self._answer = self._answer, None
        return found

    def _answered(self, method: str, *arguments: Any) -> Any:
        assert self._side is not None
        if method == "load":
            return Loaded((), has_build=False, has_inputs=False)
        if method == "construct":
            return self._adopted(self._side)
        return getattr(self._side, method)(*arguments)

    def _adopted(self, side: Side) -> tuple[Held, ...]:
        """Its parameters and buffers, with which it is compared as they are."""
        self._kept.enter_context(network_kept(side, self.network))
        side.network = self.network
        side.prepare(0, stir=False)
        return tuple(side.held())

    def make(self, function: Any) -> None:
        """The function, at hand, that makes the network's training step."""
        assert self._side is not None
        self._side.live_make = function

    def _folders(self) -> tuple[str, ...]:
        """Where the network's own code is, so that an error names its line."""
        folder = os.path.dirname(os.path.realpath(file_of(self.network)))
        return () if INSTALLED.search(folder) else (folder,)

    def stop(self) -> None:
        self._side = None
        self._kept.close()
        super().stop()


def file_of(network: Any) -> str:
    """The file of a network's class; the program's where it has none, as in a notebook."""
    try:
        return inspect.getfile(type(network))
    except (OSError, TypeError):  # defined at a prompt
        return os.path.abspath(sys.argv[0])
