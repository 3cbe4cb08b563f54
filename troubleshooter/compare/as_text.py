"""A comparison of networks as a person reads it."""

from __future__ import annotations

from ...errors import printable
from ..verify.judgement import Difference
from ..verify.tables import aligned
from .comparison import WRONG, LayerRow, NetworkComparison

MOST = 20
"""So many layers that differ are listed."""

HEADS = ("layer", "kind", "verdict", "off by", "x rounding", "in the plain run", "its rounding")

FRAMEWORKS = {
    "torch": "PyTorch",
    "onnx": "ONNX Runtime",
    "runtime": "msconvert's runtime",
    "mindspore": "MindSpore",
}


def to_text(found: NetworkComparison, *, every_layer: bool = False) -> str:
    """The layers that differ, the first of them in words, the results, the summary."""
    wrong = [row for row in found.rows if row.verdict in WRONG]
    wrong.sort(key=lambda row: row.order)
    shown = list(found.rows) if every_layer else wrong[:MOST]
    lines = [compared(found)]
    if shown:
        lines += ["", *aligned([list(HEADS), *(cells(row, every_layer) for row in shown)])]
    if not every_layer and len(wrong) > MOST:
        lines.append(f"and {len(wrong) - MOST} more (--all shows every layer)")
    lines += ["", *first(found)] if found.first_difference is not None else []
    lines += [f"note: {printable(remark)}" for remark in found.remarks]
    return "\n".join([*lines, summary(found)]) + "\n"


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
        row.verdict,
        f"{worst.relative:.1e}" if worst is not None and is_number else "",
        f"{worst.excess:.3g}" if worst is not None and is_number else "",
        "" if row.accumulated is None else f"{row.accumulated:.1e}",
        "" if row.floor is None else f"{row.floor:.1e}",
    ]


def named(row: LayerRow) -> str:
    path = printable(row.path, 60) or "(the network)"
    return f"{path} (call {row.call + 1})" if row.call else path


def first(found: NetworkComparison) -> list[str]:
    """What the first layer that differs does otherwise."""
    row = found.first_difference
    assert row is not None
    lines = [f"First difference: {named(row)} ({kinds(row)})"]
    if row.verdict == "missing":
        lines.append("  B has no such layer, and what follows is given something else")
    elif row.verdict == "extra":
        lines.append("  A has no such layer, and what follows is given something else")
    elif row.verdict == "fails":
        lines.append("  given A's inputs, it raises an error")
    elif row.part == "inside":
        lines.append("  each of its layers does the same; what differs is its own code:")
    else:
        lines.append("  given the same inputs, it gives something else")
    if row.note:
        lines.append(f"  {printable(row.note)}")
    if row.worst is not None and not row.worst.passed:
        lines.append(f"  {figures(row.worst)}")
    return lines


def kinds(row: LayerRow) -> str:
    one, other = [kind.rpartition(".")[2] for kind in (row.kind, row.other_kind)]
    return printable(one if one == other or not other else other if not one else f"{one}, {other}")


def figures(worst: Difference) -> str:
    if worst.problem:
        return printable(worst.problem)
    share = f"{worst.absolute:.3g}, {worst.relative:.2g} of its largest element"
    return f"off by {share}; rounding explains {worst.allowed:.2g}"


def summary(found: NetworkComparison) -> str:
    compared = [row for row in found.rows if row.verdict != "not compared"]
    wrong = [row for row in compared if row.verdict in WRONG]
    if found.ok:
        return f"The same: {len(compared)} layers, each alone, and what the networks give."
    if not wrong:
        worst = max(found.outputs, key=lambda item: item.excess)
        return (
            f"Not the same: each layer alone is, but not what the networks give: {figures(worst)}"
        )
    return f"Not the same: {len(wrong)} of {len(compared)} layers differ."
