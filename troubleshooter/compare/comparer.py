"""Runs two networks, records both, and judges each layer alone."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...errors import MsconvertError, UsageError
from ..sides.child.messages import CallNoise, Failure, Forced, Inputs, Loaded, Recording
from ..sides.halves import Half
from ..sides.inputs import InputShape, from_file, made
from ..sides.naming import Mapping
from ..sides.places import Target
from ..sides.workers import Worker
from ..verify.judgement import Difference, Tolerance, differences
from .alignment import Alignment
from .blame import rows_of
from .by_value import Matched
from .comparison import WRONG, LayerRow, NetworkComparison
from .depth import Depth
from .isolation import Isolated, plan_of
from .recorded import Run
from .session import Session
from .siblings import aligned_trees
from .subject import halves_of, subject_of, worker_of
from .trials import Trials
from .weights import Weights, copied, load, mapped, misfits_of

LIMIT = 1 << 30
"""So many bytes of tensors are recorded of each run."""

NUDGES = 3
SURE_NUDGES = 12
"""So often the original's rounding is tried, and before a difference is told."""

CERTAIN = 100.0
"""What is so many times as far off as it may be differs, however rounding is measured."""

ROUNDS = 3
"""So often the networks are aligned anew with what the last forced run has shown."""

LOAD = "load("


@dataclass(frozen=True)
class NetworkSettings:
    """What is compared, with what, where and how strictly.

    `call` makes the networks where a side does not say its own (`model.py:Net(10)`). `weights_a`,
    `weights_b`: files to load as they are; without the latter, B is given A's weights, unless its
    call is `load()`.
    """

    call: str | None = None
    shapes: tuple[InputShape, ...] = ()
    inputs: Path | None = None
    weights_a: Path | None = None
    weights_b: Path | None = None
    target: Target | None = None
    python_a: str | None = None
    python_b: str | None = None
    tolerance: Tolerance = field(default_factory=Tolerance)
    seed: int = 0
    mode: str = "eval"
    timeout_s: float = 300.0


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
            return Comparison(session, wanted, Path(folder)).compare()

    def _worker(self, index: int, new: Worker) -> Worker:
        """The one that was made before for the same; each side has its own."""
        return self._workers.setdefault((index, new.python, new.kind), new)


