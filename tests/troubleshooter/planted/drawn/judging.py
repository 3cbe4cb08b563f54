"""Compares what was drawn, and says what of it was named right."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from msconvert.api_mapping.source.output import write_tree
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings
from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings
from msconvert.troubleshooter.compare.comparison import LayerRow
from msconvert.troubleshooter.compare.operators.difference import Operation, Place

from ..fault import Mode, Reference, Target
from ..networks import Converted, Workshop
from ..planting import Planter
from .lot import CALLS, ORIGINALS, PORTS, Drawn

Told = Operation | Place


@dataclass(frozen=True)
class Verdict:
    """What was said of a fault. `line`: None where it has none, as in weights.

    `is_accused_wrongly`: whether what is named as the first difference has no fault. `seconds`: of
    CPU, of all processes.
    """

    drawn: Drawn
    is_layer_right: bool
    is_line_right: bool | None
    is_cause_right: bool
    is_accused_wrongly: bool
    said: str
    seconds: float


class DrawnPlanter(Planter):
    """As `Planter`, of the ports in the place of what is converted again."""

    def __init__(self, folder: Path, comparer: NetworkComparer, mindspore: Path | None) -> None:
        super().__init__(Ports(folder, ORIGINALS, CALLS), comparer, mindspore)

    def settings(
        self, network: Converted, checkpoint: Path | None, target: Target, mode: Mode
    ) -> NetworkSettings:
        """The ports import MindSpore, which the runtime answers, and load what they are given."""
        found = super().settings(network, checkpoint, target, mode)
        if network.weights is None:  # an ONNX file, whose exporter has renamed some of its own
            found = replace(found, weights_b=checkpoint or network.checkpoint)
        return found if target == "mindspore" else replace(found, target="bundled")

    def verdict(self, drawn: Drawn) -> Verdict:
        before = cpu_seconds()
        try:
            found = self.compared(drawn.fault)
        except MsconvertError as error:
            seconds = cpu_seconds() - before
            has_line = None if drawn.category == "weights" else False
            return Verdict(drawn, False, has_line, False, False, f"fails: {error}", seconds)
        return judged(drawn, found, cpu_seconds() - before)


class Ports(Workshop):
    """Of each network the port that is kept, and the tensors of what is converted of it."""

    def source(self, name: str) -> Path:
        """Of one file, which is enough for the map of its weights."""
        folder = self.folder / f"source_of_{name}"
        if not folder.exists():
            assert not write_tree(convert_paths((self.sources / f"{name}.py",), Settings()), folder)
        return folder

    def converted(self, name: str, reference: Reference) -> Converted:
        made = super().converted(name, reference)
        own = super().converted(name, "torch")
        script = PORTS / f"{name}.py"
        return Converted(made.a, script, own.checkpoint, made.weights, made.inputs, CALLS[name])


def judged(drawn: Drawn, found: NetworkComparison, seconds: float) -> Verdict:
    row = found.first_difference
    has_line = drawn.category != "weights"
    if row is None:
        said = "nothing differs" if found.ok else "no layer differs"
        return Verdict(drawn, False, False if has_line else None, False, False, said, seconds)
    is_line = is_line_right(drawn, row) if has_line else None
    is_layer = is_layer_right(drawn, row) or bool(is_line)
    first = next(iter(row.hypotheses), None)
    causes = {row.verdict} if first is None else {first.cause}
    is_cause = is_layer and bool(causes & set(drawn.causes))
    is_wrong = not is_layer and not is_line
    return Verdict(drawn, is_layer, is_line, is_cause, is_wrong, told(row), seconds)


def is_layer_right(drawn: Drawn, row: LayerRow) -> bool:
    is_alone = row.verdict in ("missing", "extra")
    if is_alone and row.path.rpartition(".")[0] in drawn.layers:
        return True  # a layer that the faulty block does not call, or calls once more
    for path in (row.path,) if is_alone else (row.path, row.other_path):
        if path in drawn.layers:
            return True
        if row.is_leaf and path and any(one.startswith(f"{path}.") for one in drawn.layers):
            return True  # of a layer of the framework's that is one for us
        if drawn.category == "option" and path.startswith(tuple(f"{x}." for x in drawn.layers)):
            return True  # or that has layers in it
    return False


def is_line_right(drawn: Drawn, row: LayerRow) -> bool:
    """Both lines, where the original has one: a file of ONNX has none."""
    one, other = told_lines(drawn, row)
    _, lines = drawn.placed
    if not is_at(other, f"{drawn.network}.py", lines):
        return False
    return (
        drawn.reference == "onnx" or not drawn.ours or is_at(one, f"{drawn.network}.py", drawn.ours)
    )


def told_lines(drawn: Drawn, row: LayerRow) -> tuple[Told | None, Told | None]:
    """Of an option those that make the layer, else those of the operator."""
    if drawn.category == "option":
        return row.made
    operator = row.operator
    if operator is None:
        return None, None
    return operator.a or operator.near, operator.b or operator.near


def is_at(operation: Told | None, file: str, lines: tuple[int, ...]) -> bool:
    if operation is None or not operation.file.endswith(file):
        return False
    last = getattr(operation, "last", operation.line)
    return bool({*range(operation.line, last + 1)} & set(lines))


def told(row: LayerRow) -> str:
    first = next(iter(row.hypotheses), None)
    cause = "no cause" if first is None else f"{first.cause}: {first.text}"
    operator = row.operator
    at = ""
    if operator is not None:
        sides = [side or operator.near for side in (operator.a, operator.b)]
        at = " at " + ", ".join(str(one.line) if one else "-" for one in sides)
    return f"{row.path or '(the network)'} {row.verdict} {row.part}{at}; {cause}"


def cpu_seconds() -> float:
    """Of this process and all that it has started, as Linux counts them."""
    ticks = os.sysconf("SC_CLK_TCK")
    own = str(os.getpid())
    total = 0.0
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if folder.name == own or fields[1] == own:
            total += (int(fields[11]) + int(fields[12])) / ticks
    return total
