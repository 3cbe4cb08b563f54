"""What became of each node of the file, gathered into the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ..errors import MsconvertError
from ..reporting.report import Finding
from .conversion_report import (
    CONVERTED,
    CUT,
    LEFT,
    SIMPLIFIED,
    VERIFIED,
    ConversionReport,
    NodeStatus,
)
from .graph.random_numbers import draws
from .model import Model
from .proof.verify import Verification
from .trace import Traced


def report_of(
    name: str,
    model: Model,
    traced: Traced,
    findings: Iterable[Finding],
    verification: Verification | None,
) -> ConversionReport:
    """The report of one conversion; `name` is the model file's, `findings` are on the model."""
    told = [
        f if f.where == name else replace(f, where=name, message=f"{f.where}: {f.message}")
        for f in findings
    ]
    operators = Counter(node.op for node in model.original.nodes)
    return ConversionReport(
        name=Path(name).stem,
        source=name,
        opset=model.original.opsets.get("", 0),
        files=(),
        nodes=tuple(_statuses(model, traced, verification)),
        operators=tuple(sorted(operators.items())),
        findings=(*told, *(_left_finding(item.error) for item in traced.left)),
        parameters=0,
        verification=verification,
    )


def _statuses(
    model: Model, traced: Traced, verification: Verification | None
) -> Iterator[NodeStatus]:
    gone = dict(model.prepared.simplified)
    became = {name: c.became for c in model.recomposed.changes for name in c.origin}
    left = {name: item.error for item in traced.left for name in item.node.origin}
    stand = {name for node in model.graph.nodes for name in node.origin}
    compared = VERIFIED if verification is not None and verification.passed else CONVERTED
    for node in model.original.nodes:
        (name,), label = node.origin, node.label
        if name in left:
            yield NodeStatus(label, LEFT, _reason(left[name]))
        elif label in gone:
            yield NodeStatus(label, SIMPLIFIED, gone[label])
        elif name not in stand and name not in became:
            yield NodeStatus(label, CUT, "not between --input_nodes and --output_nodes")
        else:
            done = CONVERTED if draws(node) else compared
            yield NodeStatus(label, done, f"as {became[name]}" if name in became else "")


def _reason(error: MsconvertError) -> str:
    facts = (("got", error.got), ("expected", error.expected))
    return error.problem + "".join(f"; {label} {fact}" for label, fact in facts if fact)


def _left_finding(error: MsconvertError) -> Finding:
    file, _, node = error.where.partition(": ")
    return Finding(error.code, file, f"{node}: {_reason(error)}", error.advice, "error")
