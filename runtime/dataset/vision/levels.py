"""How bright and how coloured pixels are: images adjusted, equalized, turned to grey."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from ..images import colours, filters
from ..images.resizing import as_type
from ..transforms.operation import TensorOperation, takes
from . import checks
from .operation import ImageOperation, PillowOperation, pillow
from .settings import ConvertMode

COLOUR = takes("3", "3", "uint8 uint16 float32")
GREY_OR_COLOUR = takes("2 3", "1 3", "-uint32 int64 uint64")
BYTES = takes("2 3", "1 3", "uint8 bool")


def enhanced(kind: str, x: Any, factor: float) -> Any:
    """An image of Pillow's, by one of its enhancers."""
    return getattr(pillow("ImageEnhance"), kind)(x).enhance(factor)


class AdjustBrightness(ImageOperation):
    """The image with its levels times a factor."""

    takes = GREY_OR_COLOUR

    def __init__(self, brightness_factor: float) -> None:
        self.factor = checks.number(self.name, "brightness_factor", brightness_factor)

    def array(self, x: np.ndarray) -> np.ndarray:
        return brightened(x, self.factor)

    def image(self, x: Any) -> Any:
        return enhanced("Brightness", x, self.factor)


def brightened(x: np.ndarray, factor: float) -> np.ndarray:
    if x.dtype == np.uint8:
        levels = np.arange(256, dtype=np.float32) * np.float32(factor)
        return colours.through(x, as_type(levels, x.dtype))
    return as_type(x * np.float32(factor), x.dtype)


class AdjustContrast(ImageOperation):
    """The image with its levels so many times as far from its mean grey."""

    takes = COLOUR

    def __init__(self, contrast_factor: float) -> None:
        self.factor = checks.number(self.name, "contrast_factor", contrast_factor)

    def array(self, x: np.ndarray) -> np.ndarray:
        return contrasted(x, self.factor)

    def image(self, x: Any) -> Any:
        return enhanced("Contrast", x, self.factor)


def contrasted(x: np.ndarray, factor: float) -> np.ndarray:
    mean = colours.grey(x).mean(dtype=np.float64)
    if x.dtype != np.uint8:
        return colours.mixed(x, factor, as_type(np.asarray(mean), x.dtype))
    middle = as_type(np.asarray(mean), x.dtype)
    return colours.through(x, colours.mixed(np.arange(256, dtype=np.uint8), factor, middle))


class AdjustSaturation(ImageOperation):
    """The image with its colours so many times as far from their grey."""

    takes = COLOUR

    def __init__(self, saturation_factor: float) -> None:
        self.factor = checks.number(self.name, "saturation_factor", saturation_factor)

    def array(self, x: np.ndarray) -> np.ndarray:
        return saturated(x, self.factor)

    def image(self, x: Any) -> Any:
        return enhanced("Color", x, self.factor)


def saturated(x: np.ndarray, factor: float) -> np.ndarray:
    return colours.mixed(x, factor, colours.grey(x)[..., None])


class AdjustHue(ImageOperation):
    """The image with its hues turned by a share of the whole circle."""

    takes = takes("3", "3", "uint8 float32")

    def __init__(self, hue_factor: float) -> None:
        self.factor = checks.number(self.name, "hue_factor", hue_factor, -0.5, 0.5)

    def array(self, x: np.ndarray) -> np.ndarray:
        return hued(x, self.factor)

    def image(self, x: Any) -> Any:
        if x.mode in ("L", "1", "I", "F"):
            return x
        hue, saturation, value = x.convert("HSV").split()
        turned = np.asarray(hue).astype(np.int64) + int(self.factor * 255)
        hue = pillow().fromarray((turned % 256).astype(np.uint8))
        return pillow().merge("HSV", (hue, saturation, value)).convert(x.mode)


def hued(x: np.ndarray, factor: float) -> np.ndarray:
    if x.dtype != np.uint8:
        return hued_floats(x, factor)
    found = colours.hue_saturation_value(x)
    turned = found[..., 0].astype(np.int64) + int(factor * 255)
    found[..., 0] = turned % 256
    return colours.from_hue(found)


def hued_floats(x: np.ndarray, factor: float) -> np.ndarray:
    """`hued` for numbers in [0, 1]; OpenCV counts their hues in degrees."""
    found = colours.floating_hue(x.astype(np.float64))
    degrees = found[..., 0] * 360 + factor * 255
    return colours.of_sector(degrees / 60, found[..., 1], found[..., 2]).astype(x.dtype)


