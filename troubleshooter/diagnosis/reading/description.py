"""A layer's settings and weights by the names of this package."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compare.records import LayerRecord
from ..layers.convolution import Pads
from ..layers.layer import Array, Layer

Values = dict[str, Any]


@dataclass(frozen=True)
class Description:
    """Which layer a record is of, and what is known of the fields of it.

    What a framework does not keep is left out: MindSpore's pools do not say their ceil_mode.
    """

    layer: type[Layer]
    values: Mapping[str, Any]

    def built(self) -> Layer | None:
        """The layer; None if what is known does not suffice. Defaults stand for the unknown."""
        needed = {
            f.name
            for f in dataclasses.fields(self.layer)
            if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        }
        return self.layer(**self.values) if needed <= self.values.keys() else None


Reader = Callable[[LayerRecord], Description | None]


def taken(record: LayerRecord, **names: str) -> Values:
    """Options by new names, for those that the record has."""
    own = record.options
    return {field: own[name] for field, name in names.items() if name in own}


def widened(array: Array) -> Array:
    """In float64, if it is of floats."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def weights(record: LayerRecord, **names: str) -> Values:
    """Parameters by new names, None for those that the layer does not have."""
    own = record.parameters
    return {k: widened(own[name]) if name in own else None for k, name in names.items()}


def axes_of(record: LayerRecord) -> int:
    """3 of `torch.nn.Conv3d` and of `mindspore.nn.Conv3dTranspose`."""
    digits = [c for c in record.kind.rpartition(".")[2] if c.isdigit()]
    return int(digits[-1])


def sizes(value: Any, axes: int) -> tuple[int, ...]:
    """One number for each axis: of one for all, or of the last of several."""
    if isinstance(value, (list, tuple)):
        several = tuple(int(v) for v in value)
        return several[-axes:] if len(several) >= axes else several * axes
    return (int(value),) * axes


def both_sides(value: Sequence[int]) -> Pads:
    return tuple((n, n) for n in value)


def last_first(padding: Sequence[int]) -> Pads:
    """(left, right, top, bottom) as ((top, bottom), (left, right))."""
    pairs = [(padding[k], padding[k + 1]) for k in range(0, len(padding), 2)]
    return tuple(reversed(pairs))


def same_pads(
    places: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Pads:
    """What TensorFlow's and MindSpore's "same" adds, the larger half behind."""
    pads = []
    for size, k, s, d in zip(places, kernel, stride, dilation, strict=True):
        whole = max((-(size // -s) - 1) * s + (k - 1) * d + 1 - size, 0)
        pads.append((whole // 2, whole - whole // 2))
    return tuple(pads)


def input_sizes(record: LayerRecord, axes: int) -> tuple[int, ...]:
    return tuple(record.inputs[0].shape[-axes:])


def own_axis(axis: int, record: LayerRecord) -> int:
    """An axis of the first input, counted from the front."""
    rank = record.inputs[0].ndim
    return axis % rank if rank else 0
