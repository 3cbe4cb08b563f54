"""A comparison of networks as a person reads it."""

from __future__ import annotations

import math

from ...errors import printable
from ...numerics.verdict import Difference
from ..verify.tables import aligned
from .comparison import LayerRow, NetworkComparison, Whole
from .operators.difference import Operation, OperatorDifference, Tensor

MOST = 20
"""So many layers that differ are listed."""

SHOWN = 3
"""So many layers of a cause are listed."""

HEADS = (
    "layer",
    "kind",
    "mode",
    "verdict",
    "off by",
    "x rounding",
    "in the plain run",
    "its rounding",
)

FRAMEWORKS = {
    "torch": "PyTorch",
    "onnx": "ONNX Runtime",
    "runtime": "msconvert's runtime",
    "mindspore": "MindSpore",
    "recording": "arrays that were saved",
}


def to_text(found: NetworkComparison, *, every_layer: bool = False) -> str:
    """The layers that differ, the first of them in words, the results, the summary."""
    wrong = found.differing
    shown = found.rows if every_layer else wrong[:MOST]
    lines = [compared(found)]
    if shown:
        lines += ["", *aligned([list(HEADS), *(cells(row, every_layer) for row in shown)])]
    if not every_layer and len(wrong) > MOST:
        lines.append(f"and {len(wrong) - MOST} more (--all shows every layer)")
    lines += ["", *first(found)] if wrong else []
    lines += causes(found)
    lines += ["", *(f"{item.name}: {result(item)}" for item in found.whole)]
    lines += [f"note: {printable(remark)}" for remark in found.remarks]
    return "\n".join([*lines, summary(found)]) + "\n"


def result(item: Whole) -> str:
    """Of values of the whole networks the gravest."""
    if item.problem:
        return printable(item.problem)
    if not item.differences:
        return "none"
    first = next((one for one in item.differences if not one.passed), None)
    worst = first if item.name == "losses" else item.worst
    if item.ok or worst is None:
        return "the same"
    name = f"{printable(worst.name)} is " if worst.name else ""
    return f"{name}{figures(worst)}"


def compared(found: NetworkComparison) -> str:
    sides = [
        f"{printable(name)} ({FRAMEWORKS[side]})"
        for name, side in zip(found.names, found.sides, strict=True)
    ]
    return f"A: {sides[0]}\nB: {sides[1]}"


def cells(row: LayerRow, as_tree: bool) -> list[str]:
    worst = row.worst
    is_number = worst is not None and not worst.problem
    return [
        "  " * (row.depth if as_tree else 0) + named(row),
        row.kind.rpartition(".")[2] or row.other_kind.rpartition(".")[2],
        row.mode,
        row.verdict if row.part in ("output", "layer") else f"{row.verdict}: {row.part}",
        f"{worst.relative:.1e}" if worst is not None and is_number else "",
        f"{worst.excess:.3g}" if worst is not None and is_number else "",
        "" if row.accumulated is None else f"{row.accumulated:.1e}",
        "" if row.floor is None else f"{row.floor:.1e}",
    ]


def named(row: LayerRow) -> str:
    path = printable(row.path, 60) or "(the network)"
    return f"{path} (call {row.call + 1})" if row.call else path


OPERATORS = {
    "differs": "given the same, this gives something else:",
    "missing": "B does not do what A does here:",
    "extra": "A does not do what B does here:",
    "value": "these take different values for the same thing:",
}

WORDS = {
    "missing": "B has no such layer, and what follows is given something else",
    "extra": "A has no such layer, and what follows is given something else",
    "fails": "given A's inputs, it raises an error",
    "inside": "each of its layers does the same; what differs is its own code",
    "state": "given the same inputs, it leaves other buffers behind",
    "gradient": "given the same inputs and gradients, it gives other gradients",
    "output": "given the same inputs, it gives something else",
}


def first(found: NetworkComparison) -> list[str]:
    """What the first layer that differs does otherwise, and why that may be."""
    row = found.first_difference
    assert row is not None
    mode = " in training" if row.mode == "train" else ""
    lines = [f"First difference{mode}: {named(row)} ({kinds(row)})"]
    lines.append(f"  {WORDS.get(row.verdict) or WORDS[row.part]}")
    lines += [f"  {printable(row.note)}"] if row.note else []
    if row.worst is not None and not row.worst.passed:
        name = f"{printable(row.worst.name)}: " if row.part in ("state", "gradient") else ""
        lines.append(f"  {name}{figures(row.worst)}")
    lines += [f"  {line}" for line in origin_lines(row)]
    lines += [f"  {line}" for line in operator_lines(row.operator)]
    lines += [f"  {printable(item.text)}" for item in row.hypotheses]
    lines += [f"  {printable(text)}" for text in row.settings]
    return lines


