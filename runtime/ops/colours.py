"""Colours of images, whose last axis is red, green, blue (or hue, saturation, value)."""

from __future__ import annotations

from ..engine.tensor import Tensor
from ..primitives import elementwise as e
from .arithmetic import abs, add, clamp, div, equal, floor, maximum, minimum, mul, sub, where
from .shaping import stack, unstack


def fraction(x: Tensor) -> Tensor:
    return sub(x, floor(x))


def to_hsv(x: Tensor) -> Tensor:
    red, green, blue = unstack(x, -1)
    value = maximum(red, maximum(green, blue))
    spread = sub(value, minimum(red, minimum(green, blue)))
    grey = equal(spread, 0.0)
    safe = where(grey, 1.0, spread)
    of_red = div(sub(green, blue), safe)
    of_green = add(div(sub(blue, red), safe), 2.0)
    of_blue = add(div(sub(red, green), safe), 4.0)
    hue = where(equal(red, value), of_red, where(equal(green, value), of_green, of_blue))
    hue = where(grey, 0.0, fraction(mul(hue, 1 / 6)))
    black = equal(value, 0.0)
    saturation = where(black, 0.0, div(spread, where(black, 1.0, value)))
    return e.cast(stack((hue, saturation, value), -1), to=x.dtype.onnx)


def to_rgb(x: Tensor) -> Tensor:
    hue, saturation, value = unstack(x, -1)
    parts = []
    for offset in (3.0, 2.0, 4.0):
        ramp = abs(sub(mul(hue, 6.0), offset))
        ramp = sub(ramp, 1.0) if offset == 3.0 else sub(2.0, ramp)
        shade = add(mul(sub(clamp(ramp, 0.0, 1.0), 1.0), saturation), 1.0)
        parts.append(mul(shade, value))
    return e.cast(stack(parts, -1), to=x.dtype.onnx)


def hue_adjusted(x: Tensor, delta: Tensor) -> Tensor:
    hue, saturation, value = unstack(to_hsv(x), -1)
    return to_rgb(stack((fraction(add(hue, delta)), saturation, value), -1))


def saturation_adjusted(x: Tensor, scale: Tensor) -> Tensor:
    hue, saturation, value = unstack(to_hsv(x), -1)
    return to_rgb(stack((hue, clamp(mul(saturation, scale), 0.0, 1.0), value), -1))
