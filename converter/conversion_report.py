"""The report of one conversion: what became of each node, what to know, what the numbers say."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from dataclasses import dataclass

from ..report import Finding
from .verify import Verification

CONVERTED, VERIFIED, LEFT, SIMPLIFIED = "converted", "verified", "left to do", "simplified away"


@dataclass(frozen=True)
class NodeStatus:
    """What became of one node of the user's file."""

    node: str
    status: str
    note: str = ""


@dataclass(frozen=True)
class ConversionReport:
    """Everything that is said about one conversion.

    `files` were written, in order; `verification` is None if it was not asked for.
    """

    name: str
    source: str
    opset: int
    files: tuple[str, ...]
    nodes: tuple[NodeStatus, ...]
    operators: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]
    parameters: int
    verification: Verification | None = None

    @property
    def left(self) -> list[NodeStatus]:
        return [n for n in self.nodes if n.status == LEFT]

    @property
    def rate(self) -> float:
        """The share of the file's nodes that are converted; simplified ones count as converted."""
        return 1.0 if not self.nodes else 1 - len(self.left) / len(self.nodes)

    @property
    def ok(self) -> bool:
        """Whether nothing is left and the numbers, if compared, agree."""
        agreed = self.verification is None or self.verification.passed
        return not self.left and agreed and not any(f.severity == "error" for f in self.findings)

    def to_json(self) -> str:
        """The whole report as JSON; numbers that JSON lacks (infinity) as text."""
        fields = dataclasses.asdict(self)
        fields["rate"] = self.rate
        fields["ok"] = self.ok
        return json.dumps(_plain(fields), indent=2, ensure_ascii=True) + "\n"

    def to_text(self) -> str:
        """The report as a person reads it."""
        parts = [self._summary(), self._figures(), self._remarks(), self._nodes()]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _summary(self) -> str:
        counts = Counter(n.status for n in self.nodes)
        told = ", ".join(f"{n} {s}" for s, n in counts.items()) or "none"
        operators = ", ".join(f"{op} {n}" for op, n in self.operators)
        lines = [
            f"Conversion of {self.source} (opset {self.opset})",
            f"Nodes:      {len(self.nodes)}: {told}; {self.rate:.1%} converted",
            f"Operators:  {operators}",
            f"Parameters: {self.parameters}",
            *(f"Written:    {name}" for name in self.files),
        ]
        return "\n".join(lines)

    def _figures(self) -> str:
        if self.verification is None:
            return "Verification: not asked for (--no-verify)"
        if self.verification.problem:
            return f"Verification: FAILED, {self.verification.problem}"
        head = "Verification against ONNX Runtime on the original file, seeded random inputs:"
        columns = f"  {'output':<20} {'mode':<9} {'max abs':>9} {'max rel':>9} {'of max':>9} {'cosine':>11}"
        rows = [
            f"  {d.output[:20]:<20} {d.mode:<9} {d.absolute:9.2e} {d.relative:9.2e} {d.error:9.2e}"
            f" {d.cosine:11.8f}  {'ok' if d.passed else 'DIFFERS'} {d.remark}".rstrip()
            for d in self.verification.differences
        ]
        return "\n".join(
            [head, columns, *rows, *(f"  note: {r}" for r in self.verification.remarks)]
        )

    def _remarks(self) -> str:
        return "\n".join(
            ["Findings:", *(f"  {f.text}" for f in self.findings)] if self.findings else []
        )

    def _nodes(self) -> str:
        rows = [f"  {n.status:<15} {n.node}{f': {n.note}' if n.note else ''}" for n in self.nodes]
        return "\n".join(["Nodes:", *rows])


def _plain(value: object) -> object:
    """`value` in JSON's own types."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value
