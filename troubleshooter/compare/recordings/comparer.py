"""Compares what was recorded elsewhere with a network that runs here, layer by layer.

The recording stands where the reference does: each layer of the network is given the tensors that
were recorded, so that no rounding adds up. How exact the layers are is measured of the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ....errors import MsconvertError, UsageError
from ....numerics.rounding import Allowance
from ...sides.child.messages import CallNoise, Held, Inputs, Keeping, Leaf, Noise, Recording, Tensor
from ...sides.halves import Half
from ...sides.inputs import narrowed
from ...sides.naming import Mapping as Named
from ...sides.places import roots_of
from ..comparison import LayerRow, Mode, NetworkComparison, Verdict
from ..explained import explained
from ..layers import EVERYTHING, NUDGES
from ..matching.alignment import Alignment
from ..matching.siblings import aligned_trees
from ..networks import call_of, inputs_of
from ..recorded import Run
from ..records import Array
from ..session import Session
from ..settings import NetworkSettings
from ..subject import source, subject_of, worker_of
from ..verdicts.blame import rows_of
from ..verdicts.depth import Depth
from ..verdicts.isolation import Isolated, plan_of
from ..weights import Weights, left, listed, load
from .reading import is_recording, recorded
from .run import Running, store_in
from .seen import Recorded, flat

LEAVES = {
    "weight": ("weight", "gamma", "embedding_table", "w"),
    "bias": ("bias", "beta"),
    "running_mean": ("moving_mean", "running_mean"),
    "running_var": ("moving_variance", "running_var"),
    "gamma": ("gamma", "weight"),
    "beta": ("beta", "bias"),
    "moving_mean": ("moving_mean", "running_mean"),
    "moving_variance": ("moving_variance", "running_var"),
    "embedding_table": ("embedding_table", "weight"),
}
"""How the frameworks call the same parameter of a layer."""

NARROW = 2e-3
"""What was computed in float16 or bfloat16 may be off by so much of a tensor's largest number."""

NO_WEIGHTS = Weights(({}, {}), {}, (), Named((), (), (), ()))
BACKWARDS = (
    "B is a recording, which cannot be run: A's layers were given its tensors, and of a cause what "
    "stands behind 'here' is A's"
)
FORWARD_ONLY = "of a recording the forward pass is compared, and no gradient"
BOTH = (
    "both are recordings: each layer had what its own network gave it, so that what follows the "
    "first difference differs, too"
)


