"""Ctrl-C in a training: it ends between two steps, and not in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interruption:
    """A context in which Ctrl-C waits for the end of a step; pressed twice, it does not wait.

    Outside of steps, where rows are read, it comes at once. Only Python's own answer to Ctrl-C is
    put off: a program that has set another one keeps it.
    """

    def __init__(self) -> None:
        self.is_pressed = self.in_step = False
        self.former: Any = None

    def __enter__(self) -> Interruption:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self.former = signal.signal(signal.SIGINT, self.pressed)
        return self

    def __exit__(self, *err: Any) -> None:
        if self.former is not None and signal.getsignal(signal.SIGINT) == self.pressed:
            signal.signal(signal.SIGINT, self.former)

    def pressed(self, number: int, frame: Any) -> None:
        """Raises: KeyboardInterrupt, unless a step is on its way."""
        if self.in_step and not self.is_pressed:
            self.is_pressed = True
            return
        raise KeyboardInterrupt

    @contextmanager
    def step(self) -> Iterator[None]:
        """A step: it is finished. Raises: KeyboardInterrupt behind it."""
        self.in_step = True
        try:
            yield
        finally:
            self.in_step = False
        if self.is_pressed:
            raise KeyboardInterrupt
