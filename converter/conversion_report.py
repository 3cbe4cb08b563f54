"""The report of one conversion: what became of each node, what to know, what the numbers say."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import harmless, printable
from ..reporting.indented import indented
from ..reporting.report import Finding
from .proof.verify import Verification

CONVERTED, VERIFIED, LEFT, SIMPLIFIED = "converted", "verified", "left to do", "simplified away"
CUT = "cut away"
STATUSES = (VERIFIED, CONVERTED, SIMPLIFIED, CUT, LEFT)


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

    @cached_property
    def left(self) -> list[NodeStatus]:
        return [n for n in self.nodes if n.status == LEFT]

    @cached_property
    def rate(self) -> float:
        """The share of the wanted nodes that are converted; simplified ones count as converted."""
        wanted = sum(n.status != CUT for n in self.nodes)
        return 1.0 if not wanted else 1 - len(self.left) / wanted

    @property
    def ok(self) -> bool:
        """Whether nothing is left and the numbers, if compared, agree."""
        agreed = self.verification is None or self.verification.passed
        return not self.left and agreed and not any(f.severity == "error" for f in self.findings)

    def to_json(self) -> str:
        """The whole report as JSON; numbers that JSON lacks (infinity) as text."""
        fields = _fields(self)
        fields["rate"] = self.rate
        fields["ok"] = self.ok
        return indented(fields) + "\n"

    def to_summary(self) -> str:
        """What the command prints: how far it came, what was written, whether it is the same."""
        written = "\n".join(["Written:", *(f"  {printable(name)}" for name in self.files)])
        return harmless("\n\n".join([self._headline(), written, self._figures()]) + "\n")

    def to_text(self) -> str:
        """The report as a person reads it: the verdict first, every node last."""
        operators = ", ".join(f"{op} {n}" for op, n in self.operators)
        facts = [
            self._headline(),
            f"Model:      {printable(self.source)}, opset {self.opset}",
            f"Operators:  {printable(operators, limit=4000) or 'none'}",
            f"Parameters: {self.parameters}",
            *(f"Written:    {printable(name)}" for name in self.files),
        ]
        parts = ["\n".join(facts), self._figures(), self._to_do(), self._remarks(), self._nodes()]
        return harmless("\n\n".join(part for part in parts if part) + "\n")

    def _headline(self) -> str:
        counts = Counter(n.status for n in self.nodes)
        told = ", ".join(f"{counts[s]} {s}" for s in STATUSES if counts[s])
        rate = math.floor(self.rate * 1000) / 10  # 99.96 % is not all
        nodes = f"{len(self.nodes)} node{'' if len(self.nodes) == 1 else 's'}"
        source = printable(self.source, limit=80)
        return f"{source}: {rate:g} % of {nodes} converted{f' ({told})' if told else ''}"

    def _figures(self) -> str:
        if self.left:
            return (
                "Not compared with the original: the script raises at the "
                f"{len(self.left)} node{'' if len(self.left) == 1 else 's'} left to do."
            )
        if self.verification is None:
            return "Not compared with the original (--no-verify)."
        if self.verification.problem:
            return f"The comparison FAILED: {printable(self.verification.problem, limit=2000)}"
        return "\n".join([*self._comparison(self.verification), self._verdict(self.verification)])

    def _comparison(self, verification: Verification) -> Iterator[str]:
        yield f"Compared with ONNX Runtime on the original, with {verification.inputs}:"
        shown = [(printable(d.output, limit=60), d) for d in verification.differences]
        width = max([len("output"), *(len(name) for name, _ in shown)]) + 2
        modes = max([len("mode"), *(len(d.mode) for _, d in shown)]) + 2
        yield (
            f"  {'output':<{width}}{'mode':<{modes}}"
            f"{'max abs error':>13}  {'max rel error':>13}  {'cosine':>10}"
        )
        for name, d in shown:
            figures = f"{d.absolute:13.2e}  {d.error:13.2e}  {d.cosine:10.7f}"
            verdict = "ok" if d.passed else f"DIFFERS (more than {d.tolerance:g})"
            remark = f": {printable(d.remark)}" if d.remark else ""
            yield f"  {name:<{width}}{d.mode:<{modes}}{figures}  {verdict}{remark}"
        yield from (f"  note: {printable(r)}" for r in verification.remarks)

    def _verdict(self, verification: Verification) -> str:
        if verification.passed:
            return "They agree."
        found = [f.message for f in self.findings if f.code == "MS108"]
        return "\n".join(["They DIFFER: do not use the script before the reason is found.", *found])

    def _to_do(self) -> str:
        if not self.left:
            return ""
        reasons: dict[str, list[str]] = {}
        for node in self.left:
            reasons.setdefault(node.note, []).append(node.node)
        rows = []
        for reason, nodes in reasons.items():
            more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
            rows.append(f"  {', '.join(map(printable, nodes[:3]))}{more}: {printable(reason)}")
        advice = (
            "  For each, the script has a function not_converted_... that raises when called.\n"
            "  Write its body, or replace the operator in the model and convert again."
        )
        return "\n".join(["Left to do:", *rows, advice])

    def _remarks(self) -> str:
        rows = [f"  {f.text}" for f in self.findings if f.severity != "error"]
        return "\n".join(["What to know:", *rows]) if rows else ""

    def _nodes(self) -> str:
        rows = [
            f"  {n.status:<15} {printable(n.node)}{f': {printable(n.note)}' if n.note else ''}"
            for n in self.nodes
        ]
        return "\n".join(["Nodes, in the order in which they are computed:", *rows])


def _fields(record: Any) -> dict[str, object]:
    """The fields of a dataclass in JSON's own types."""
    return {name: _plain(getattr(record, name)) for name in record.__dataclass_fields__}


def _plain(value: object) -> object:
    """`value` in JSON's own types."""
    if value is None or isinstance(value, str):
        return value
    if dataclasses.is_dataclass(value):
        return _fields(value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value
