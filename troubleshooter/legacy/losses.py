"""The losses of two trainings, read from their logs, and the step where they part."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from ...errors import MsconvertError
from ...formats.storage.atomic import Path
from ...formats.storage.opening import opened, reason

NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)"
MAX_LINE, MAX_BYTES = 10_000, 1 << 30


@dataclass(frozen=True)
class LossComparison:
    """The losses of both sides, and from which step on they are not close; None if they are.

    Units: `step` counts from 0
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    step: int | None

    @property
    def ok(self) -> bool:
        """Whether both have as many losses, and all are close."""
        return self.step is None

    @property
    def summary(self) -> str:
        """One line: whether they agree, else where they part."""
        counts = f"{len(self.left)} and {len(self.right)} steps"
        if self.step is None:
            return f"The losses of {len(self.left)} steps agree."
        if self.step == min(len(self.left), len(self.right)):
            return f"The losses agree for {self.step} steps; there are {counts}."
        a, b = self.left[self.step], self.right[self.step]
        return f"The losses part at step {self.step}: {a:.6g} against {b:.6g} ({counts})."


def compare_losses(
    left: Path,
    right: Path,
    rtol: float = 1e-4,
    atol: float = 0.0,
    *,
    tags: tuple[str, str] = ("loss", "loss"),
) -> LossComparison:
    """The losses in two logs, step by step; close is |a - b| <= rtol * |a| + atol.

    `tags`: what stands before the number, as in `loss: 0.25` or `loss=0.25`; a line has one.
    Raises: MS406 for a log without losses, or that cannot be read
    """
    ours, theirs = (tuple(losses_in(*of)) for of in ((left, tags[0]), (right, tags[1])))
    pairs = enumerate(zip(ours, theirs, strict=False))
    step = next((n for n, (a, b) in pairs if not is_close(a, b, rtol, atol)), None)
    if step is None and len(ours) != len(theirs):
        step = min(len(ours), len(theirs))
    return LossComparison(ours, theirs, step)


def is_close(a: float, b: float, rtol: float, atol: float) -> bool:
    return a == b or (math.isfinite(a) and abs(a - b) <= rtol * abs(a) + atol)


def starts_of(lines: TextIO) -> Iterator[str]:
    """The first MAX_LINE characters of each line, of which one may be as long as the file."""
    is_start = True
    while part := lines.readline(MAX_LINE):
        if is_start:
            yield part
        is_start = part.endswith("\n")


def losses_in(path: Path, tag: str) -> list[float]:
    """The number after the tag, of each line that has it. Raises: MS406"""
    before = r"(?<![A-Za-z_])"
    after = rf"\b(?:\s+is\b)?\W{{0,20}}?({NUMBER})"
    pattern = re.compile(before + re.escape(tag) + after, re.IGNORECASE)
    where = os.fspath(path)
    try:
        descriptor, _size = opened(path, MAX_BYTES)
        with os.fdopen(descriptor, encoding="utf-8", errors="replace") as lines:
            matches = [pattern.search(line) for line in starts_of(lines)]
    except OSError as error:
        raise MsconvertError("MS406", where, f"cannot be read ({reason(error)})") from error
    found = [float(match[1]) for match in matches if match]
    if not found:
        expected = f"lines such as '{tag}: 0.25'"
        raise MsconvertError("MS406", where, "there are no losses in it", expected=expected)
    return found
