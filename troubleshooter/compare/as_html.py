"""A comparison of networks as one HTML page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...errors import printable
from ...reporting.page import Tile, to_page
from .as_text import compared, first, kinds, result, summary
from .comparison import LayerRow, NetworkComparison, Verdict
from .pictures import Histogram, Worst, error_chart, histograms, worst_elements

STYLES: dict[Verdict, str] = {
    "same": "exact",
    "differs": "missing",
    "missing": "problem",
    "extra": "problem",
    "fails": "unlisted",
    "not compared": "unknown",
}
"""The colour of each verdict."""


@dataclass(frozen=True)
class Share:
    """The layers of one verdict."""

    name: str
    style: str
    count: int


@dataclass(frozen=True)
class Figures:
    """What is told of one call of a layer beside its verdict, as names and texts."""

    facts: tuple[tuple[str, str], ...]
    causes: tuple[str, ...]
    histograms: tuple[Histogram, ...]
    worst: tuple[Worst, ...]


@dataclass
class Node:
    """A module and those in it; `row` is what was found of it, None if it was never called."""

    name: str
    row: LayerRow | None = None
    inner: dict[str, Node] = field(default_factory=dict)

    @property
    def style(self) -> str:
        return "soft" if self.row is None else STYLES[self.row.verdict]

    @property
    def verdict(self) -> str:
        return "" if self.row is None else self.row.verdict

    @property
    def kind(self) -> str:
        return "" if self.row is None else kinds(self.row)

    @property
    def figures(self) -> Figures | None:
        """Of a layer that is compared."""
        return None if self.row is None else figures_of(self.row)

    @property
    def is_open(self) -> bool:
        """Whether something under it differs."""
        return any(node.is_wrong or node.is_open for node in self.inner.values())

    @property
    def is_wrong(self) -> bool:
        return self.row is not None and self.row.is_wrong


def to_html(found: NetworkComparison) -> str:
    """The page: summary, first difference, error along depth, the modules with their figures."""
    verdicts = Counter(row.verdict for row in found.tree.values())
    is_wrong = found.first_difference is not None
    facts = {
        "title": " and ".join(printable(name, 60) for name in found.names),
        "headline": summary(found),
        "is_same": found.ok,
        "tiles": tiles(found),
        "shares": [Share(name, STYLES[name], verdicts[name]) for name in STYLES if verdicts[name]],
        "sides": compared(found).split("\n"),
        "first": first(found) if is_wrong else [],
        "whole": [(item.name, result(item), item.ok) for item in found.whole],
        "remarks": [printable(remark) for remark in found.remarks],
        "chart": error_chart(found.rows),
        "root": tree_of(found.tree),
    }
    return to_page("compare.html.jinja", ["scan.css", "compare.css"], "compare.js", facts)


def tiles(found: NetworkComparison) -> list[Tile]:
    calls = [row for row in found.rows if row.verdict != "not compared"]
    layers = {(row.path, row.call) for row in calls}
    worst = max((row.worst.excess for row in calls if row.worst is not None), default=0.0)
    return [
        Tile(f"{len(layers):,}", "calls of layers compared"),
        Tile(f"{len(found.differing):,}", "of them differ"),
        Tile(f"{worst:.3g}", "times rounding, at most"),
    ]


def tree_of(rows: Mapping[str, LayerRow]) -> Node:
    """The modules by the parts of their paths."""
    root = Node("(the network)")
    for path, row in rows.items():
        node = root
        for part in path.split(".") if path else ():
            node = node.inner.setdefault(part, Node(printable(part)))
        node.row = row
    return root


def figures_of(row: LayerRow) -> Figures:
    causes = [item.text for item in row.hypotheses] + list(row.settings)
    shown = row.pair if row.is_wrong else None
    return Figures(
        tuple(facts_of(row)),
        tuple(printable(text, 400) for text in causes),
        () if shown is None else tuple(histograms(shown)),
        () if shown is None else tuple(worst_elements(shown)),
    )


def facts_of(row: LayerRow) -> Iterator[tuple[str, str]]:
    """What the row says, each under its name."""
    if row.other_path != row.path:
        yield "in B", printable(row.other_path) or "(nothing)"
    yield "mode", row.mode
    if row.part not in ("output", "layer"):
        yield "differs in", row.part
    if row.note:
        yield "note", printable(row.note, 400)
    worst = row.worst
    if worst is not None and worst.problem:
        yield "problem", printable(worst.problem, 400)
    elif worst is not None:
        yield "off by", f"{worst.absolute:.3g} ({worst.relative:.2g} of the largest element)"
        yield "rounding explains", f"{worst.allowed:.2g}"
        yield "times rounding", f"{worst.excess:.3g}"
    if row.accumulated is not None:
        yield "in the plain run", f"{row.accumulated:.1e} of its norm"
    if row.floor is not None:
        yield "its rounding there", f"{row.floor:.1e}"
    if row.amplification is not None:
        yield "amplifies rounding", f"{row.amplification:.3g} steps of its type"
