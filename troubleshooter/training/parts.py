"""What the options for trainings name: functions and expressions, in files or without."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...errors import UsageError
from ..compare.subject import Subject
from ..sides.child.messages import Part
from ..sides.places import roots_of, source_of

IN_FILE = re.compile(r"(?P<file>.+?\.py):(?P<text>.+)", re.DOTALL)


def part_of(text: str, subject: Subject) -> Part:
    """`train.py:make`, or an expression, in the module of the network's own file.

    Raises: MS407 if there is no such file
    """
    found = IN_FILE.fullmatch(text)
    if found is None:
        if text.endswith(".py"):
            raise UsageError(
                "MS407", text, "it is a file: say which function of it",
                advice=f"{text}:make, where make(net) gives the step",
            )  # fmt: skip
        return Part(text)
    file = Path(found["file"])
    if not file.is_file():
        raise UsageError("MS407", str(file), "there is no such file")
    root = roots_of(file, subject.file)[0] if subject.network is None else file.absolute().parent
    return Part(found["text"], source_of(file, root))


def default_of(text: str, subjects: tuple[Subject, Subject]) -> str:
    """What of B's answers to A's: the same name in the file that lies beside B's network as A's
    script beside A's, or in B's own file. An expression is both's."""
    found = IN_FILE.fullmatch(text)
    if found is None:
        return text
    file, (one, other) = Path(found["file"]), [s.file.absolute().parent for s in subjects]
    beside = other / os.path.relpath(file.absolute(), one)
    if beside.is_file() and not (file.exists() and beside.samefile(file)):
        return f"{beside}:{found['text']}"
    return found["text"]