def causes(found: NetworkComparison) -> list[str]:
    """The distinct causes, the gravest first, where there are several; each with its layers."""
    by_text: dict[str, list[LayerRow]] = {}
    for row in found.differing:
        if row.hypotheses:
            by_text.setdefault(row.hypotheses[0].text, []).append(row)
    if len(by_text) < 2:
        return []
    ordered = sorted(by_text.items(), key=lambda item: -max(map(gravity, item[1])))
    lines = ["", f"{len(by_text)} causes, the gravest first:"]
    for text, rows in ordered:
        names = ", ".join(named(row) for row in rows[:SHOWN])
        more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
        lines.append(f"  {names}{more}: {printable(text)}")
    return lines


def gravity(row: LayerRow) -> float:
    """How many times as far off as rounding a layer is."""
    return 0.0 if row.worst is None else row.worst.excess


def origin_lines(row: LayerRow) -> list[str]:
    """Where a layer is made that does not agree; of what differs in its own code that says more."""
    if row.operator is not None and row.part == "inside":
        return []
    return [
        f"{side}: made at {printable(place.file)}:{place.line}: {printable(place.text, 160)}"
        for side, place in zip("AB", row.made, strict=True)
        if place is not None and row.path
    ]


def operator_lines(found: OperatorDifference | None) -> list[str]:
    """The operator that differs: its lines on both sides, what it got and gave."""
    if found is None:
        return []
    lines = [OPERATORS[found.verdict]]
    for side, one in (("A", found.a), ("B", found.b)):
        other = one or found.near
        if other is not None:
            place, *more = operation_lines(other)
            what = "" if one is not None else "goes on with "
            lines += [f"{side}: {text}" for text in (what + place, *more)]
    if found.off_by and not math.isinf(found.off_by):  # 0 where it is given something else
        lines.append(f"what it gives is off by {found.off_by:.2g} of its largest element")
    return lines


def operation_lines(one: Operation) -> list[str]:
    place = f"{one.file}:{one.line}" if one.file else f"node {one.node}" if one.node else ""
    name = one.name.removeprefix("Tensor.")
    lines = [f"{printable(place)}: {printable(one.text, 160)}" if one.text else printable(place)]
    took = ", ".join(tensor_text(x) for x in one.inputs)
    if not name:  # no operator: what a block gives in the end
        return [*(lines if one.text else ()), f"what it gives: {took}"]
    gave = ", ".join(tensor_text(x) for x in one.outputs)
    lines.append(f"   {printable(name)}: {took} -> {gave}")
    for caller in one.callers:
        where = f"{printable(caller.file)}:{caller.line}"
        lines.append(f"   called at {where}: {printable(caller.text, 160)}")
    return lines


def tensor_text(one: Tensor) -> str:
    name = f"{printable(one.name, 60)} " if one.name else ""
    return f"{name}{one.dtype}{list(one.shape)}"


def kinds(row: LayerRow) -> str:
    one, other = [kind.rpartition(".")[2] for kind in (row.kind, row.other_kind)]
    return printable(one if one == other or not other else other if not one else f"{one}, {other}")


def figures(worst: Difference) -> str:
    if worst.problem:
        return printable(worst.problem)
    share = f"{worst.absolute:.3g}, {worst.relative:.2g} of its largest element"
    return f"off by {share}; rounding explains {worst.allowed:.2g}"


def summary(found: NetworkComparison) -> str:
    compared = {(row.path, row.call) for row in found.rows if row.verdict != "not compared"}
    wrong = found.differing
    if found.ok:
        left = len({(row.path, row.call) for row in found.rows} - compared)
        more = f" Not compared: {left}." if left else ""
        return f"The same: {len(compared)} layers, each alone, and what the networks give.{more}"
    if not wrong and not found.is_steady:
        return f"Not known: what was compared is the same ({len(compared)} layers, each alone)."
    if not wrong:
        names = ", ".join(item.name for item in found.whole if not item.ok)
        return f"Not the same: each layer alone is, but not the networks' {names}."
    return f"Not the same: {len(wrong)} of {len(compared)} layers differ."
