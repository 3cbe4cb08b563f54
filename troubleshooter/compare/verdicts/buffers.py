"""What a forced run leaves of buffers: running statistics, above all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....numerics.verdict import Difference
from ...verify.judgement import difference
from ..comparison import LayerRow
from .evidence import state_pair
from .isolation import Isolated, reshaped


def rows_of_buffers(of: Isolated, rows: Sequence[LayerRow]) -> tuple[LayerRow, ...]:
    """A row for each layer whose inputs were the same and whose buffers are not afterwards."""
    found: dict[str, list[Difference]] = {}
    for path, item in differences(of):
        if not item.passed and (of.part is None or path in of.part.layers):
            found.setdefault(path, []).append(item)
    last = {row.path: row for row in rows if row.verdict != "extra"}
    pairs = {pair.one.path: pair for pair in of.alignment.pairs if pair.one is not None}
    return tuple(
        replace(
            last[path],
            verdict="differs",
            part="state",
            phase="step",
            note="",
            differences=tuple(items),
            pair=state_pair(of, pairs[path]) if path in pairs else None,
        )
        for path, items in found.items()
        if path in last
    )


def differences(of: Isolated) -> list[tuple[str, Difference]]:
    """Of each of A's buffers that B has, too, with the path of its layer."""
    theirs = {leaf.label: leaf for leaf in of.b.recording.buffers}
    noise = {leaf.label: leaf for leaf in of.noise.buffers}
    found = []
    for leaf in of.a.recording.buffers:
        other = theirs.get(of.weights.names.get(leaf.label, ""))
        if other is None or leaf.value.array.dtype.kind not in "fc":
            continue
        noted = noise.get(leaf.label, leaf)
        path, _, name = leaf.label.rpartition(".")
        own = replace(leaf, label=name, noise=noted.noise, approximated=noted.approximated)
        found.append((path, difference(own, reshaped(other, leaf), of.allowance, 0.0)))
    return found
