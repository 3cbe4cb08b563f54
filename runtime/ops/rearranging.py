"""Channels as places of an image, and back; axes made longer."""

from __future__ import annotations

import math

import numpy as np

from ..engine.argument import check_choice, check_int, check_type
from ..engine.failure import ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import shaping as p
from .registry import op
from .shaping import gather, pad, reshape, transpose

MIRRORS = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
"""NumPy's names of the modes of `mirror_pad`."""


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


@op
def mirror_pad(input_x: Tensor, paddings: Tensor, mode: str) -> Tensor:
    """Mirrored at the edges: (before, after) for each axis; SYMMETRIC repeats the edge."""
    check_choice("mirror_pad", "mode", mode, MIRRORS)
    check_type("mirror_pad", "paddings", paddings, Tensor)
    longest = 0 if mode == "SYMMETRIC" else 1
    y = input_x
    for axis, pair in enumerate(paddings.asnumpy().tolist()):
        count = input_x.shape[axis]
        if max(pair) > count - longest:
            raise ShapeError("mirror_pad", "more than there is to mirror", got=str(pair))
        if any(pair):
            y = gather(y, constant(np.pad(np.arange(count), pair, MIRRORS[mode])), axis)  # type: ignore[call-overload]
    return y


@op
def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """The last axis, of size 1, filled up with zeros."""
    check_int("padding", "pad_dim_size", pad_dim_size, 1)
    if not x.ndim or x.shape[-1] != 1:
        raise ShapeError("padding", "the last axis must have size 1", got=str(x.shape))
    return pad(x, (0, pad_dim_size - 1))
