"""The lines of the user's code that make each layer of a network."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .messages import Line
from .operators.lines import Lines, line_of

DEEPEST = 30
"""So many calls of constructors are gone back."""


class Origins:
    """Looks on while layers are made; each is known by its id, as long as the network lives."""

    def __init__(self) -> None:
        self.lines: dict[int, Line] = {}

    def line(self, layer: Any) -> Line:
        """An empty one if it was not seen."""
        return self.lines.get(id(layer), Line())

    @contextmanager
    def watching(self, base: Any, packages: Sequence[str]) -> Iterator[None]:
        """Within, all that is derived from `base` is seen as it is made."""
        self.lines.clear()
        users = Lines(packages)
        plain = base.__init__

        @functools.wraps(plain)
        def init(layer: Any, *args: Any, **kwargs: Any) -> None:
            frame = maker(layer, sys._getframe(1), users)
            if frame is not None:
                self.lines[id(layer)] = line_of(frame)
            plain(layer, *args, **kwargs)

        base.__init__ = init
        try:
            yield
        finally:
            base.__init__ = plain


def maker(layer: Any, frame: FrameType | None, users: Lines) -> FrameType | None:
    """The innermost of the user's frames that is no constructor of the layer itself."""
    for _ in range(DEEPEST):
        if frame is None:
            return None
        code = frame.f_code
        is_own = code.co_name == "__init__" and frame.f_locals.get(first_name(frame)) is layer
        if not is_own and users.is_users(code.co_filename):
            return frame
        frame = frame.f_back
    return None


def first_name(frame: FrameType) -> str:
    """What the function calls its first argument."""
    names = frame.f_code.co_varnames
    return names[0] if names else ""
