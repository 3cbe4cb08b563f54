"""A comparison as CSV: a line for each pair, all figures in columns of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ...errors import printable
from .comparison import Comparison
from .row import Row

METRICS = (
    *("size", "equal", "close", "error", "max_abs", "mean_abs", "max_rel", "mean_rel"),
    *("rel_l2", "cosine", "sign_changes", "nan_both", "inf_same"),
)
SIDE = ("nan", "inf", "zero", "rms")
ULPS = ("p50", "p90", "p99", "max")
COLUMNS = (
    *("status", "ok", "a", "b", "how", "confidence", "change"),
    *("shape_a", "shape_b", "dtype_a", "dtype_b", "rtol", "atol", "steps"),
    *METRICS,
    *(f"{name}_{side}" for side in "ab" for name in SIDE),
    *(f"ulp_{name}" for name in ULPS),
    *("worst_index", "worst_a", "worst_b", "relation", "locus", "problem", "tied", "made"),
)
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

MOST_LETTERS = 10_000


def to_csv(comparison: Comparison) -> str:
    """A head and a line for each row, the gravest first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([*cells(row)] for row in comparison.by_gravity)
    return out.getvalue()


def cells(row: Row) -> Iterator[object]:
    """The row in the order of COLUMNS; "" is not known."""
    yield from (row.status, row.ok, safe(row.a), safe(row.b), row.how, row.confidence, row.change)
    kinds = (row.kind_a, row.kind_b)
    yield from ("" if kind is None else "x".join(map(str, kind.shape)) for kind in kinds)
    yield from ("" if kind is None else kind.dtype for kind in kinds)
    yield from (getattr(row.tolerance, name, "") for name in ("rtol", "atol", "steps"))
    metrics = row.metrics
    yield from (getattr(metrics, name, "") for name in METRICS)
    for side in (getattr(metrics, "a", None), getattr(metrics, "b", None)):
        yield from (getattr(side, name, "") for name in SIDE)
    ulp, worst = getattr(metrics, "ulp", None), getattr(metrics, "worst", None)
    yield from (getattr(ulp, name, "") for name in ULPS)
    yield "" if worst is None else " ".join(map(str, worst.index))
    yield from (safe(getattr(worst, name, "")) for name in "ab")
    yield from (safe(text) for text in (row.relation, row.locus, row.problem, row.tied, row.made))


def safe(value: object) -> object:
    """A text that no spreadsheet takes for a formula, nor a terminal for a command; other values
    as they are."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    shown = "\n".join(printable(line, MOST_LETTERS) for line in value.split("\n"))
    return f"'{shown}" if value.startswith(FORMULAS) else shown
