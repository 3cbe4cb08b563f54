"""Channels as places of an image, and back."""

from __future__ import annotations

import math

from ..argument import check_int, check_type
from ..failure import ShapeError
from ..primitives import shaping as p
from ..tensor import Tensor
from .registry import op
from .shaping import reshape, transpose


def check_image(where: str, input: Tensor, factor: int) -> None:
    """Raises: TypeError, ValueError (MS304) for what is no image, or no factor."""
    check_type(where, "input", input, Tensor)
    check_int(where, "the factor", factor, 1)
    if input.ndim < 3:
        raise ShapeError(where, "needs three axes or more", got=str(input.shape))


@op
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(..., c * r * r, h, w) -> (..., c, h * r, w * r)."""
    check_image("pixel_shuffle", input, upscale_factor)
    *front, c, h, w = input.shape
    r = upscale_factor
    if c % (r * r):
        raise ShapeError("pixel_shuffle", "the factor does not fit the channels", got=str(c))
    x = reshape(input, (math.prod(front), c, h, w))
    y = p.depth_to_space(x, blocksize=r, mode="CRD")
    return reshape(y, (*front, c // (r * r), h * r, w * r))


@op
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of `pixel_shuffle`."""
    check_image("pixel_unshuffle", input, downscale_factor)
    r = downscale_factor
    *front, c, h, w = input.shape
    if h % r or w % r:
        raise ShapeError("pixel_unshuffle", "the factor does not fit the sizes", got=f"{h}, {w}")
    x = reshape(input, (math.prod(front), c, h // r, r, w // r, r))
    x = transpose(x, (0, 1, 3, 5, 2, 4))
    return reshape(x, (*front, c * r * r, h // r, w // r))