class Comparison:
    """The comparison of one pair of networks."""

    def __init__(self, session: Session, settings: NetworkSettings, folder: Path) -> None:
        self.session = session
        self.settings = settings
        self.folder = folder
        self.runs = 0
        self.remarks: list[str] = []

    def compare(self) -> NetworkComparison:
        weights = self.weights()
        inputs = self.inputs()
        a, b = self.recorded(inputs, weights)
        isolated = self.isolated(a, b, inputs, weights)
        floor = self.session.ask(
            0, "floor", inputs, self.settings.seed, self.settings.mode, a.recording, 1
        )
        rows = Depth(isolated, b, floor).noted(self.rows(isolated, inputs))
        one, other = self.session.subjects
        return NetworkComparison(
            (one.name, other.name),
            (one.side, other.side),
            rows,
            self.outputs(inputs),
            tuple(self.remarks),
        )

    # what is run

    def weights(self) -> Weights:
        """Makes both networks, with the weights that they are to have."""
        session, wanted = self.session, self.settings
        calls = [call_of(session, index, wanted.call) for index in (0, 1)]
        is_copy = is_copied(session, calls, wanted)
        session.ask(0, "compare_with", session.halves[1].worker.kind)
        arguments = [
            (call, wanted.seed, is_copy and index == 0) for index, call in enumerate(calls)
        ]
        held = session.both("construct", *arguments)
        for index, file in enumerate((wanted.weights_a, wanted.weights_b)):
            if file is not None:
                load(session, index, file, held[index])
        mapping = mapped(session, *held) if all(held) else Mapping((), (), (), ())
        states = session.both("state", (), ())
        if is_copy:
            values = copied(mapping, states[0])
            session.ask(1, "fill", values)
            states = states[0], {**states[1], **values}
        misfits = misfits_of(mapping)
        self.remarks += [f"weights do not fit: {text}" for text in misfits]
        names = {one.name: other.name for one, other in mapping.pairs}
        return Weights(states, names, misfits, mapping)

    def inputs(self) -> Inputs:
        wanted = self.settings
        if wanted.inputs is not None:
            return from_file(wanted.inputs)
        if wanted.shapes:
            return made(wanted.shapes, wanted.seed)
        for index in (0, 1):
            loaded = loaded_by(self.session.halves[index])
            if loaded.has_inputs:
                found: Inputs = self.session.ask(index, "own_inputs", wanted.seed)
                return found
        problem = "nothing says what to call the network with"
        raise UsageError("MS401", "the inputs", problem, advice="--shape SIZES for each input")

    def record_arguments(self, inputs: Inputs, plan: Any = ()) -> tuple[Any, ...]:
        self.runs += 1
        file = str(self.folder / f"run_{self.runs}")
        return (inputs, self.settings.seed, self.settings.mode, file, LIMIT, plan)

    def recorded(self, inputs: Inputs, weights: Weights) -> tuple[Run, Run]:
        """Both networks as they are."""
        session = self.session
        found = session.attempted(
            "record", self.record_arguments(inputs), self.record_arguments(inputs)
        )
        one = session.checked(0, "record", found[0])
        session.checked(0, "record", one.failure)
        other = session.checked(1, "record", found[1])
        if other.failure is not None:
            self.remarks.append(f"B fails: {other.failure.kind}: {other.failure.message}")
        a, b = [
            Run(session.side(index), recording, weights.states[index])
            for index, recording in enumerate((one, other))
        ]
        return a, b

    def forced(self, inputs: Inputs, a: Run, b: Run, alignment: Alignment) -> Run:
        """B's run, each layer given A's tensors."""
        arguments = self.record_arguments(inputs, plan_of(a, alignment))
        recording: Recording = self.session.ask(1, "record", *arguments)
        return Run(b.side, recording, b.state)

    def isolated(self, a: Run, b: Run, inputs: Inputs, weights: Weights) -> Isolated:
        wanted = self.settings
        alignment = aligned(a, b)
        forced = self.forced(inputs, a, b, alignment)
        if (a.side == "onnx") != (b.side == "onnx"):
            alignment, forced = self.refined(inputs, a, forced, alignment)
        plan = plan_of(a, alignment, of=0)
        isolated = Isolated(a, forced, alignment, (), wanted.tolerance, weights)
        return replace(isolated, noise=self.noise(inputs, a, plan, NUDGES))

    def refined(
        self, inputs: Inputs, a: Run, forced: Run, alignment: Alignment
    ) -> tuple[Alignment, Run]:
        """The layers and an ONNX file aligned anew with what forced runs show.

        Layers of which it is not known what they should be given are tried with what may be.
        """
        for _ in range(ROUNDS):
            better = matched(a, forced, alignment).alignment()
            if plan_of(a, better) == plan_of(a, alignment):
                break
            alignment = better
            forced = self.forced(inputs, a, forced, alignment)
        trials = Trials(matched(a, forced, alignment))
        for trial in trials.rounds(alignment, forced):
            trials.learn(self.forced(inputs, a, forced, trial))
        if trials.found:
            alignment = trials.improved()
            forced = self.forced(inputs, a, forced, alignment)
        return alignment, forced

    def noise(
        self, inputs: Inputs, a: Run, plan: tuple[Forced, ...], nudges: int
    ) -> tuple[CallNoise, ...]:
        wanted = self.settings
        arguments = (inputs, wanted.seed, wanted.mode, a.calls, plan, nudges)
        found: tuple[CallNoise, ...] = self.session.ask(0, "noise", *arguments)
        return found

    def rows(self, isolated: Isolated, inputs: Inputs) -> tuple[LayerRow, ...]:
        """The verdicts; before one says that something differs, rounding is measured once more."""
        rows = rows_of(isolated)
        differences = [item for row in rows if row.verdict in WRONG for item in row.differences]
        if not any(1 < item.excess < CERTAIN for item in differences):
            return rows
        plan = plan_of(isolated.a, isolated.alignment, of=0)
        noise = self.noise(inputs, isolated.a, plan, SURE_NUDGES)
        return rows_of(replace(isolated, noise=noise, tolerance=isolated.tolerance.when_sure))

    def outputs(self, inputs: Inputs) -> tuple[Difference, ...]:
        """The results of both when they just run."""
        seed = self.settings.seed
        ours, theirs = self.session.attempted("run", (inputs, seed), (inputs, seed))
        self.session.checked(0, "run", ours)
        if isinstance(theirs, Failure):
            problem = f"{theirs.kind}: {theirs.message}"
            return (Difference("the result", 0.0, 0.0, 0.0, problem),)
        return tuple(differences(ours.outputs, theirs.outputs, self.settings.tolerance))


def aligned(a: Run, b: Run) -> Alignment:
    if (a.side == "onnx") != (b.side == "onnx"):
        return matched(a, b).alignment()
    return aligned_trees(a, b)


def matched(a: Run, b: Run, before: Alignment | None = None) -> Matched:
    """The layers of one of them and the graph of the other."""
    return Matched(b, a, True, before) if a.side == "onnx" else Matched(a, b, False, before)


def loaded_by(half: Half) -> Loaded:
    found = half.loaded()
    assert isinstance(found, Loaded)  # else it would not have come so far
    return found


def call_of(session: Session, index: int, otherwise: str | None) -> str:
    """What makes the network of one side. Raises: MS401 if nothing says it"""
    subject = session.subjects[index]
    if subject.side == "onnx":
        return ""
    if subject.call is not None:
        return subject.call
    loaded = loaded_by(session.halves[index])
    name = (otherwise or "").partition("(")[0]
    if otherwise is not None and (name in loaded.classes or not loaded.has_load):
        return otherwise if otherwise.endswith(")") else f"{otherwise}()"
    for has, call in ((loaded.has_build, "build()"), (loaded.has_load, "load()")):
        if has:
            return call
    if len(loaded.classes) == 1:
        return f"{loaded.classes[0]}()"
    raise MsconvertError(
        "MS401",
        str(subject.file),
        "nothing says which network to compare",
        got=f"the classes {', '.join(loaded.classes)}" if loaded.classes else "no class",
        advice=f'--call "Net(10)", or {subject.file}:"Net(10)"',
    )


def is_copied(session: Session, calls: list[str], settings: NetworkSettings) -> bool:
    """Whether B is given A's weights."""
    if "onnx" in (session.side(0), session.side(1)) or settings.weights_b is not None:
        return False
    return not calls[1].startswith(LOAD)
