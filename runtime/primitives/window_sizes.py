"""Windows that are larger than what they slide over: refused before anything is computed.

ONNX Runtime gives windows without an element, or none at all; a graph would go on with an open
size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..engine.failure import RefusedError, ShapeError
from ..engine.primitive import Inputs, Primitive
from .layer import average_pool, conv, lp_pool, max_pool


def check_windows(primitive: Primitive, inputs: Inputs, attrs: dict[str, Any]) -> None:
    """Raises: ValueError (MS304) if a window does not fit into the input with its padding.

    RuntimeError for AvgPool, as of MindSpore's.
    """
    x, *rest = inputs
    if x is None or attrs.get("ceil_mode") or attrs.get("auto_pad", "NOTSET")[:4] == "SAME":
        return
    sizes = x.shape[2:]
    weights = rest[0] if rest else None
    kernel = attrs.get("kernel_shape") or (() if weights is None else weights.shape[2:])
    count = len(sizes)
    pads = attrs.get("pads") or (0,) * 2 * count
    dilations = attrs.get("dilations") or (1,) * count
    if not len(kernel) == len(dilations) == len(pads) // 2 == count:
        return
    for k, (size, window) in enumerate(zip(sizes, kernel, strict=True)):
        room = size + pads[k] + pads[k + count]
        least = dilations[k] * (window - 1) + 1
        if size >= 0 and room < least:
            raise (RefusedError if primitive is average_pool else ShapeError)(
                primitive.op,
                "its window is larger than the input with its padding",
                got=f"input {list(x.shape)}, window {list(kernel)}, pads {list(pads)}",
                expected=f"at least {least} along axis {k + 2}, not {room}",
                advice="give larger images, or leave out a pooling or stride before this layer",
            )


def without_idle_windows(values: Sequence[Any], attrs: dict[str, Any]) -> list[Any]:
    """The outputs of pooling, given behind its input: a last window that begins behind the input
    and the padding before it is not computed, although onnx counts it.
    """
    x, *made = values
    if not attrs.get("ceil_mode"):
        return made
    count = len(x.shape) - 2
    pads, strides = attrs.get("pads") or (0,) * count, attrs.get("strides") or (1,) * count
    return [
        replace(y, shape=(*y.shape[:2], *begun(x.shape[2:], y.shape[2:], pads, strides)))
        for y in made
    ]


def begun(
    sizes: Sequence[int], out: Sequence[int], pads: Sequence[int], strides: Sequence[int]
) -> Iterator[int]:
    for size, windows, before, step in zip(sizes, out, pads, strides, strict=False):
        is_idle = size >= 0 and windows > 0 and (windows - 1) * step >= size + before
        yield windows - is_idle


for _primitive in (average_pool, lp_pool, max_pool):
    _primitive.shaped = without_idle_windows
for _primitive in (average_pool, conv, lp_pool, max_pool):
    _primitive.check = check_windows
