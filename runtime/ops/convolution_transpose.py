"""Transposed convolutions, offsets that are learned, and layers of products."""

from __future__ import annotations

from typing import Any

from ..engine.argument import check_tensors
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import layer as p
from ..primitives import shaping as sh
from .registry import op
from .window import numbers, pads_of

Window = tuple[Any, Any, str, Any]
"""Stride, dilation, pad_mode and pads."""


def transposed(
    x: Tensor, weight: Tensor, window: Window, group: int, sizes: tuple[int, ...]
) -> Tensor:
    """The gradient of a convolution with respect to its input, whose axes have these `sizes`."""
    count = weight.ndim - 2
    stride, dilation = (numbers(v, count) for v in window[:2])
    reach = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip(x.shape[2:], stride, weight.shape[2:], dilation, strict=True)
    ]
    before = pads_before(window, reach, sizes)
    y: Tensor = p.conv_transpose(x, weight, strides=stride, dilations=dilation, group=group)
    cut = [(-b, n + b - r) for b, n, r in zip(before, sizes, reach, strict=True)]
    if not any(n for pair in cut for n in pair):
        return y
    every = (0, 0, *[b for b, _ in cut], 0, 0, *[a for _, a in cut])
    return sh.pad(y, constant(every))


def pads_before(window: Window, reach: list[int], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How much of each axis' front was padding."""
    if window[2] == "pad":
        return pads_of(window[3], len(sizes))[: len(sizes)]
    if window[2] == "valid":
        return (0,) * len(sizes)
    return tuple(max(r - n, 0) // 2 for r, n in zip(reach, sizes, strict=True))


@op
def conv3d_transpose(
    inputs: Tensor,
    weight: Tensor,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
) -> Tensor:
    """inputs (n, c, d, h, w), weight (c, o/group, *kernel) -> (n, o, d', h', w')."""
    check_tensors("conv3d_transpose", inputs=inputs, weight=weight)
    strides, dilations, extra = (numbers(v, 3) for v in (stride, dilation, output_padding))
    pads = pads_of(padding if pad_mode == "pad" else 0, 3)
    sizes = []
    for k, n in enumerate(inputs.shape[2:]):
        reach = (n - 1) * strides[k] + (weight.shape[2 + k] - 1) * dilations[k] + 1
        full = reach - pads[k] - pads[k + 3] + extra[k]
        sizes.append(n * strides[k] if pad_mode == "same" else full)
    return transposed(inputs, weight, (stride, dilation, pad_mode, padding), group, tuple(sizes))
