"""Compares two networks, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from ...errors import MsconvertError
from ..sides.child.messages import Inputs
from ..sides.inputs import given_inputs, narrowed
from ..sides.live import LiveWorker
from ..sides.workers import Worker
from ..verify.case import Trial
from .comparison import LayerRow, Mode, NetworkComparison, Whole
from .explained import explained
from .layers import Layers
from .networks import inputs_of, networks
from .ports.port import ported
from .ports.ties import told_ties
from .recorded import Run
from .recordings.comparer import compare_recordings
from .recordings.reading import is_recording
from .session import Session
from .settings import NetworkSettings
from .steadiness import drawing, without_accusing
from .subject import halves_of, subject_of, worker_of
from .unreached import told_options
from .weights import Weights, listed
from .whole import Wholes

SAME_CHANCE = (
    "random numbers and what dropout drops were the same in both networks; it was off in recurrent "
    "layers, and in layers of the files' own that drop"
)


def compare_networks(
    a: Any, b: Any, settings: NetworkSettings | None = None, *, inputs: Any = None
) -> NetworkComparison:
    """Compares two networks layer by layer; `a` is the reference.

    Each is a network at hand, of either framework, or `model.py`, `model.py:Net(10)`, `net.onnx`,
    which runs in a process of its own. A network at hand is compared with the weights that it has,
    and is afterwards as it was. `inputs`: what both are called with, of NumPy or any framework: one
    array, a tuple of arguments, or a dict of them by name; or an .npz file.
    Raises: MS401, MS402, MS403, MS405; what readers raise for files of weights
    """
    with NetworkComparer() as comparer:
        return comparer.compare(a, b, settings, inputs=inputs)


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
        self, a: Any, b: Any, settings: NetworkSettings | None = None, *, inputs: Any = None
    ) -> NetworkComparison:
        """As the function `compare_networks`."""
        wanted = settings or NetworkSettings()
        if is_recording(a) or is_recording(b):
            return compare_recordings(a, b, wanted)
        given = None if inputs is None else given_inputs(inputs)
        with ExitStack() as ending:
            session = self.begun(a, b, wanted, ending)
            folder = ending.enter_context(TemporaryDirectory(prefix="msconvert-compare-"))
            return compared(session, wanted, given, Path(folder))

    def begun(self, a: Any, b: Any, wanted: NetworkSettings, ending: ExitStack) -> Session:
        """Both sides, whose files are imported; `ending` undoes what is done to networks at hand.

        Raises: MS401, MS402, MS405
        """
        subjects = subject_of(a, wanted.target, "torch"), subject_of(b, wanted.target, "runtime")
        pythons = (wanted.python_a, wanted.python_b)
        one, other = [
            self._worker(index, worker_of(subject, python), ending)
            for index, (subject, python) in enumerate(zip(subjects, pythons, strict=True))
        ]
        session = Session(halves_of(subjects, (one, other), wanted.timeout_s), subjects)
        session.begin()
        return session

    def _worker(self, index: int, new: Worker, ending: ExitStack) -> Worker:
        """The one that was made before for the same, each side has its own; of networks at hand
        always a new one, that undoes at the end what it did."""
        if isinstance(new, LiveWorker):
            return ending.enter_context(new)
        return self._workers.setdefault((index, new.python, new.kind), new)


def compared(
    session: Session, settings: NetworkSettings, given: Inputs | None, folder: Path
) -> NetworkComparison:
    """All that is compared of one pair of networks, whose files are imported."""
    weights = networks(session, settings)
    session.both("draw", ((),), ((),))
    inputs = inputs_of(session, settings) if given is None else given
    types = {str(array.dtype) for array in weights.states[0].values()}
    inputs, cast = narrowed(inputs, types)
    weights, told = ported(session, weights, inputs, settings.seed, folder)
    refuse_unknown(session, weights)
    weights, ties = tied(session, weights)
    rows: list[LayerRow] = []
    plain: dict[Mode, tuple[Run, ...]] = {}
    remarks = [*told, *ties, *cast, *(f"weights do not fit: {text}" for text in weights.misfits)]
    for mode in settings.modes if "onnx" not in session.sides else settings.modes[:1]:
        layers = Layers(session, settings, weights, inputs, mode, folder)
        rows += layers.rows()
        plain[mode] = layers.plain
        remarks += layers.remarks
    remarks += told_options(rows, session, settings, weights, inputs, folder)
    remarks += [SAME_CHANCE] if "train" in settings.modes and "onnx" not in session.sides else []
    one, other = session.subjects
    found = NetworkComparison(
        (one.name, other.name),
        (one.side, other.side),
        explained(rows),
        tuple(wholes(session, settings, weights, inputs)),
        tuple(weights.differences().values()),
        tuple(dict.fromkeys(remarks)),
    )
    asked = session, plain, inputs, settings, folder
    drawn = drawing(0, *asked)  # what A draws itself would pass for its rounding
    if drawn or not found.ok:
        drawn += drawing(1, *asked)
    return without_accusing(found, drawn) if drawn else found


def refuse_unknown(session: Session, weights: Weights) -> None:
    """Raises: MS403 where B was to have the weights of a graph, which has none for some of them"""
    unknown = weights.mapping.unexpected
    if session.side(0) == "onnx" and weights.is_copied and unknown:
        problem = f"the file has no weights for some of {session.subjects[1].name}"
        advice = "--weights-b FILE gives B its own"
        place = str(session.subjects[0].file)
        raise MsconvertError("MS403", place, problem, got=listed(unknown), advice=advice)


def tied(session: Session, weights: Weights) -> tuple[Weights, tuple[str, ...]]:
    """The weights under all their names, and what is to be said of those that have several."""
    if "onnx" in session.sides:
        return weights, ()
    ties = session.both("ties", (), ())
    told = told_ties(ties, weights.held, weights.names)
    one, other = (
        {**state, **{alias: state[first] for alias, first in found.items() if first in state}}
        for state, found in zip(weights.states, ties, strict=True)
    )
    return replace(weights, states=(one, other)), told


def wholes(
    session: Session, settings: NetworkSettings, weights: Weights, inputs: Inputs
) -> Iterator[Whole]:
    """What the networks give and become when they just run."""
    trial = Trial(settings.allowance, settings.seed, True)
    found = Wholes(session, weights, inputs, trial)
    if "onnx" in session.sides:
        yield found.outputs("eval")
        return
    if "eval" in settings.modes:
        yield found.outputs("eval")
    if "train" in settings.modes:
        yield from found.training(settings.steps)
