"""Questions to both sides, whose failures are told as errors."""

from __future__ import annotations

from typing import Any

from ...errors import MsconvertError
from ..sides.child.messages import Failure
from ..sides.halves import Half
from ..sides.places import shown
from .records import SideName
from .subject import Subject

ADVICE = {
    "construct": '--call "Net(10)" says how the networks are made',
    "record": "--shape or --inputs says what they are called with",
}

ENDED = {
    "Timeout": "--timeout gives it longer",
    "Crash": "run the file by itself: it ends the process",
    "SystemExit": "run the file by itself: it ends the process",
}
"""What no other input mends."""


class Session:
    """Two networks that can be asked, each in its process."""

    def __init__(self, halves: tuple[Half, Half], subjects: tuple[Subject, Subject]) -> None:
        self.halves = halves
        self.subjects = subjects

    @property
    def sides(self) -> tuple[SideName, SideName]:
        return self.subjects[0].side, self.subjects[1].side

    def side(self, index: int) -> SideName:
        return self.subjects[index].side

    def begin(self) -> None:
        """Imports both files. Raises: MS401, MS402, MS405"""
        for half in self.halves:
            half.begin()
        for index, half in enumerate(self.halves):
            self.checked(index, "load", half.loaded())

    def ask(self, index: int, method: str, *arguments: Any) -> Any:
        return self.checked(index, method, self.halves[index].ask(method, *arguments))

    def both(self, method: str, *arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        """The answers to both questions; the sides work at the same time."""
        one, other = self.attempted(method, *arguments)
        return self.checked(0, method, one), self.checked(1, method, other)

    def attempted(self, method: str, *arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        """The same; a Failure is an answer, too, unless the process has ended by it."""
        for half, given in zip(self.halves, arguments, strict=True):
            half.send(method, *given)
        one, other = [half.worker.answer() for half in self.halves]
        for index, answer in enumerate((one, other)):
            if not self.halves[index].worker.is_alive:
                self.checked(index, method, answer)
        return one, other

    def checked(self, index: int, method: str, answer: Any) -> Any:
        if isinstance(answer, Failure):
            raise failed(self.subjects[index], method, answer, is_reference=index == 0)
        return answer


def failed(
    subject: Subject, method: str, failure: Failure, *, is_reference: bool
) -> MsconvertError:
    """MS405 for what the reference raises, MS402 for the other."""
    place = f"{shown(failure.file)}:{failure.line}" if failure.file else str(subject.file)
    doing = {"load": "cannot be imported", "construct": "cannot be constructed"}
    problem = f"{doing.get(method, 'cannot be run')}: {failure.kind}: {failure.message}"
    return MsconvertError(
        "MS405" if is_reference else "MS402",
        place,
        problem,
        got=failure.code,
        advice=ENDED.get(failure.kind, ADVICE.get(method, "")),
    )