class AdjustGamma(ImageOperation):
    """The image with its levels, in [0, 1], to a power, times a gain."""

    takes = takes("2 3 4", "1 3", "-uint32 int64 uint64")

    def __init__(self, gamma: float, gain: float = 1) -> None:
        self.gamma = checks.number(self.name, "gamma", gamma)
        self.gain = checks.number(self.name, "gain", gain, -checks.LARGEST)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.dtype.kind == "f":
            wide = x.astype(np.float32)
            return np.asarray(
                np.clip((wide * np.float32(self.gain)) ** np.float32(self.gamma), 0, 1)
            )
        table = np.trunc(self.levels() if x.dtype == np.uint8 else self.levels(255.0))
        return np.asarray(
            np.clip(table, 0, 255).astype(x.dtype)[np.clip(x, 0, 255).astype(np.uint8)]
        )

    def levels(self, top: float = 255.999) -> np.ndarray:
        found: np.ndarray = top * self.gain * (np.arange(256) / 255.0) ** self.gamma
        return found

    def image(self, x: Any) -> Any:
        bands = len(x.getbands())
        table = [int(level) for level in self.levels()]
        return x.point(table * bands) if bands in (1, 3) else x


class AdjustSharpness(ImageOperation):
    """The image with its levels so many times as far from a smooth one."""

    takes = takes("2 3", "", "-int8 int32 float16 uint32 int64 uint64")

    def __init__(self, sharpness_factor: float) -> None:
        self.factor = checks.number(self.name, "sharpness_factor", sharpness_factor)

    def array(self, x: np.ndarray) -> np.ndarray:
        return sharpened(x, self.factor)


def sharpened(x: np.ndarray, factor: float) -> np.ndarray:
    return colours.mixed(x, factor, filters.smoothed(x))


class AutoContrast(ImageOperation):
    """The image with its levels spread over all there are; `cutoff` percent are left out."""

    takes = BYTES

    def __init__(self, cutoff: float = 0.0, ignore: Any = None) -> None:
        self.cutoff, self.ignore = checked_contrast(self.name, cutoff, ignore)

    def array(self, x: np.ndarray) -> np.ndarray:
        return spread(x, self.cutoff, self.ignore)

    def image(self, x: Any) -> Any:
        return pillow("ImageOps").autocontrast(x, self.cutoff, self.ignore)


def checked_contrast(where: str, cutoff: Any, ignore: Any) -> tuple[float, list[int]]:
    checks.number(where, "cutoff", cutoff, 0, 50)
    if cutoff == 50:
        raise ShapeError(where, "cutoff is out of range", got="50", expected="below 50")
    if ignore is not None:
        check_type(where, "ignore", ignore, list, tuple, int)
    ignore = [ignore] if isinstance(ignore, int) else ignore or []
    return cutoff, [checks.whole(where, "ignore", level, 0, 255) for level in ignore]


def spread(x: np.ndarray, cutoff: float = 0.0, ignore: list[int] | None = None) -> np.ndarray:
    x = x.astype(np.uint8, copy=False)
    tables = [colours.contrast_table(c, cutoff, ignore or []) for c in colours.counted(x)]
    return by_channel(x, tables)


