"""What a terminal shows while a long command works."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..errors import printable

if TYPE_CHECKING:
    from rich.status import Status
    from rich.text import Text

PATIENCE_S = 1.0
"""Work that is done within it needs no progress."""


class Progress:
    """Told each step, shows it on stderr with a spinner if the work takes long.

    Nothing is shown where stderr is no terminal, and nothing is left on it afterwards.
    """

    def __init__(self) -> None:
        self._step = ""
        self._status: Status | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE_S, self._show)
        self._timer.daemon = True

    def __call__(self, step: str) -> None:
        with self._lock:
            self._step = step
            if self._status is not None:
                self._status.update(shown(step))

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if self._timer.is_alive():
            self._timer.join()
        if self._status is not None:
            self._status.stop()

    def _show(self) -> None:
        from rich.console import Console

        with self._lock:
            self._status = Console(stderr=True).status(shown(self._step))
            self._status.start()


def shown(step: str) -> Text:
    """The step as it is: names in it may hold what rich or a terminal takes for commands."""
    from rich.text import Text

    return Text(printable(step, 80))
