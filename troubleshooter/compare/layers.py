"""The layers of two networks in one mode: recorded, aligned, forced, judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..sides.child.messages import Failure, Forced, Inputs, Noise, Recording
from .alignment import Alignment
from .backward import Backward, Probes, probes_of
from .blame import rows_of
from .buffers import rows_of_buffers
from .by_value import Matched
from .comparison import LayerRow, Mode
from .depth import Depth
from .isolation import Isolated, plan_of
from .recorded import Run
from .session import Session
from .settings import NetworkSettings
from .siblings import aligned_trees
from .trials import Trials
from .weights import Weights

LIMIT = 1 << 30
"""So many bytes of tensors are recorded of each run."""

NUDGES = 3
SURE_NUDGES = 12
"""So often the original's rounding is tried, and before a difference is told."""

CERTAIN = 100.0
"""What is so many times as far off as it may be differs, however rounding is measured."""

ROUNDS = 3
"""So often the networks are aligned anew with what the last forced run has shown."""


class Layers:
    """What is asked of both networks for the verdicts on their layers."""

    def __init__(
        self,
        session: Session,
        settings: NetworkSettings,
        weights: Weights,
        inputs: Inputs,
        mode: Mode,
        folder: Path,
    ) -> None:
        self.session = session
        self.settings = settings
        self.weights = weights
        self.inputs = inputs
        self.mode = mode
        self.folder = folder
        self.runs = 0
        self.remarks: list[str] = []

    def rows(self) -> tuple[LayerRow, ...]:
        """The rows of the mode: a verdict on each call, then on buffers and gradients."""
        a, b = self.recorded()
        isolated = self.isolated(a, b)
        rows, isolated = self.judged(isolated)
        floor = self.session.ask(0, "floor", *self.run, a.recording, 1)
        rows = Depth(isolated, b, floor).noted(rows)
        rows = (*rows, *rows_of_buffers(isolated, rows))
        rows = tuple(replace(row, mode=self.mode) for row in rows)
        return (*rows, *self.backward(isolated)) if self.mode == "train" else rows

    @property
    def run(self) -> tuple[Any, ...]:
        return self.inputs, self.settings.seed, self.mode

    def record_arguments(self, plan: tuple[Forced, ...] = ()) -> tuple[Any, ...]:
        self.runs += 1
        file = str(self.folder / f"{self.mode}_{self.runs}")
        return (*self.run, file, LIMIT, plan)

    def recorded(self) -> tuple[Run, Run]:
        """Both networks as they are."""
        session = self.session
        arguments = self.record_arguments(), self.record_arguments()
        one, other = session.attempted("record", *arguments)
        session.checked(0, "record", one)
        session.checked(0, "record", one.failure)
        session.checked(1, "record", other)
        if other.failure is not None:
            self.remarks.append(f"B fails: {other.failure.kind}: {other.failure.message}")
        a, b = [
            Run(session.side(index), recording, self.weights.states[index])
            for index, recording in enumerate((one, other))
        ]
        return a, b

    def forced(self, a: Run, b: Run, alignment: Alignment) -> Run:
        """B's run, each layer given A's tensors."""
        arguments = self.record_arguments(plan_of(a, alignment, b))
        recording: Recording = self.session.ask(1, "record", *arguments)
        return Run(b.side, recording, b.state)

    def isolated(self, a: Run, b: Run) -> Isolated:
        """B's layers alone; where B fails, as far as it comes with A's tensors."""
        alignment = aligned(a, b)
        forced = self.forced(a, b, alignment)
        while b.recording.failure is not None and len(forced.calls) > len(b.calls):
            b, alignment = forced, aligned(a, forced)
            forced = self.forced(a, b, alignment)
        if (a.side == "onnx") != (b.side == "onnx"):
            alignment, forced = self.refined(a, forced, alignment)
        noise = self.noise(a, alignment, NUDGES)
        return Isolated(a, forced, alignment, noise, self.settings.tolerance, self.weights)

    def refined(self, a: Run, forced: Run, alignment: Alignment) -> tuple[Alignment, Run]:
        """The layers and an ONNX file aligned anew with what forced runs show.

        Layers of which it is not known what they should be given are tried with what may be.
        """
        for _ in range(ROUNDS):
            better = matched(a, forced, alignment).alignment()
            if plan_of(a, better, forced) == plan_of(a, alignment, forced):
                break
            alignment = better
            forced = self.forced(a, forced, alignment)
        trials = Trials(matched(a, forced, alignment))
        for trial in trials.rounds(alignment, forced):
            trials.learn(self.forced(a, forced, trial))
        if trials.found:
            alignment = trials.improved()
            forced = self.forced(a, forced, alignment)
        return alignment, forced

    def noise(self, a: Run, alignment: Alignment, nudges: int) -> Noise:
        plan = plan_of(a, alignment)
        found: Noise = self.session.ask(0, "noise", *self.run, a.calls, plan, nudges)
        return found

    def judged(self, isolated: Isolated) -> tuple[tuple[LayerRow, ...], Isolated]:
        """The verdicts; before one says that something differs, rounding is measured once more."""
        rows = rows_of(isolated)
        if not is_doubtful((*rows, *rows_of_buffers(isolated, rows))):
            return rows, isolated
        noise = self.noise(isolated.a, isolated.alignment, SURE_NUDGES)
        surer = replace(isolated, noise=noise, tolerance=isolated.tolerance.when_sure)
        return rows_of(surer), surer

    def backward(self, isolated: Isolated) -> tuple[LayerRow, ...]:
        """The layers whose gradients differ, given the same tensors and the same gradients."""
        if "onnx" in (isolated.a.side, isolated.b.side) or isolated.b.recording.failure is not None:
            return ()
        probes = probes_of(isolated.a, isolated.b, isolated.alignment)
        ours = (*self.run, probes.ours, NUDGES)
        one, other = self.session.attempted("pullback", ours, (*self.run, probes.theirs, 0))
        for name, answer in (("A", one), ("B", other)):
            if isinstance(answer, Failure):
                text = f"{answer.kind}: {answer.message}"
                self.remarks.append(f"gradients were not compared layer by layer: {name}: {text}")
                return ()
        return self.judged_backward(isolated, probes, one, other)

    def judged_backward(
        self, isolated: Isolated, probes: Probes, one: Any, other: Any
    ) -> tuple[LayerRow, ...]:
        tolerance = self.settings.tolerance
        rows = Backward(isolated, probes, one, other, tolerance).rows()
        if not is_doubtful(rows):
            return rows
        one = self.session.ask(0, "pullback", *self.run, probes.ours, SURE_NUDGES)
        return Backward(isolated, probes, one, other, tolerance.when_sure).rows()


def is_doubtful(rows: tuple[LayerRow, ...]) -> bool:
    """Whether something is said to differ by so little that rounding may be more than measured."""
    wrong = [item for row in rows if row.is_wrong for item in row.differences]
    return any(1 < item.excess < CERTAIN for item in wrong)


def aligned(a: Run, b: Run) -> Alignment:
    if (a.side == "onnx") != (b.side == "onnx"):
        return matched(a, b).alignment()
    return aligned_trees(a, b)


def matched(a: Run, b: Run, before: Alignment | None = None) -> Matched:
    """The layers of one of them and the graph of the other."""
    return Matched(b, a, True, before) if a.side == "onnx" else Matched(a, b, False, before)