def by_channel(x: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
    """Each channel through its own table."""
    return colours.through(x, tables[0] if x.ndim == 2 else np.stack(tables, axis=1))


class Equalize(ImageOperation):
    """The image in which all levels are about as frequent."""

    takes = BYTES

    def array(self, x: np.ndarray) -> np.ndarray:
        return equalized(x)

    def image(self, x: Any) -> Any:
        return pillow("ImageOps").equalize(x)


def equalized(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.uint8, copy=False)
    return by_channel(x, [colours.equal_table(c) for c in colours.counted(x)])


class Invert(ImageOperation):
    """The image with its levels counted from the other end."""

    takes = takes("3", "3", "-float16 uint32 int64 uint64")

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.dtype == bool:
            return ~x
        return as_type(255 - x.astype(np.float64), x.dtype)

    def image(self, x: Any) -> Any:
        return pillow("ImageOps").invert(x)


class Posterize(ImageOperation):
    """The image with so many bits of each level, the others 0."""

    takes = takes("2 3", "", "uint8 int8 bool")

    def __init__(self, bits: int) -> None:
        self.bits = checks.whole(self.name, "bits", bits, 0, 8)

    def array(self, x: np.ndarray) -> np.ndarray:
        return x.astype(np.uint8) & np.uint8(256 - (1 << 8 - self.bits) if self.bits else 0)


class Solarize(ImageOperation):
    """The image with the levels from a threshold, or within a range, inverted."""

    takes = takes("2 3", "1 3", "-float16 uint32 int64 uint64")

    def __init__(self, threshold: Any) -> None:
        if isinstance(threshold, int | float) and not isinstance(threshold, bool):
            threshold = threshold, threshold
        self.threshold = checks.span(self.name, "threshold", threshold, 0, 255)

    def array(self, x: np.ndarray) -> np.ndarray:
        return solarized(x, *self.threshold)


def solarized(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """One threshold inverts all levels from it on; two, those from one to the other."""
    chosen = (x >= low) if low == high else (x >= low) & (x <= high)
    return np.where(chosen, as_type(255 - x.astype(np.float64), x.dtype), x)


class GaussianBlur(ImageOperation):
    """The image blurred; sizes and sigmas along x, then y."""

    takes = takes("2 3", "", "-int8 int32 float16 uint32 int64 uint64")

    def __init__(self, kernel_size: Any, sigma: Any = None) -> None:
        sizes = (kernel_size,) if isinstance(kernel_size, int) else kernel_size
        checks.pair(self.name, "kernel_size", sizes, int, lengths=(1, 2))
        for size in sizes:
            checks.whole(self.name, "kernel_size", size, 1)
            if size % 2 == 0:
                raise ShapeError(self.name, "kernel_size is even", got=str(size), expected="odd")
        sigmas = (0,) if sigma is None else sigma
        sigmas = (sigmas,) if isinstance(sigmas, int | float) else sigmas
        checks.pair(self.name, "sigma", sigmas, lengths=(1, 2))
        across, down = [checks.number(self.name, "sigma", s) for s in (*sigmas, *sigmas)][:2]
        self.size = sizes[0], sizes[-1]
        self.sigma = across, down if down > 0 else across

    def array(self, x: np.ndarray) -> np.ndarray:
        return filters.blurred(x, self.size, self.sigma)


ORDERS = {
    ConvertMode.COLOR_BGR2BGRA: (3, "0123"),
    ConvertMode.COLOR_BGRA2BGR: (4, "012"),
    ConvertMode.COLOR_BGR2RGBA: (3, "2103"),
    ConvertMode.COLOR_RGBA2BGR: (4, "210"),
    ConvertMode.COLOR_BGR2RGB: (3, "210"),
    ConvertMode.COLOR_BGRA2RGBA: (4, "2103"),
    ConvertMode.COLOR_GRAY2BGR: (1, "000"),
    ConvertMode.COLOR_GRAY2BGRA: (1, "0003"),
}
"""How many channels a conversion needs, and which of them it gives; 3 is opaque if missing."""
GREYS = {
    ConvertMode.COLOR_BGR2GRAY: (3, "210"),
    ConvertMode.COLOR_RGB2GRAY: (3, "012"),
    ConvertMode.COLOR_BGRA2GRAY: (4, "210"),
    ConvertMode.COLOR_RGBA2GRAY: (4, "012"),
}
"""The same for conversions to grey: where red, green and blue are."""


class ConvertColor(ImageOperation):
    """The image with its channels in another order, or as grey."""

    takes = takes("2 3", "", "uint8 uint16 float32 bool")

    def __init__(self, convert_mode: ConvertMode) -> None:
        self.convert_mode = checks.choice(self.name, "convert_mode", convert_mode, ConvertMode)

    def array(self, x: np.ndarray) -> np.ndarray:
        needed, order = (ORDERS | GREYS)[self.convert_mode]
        x = x[..., None] if x.ndim == 2 else x
        if x.shape[2] != needed and not (needed == 3 and x.shape[2] == 4):
            got, expected = f"shape {x.shape}", f"{needed} channels"
            raise RefusedError(self.name, "it has other channels", got=got, expected=expected)
        if self.convert_mode in GREYS:
            return colours.grey(x[..., list(map(int, order))])
        opaque = np.iinfo(x.dtype).max if x.dtype.kind in "ui" else 1
        wide = np.full((*x.shape[:2], 4), opaque, x.dtype)
        wide[..., : x.shape[2]] = x[..., :4]
        return wide[..., list(map(int, order))]


class Grayscale(PillowOperation):
    """The image as grey, in one channel or three equal ones."""

    def __init__(self, num_output_channels: int = 1) -> None:
        check_type(self.name, "num_output_channels", num_output_channels, int)
        if num_output_channels not in (1, 3):
            got = str(num_output_channels)
            raise ShapeError(
                self.name, "num_output_channels is not known", got=got, expected="1 or 3"
            )
        self.channels = num_output_channels

    def image(self, x: Any) -> Any:
        return grey_image(x, self.channels)


def grey_image(x: Any, channels: int) -> Any:
    found = x.convert("L")
    return found if channels == 1 else pillow().merge("RGB", (found,) * 3)


class ColourSpace(TensorOperation):
    """Three channels, in the last axis or before height and width, as three others."""

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = check_type(self.name, "is_hwc", is_hwc, bool)

    def checked(self, value: Any) -> np.ndarray:
        if not isinstance(value, np.ndarray):
            raise ElementTypeError(self.name, "it is no array", got=f"a {type(value).__name__}")
        axis = -1 if self.is_hwc else -3
        if value.ndim not in (3, 4) or value.shape[axis] != 3:
            got, expected = f"shape {value.shape}", "3 channels"
            raise ElementTypeError(self.name, "it is no image", got=got, expected=expected)
        return value

    def array(self, x: np.ndarray) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        found = self.colours(np.moveaxis(x, axis, -1))
        return np.ascontiguousarray(np.moveaxis(found, -1, axis))

    def colours(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError(self.name)


class RgbToHsv(ColourSpace):
    """Hue, saturation and value of red, green and blue in [0, 1]."""

    def colours(self, x: np.ndarray) -> np.ndarray:
        return colours.floating_hue(x.astype(np.float64))


class HsvToRgb(ColourSpace):
    """Red, green and blue of hue, saturation and value in [0, 1]."""

    def colours(self, x: np.ndarray) -> np.ndarray:
        wide = x.astype(np.float64)
        return colours.of_sector(wide[..., 0] * 6, wide[..., 1], wide[..., 2])
