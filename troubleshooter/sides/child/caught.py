"""What the user's code raises, as something that can be told."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Self

from .messages import Failure, Source

INSTALLED = re.compile(r"[\\/](site|dist)-packages([\\/]|$)")
LONGEST = 600


class Caught:
    """Ends a block at whatever the user's code raises, and keeps it as `failure`.

    `own`: where the user's files are by then, to find their line. Ctrl-C goes on.
    """

    def __init__(self, own: Callable[[], tuple[str, ...]] = tuple) -> None:
        self.own = own
        self.failure: Failure | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is None or isinstance(error, KeyboardInterrupt):
            return False
        self.failure = failure_of(error, self.own())
        return True


def failure_of(error: BaseException, own: tuple[str, ...]) -> Failure:
    """The error by its kind, its message and the last line of the user's on its way."""
    stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    kind, message = type(error).__name__, first_paragraph(error)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        text = (error.text or "").strip()
        return Failure(kind, message, error.filename, error.lineno, text, stack)
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if is_below(frame.filename, own)]
    if not theirs:
        return Failure(kind, message, stack=stack)
    last = theirs[-1]
    return Failure(kind, message, last.filename, last.lineno or 0, last.line or "", stack)


def first_paragraph(error: BaseException) -> str:
    """The message up to its first empty line or rule: MindSpore puts stacks of C++ behind."""
    text = str(error.msg if isinstance(error, SyntaxError) else error).strip()
    kept = re.split(r"\n\s*\n|\n-{8,}", text, maxsplit=1)[0]
    return " ".join(kept.split())[:LONGEST]


def is_below(file: str, folders: tuple[str, ...]) -> bool:
    path = os.path.realpath(file)
    return any(path.startswith(os.path.join(folder, "")) for folder in folders)


def own_folders(source: Source) -> tuple[str, ...]:
    """Where the files of the user's project are; of installed packages, the one in question."""
    found = []
    for path in source.paths:
        folder = os.path.realpath(path)
        top = os.path.join(folder, source.module.partition(".")[0])
        found.append(top if INSTALLED.search(folder) else folder)
    return tuple(found)
