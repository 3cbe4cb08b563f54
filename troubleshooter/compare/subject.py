"""What is compared: two networks, each with its file, its framework and the Python that has it."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ..sides.child.messages import Source
from ..sides.halves import Half
from ..sides.places import Target, imported, roots_of, source_of, syntax_error
from ..sides.workers import Worker, python_with
from .records import SideName

KINDS: dict[SideName, str] = {
    "torch": "torch",
    "onnx": "onnx",
    "runtime": "msconvert.runtime",
    "mindspore": "mindspore",
}
"""The workers that know each framework."""

VARIABLES = {"torch": "", "onnx": "", "runtime": "", "mindspore": "MSCONVERT_MINDSPORE_PYTHON"}
PACKAGES: dict[str, SideName] = {"torch": "torch", "mindspore": "mindspore", "msconvert": "runtime"}


@dataclass(frozen=True)
class Subject:
    """A network's file; `call` is what makes the network, if that is said."""

    file: Path
    side: SideName
    call: str | None = None

    @property
    def name(self) -> str:
        return str(self.file) + (f":{self.call}" if self.call else "")


def subject_of(text: str, target: Target | None, otherwise: SideName) -> Subject:
    """`model.py`, `model.py:Net(10)`, `model.py:Net`, `net.onnx`.

    `target` is what runs files for MindSpore, `otherwise` the framework of those that import none.
    Raises: MS401 if there is no such file, or it is of no such kind
    """
    path, call = Path(text), ""
    if not path.exists() and ".py:" in text:
        name, _, call = text.partition(".py:")
        path = Path(f"{name}.py")
    if not path.is_file():
        raise UsageError("MS401", text, "there is no such file")
    if path.suffix not in (".py", ".onnx"):
        raise UsageError("MS401", text, "is neither a Python file nor an ONNX file")
    side: SideName = "onnx" if path.suffix == ".onnx" else side_of(path) or otherwise
    if side in ("runtime", "mindspore") and target is not None:
        side = "runtime" if target == "bundled" else "mindspore"
    call = f"{call}()" if call.isidentifier() else call
    return Subject(path, side, call or None)


def side_of(file: Path) -> SideName | None:
    """The framework that a file imports, or one of those beside it; None if none does."""
    for path in (file, *sorted(file.parent.rglob("*.py"))):
        if syntax_error(path) is not None:
            continue
        for name in imported(ast.parse(path.read_bytes())):
            side = PACKAGES.get(name.partition(".")[0])
            if side is not None:
                return side
    return None


def worker_of(subject: Subject, python: str | None) -> Worker:
    if subject.side in ("onnx", "runtime"):
        return Worker(python or sys.executable, KINDS[subject.side])
    return Worker(python_with(python, VARIABLES[subject.side]), KINDS[subject.side])


def halves_of(
    subjects: tuple[Subject, Subject], workers: tuple[Worker, Worker], seconds: float
) -> tuple[Half, Half]:
    """Both sides, which import their files at the same time."""
    roots = roots_of(subjects[0].file, subjects[1].file)
    for worker in workers:
        worker.start()
    one, other = [
        Half(worker, source(subject, root), seconds)
        for worker, subject, root in zip(workers, subjects, roots, strict=True)
    ]
    return one, other


def source(subject: Subject, root: Path) -> Source:
    if subject.side == "onnx":
        return Source(str(subject.file.absolute()), "", ())
    return source_of(subject.file, root)
