"""The page of a conversion: modules that fold out, the fate of each node, the script beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..errors import printable
from ..reporting.page import Heading, PageTable, Tile, to_page
from .code.statement import Statement
from .conversion_report import LEFT, ConversionReport, NodeStatus
from .graph.graph import Graph
from .modules.blocks import Block, blocks_in
from .modules.scopes import ModulePath

AWAY = "In no module"
"""What nodes are under that left no code."""

LONGEST = 400


@dataclass(frozen=True)
class Row:
    """A node of the file: its label, its status, and a note on it."""

    label: str
    status: str
    note: str


@dataclass
class Part:
    """A module on the page: its nodes, the modules inside, the line of its class in the script."""

    name: str
    kind: str = ""
    line: int = 0
    rows: list[Row] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many nodes it has, those of the modules inside counted."""
        return len(self.rows) + sum(part.count for part in self.parts.values())

    @property
    def left(self) -> int:
        """How many of them are left to do."""
        own = sum(row.status == LEFT for row in self.rows)
        return own + sum(part.left for part in self.parts.values())


def to_html(
    report: ConversionReport,
    original: Graph,
    root: Block,
    names: dict[ModulePath, str],
    script: str,
) -> str:
    """One page that needs nothing else; `names` are the classes of modules by their paths."""
    lines = class_lines(script)
    tree = part_of(root, names, lines)
    places = {name: block.path for block in blocks_in(root) for name in origins(block)}
    away = Part(AWAY)
    for node, status in zip(original.nodes, report.nodes, strict=True):
        path = next((places[name] for name in node.origin if name in places), None)
        (away if path is None else at(tree, path)).rows.append(row_of(status))
    parts = [tree, away] if away.rows else [tree]
    facts = {
        "title": report.source,
        "tiles": tiles(report),
        "parts": parts,
        "table": differences(report),
        "findings": [finding.text for finding in report.findings],
        "script_lines": script.splitlines(),
    }
    return to_page("convert.html.jinja", ["scan.css", "convert.css"], "", facts)


def part_of(root: Block, names: dict[ModulePath, str], lines: dict[str, int]) -> Part:
    """The tree of modules, each once, however often it is called."""
    tree = Part(names.get((), "the network"), names.get((), ""))
    for block in blocks_in(root):
        for end in range(1, len(block.path) + 1):
            at(tree, block.path[:end])
    for path in ((), *(block.path for block in blocks_in(root))):
        part = at(tree, path)
        part.kind = names.get(path, "")
        part.line = lines.get(part.kind, 0)
    return tree


def at(tree: Part, path: ModulePath) -> Part:
    """The part of a module's path, made if it is not there."""
    for name in path:
        tree = tree.parts.setdefault(name, Part(name))
    return tree


def origins(block: Block) -> Iterator[str]:
    """The file's nodes that the statements of the block itself are of."""
    for item in block.body:
        if isinstance(item, Statement):
            yield from item.node.origin


def class_lines(script: str) -> dict[str, int]:
    """Where each class begins."""
    found = ast.parse(script).body
    return {node.name: node.lineno for node in found if isinstance(node, ast.ClassDef)}


def row_of(status: NodeStatus) -> Row:
    label, note = (printable(text, limit=LONGEST) for text in (status.node, status.note))
    return Row(label, status.status, note)


def tiles(report: ConversionReport) -> list[Tile]:
    counts: dict[str, int] = {}
    for node in report.nodes:
        counts[node.status] = counts.get(node.status, 0) + 1
    whole = [Tile(str(len(report.nodes)), "nodes"), Tile(str(report.parameters), "parameters")]
    return whole + [Tile(str(count), status) for status, count in counts.items()]


def differences(report: ConversionReport) -> PageTable:
    """The figures of the comparison, a row for each output and mode."""
    verification = report.verification
    found: Iterable[tuple[str, ...]] = ()
    if verification is not None:
        found = (
            (printable(d.output), d.mode, f"{d.error:.2e}", f"{d.cosine:.7f}", _verdict(d.passed))
            for d in verification.differences
        )
    words = ("output", "mode", "error", "cosine", "verdict")
    problem = "" if verification is None else printable(verification.problem, limit=LONGEST)
    title = "Compared with the original" if not problem else f"Not compared: {problem}"
    if verification is None:
        title = "Not compared with the original"
    headings = tuple(Heading(word, word in ("error", "cosine")) for word in words)
    return PageTable(title, headings, tuple(found))


def _verdict(passed: bool) -> str:
    return "ok" if passed else "DIFFERS"
