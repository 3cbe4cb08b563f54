"""What gives something else each time: numbers that a network draws itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..sides.child.messages import Inputs, Keeping, Recording, Value
from .comparison import LayerRow, Mode, NetworkComparison, Whole
from .matching.closeness import distance
from .recorded import Run
from .session import Session
from .settings import NetworkSettings

STEADY = 1e-5
"""Tensors of two runs that are closer are the same: threads may add in another order."""

NAMES = ("A", "B")
MOST = 3
"""So many layers are named."""


@dataclass(frozen=True)
class Drawing:
    """The layers of one side, by mode, that give something else of the same inputs."""

    index: int
    layers: dict[Mode, tuple[str, ...]]

    def told(self) -> str:
        paths = list(dict.fromkeys(path for found in self.layers.values() for path in found))
        named = ", ".join(path or "its own code" for path in paths[:MOST])
        more = f" and {len(paths) - MOST} more" if len(paths) > MOST else ""
        return (
            f"{NAMES[self.index]} is not deterministic: run again with other random numbers, "
            f"{named}{more} gives something else; that was not compared"
        )


def drawing(
    index: int,
    session: Session,
    plain: Mapping[Mode, tuple[Run, ...]],
    inputs: Inputs,
    settings: NetworkSettings,
    folder: Path,
) -> tuple[Drawing, ...]:
    """What of a side is not the same when it is run again, with other random numbers than in its
    `plain` run: one item, or none."""

    def again(mode: Mode) -> Run:
        session.ask(index, "reseed", 1)
        keeping = Keeping(str(folder / f"again_{index}"), 0)
        arguments = inputs, settings.seed, mode, keeping, ()
        taken: Recording = session.ask(index, "record", *arguments)
        session.ask(index, "reseed", 0)
        return replace(plain[mode][index], recording=taken)

    layers: dict[Mode, tuple[str, ...]] = {}
    for mode in settings.modes if session.side(index) != "onnx" else ():
        paths = unsteady(plain[mode][index], again(mode)) if mode in plain else ()
        layers |= {mode: paths} if paths else {}
    return (Drawing(index, layers),) if layers else ()


def unsteady(one: Run, other: Run) -> tuple[str, ...]:
    """The innermost layers that give something else of the same inputs."""
    found: dict[str, None] = {}
    around: set[int] = set()
    for call in reversed(one.calls):
        again = other.by_place.get((call.path, call.index))
        if call.number in around or again is None:
            around.add(call.parent)
            continue
        if same(one, call.inputs, other, again.inputs) and not same(
            one, call.outputs, other, again.outputs
        ):
            around.add(call.parent)
            found[call.path] = None
    return tuple(found)


def same(one: Run, ours: tuple[Value, ...], other: Run, theirs: tuple[Value, ...]) -> bool:
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all(distance(one, x, other, y) < STEADY for x, y in pairs)


def without_accusing(found: NetworkComparison, drawn: tuple[Drawing, ...]) -> NetworkComparison:
    """The comparison, in which what is drawn anew each time has no verdict."""
    rows = tuple(silenced(row, drawn) for row in found.rows)
    modes = {mode for drawing in drawn for mode in drawing.layers}
    whole = tuple(w if w.ok or not depends(w, modes) else unjudged(w) for w in found.whole)
    remarks = (*(drawing.told() for drawing in drawn), *found.remarks)
    return replace(found, rows=rows, whole=whole, remarks=remarks, is_steady=False)


def silenced(row: LayerRow, drawn: tuple[Drawing, ...]) -> LayerRow:
    """A row without its verdict, if it is of a layer that draws, or of one around it."""
    for drawing in drawn:
        path = row.other_path if drawing.index and row.verdict != "extra" else row.path
        paths = drawing.layers.get(row.mode, ())
        if row.is_wrong and any(is_around(path, own) for own in paths):
            note = f"{NAMES[drawing.index]}'s gives something else each time"
            return replace(row, verdict="not compared", note=note, hypotheses=(), pair=None)
    return row


def is_around(path: str, own: str) -> bool:
    return path in ("", own) or own.startswith(f"{path}.")


def depends(item: Whole, modes: set[Mode]) -> bool:
    """Whether it is of a run in one of these modes."""
    trains = item.name in ("a training step", "losses") or item.name.endswith("train")
    return ("train" if trains else "eval") in modes


def unjudged(item: Whole) -> Whole:
    return replace(item, differences=(), problem="not compared: it is another one in each run")
