"""Gradient of Resize: a product with a constant matrix along each axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.failure import NoGradientError
from ..engine.promotion import constant
from ..engine.tensor import Tensor, wrap
from ..engine.trace import tracing
from .layer import resize
from .reduction import matmul
from .shaping import transpose


@resize.vjp_all
def resize_vjp(
    g: Tensor, y: Tensor, x: Tensor, roi: Tensor | None = None, scales: Tensor | None = None,
    sizes: Tensor | None = None, *, axes: Any, keep_aspect_ratio_policy: str, **attrs: Any,
) -> tuple[Tensor]:  # fmt: skip
    """Every mode is linear in x and separable."""
    if roi is not None or axes is not None or keep_aspect_ratio_policy != "stretch":
        raise NoGradientError("Resize", "the runtime knows no gradient of it with these attributes")
    for axis, (n, m) in enumerate(zip(x.shape, y.shape, strict=True)):
        if n != m:
            scale = m / n if scales is None else float(scales.asnumpy()[axis])
            g = along(g, axis, matrix(n, m, None if scales is None else scale, attrs, x))
    return (g,)


def matrix(n: int, m: int, scale: float | None, attrs: dict[str, Any], x: Tensor) -> Tensor:
    """(m, n): how each of m elements is made of n."""
    unit = wrap(np.eye(n, dtype=x.content.dtype).reshape(1, n, n, 1))
    lengths = [None, constant((1, n, m, 1))]
    if scale is not None:
        lengths = [wrap(np.array([1, 1, scale, 1], np.float32))]
    with tracing(None):
        made = resize(unit, None, *lengths, **attrs).asnumpy()
    return wrap(np.ascontiguousarray(made[0, :, :, 0].T))


def along(g: Tensor, axis: int, weights: Tensor) -> Tensor:
    """g times `weights` along one axis."""
    order = list(range(g.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    if axis == g.ndim - 1:
        return matmul(g, weights)
    return transpose(matmul(transpose(g, perm=tuple(order)), weights), perm=tuple(order))
