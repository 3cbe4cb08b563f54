"""A comparison on the terminal: a table, the gravest rows first, and one line that sums up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...errors import printable
from ..measure.metrics import Scalar
from .row import Kind, Row

if TYPE_CHECKING:
    from .comparison import Comparison

HEADS = ("status", "tensor", "shape", "type", "error", "max abs", "rel L2", "cosine", "close")
NAME_WIDTH, SHAPE_WIDTH = 60, 20
SURE = 0.9
"""A pair that is less sure is remarked on even if it is the same."""


def to_text(comparison: Comparison, rows: Sequence[Row], more: int = 0) -> str:
    """These rows as a table, how many more there are, and the summary."""
    lines = [*table(rows)] if rows else []
    lines += [f"and {more} more rows: --show all"] if more else []
    return "\n".join([*lines, comparison.summary])


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a table; what explains a difference stands below its row."""
    cells = [cells_of(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(HEADS, *cells, strict=True)]
    yield aligned(HEADS, widths)
    for row, shown in zip(rows, cells, strict=True):
        yield aligned(shown, widths)
        yield from (f"{'':{widths[0]}}  {line}" for line in remarks(row))


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Cells in columns: what are numbers to the right."""
    left = [cell.ljust(width) for cell, width in zip(cells[:4], widths, strict=False)]
    right = [cell.rjust(width) for cell, width in zip(cells[4:], widths[4:], strict=True)]
    return "  ".join([*left, *right]).rstrip()


def cells_of(row: Row) -> tuple[str, ...]:
    """The row as texts, in the order of HEADS."""
    kind = row.kind_a or row.kind_b
    shape = "" if kind is None else printable(str([*kind.shape]), SHAPE_WIDTH)
    dtype = "" if kind is None else kind.dtype
    metrics = row.metrics
    if metrics is None:
        return (row.status, shortened(row.name), shape, dtype, *[""] * 5)
    figures = (metrics.error, metrics.max_abs, metrics.rel_l2)
    return (
        row.status,
        shortened(row.name),
        shape,
        dtype,
        *map(figure, figures),
        f"{metrics.cosine:.6f}",
        percent(metrics.close, metrics.size),
    )


def shortened(name: str) -> str:
    """A name of at most NAME_WIDTH characters: of long ones the end, where they differ."""
    shown = printable(name)
    return shown if len(shown) <= NAME_WIDTH else f"...{shown[3 - NAME_WIDTH :]}"


def figure(value: float) -> str:
    """A number in three digits."""
    return "0" if value == 0 else f"{value:.2e}"


def percent(part: int | None, whole: int) -> str:
    """A share, which is 100 % only if it is all; "-" if it is not known."""
    if part is None:
        return "-"
    share = 100 * part / whole
    if part < whole:
        share = min(share, 99.99)
    return f"{share:.2f} %" if part < whole else "100 %"


def remarks(row: Row) -> Iterator[str]:
    """What a row says beside its figures, of rows that somebody has to look at."""
    if row.tied:
        yield f"another name of {row.tied}"
    if row.ok and row.confidence >= SURE:
        return
    if row.made:
        yield row.made
    if row.problem:
        yield from row.problem.splitlines()
    if row.kind_a is not None and row.kind_b is not None:
        yield from differing(row.kind_a, row.kind_b, row.change)
    if row.how not in ("name", "only", "none"):
        yield f"paired by {row.how}" + (
            "" if row.confidence == 1 else f", {row.confidence:.0%} sure"
        )
    if row.status == "missing":
        yield f"only in {'a' if row.b is None else 'b'}"
    if row.metrics is not None and not row.ok:
        yield from details(row)
    elif row.relation:  # of other shapes: there are no figures
        yield printable(row.relation, 400)


def differing(a: Kind, b: Kind, change: str) -> Iterator[str]:
    """Shapes and types, where they are not the same."""
    if a.shape != b.shape:
        how = f", compared after {change}" if change else ""
        yield f"shape {[*a.shape]} against {[*b.shape]}{how}"
    if a.dtype != b.dtype:
        yield f"type {a.dtype} against {b.dtype}"


def details(row: Row) -> Iterator[str]:
    """Where two tensors differ, and how."""
    metrics = row.metrics
    assert metrics is not None
    facts = [fact for fact in (row.relation, row.locus) if fact]
    a, b = metrics.a, metrics.b
    if a.nan or b.nan or a.inf or b.inf:
        facts.append(f"NaN {a.nan} against {b.nan}, infinite {a.inf} against {b.inf}")
    if b.zero == metrics.size and a.zero < metrics.size:
        facts.append("b is all zeros")
    if a.zero == metrics.size and b.zero < metrics.size:
        facts.append("a is all zeros")
    if metrics.worst is not None:
        worst = metrics.worst
        facts.append(f"worst at {[*worst.index]}: {shown(worst.a)} against {shown(worst.b)}")
    if facts:
        yield printable("; ".join(facts), 400)


def shown(element: Scalar) -> str:
    """An element; of floating-point numbers as many digits as float32 has."""
    return f"{element:.9g}" if isinstance(element, float) else repr(element)
