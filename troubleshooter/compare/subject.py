"""What is compared: two networks, each with its file, its framework and the Python that has it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import MsconvertError, UsageError
from ...formats import PTH, kind_of
from ...formats.storage.opening import opened
from ...formats.storage.recovery import settled
from ...formats.transfer.conversion import open_weights
from ..sides.child.messages import Source
from ..sides.halves import Half
from ..sides.live import LiveWorker, file_of
from ..sides.places import Target, imported, roots_of, source_of, tree_of
from ..sides.workers import Worker, python_with
from .records import SideName

MAX_BYTES = 1 << 31
"""Of an ONNX file: Protobuf reads no more."""

KINDS: dict[SideName, str] = {
    "torch": "torch",
    "onnx": "onnx",
    "runtime": "msconvert.runtime",
    "mindspore": "mindspore",
}
"""The workers that know each framework."""

VARIABLES = {"torch": "", "onnx": "", "runtime": "", "mindspore": "MSCONVERT_MINDSPORE_PYTHON"}
PACKAGES: dict[str, SideName] = {"torch": "torch", "mindspore": "mindspore", "msconvert": "runtime"}


LIVE: dict[str, SideName] = {
    "torch.nn.modules.module.Module": "torch",
    "mindspore.nn.cell.Cell": "mindspore",
    "msconvert.runtime.cells.cell.Cell": "runtime",
}
"""The classes of networks."""


WRAPPERS = ("DataParallel", "DistributedDataParallel")


@dataclass(frozen=True)
class Subject:
    """A network's file; `call` is what makes the network, if that is said.

    `network`: the network itself, where it is at hand; `file` is then where its class is.
    """

    file: Path
    side: SideName
    call: str | None = None
    network: Any = None

    @property
    def name(self) -> str:
        if self.network is not None:
            return type(self.network).__name__
        return str(self.file) + (f":{self.call}" if self.call else "")


def subject_of(network: Any, target: Target | None, otherwise: SideName) -> Subject:
    """Of a path as text, with or without a call, of a path, or of a network at hand.

    Raises: MS401 for anything else
    """
    if isinstance(network, str | os.PathLike):
        return file_subject(os.fspath(network), target, otherwise)
    network = unwrapped(network)
    for kind in type(network).__mro__:
        side = LIVE.get(f"{kind.__module__}.{kind.__qualname__}")
        if side is not None:
            return Subject(Path(file_of(network)), side, network=network)
    raise UsageError(
        "MS401",
        "compare_networks",
        "one of the two is no network",
        got=type(network).__name__,
        expected="a torch.nn.Module, a Cell of MindSpore's or the runtime's, or a path",
    )


def unwrapped(network: Any) -> Any:
    """What torch.compile or DataParallel were given."""
    inner = getattr(network, "_orig_mod", network)
    return inner.module if type(inner).__name__ in WRAPPERS else inner


def file_subject(text: str, target: Target | None, otherwise: SideName) -> Subject:
    """`model.py`, `model.py:Net(10)`, `model.py:Net`, `net.onnx`.

    `target` is what runs files for MindSpore, `otherwise` the framework of those that import none.
    Raises: MS401 if there is no such file, or it is of no such kind
    """
    path, call = Path(text), ""
    if not path.exists() and ".py:" in text:
        name, _, call = text.partition(".py:")
        path = Path(f"{name}.py")
    if not path.is_file():
        problem = "is a folder, and no network" if path.is_dir() else "there is no such file"
        raise UsageError("MS401", text, problem)
    if path.suffix not in (".py", ".onnx"):
        raise no_source(path)
    settled(path, "MS401")
    try:
        os.close(opened(path, MAX_BYTES)[0])
    except OSError as error:
        raise UsageError("MS401", text, "cannot be read", got=str(error)) from error
    side: SideName = "onnx" if path.suffix == ".onnx" else side_of(path) or otherwise
    if side in ("runtime", "mindspore") and target is not None:
        side = "runtime" if target == "bundled" else "mindspore"
    call = f"{call}()" if call.isidentifier() else call
    return Subject(path, side, call or None)


def no_source(path: Path) -> UsageError:
    """MS401 for a file that is no network's source: what it is, if that is known."""
    problem, advice = "is neither a Python file nor an ONNX file", ""
    kind = kind_of(path)
    if kind is not None:
        problem = f"holds weights ({kind}), and not what is computed with them"
        advice = f"name the network's file, and --weights-a {path}"
    if kind in PTH:
        try:
            open_weights(path)
        except MsconvertError as error:
            problem, advice = f"is {error.problem}", "name the Python file with its class"
    return UsageError("MS401", str(path), problem, expected=".py or .onnx", advice=advice)


def side_of(file: Path) -> SideName | None:
    """The framework that a file imports, or one of those beside it; None if none does."""
    for path in (file, *sorted(file.parent.rglob("*.py"))):
        tree = tree_of(path)
        for name in () if isinstance(tree, SyntaxError) else imported(tree):
            side = PACKAGES.get(name.partition(".")[0])
            if side is not None:
                return side
    return None


def worker_of(subject: Subject, python: str | None) -> Worker:
    if subject.network is not None:
        return LiveWorker(subject.network, KINDS[subject.side])
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
    if subject.side == "onnx" or subject.network is not None:
        return Source(str(subject.file.absolute()), "", ())
    return source_of(subject.file, root)