def compare_recordings(a: Any, b: Any, settings: NetworkSettings) -> NetworkComparison:
    """Compares two sides of which one, or both, are recordings.

    Raises: MS401 if there is no recording, nothing says what the network is called with, or its
    weights are nowhere; MS402, MS405 if it cannot be run
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="msconvert-compare-")))
        if is_recording(a) and is_recording(b):
            found = of_two(recorded(Path(a)), recorded(Path(b)), settings, folder)
        elif is_recording(b):
            found = turned(Beside(Path(b), a, 0, settings, folder, stack).compared())
        else:
            found = Beside(Path(a), b, 1, settings, folder, stack).compared()
    if all(row.verdict == "not compared" for row in found.rows):
        raise UsageError(
            "MS401", " and ".join(found.names), "no layer of one is known to be one of the other's",
            got=listed(tuple(row.path for row in found.rows)),
            advice="save what layers give by their names, or dump with the scopes of cells",
        )  # fmt: skip
    return found


def of_two(a: Recorded, b: Recorded, settings: NetworkSettings, folder: Path) -> NetworkComparison:
    """Two recordings, of which neither can be run."""
    with store_in(folder, "a") as first, store_in(folder, "b") as second:
        one, other = Running(a, {}, first).run({}), Running(b, {}, second).run({})
    alignment = by_name(by_name(aligned_trees(one, other), a), b)
    allowance = allowed(settings.allowance, a.is_narrow or b.is_narrow)
    nothing = Noise((), ())
    isolated = Isolated(one, other, alignment, nothing, allowance, NO_WEIGHTS, is_partial=True)
    rows = tuple(without_unknown(row) for row in rows_of(isolated))
    remarks = (*a.remarks, *b.remarks, *left_out(a), *left_out(b), BOTH)
    is_whole = not (a.unread or b.unread)
    sides = (a.side, b.side)
    return NetworkComparison((a.name, b.name), sides, rows, (), (), remarks, is_whole)


def left_out(recording: Recorded) -> tuple[str, ...]:
    """What is to be said of what cannot be read: with that, nothing is known to be the same."""
    if not recording.unread:
        return ()
    count = len(recording.unread)
    return (f"left out, as it cannot be read ({count} of {recording.name}): {recording.unread[0]}",)


def by_name(alignment: Alignment, recording: Recorded) -> Alignment:
    """Without pairs of other names, where no more is known of a layer than its name."""
    if recording.side != "recording":
        return alignment
    pairs, left = [], list(alignment.missing)
    for pair in alignment.pairs:
        if pair.one is None or pair.other is None or pair.one.path == pair.other.path:
            pairs.append(pair)
        else:
            left.append(pair.one)
    return replace(alignment, pairs=tuple(pairs), missing=tuple(left))


def without_unknown(row: LayerRow) -> LayerRow:
    """Of layers that only one recording has nothing is said to be wrong: it may not be complete."""
    if row.verdict in ("missing", "extra"):
        return replace(row, verdict="not compared")
    return row if row.part != "inside" else replace(row, verdict="not compared", hypotheses=())


def undrawn(row: LayerRow, mode: Mode) -> LayerRow:
    """Of dropout in training nothing is said: what it drops is drawn anew."""
    if mode == "train" and "dropout" in f"{row.kind}{row.other_kind}".lower():
        return replace(row, verdict="not compared", note="what it drops is drawn anew")
    return row


def allowed(allowance: Allowance, narrow: bool) -> Allowance:
    return replace(allowance, rtol=max(allowance.rtol, NARROW)) if narrow else allowance


@dataclass
class Beside:
    """A recording beside a network; `index` is which side of the command the network is."""

    path: Path
    network: Any
    index: int
    settings: NetworkSettings
    folder: Path
    stack: ExitStack

    def compared(self) -> NetworkComparison:
        session = self.session()
        held = self.constructed(session)
        names = {flat(other): item for item in held for other in names_of(item.name)}
        recording = recorded(self.path, names)
        remarks = [*recording.remarks, *self.filled(session, recording, held)]
        session.ask(0, "draw", ())
        inputs, told = self.inputs(session, recording)
        mode: Mode = "train" if recording.is_training else "eval"
        if self.settings.mode != "both":
            mode = self.settings.mode
        rows = self.rows(session, recording, (inputs, self.settings.seed, mode))
        names_both = (recording.name, session.subjects[0].name)
        sides = (recording.side, session.side(0))
        notes = tuple(dict.fromkeys([*remarks, *told, *left_out(recording), FORWARD_ONLY]))
        is_whole = not recording.unread
        return NetworkComparison(names_both, sides, explained(rows), (), (), notes, is_whole)

    def session(self) -> Session:
        """The network alone: it answers for both sides."""
        subject = subject_of(self.network, self.settings.target, ("torch", "runtime")[self.index])
        root, _ = roots_of(subject.file, subject.file)
        python = (self.settings.python_a, self.settings.python_b)[self.index]
        worker = self.stack.enter_context(worker_of(subject, python))
        half = Half(worker, source(subject, root), self.settings.timeout_s)
        session = Session((half, half), (subject, subject))
        session.begin()
        return session

    def constructed(self, session: Session) -> tuple[Held, ...]:
        call = call_of(session, 0, self.settings.call)
        held: tuple[Held, ...] = session.ask(0, "construct", call, self.settings.seed, False)
        return held

    def filled(
        self, session: Session, recording: Recorded, held: tuple[Held, ...]
    ) -> tuple[str, ...]:
        """Gives the network the weights of a file, or those that were recorded; what to say."""
        file = (self.settings.weights_a, self.settings.weights_b)[self.index]
        if file is not None:
            names = load(session, 0, file, held)
            told = f"weights do not fit: {left(session.subjects[0], file, names)}"
            return (told,) if names else ()
        if session.subjects[0].network is not None or session.side(0) == "onnx":
            return ()
        values, missing = weights_in(recording, held)
        if missing:
            flag = ("--weights-a", "--weights-b")[self.index]
            raise MsconvertError(
                "MS403", str(self.path), "the recording does not have the network's weights",
                got=f"missing: {listed(tuple(missing))}", advice=f"{flag} FILE",
            )  # fmt: skip
        session.ask(0, "fill", values)
        return (f"{'AB'[self.index]} has the recording's weights: {len(values)} tensors",)

    def inputs(self, session: Session, recording: Recorded) -> tuple[Inputs, tuple[str, ...]]:
        wanted = self.settings
        if recording.given and wanted.inputs is None and not wanted.shapes:
            found = Inputs(tuple(Tensor(str(x.dtype), x) for x in recording.given))
        else:
            found = inputs_of(session, wanted)
        state = session.ask(0, "state")
        return narrowed(found, {str(array.dtype) for array in state.values()})

    def rows(
        self, session: Session, recording: Recorded, run: tuple[Any, ...]
    ) -> tuple[LayerRow, ...]:
        plain = self.record(session, run, 0, ())
        paths = {flat(path): path for path in plain.layers if path}
        with store_in(self.folder, "recording") as store:
            ours = Running(recording, paths, store).run(self.own_state(recording, plain))
        alignment = by_name(aligned_trees(ours, plain), recording)
        plan = plan_of(ours, alignment, plain)
        forced = self.record(session, run, EVERYTHING, plan)
        noise = session.ask(0, "noise", *run, plain.calls, plan, NUDGES)
        floor = session.ask(0, "floor", *run, plain.recording, 1)
        allowance = allowed(self.settings.allowance, recording.is_narrow)
        moved = moved_noise(noise, alignment)
        isolated = Isolated(ours, forced, alignment, moved, allowance, NO_WEIGHTS, is_partial=True)
        rows = Depth(isolated, plain, moved_floor(floor, ours, alignment)).noted(rows_of(isolated))
        is_whole = any(layer.inputs for layer in recording.layers)
        rows = rows if is_whole else tuple(map(without_unknown, rows))
        return tuple(replace(undrawn(row, run[2]), mode=run[2]) for row in rows)

    def record(self, session: Session, run: tuple[Any, ...], limit: int, plan: Any) -> Run:
        file = str(self.folder / f"run{len(list(self.folder.iterdir()))}")
        made: Recording = session.ask(0, "record", *run, Keeping(file, limit), plan)
        return Run(session.side(0), made, session.ask(0, "state"))

    def own_state(self, recording: Recorded, plain: Run) -> Mapping[str, Array]:
        """The recorded parameters by paths of the network, as far as they are known."""
        names = {flat(other): name for name in plain.state for other in names_of(name)}
        return {names[k]: x for k, x in recording.parameters.items() if k in names}


def names_of(name: str) -> tuple[str, ...]:
    """A parameter's name, and those that it would have in the other framework."""
    path, dot, leaf = name.rpartition(".")
    return tuple(dict.fromkeys(path + dot + other for other in (leaf, *LEAVES.get(leaf, ()))))


