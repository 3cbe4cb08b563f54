"""The layers of two networks in one mode: recorded, aligned, forced, judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..sides.child.messages import Failure, Forced, Inputs, Keeping, Noise, Recording
from .comparison import LayerRow, Mode
from .matching.alignment import Alignment
from .matching.anchored import aligned_by_layers
from .matching.by_value import Matched
from .matching.layouts import set_apart
from .matching.siblings import aligned_trees
from .matching.wholes import SameWeights
from .not_numbers import told_not_numbers
from .operators.locating import Locator
from .operators.origins import with_origins
from .recorded import Run
from .session import Session
from .settings import NetworkSettings
from .verdicts.backward import Backward, Probes, probes_of
from .verdicts.blame import rows_of
from .verdicts.buffers import rows_of_buffers
from .verdicts.depth import Depth
from .verdicts.isolation import Isolated, exchanged, plan_of
from .verdicts.parts import Division, Part, Place, in_memory, is_whole, joined, merged, with_stored
from .verdicts.replay import masks
from .verdicts.trials import Trials
from .weights import Weights

LIMIT: dict[Mode, int] = {"eval": 1 << 30, "train": 1 << 28}
PART: dict[Mode, int] = {"eval": 1 << 29, "train": 1 << 27}
"""So many bytes of A's tensors are recorded in one run; if they are more, in each part of it.

