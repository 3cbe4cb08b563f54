"""One side of a pair: a file, imported by the worker of its framework."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import MsconvertError
from .child.caught import own_folders
from .child.messages import Failure, Loaded, Source
from .workers import Worker

ADVICE = {
    "torch": "give a Python that has PyTorch: --python-torch PYTHON; of compare, --python-a or -b",
    "mindspore": "--target bundled runs it without MindSpore; or give a Python that has it: "
    "--python-mindspore PYTHON; of compare, --python-a or -b; or set MSCONVERT_MINDSPORE_PYTHON",
    "msconvert.runtime": "install msconvert for this Python",
    "onnx": "install msconvert for this Python",
}


class Half:
    """A source and its worker; it is imported again whenever the worker was started anew."""

    def __init__(self, worker: Worker, source: Source, seconds: float) -> None:
        self.worker = worker
        self.source = source
        self.seconds = seconds
        self.life = 0
        self.waiting = False
        self._loaded: Loaded | Failure | None = None

    def begin(self) -> None:
        """Starts to import the file, where that is still to be done; `loaded` waits for it."""
        if self.life == self.worker.lives and self.worker.is_alive:
            return
        self.worker.start()
        failure = self.worker.begun()
        if failure is not None:
            raise no_framework(self.worker, failure)
        self.worker.own = own_folders(self.source)
        self.worker.send("load", self.source, seconds=self.seconds)
        self.life = self.worker.lives
        self.waiting = True

    def loaded(self) -> Loaded | Failure:
        self.begin()
        if self.waiting:
            self.waiting = False
            self._loaded = self.worker.answer()
        assert self._loaded is not None
        return self._loaded

    def send(self, method: str, *arguments: Any) -> None:
        self.worker.send(method, *arguments, seconds=self.seconds)

    def ask(self, method: str, *arguments: Any) -> Any:
        self.send(method, *arguments)
        return self.worker.answer()


def no_framework(worker: Worker, failure: Failure) -> MsconvertError:
    """MS401: a Python that cannot run its side."""
    name = {"torch": "PyTorch", "mindspore": "MindSpore"}.get(worker.kind, "msconvert")
    return MsconvertError(
        "MS401",
        str(Path(worker.python)),
        f"this Python cannot import {name}",
        got=f"{failure.kind}: {failure.message}",
        advice=ADVICE[worker.kind],
    )
