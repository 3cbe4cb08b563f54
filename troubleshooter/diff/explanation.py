"""What explains a difference: how both arrays are related, and where the error sits."""

from __future__ import annotations

from dataclasses import replace

from ...formats.stored import StoredTensor
from ...numerics.distance import rms_of
from ...numerics.relations import relation_of
from ...numerics.tolerance import Tolerance
from ..measure.elements import Array
from ..measure.locus import Criterion, locate
from ..measure.measuring import TEXTS, Source
from .row import Row

LOCATED = ("mismatch", "nan", "inf")
RELATED = ("mismatch", "shape")
MOST_BYTES = 32 << 20
"""Relations are looked for in arrays of up to this size, since they are held as a whole."""


def explained(row: Row, a: Source, b: Source, thorough: bool) -> Row:
    """The row with what explains its difference, if anything does.

    `thorough`: relations are looked for in arrays of any size.
    """
    tolerance, locus, relation = row.tolerance or Tolerance(), "", ""
    if row.status in LOCATED and row.metrics is not None:
        criterion = Criterion(tolerance, row.metrics.a.rms)
        locus = locate(a, b, criterion, row.metrics.size - (row.metrics.close or 0))
    if row.status in RELATED and (thorough or max(bytes_of(a), bytes_of(b)) <= MOST_BYTES):
        relation = related(array_of(a), array_of(b), tolerance)
    return replace(row, locus=locus, relation=relation)


def related(a: Array, b: Array, tolerance: Tolerance) -> str:
    """How `b` is made of `a`: "equal after transpose (1, 0)"; "" if that is not known."""
    if a.dtype.kind in TEXTS or b.dtype.kind in TEXTS:
        return ""
    found = relation_of(a, b, tolerance, rms_of(a))
    return "" if found is None else found.text


def bytes_of(source: Source) -> int:
    return source.size * source.dtype.itemsize


def array_of(source: Source) -> Array:
    """The whole array."""
    return source.array() if isinstance(source, StoredTensor) else source