Gradients take up to 25 times that.
"""

EVERYTHING = 1 << 62
SHOWN = 1 << 28
"""Of networks in parts so many bytes of layers that differ are kept for the report."""

IN_PARTS = "in {mode}, tensors were too many to be recorded at once: {count} parts were compared"

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
        self.plain: tuple[Run, ...] = ()
        """Both networks' runs as they are, when `rows` has been asked for."""

    def rows(self) -> tuple[LayerRow, ...]:
        """The rows of the mode: a verdict on each call, then on buffers and gradients."""
        a, plain = self.plain = self.replayed(*self.recorded())
        self.remarks += told_not_numbers(a, plain, self.mode)
        alignment, forced = self.aligned(a, plain)
        floor = self.session.ask(0, "floor", *self.run, a.recording, 1)
        if is_whole(a):
            return self.noted(self.isolated(a, forced, alignment), plain, floor)
        rows: list[tuple[LayerRow, ...]] = []
        room = SHOWN
        for part in Division(a, forced, alignment, PART[self.mode]).parts():
            with self.files():
                one, other = self.of_part(a, forced, alignment, part)
                found = self.noted(self.isolated(one, other, alignment, part), plain, floor)
                found, room = in_memory(found, room)
            rows.append(found)
        self.remarks.append(IN_PARTS.format(mode=self.mode, count=len(rows)))
        return merged(rows)

    def noted(self, isolated: Isolated, plain: Run, floor: Any) -> tuple[LayerRow, ...]:
        """The rows, with how far errors are carried."""
        rows, isolated = self.judged(isolated)
        rows = Depth(isolated, plain, floor).noted(rows)
        rows = with_origins(isolated, rows)
        rows = Locator(self.session, self.run, self.file(0)).located(isolated, rows)
        rows = (*rows, *rows_of_buffers(isolated, rows))
        rows = tuple(replace(row, mode=self.mode) for row in rows)
        return (*rows, *self.backward(isolated)) if self.mode == "train" else rows

    @property
    def run(self) -> tuple[Any, ...]:
        return self.inputs, self.settings.seed, self.mode

    @contextmanager
    def files(self) -> Iterator[None]:
        """Removes what is recorded within."""
        first = self.runs
        yield
        for number in range(first, self.runs):
            Path(self.file(number + 1)).unlink(missing_ok=True)

    def file(self, number: int) -> str:
        return str(self.folder / f"{self.mode}_{number}")

    def record_arguments(
        self,
        limit: int,
        plan: tuple[Forced, ...] = (),
        places: tuple[Place, ...] | None = None,
    ) -> tuple[Any, ...]:
        self.runs += 1
        return (*self.run, Keeping(self.file(self.runs), limit, places), plan)

    def recorded(self) -> tuple[Run, Run]:
        """Both networks as they are; of B's tensors no more than sketches."""
        session = self.session
        one, other = session.attempted(
            "record", self.record_arguments(LIMIT[self.mode]), self.record_arguments(0)
        )
        session.checked(0, "record", one)
        session.checked(0, "record", one.failure)
        session.checked(1, "record", other)
        if other.failure is not None:
            self.remarks.append(f"B fails: {other.failure.kind}: {other.failure.message}")
        a, b = self.made(0, one), self.made(1, other)
        if not is_whole(a):
            a = with_stored(a, a, ())
            Path(self.file(1)).unlink()
        return a, b

    def replayed(self, a: Run, b: Run) -> tuple[Run, Run]:
        """Lets B draw what A does; it is run anew if it has drawn anything else."""
        if "onnx" in (a.side, b.side):
            return a, b
        found = masks(a, b, aligned(a, b, self.weights.same))
        self.session.ask(1, "draw", found)
        if all(one == other for one, other in found):
            return a, b
        recording = self.session.ask(1, "record", *self.record_arguments(0))
        return a, self.made(1, recording)

    def made(self, index: int, recording: Recording) -> Run:
        return Run(self.session.side(index), recording, self.weights.states[index])

    def forced(self, a: Run, b: Run, alignment: Alignment) -> Run:
        """B's run, each layer given A's tensors; without its tensors where it is one of parts."""
        if is_whole(a):
            return self.forced_by(a, b, alignment, None)
        found = b
        for part in Division(a, b, alignment, PART[self.mode]).parts():
            with self.files():
                found = joined(found, self.of_part(a, b, alignment, part)[1], part.theirs)
        return found

    def of_part(self, a: Run, b: Run, alignment: Alignment, part: Part) -> tuple[Run, Run]:
        """A's tensors of the part; B's, forced to them."""
        arguments = self.record_arguments(EVERYTHING, (), part.ours)
        recorded = self.made(0, self.session.ask(0, "record", *arguments))
        own = with_stored(a, recorded, part.ours)
        return own, self.forced_by(own, b, alignment, part.theirs)

    def forced_by(
        self, a: Run, b: Run, alignment: Alignment, places: tuple[Place, ...] | None
    ) -> Run:
        arguments = self.record_arguments(EVERYTHING, plan_of(a, alignment, b), places)
        return self.made(1, self.session.ask(1, "record", *arguments))

    def aligned(self, a: Run, b: Run) -> tuple[Alignment, Run]:
        """Which layers answer to each other, and B's run, forced, as far as it comes so.

        Where it is one of parts, and the plain run says the same, that.
        """
        alignment = aligned(a, b, self.weights.same)
        is_graph = (a.side == "onnx") != (b.side == "onnx")
        alignment = alignment if is_graph else set_apart(a, b, alignment)
        if not is_whole(a) and b.recording.failure is None and not is_graph:
            return alignment, b
        forced = self.forced(a, b, alignment)
        while b.recording.failure is not None and len(forced.calls) > len(b.calls):
            b, alignment = forced, aligned(a, forced, self.weights.same)
            forced = self.forced(a, b, alignment)
        return self.refined(a, forced, alignment) if is_graph else (alignment, forced)

    def isolated(
        self, a: Run, forced: Run, alignment: Alignment, part: Part | None = None
    ) -> Isolated:
        """B's layers alone, and how exact A's are."""
        noise = self.noise(a, alignment, NUDGES)
        return Isolated(a, forced, alignment, noise, self.settings.allowance, self.weights, part)

    def refined(self, a: Run, forced: Run, alignment: Alignment) -> tuple[Alignment, Run]:
        """The layers and an ONNX file aligned anew with what forced runs show.

        Layers of which it is not known what they should be given are tried with what may be.
        """
        for _ in range(ROUNDS):
            better = matched(a, forced, alignment).alignment()
            if exchanged(better) == exchanged(alignment):
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
        surer = replace(isolated, noise=noise, allowance=isolated.allowance.when_sure)
        return rows_of(surer), surer

    def backward(self, isolated: Isolated) -> tuple[LayerRow, ...]:
        """The layers whose gradients differ, given the same tensors and the same gradients."""
        if "onnx" in (isolated.a.side, isolated.b.side) or isolated.b.recording.failure is not None:
            return ()
        probes = probes_of(isolated)
        ours = (*self.run, probes.ours, NUDGES)
        one, other = self.session.attempted("pullback", ours, (*self.run, probes.theirs, 0))
        for name, answer in (("A", one), ("B", other)):
            if isinstance(answer, Failure):
                text = f"{answer.kind}: {answer.message}"
                self.remarks.append(f"gradients were not compared layer by layer: {name}: {text}")
                return ()
        rows = self.judged_backward(isolated, probes, one, other)
        return Locator(self.session, self.run, self.file(0)).cut(isolated, rows)

    def judged_backward(
        self, isolated: Isolated, probes: Probes, one: Any, other: Any
    ) -> tuple[LayerRow, ...]:
        allowance = self.settings.allowance
        found = Backward(isolated, probes, one, other, allowance)
        if is_doubtful(found.rows()):
            one = self.session.ask(0, "pullback", *self.run, probes.ours, SURE_NUDGES)
            found = Backward(isolated, probes, one, other, allowance.when_sure)
        self.remarks += found.told()
        return found.rows()


def is_doubtful(rows: tuple[LayerRow, ...]) -> bool:
    """Whether something is said to differ by so little that rounding may be more than measured."""
    wrong = [item for row in rows if row.is_wrong for item in row.differences]
    return any(1 < item.excess < CERTAIN for item in wrong)


def aligned(a: Run, b: Run, same: SameWeights) -> Alignment:
    """`same`: which layers hold the same, where paths do not say it."""
    if (a.side == "onnx") != (b.side == "onnx"):
        return matched(a, b).alignment()
    return aligned_by_layers(a, b, same) if same else aligned_trees(a, b)


def matched(a: Run, b: Run, before: Alignment | None = None) -> Matched:
    """The layers of one of them and the graph of the other."""
    return Matched(b, a, True, before) if a.side == "onnx" else Matched(a, b, False, before)
