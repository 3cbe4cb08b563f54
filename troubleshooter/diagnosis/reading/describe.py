"""The description of any record."""

from __future__ import annotations

from collections.abc import Mapping

from ...compare.records import LayerRecord
from . import from_mindspore, from_onnx, from_torch
from .description import Description, Reader

READERS: dict[str, Mapping[str, Reader]] = {
    "torch.nn": from_torch.LAYERS,
    "mindspore.nn": from_mindspore.LAYERS,
    "mindspore.mint.nn": from_mindspore.MINT,
    "onnx": from_onnx.OPERATORS,
}
"""The readers of each place that layers come from, by the layers' names."""


def describe(record: LayerRecord) -> Description | None:
    """What a record's layer is and what is known of it; None for one that is not known here."""
    place, _, name = record.kind.rpartition(".")
    reader = READERS.get(place, {}).get(name)
    if reader is None or not record.inputs:
        return None
    try:
        return reader(record)
    except UNREADABLE:
        return None


UNREADABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError)
"""What reading the options of a class of the user's can come to: they may be anything."""
