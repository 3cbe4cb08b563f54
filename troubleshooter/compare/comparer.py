"""Compares two networks, each in a process of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from ..sides.child.messages import Inputs
from ..sides.workers import Worker
from ..verify.case import Trial
from .comparison import LayerRow, NetworkComparison, Whole
from .explained import explained
from .layers import Layers
from .networks import inputs_of, networks
from .session import Session
from .settings import NetworkSettings
from .subject import halves_of, subject_of, worker_of
from .weights import Weights
from .whole import Wholes

NO_DROPOUT = "in training, dropout was off in both networks, and random numbers were the same"


def compare_networks(
    a: Path | str, b: Path | str, settings: NetworkSettings | None = None
) -> NetworkComparison:
    """Compares two networks layer by layer.

    Each is `model.py`, `model.py:Net(10)` or `net.onnx`, and runs in a process of its own.
    Raises: MS401, MS402, MS403, MS405; what readers raise for files of weights
    """
    with NetworkComparer() as comparer:
        return comparer.compare(a, b, settings)


class NetworkComparer:
    """A process for each framework, for any number of comparisons: importing one takes seconds."""

    def __init__(self) -> None:
        self._workers: dict[tuple[int, str, str], Worker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()

    def compare(
        self, a: Path | str, b: Path | str, settings: NetworkSettings | None = None
    ) -> NetworkComparison:
        """As the function `compare_networks`."""
        wanted = settings or NetworkSettings()
        subjects = (
            subject_of(str(a), wanted.target, "torch"),
            subject_of(str(b), wanted.target, "runtime"),
        )
        pythons = (wanted.python_a, wanted.python_b)
        one, other = [
            self._worker(index, worker_of(subject, python))
            for index, (subject, python) in enumerate(zip(subjects, pythons, strict=True))
        ]
        with tempfile.TemporaryDirectory(prefix="msconvert-compare-") as folder:
            halves = halves_of(subjects, (one, other), wanted.timeout_s)
            session = Session(halves, subjects)
            session.begin()
            return compared(session, wanted, Path(folder))

    def _worker(self, index: int, new: Worker) -> Worker:
        """The one that was made before for the same; each side has its own."""
        return self._workers.setdefault((index, new.python, new.kind), new)


def compared(session: Session, settings: NetworkSettings, folder: Path) -> NetworkComparison:
    """All that is compared of one pair of networks, whose files are imported."""
    weights = networks(session, settings)
    inputs = inputs_of(session, settings)
    rows: list[LayerRow] = []
    remarks = [f"weights do not fit: {text}" for text in weights.misfits]
    for mode in settings.modes if "onnx" not in session.sides else settings.modes[:1]:
        layers = Layers(session, settings, weights, inputs, mode, folder)
        rows += layers.rows()
        remarks += layers.remarks
    remarks += [NO_DROPOUT] if "train" in settings.modes and "onnx" not in session.sides else []
    one, other = session.subjects
    return NetworkComparison(
        (one.name, other.name),
        (one.side, other.side),
        explained(rows),
        tuple(wholes(session, settings, weights, inputs)),
        tuple(weights.differences().values()),
        tuple(dict.fromkeys(remarks)),
    )


def wholes(
    session: Session, settings: NetworkSettings, weights: Weights, inputs: Inputs
) -> Iterator[Whole]:
    """What the networks give and become when they just run."""
    trial = Trial(settings.tolerance, settings.seed, True)
    found = Wholes(session, weights, inputs, trial)
    if "onnx" in session.sides:
        yield found.outputs("eval")
        return
    if "eval" in settings.modes:
        yield found.outputs("eval")
    if "train" in settings.modes:
        yield from found.training(settings.steps)
