"""Runs two networks, records both, and judges each layer alone."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import MsconvertError, UsageError
from ..sides.child.messages import Failure, Inputs
from ..sides.halves import Half
from ..sides.inputs import InputShape, from_file, made
from ..sides.naming import Mapping, mapping_of
from ..sides.places import Target, roots_of, source_of, target_of
from ..sides.workers import Worker, python_with
from ..verify.judgement import Difference, Tolerance, differences
from ..verify.verifier import PACKAGES
from .alignment import aligned
from .comparison import NetworkComparison
from .isolation import Isolated, rows_of
from .plan import plan_of
from .recorded import Run
from .records import Arrays, SideName

LIMIT = 1 << 30
"""So many bytes of tensors are recorded of each run."""

NUDGES = 3

SIDES: dict[str, SideName] = {
    "torch": "torch",
    "msconvert.runtime": "runtime",
    "mindspore": "mindspore",
}


@dataclass(frozen=True)
class NetworkSettings:
    """What is compared, with what, where and how strictly."""

    call: str | None = None
    shapes: tuple[InputShape, ...] = ()
    inputs: Path | None = None
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
    """Compares two networks layer by layer. Raises: MS401, MS402, MS403, MS405"""
    wanted = settings or NetworkSettings()
    one, other = Path(a), Path(b)
    for path in (one, other):
        if not path.exists():
            raise UsageError("MS401", str(path), "there is no such file")
    target = wanted.target or target_of(other) or "bundled"
    python = sys.executable
    if target == "mindspore":
        python = python_with(wanted.python_b, "MSCONVERT_MINDSPORE_PYTHON")
    roots = roots_of(one, other)
    with (
        tempfile.TemporaryDirectory(prefix="msconvert-compare-") as folder,
        Worker(python_with(wanted.python_a, ""), "torch") as first,
        Worker(wanted.python_b or python, PACKAGES[target]) as second,
    ):
        first.start()
        second.start()
        halves = tuple(
            Half(worker, source_of(file, root), wanted.timeout_s)
            for worker, file, root in ((first, one, roots[0]), (second, other, roots[1]))
        )
        for half in halves:
            half.begin()
        for half in halves:
            answered(half, half.loaded())
        return Comparer(halves[0], halves[1], wanted, Path(folder)).compare()


def answered(half: Half, answer: Any) -> Any:
    """The answer. Raises: MS402 if it is a failure"""
    if isinstance(answer, Failure):
        place = f"{answer.file}:{answer.line}" if answer.file else half.source.file
        problem = f"{answer.kind}: {answer.message}"
        raise MsconvertError("MS402", place, problem, got=answer.code)
    return answer


class Comparer:
    """The comparison of one network."""

    def __init__(self, a: Half, b: Half, settings: NetworkSettings, folder: Path) -> None:
        self.a = a
        self.b = b
        self.settings = settings
        self.folder = folder
        self.remarks: list[str] = []

    def compare(self) -> NetworkComparison:
        wanted = self.settings
        self.a.ask("compare_with", self.b.worker.kind)
        call = wanted.call or self.offered()
        held = self.both("construct", (call, wanted.seed), (call, wanted.seed))
        mapping = mapping_of(*held)
        state = answered(self.a, self.a.ask("state"))
        answered(self.b, self.b.ask("fill", values_for(mapping, state)))
        inputs = self.inputs()
        a, b = self.recorded(inputs, state, mapping)
        alignment = aligned(a, b)
        noise = answered(
            self.a,
            self.a.ask("noise", inputs, wanted.seed, wanted.mode, a.calls, NUDGES),
        )
        forced = answered(
            self.b,
            self.b.ask("record", *self.record_arguments(inputs, "forced", plan_of(alignment))),
        )
        isolated = Isolated(
            a,
            Run(b.side, forced, b.state),
            alignment,
            {item.number: item for item in noise},
            wanted.tolerance,
        )
        return NetworkComparison(
            (self.a.source.file, self.b.source.file),
            rows_of(isolated),
            self.outputs(inputs),
            tuple(self.remarks),
        )

    def offered(self) -> str:
        loaded = self.a.loaded()
        if not isinstance(loaded, Failure) and loaded.has_build:
            return "build()"
        if not isinstance(loaded, Failure) and len(loaded.classes) == 1:
            return f"{loaded.classes[0]}()"
        problem = "nothing says which network to compare"
        raise UsageError("MS401", self.a.source.file, problem, advice='--call "Net(10)"')

    def inputs(self) -> Inputs:
        if self.settings.inputs is not None:
            return from_file(self.settings.inputs)
        if self.settings.shapes:
            return made(self.settings.shapes, self.settings.seed)
        loaded = self.a.loaded()
        if isinstance(loaded, Failure) or not loaded.has_inputs:
            problem = "nothing says what to call the network with"
            raise UsageError("MS401", "the inputs", problem, advice="--shape SIZES for each input")
        found: Inputs = answered(self.a, self.a.ask("own_inputs", self.settings.seed))
        return found

    def both(self, method: str, for_a: tuple[Any, ...], for_b: tuple[Any, ...]) -> tuple[Any, Any]:
        self.a.send(method, *for_a)
        self.b.send(method, *for_b)
        answers = self.a.worker.answer(), self.b.worker.answer()
        return answered(self.a, answers[0]), answered(self.b, answers[1])

    def record_arguments(self, inputs: Inputs, name: str, plan: Any = ()) -> tuple[Any, ...]:
        wanted = self.settings
        return (inputs, wanted.seed, wanted.mode, str(self.folder / name), LIMIT, plan)

    def recorded(self, inputs: Inputs, state: Arrays, mapping: Mapping) -> tuple[Run, Run]:
        found = self.both(
            "record", self.record_arguments(inputs, "a"), self.record_arguments(inputs, "b")
        )
        states = state, values_for(mapping, state)
        kinds = SIDES[self.a.worker.kind], SIDES[self.b.worker.kind]
        one, other = [
            Run(kind, recording, own)
            for kind, recording, own in zip(kinds, found, states, strict=True)
        ]
        return one, other

    def outputs(self, inputs: Inputs) -> tuple[Difference, ...]:
        """The results of both when they just run."""
        seed = self.settings.seed
        ours, theirs = self.both("run", (inputs, seed, NUDGES), (inputs, seed))
        return tuple(differences(ours.outputs, theirs.outputs, self.settings.tolerance))


def values_for(mapping: Mapping, state: Arrays) -> dict[str, Any]:
    """A's values by the names that they have in B."""
    return {
        other.name: state[held.same_as or held.name].reshape(other.shape)
        for held, other in mapping.pairs
        if held.saved
    }
