"""One event file that grows: each record is written whole, at once."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...errors import MsconvertError
from ...formats.records import events
from .. import log

LARGEST = 1 << 30
"""Bytes of a file for which no other limit is given."""


class SummaryError(MsconvertError, RuntimeError):
    """MS107: a summary cannot be written."""


def event_file_name(prefix: str, suffix: str, seconds: int) -> str:
    """As TensorBoard looks for it and MindSpore names it."""
    return f"{prefix}.out.tfevents.{seconds}.{socket.gethostname()}{suffix}"


class EventFile:
    """An event file that is open. What cannot be written is said once, or raised.

    A process that is killed leaves whole records, and at most one that is cut.
    """

    def __init__(self, path: Path, most: int | None, raises: bool) -> None:
        """Raises: RuntimeError (MS107) if it cannot be made"""
        self.path, self.most, self.raises = path, LARGEST if most is None else most, raises
        self.size = 0
        self.is_full = False
        try:
            self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise self.refused(error) from error
        self.write(events.first_event(time.time()))

    def add(self, step: int, values: Iterable[bytes], graph: bytes = b"") -> None:
        """Writes the values of a step. Raises: RuntimeError (MS107) if it is to"""
        now = time.time()
        if graph:  # an event has a graph or values
            self.write(events.event(now, step, graph=graph))
        made = list(values)
        if made:
            self.write(events.event(now, step, made))

    def write(self, body: bytes) -> None:
        record = events.framed(body)
        if self.is_full:
            return
        if self.size + len(record) > self.most:
            self.give_up(f"it would be larger than {self.most} bytes (max_file_size)")
            return
        try:
            self.put(record)
        except OSError as error:
            self.is_full = True
            if self.raises:
                raise self.refused(error) from error
            self.give_up(error.strerror or str(error))

    def put(self, record: bytes) -> None:
        """Writes a record; none of it stays if it cannot be written whole. Raises: OSError"""
        try:
            left = record
            while left:
                left = left[os.write(self.descriptor, left) :]
        except OSError:
            os.ftruncate(self.descriptor, self.size)
            raise
        self.size += len(record)

    def give_up(self, reason: str) -> None:
        """Says once that nothing more is written; the training goes on."""
        self.is_full = True
        log.warning("No more summaries are written to %s: %s. The run goes on.", self.path, reason)

    def refused(self, error: OSError) -> SummaryError:
        return SummaryError(
            "MS107", str(self.path), f"the summary cannot be written ({error.strerror})",
            advice="give another folder, or make room and let this user write to it",
        )  # fmt: skip

    def flush(self) -> None:
        """Has the system write what it holds."""
        if self.descriptor >= 0 and not self.is_full:
            os.fsync(self.descriptor)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1


COLUMNS = 8
"""Images beside one another where a batch is drawn as one."""


def canvas(batch: np.ndarray) -> np.ndarray:
    """All images of a batch as one, as MindSpore draws them. Shapes: (n, c, h, w) -> (H, W, 3)

    Bytes stay, numbers from 0 to 1 are spread over 0 to 255; others too, from the least on.
    """
    pixels = batch if batch.dtype == np.uint8 else spread(batch.astype(np.float64))
    if pixels.shape[1] == 1:
        pixels = np.repeat(pixels, 3, axis=1)
    n, c, h, w = pixels.shape
    columns = min(n, COLUMNS)
    rows = -(-n // columns)
    whole = np.zeros((rows * columns, c, h, w), np.uint8)
    whole[:n] = pixels
    laid = whole.reshape(rows, columns, c, h, w).transpose(0, 3, 1, 4, 2)
    return np.ascontiguousarray(laid).reshape(rows * h, columns * w, c)


def spread(batch: np.ndarray) -> np.ndarray:
    """Numbers as bytes; what is not finite is 0."""
    finite = np.nan_to_num(batch, nan=0.0, posinf=0.0, neginf=0.0)
    least, most = finite.min(), finite.max()
    if least >= 0 and most <= 1:
        least, scale = 0.0, 255.0
    else:
        scale = 255 / (most - least + 1) if most > least else 1.0
    found: np.ndarray = ((finite - least) * scale).astype(np.uint8)
    return found
