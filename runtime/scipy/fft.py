"""`mindspore.scipy.fft`: the cosine transforms of the second kind, always orthogonal."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int
from ..engine.element_types import SINGLE_DOUBLE, check_element_types
from ..engine.failure import ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.fourier import TRANSFORMED, cosine_matrix, plan, resized

NORMS = (None, "backward", "forward", "ortho")


def dct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    """The cosine transform along `axis`."""
    return transform("dct", x, type, None if n is None else (n,), (axis,), norm, False)


def idct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    return transform("idct", x, type, None if n is None else (n,), (axis,), norm, True)


def dctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """The cosine transform along several axes."""
    return transform("dctn", x, type, s, axes, norm, False)


def idctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return transform("idctn", x, type, s, axes, norm, True)


def transform(
    where: str, x: Tensor, kind: int, s: Any, axes: Any, norm: Any, inverse: bool
) -> Tensor:
    """Products with the orthogonal matrix of each axis, or its inverse."""
    check_element_types(where, TRANSFORMED, x)
    check_int(where, "type", kind)
    if kind != 2:
        raise ShapeError(where, "only the second kind is known", got=str(kind))
    check_choice(where, "norm", norm, NORMS)
    y = x if x.dtype in SINGLE_DOUBLE else ops.cast(x, dtypes.float32)
    for axis, size in zip(*plan(where, y, s, axes), strict=True):
        y = resized(y, size, axis)
        matrix = cosine_matrix(y.shape[axis])
        last = ops.movedim(y, axis, -1)
        y = ops.matmul(last, constant(matrix if inverse else matrix.T, y.dtype))
        y = ops.movedim(y, -1, axis)
    return y
