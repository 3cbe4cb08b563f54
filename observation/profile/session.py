"""A script that is profiled, and what it writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...runtime.engine.observation import Place
from ...runtime.profiler.files import write_files, write_text
from ...runtime.profiler.recorder import Record, Recorder
from .pages import summary_of, to_html


@contextmanager
def profiled(folder: Path, steps: int, report: Path) -> Iterator[None]:
    """Profiles what runs inside, and writes its files; `report` gets what is printed."""
    recorder = Stopping(steps)
    recorder.start()
    try:
        yield
    finally:
        record = recorder.stop()
        summary = summary_of(record) | {"unwritten": written(record, folder)}
        report.write_text(json.dumps(summary), encoding="utf-8")


def written(record: Record, folder: Path) -> str:
    """Writes the files of a profile. Returns why they cannot be written; "" if they are there.

    Raised here, it would take the place of what ended the script.
    """
    try:
        write_files(record, folder)
        write_text(folder / "profile.html", to_html(record))
    except OSError as error:
        return error.strerror or str(error)
    return ""


class Stopping(Recorder):
    """A recorder that has seen enough after some steps: the rest of the run is not slowed."""

    def __init__(self, steps: int) -> None:
        super().__init__(every=False)
        self.left, self.busy = steps, False

    def ran(self, op: str, place: Place, start: int, end: int) -> None:
        self.busy = True
        super().ran(op, place, start, end)

    def spent(self, kind: str, name: str, start: int, end: int) -> None:
        if kind == "data" and self.busy:
            self.left, self.busy = self.left - 1, False
            if self.left == 0:
                self.stop()
                return
        self.busy = self.busy or kind == "run"
        super().spent(kind, name, start, end)
