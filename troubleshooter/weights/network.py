"""A network in a process of its own, which is asked what it takes."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...errors import MsconvertError, UsageError
from ...formats.storage.recovery import settled
from ..sides.child.messages import Failure, Held
from ..sides.halves import Half
from ..sides.places import roots_of, source_of
from ..sides.workers import Worker
from .settings import NetworkCall

TIMEOUT_S = 600.0


class NetworkSide:
    """The process that has the network, from `with` on. Raises: MS401, MS402"""

    def __init__(self, wanted: NetworkCall, *, in_pytorch: bool) -> None:
        if not wanted.file.is_file():
            raise UsageError("MS401", str(wanted.file), "there is no such file")
        settled(wanted.file, "MS401")
        kind = "mindspore" if wanted.python is not None else "msconvert.runtime"
        self.wanted = wanted
        self.worker = Worker(wanted.python or sys.executable, "torch" if in_pytorch else kind)
        root = roots_of(wanted.file, wanted.file)[0]
        self.half = Half(self.worker, source_of(wanted.file, root), TIMEOUT_S)

    def __enter__(self) -> Self:
        try:
            self.half.begin()
            answered(self.half, self.half.loaded())
            answered(self.half, self.half.ask("construct", self.wanted.call, 0))
        except BaseException:
            self.worker.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.worker.stop()

    def slots(self) -> tuple[Held, ...]:
        """What it takes of a weight file."""
        found: tuple[Held, ...] = answered(self.half, self.half.ask("slots"))
        return found

    def take(self, files: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
        """Lets it load these; digests of what it holds then."""
        whole = tuple(str(Path(file).absolute()) for file in files)
        found: dict[str, str] = answered(self.half, self.half.ask("take", whole, names))
        return found


def answered(half: Half, answer: Any) -> Any:
    """The answer. Raises: MS402 if it is a failure"""
    if isinstance(answer, Failure):
        is_known = answer.file and not answer.file.startswith("<")
        place = f"{answer.file}:{answer.line}" if is_known else half.source.file
        raise MsconvertError("MS402", place, f"{answer.kind}: {answer.message}", got=answer.code)
    return answer
