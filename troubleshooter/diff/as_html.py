"""A comparison as one HTML page that needs nothing else: filter, sort, the figures of each pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import printable
from ...reporting.page import Tile, embedded, to_page
from .as_json import plain
from .as_text import figure, percent, remarks, shown
from .comparison import Comparison
from .row import STATUSES, Row

MOST_ROWS = 50_000
"""The gravest so many are in the page."""

STYLES = {
    "ok": "exact",
    "empty": "unknown",
    "dtype": "differs",
    "mismatch": "missing",
    "missing": "limited",
    "shape": "composite",
    "inf": "dynamic",
    "nan": "dynamic",
    "unreadable": "problem",
}
"""The colour of each status, by its name in scan.css."""


@dataclass(frozen=True)
class Share:
    """A piece of the bar."""

    name: str
    style: str
    count: int


def to_html(comparison: Comparison) -> str:
    """The page; rows come as data, and are drawn as far as they are seen."""
    facts = {
        "title": f"{printable(comparison.a, 100)} and {printable(comparison.b, 100)}",
        "headline": comparison.summary,
        "tiles": tiles(comparison),
        "shares": [Share(name, STYLES[name], n) for name, n in comparison.counts.items()],
        "data": embedded(data_of(comparison)),
    }
    return to_page("diff.html.jinja", ["scan.css", "diff.css"], "diff.js", facts)


def tiles(comparison: Comparison) -> list[Tile]:
    rows, measured = comparison.rows, comparison.measured
    same = sum(row.ok for row in measured)
    elements = sum(row.metrics.size for row in measured if row.metrics is not None)
    close = sum(row.metrics.close or 0 for row in measured if row.metrics is not None)
    worst = max((row.metrics.rel_l2 for row in measured if row.metrics is not None), default=0.0)
    return [
        Tile(f"{same:,} of {len(measured):,}", "pairs the same"),
        Tile(f"{len(rows) - len(measured):,}", "rows without figures"),
        Tile(f"{elements:,}", "elements compared"),
        Tile(percent(close, elements) if elements else "-", "of elements close"),
        Tile(figure(worst), "largest relative L2"),
        Tile(comparison.settings.profile or "activations", "profile"),
    ]


def data_of(comparison: Comparison) -> dict[str, object]:
    """What the page's script reads."""
    rows = comparison.by_gravity[:MOST_ROWS]
    return {
        "a": printable(comparison.a),
        "b": printable(comparison.b),
        "statuses": [{"name": name, "style": STYLES[name]} for name in STATUSES],
        "left_out": len(comparison.rows) - len(rows),
        "rows": [row_data(row) for row in rows],
    }


def row_data(row: Row) -> dict[str, object]:
    """A row as its texts, and as the numbers that it is sorted by."""
    metrics = row.metrics
    numbers = None
    if metrics is not None:
        share = None if metrics.close is None else metrics.close / metrics.size
        figures = (metrics.error, metrics.max_abs, metrics.rel_l2, metrics.cosine, share)
        numbers = plain(figures)
    kind = row.kind_a or row.kind_b
    return {
        "status": STATUSES.index(row.status),
        "ok": row.ok,
        "name": printable(row.name),
        "shape": "" if kind is None else printable(str([*kind.shape]), 60),
        "dtype": "" if kind is None else kind.dtype,
        "numbers": numbers,
        "remarks": [printable(text, 1000) for text in remarks(row)],
        "details": [[label, printable(text)] for label, text in details(row)],
    }


def details(row: Row) -> Iterator[tuple[str, str]]:
    """All that is known of a row, as label and text."""
    yield "paired by", f"{row.how}, {row.confidence:.0%} sure"
    if row.tolerance is not None:
        yield "allowed", f"rtol {row.tolerance.rtol:g}, atol {row.tolerance.atol:g} of the rms"
    metrics = row.metrics
    if metrics is None:
        return
    yield "elements", f"{metrics.size:,}, {metrics.equal:,} equal"
    yield "close", percent(metrics.close, metrics.size)
    yield "error", f"{metrics.error:.6g}"
    yield "absolute error", f"max {metrics.max_abs:.6g}, mean {metrics.mean_abs:.6g}"
    yield "relative error", f"max {metrics.max_rel:.6g}, mean {metrics.mean_rel:.6g}"
    yield "relative L2", f"{metrics.rel_l2:.6g}"
    yield "cosine", f"{metrics.cosine:.9f}"
    if metrics.ulp is not None:
        ulp = metrics.ulp
        yield "ULP", f"50 % {ulp.p50:,}, 90 % {ulp.p90:,}, 99 % {ulp.p99:,}, max {ulp.max:,}"
    yield "other sign", f"{metrics.sign_changes:,}"
    for name, side in (("a", metrics.a), ("b", metrics.b)):
        counts = f"{side.nan:,} NaN, {side.inf:,} infinite, {side.zero:,} zero"
        yield name, f"rms {side.rms:.6g}, {counts}"
    if metrics.worst is not None:
        worst = metrics.worst
        yield "worst", f"at {[*worst.index]}: {shown(worst.a)} against {shown(worst.b)}"
    if metrics.within:
        shares = [f"{error:g}: {percent(n, metrics.size)}" for error, n in metrics.within]
        yield "within an error of", "; ".join(shares)