def weights_in(
    recording: Recorded, held: tuple[Held, ...]
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The recorded values by the network's names; trained parameters of which there are none."""
    values, missing = {}, []
    for item in held:
        named = [recording.parameters.get(flat(other)) for other in names_of(item.name)]
        fits = [x for x in named if x is not None and x.size == prod(item.shape)]
        if fits:
            values[item.name] = as_used(recording, item, fits[0]).reshape(item.shape)
        elif item.trainable and not item.same_as:
            missing.append(item.name)
    return values, tuple(missing)


def as_used(recording: Recorded, item: Held, after: Array) -> Array:
    """The values with which the layer ran: those dumped as parameters are of after the step.

    Of several of its shape, as a scale and a shift, the nearest one is the same parameter.
    """
    path = flat(item.name.rpartition(".")[0])
    fits = [x for x in recording.used.get(path, ()) if x.shape == after.shape]
    if not recording.is_training or not fits:
        return after
    return min(fits, key=lambda x: float(np.abs(x.astype(float) - after).sum()))


def moved_noise(noise: Noise, alignment: Alignment) -> Noise:
    """What was measured of the network's calls, by the recording's."""
    by_number = {item.number: item for item in noise.calls}
    found = []
    for pair in alignment.pairs:
        item = None if pair.other is None else by_number.get(pair.other.number)
        if pair.one is None or item is None:
            continue
        sides = []
        for role, leaves in (("inputs", item.inputs), ("outputs", item.outputs)):
            at = {x.ours.position: x.theirs.position for x in pair.links(role)  # type: ignore[arg-type]
                  if x.theirs.position < len(leaves)}  # fmt: skip
            own = getattr(pair.one, role)
            sides.append(tuple(
                leaves[at[k]] if k in at else Leaf(value.place, None) for k, value in enumerate(own)
            ))  # fmt: skip
        found.append(CallNoise(pair.one.number, *sides))
    return Noise(tuple(found), ())


def moved_floor(floor: Any, ours: Run, alignment: Alignment) -> list[tuple[float, ...]]:
    found: list[tuple[float, ...]] = [() for _ in ours.calls]
    for pair in alignment.pairs:
        if pair.one is None or pair.other is None:
            continue
        row = floor[pair.other.number]
        at = {x.ours.position: x.theirs.position for x in pair.outputs}
        if all(k in at and at[k] < len(row) for k in range(len(pair.one.outputs))):
            found[pair.one.number] = tuple(row[at[k]] for k in range(len(pair.one.outputs)))
    return found


def turned(found: NetworkComparison) -> NetworkComparison:
    """The comparison with the network as A, where the recording is B."""
    words: dict[Verdict, Verdict] = {"missing": "extra", "extra": "missing"}
    rows = tuple(turned_row(row, words.get(row.verdict, row.verdict)) for row in found.rows)
    one, other = found.names
    return replace(
        found, names=(other, one), sides=(found.sides[1], found.sides[0]), rows=rows,
        remarks=(*found.remarks, BACKWARDS),
    )  # fmt: skip


def turned_row(row: LayerRow, verdict: Verdict) -> LayerRow:
    path, kinds = row.other_path or row.path, (row.other_kind, row.kind)
    return replace(
        row, path=path, other_path=row.path, kind=kinds[0], other_kind=kinds[1], verdict=verdict
    )
