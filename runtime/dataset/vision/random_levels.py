"""How bright and how coloured pixels are, by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...engine.failure import ElementTypeError
from .. import chance
from ..images.resizing import as_type
from ..transforms.operation import takes
from . import checks, levels
from .operation import ImageOperation, PillowOperation, pillow

LIGHT = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ]
)
"""How the light varies over ImageNet: eigenvectors of its colours times their eigenvalues."""


class Perhaps(ImageOperation):
    """An operation that is done with a probability."""

    takes = levels.BYTES

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.probability(self.name, prob)

    def array(self, x: np.ndarray) -> np.ndarray:
        return self.changed(x) if chance.happens(self.prob) else x

    def changed(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError(self.name)


class RandomAutoContrast(Perhaps):
    """The image, or the image with its levels spread over all there are."""

    def __init__(self, cutoff: float = 0.0, ignore: Any = None, prob: float = 0.5) -> None:
        super().__init__(prob)
        self.cutoff, self.ignore = levels.checked_contrast(self.name, cutoff, ignore)

    def changed(self, x: np.ndarray) -> np.ndarray:
        return levels.spread(x, self.cutoff, self.ignore)


class RandomEqualize(Perhaps):
    """The image, or the image in which all levels are about as frequent."""

    def changed(self, x: np.ndarray) -> np.ndarray:
        return levels.equalized(x)


class RandomInvert(Perhaps):
    """The image, or its negative."""

    takes = levels.Invert.takes

    def changed(self, x: np.ndarray) -> np.ndarray:
        return levels.Invert().array(x)


class RandomAdjustSharpness(Perhaps):
    """The image, or the image made sharper or smoother."""

    takes = levels.AdjustSharpness.takes

    def __init__(self, degree: float, prob: float = 0.5) -> None:
        super().__init__(prob)
        self.degree = checks.number(self.name, "degree", degree)

    def changed(self, x: np.ndarray) -> np.ndarray:
        return levels.sharpened(x, self.degree)


def checked_strengths(where: str, degrees: Any) -> tuple[float, float]:
    """The least and the largest strength of an effect."""
    if not isinstance(degrees, tuple | list):
        raise ElementTypeError(
            where, "degrees are no range", got=repr(degrees), expected="(least, most)"
        )
    low, high = checks.span(where, "degrees", degrees)
    return low, high


class RandomColor(ImageOperation):
    """The image with its colours stronger or paler."""

    takes = levels.COLOUR

    def __init__(self, degrees: Any = (0.1, 1.9)) -> None:
        self.degrees = checked_strengths(self.name, degrees)

    def array(self, x: np.ndarray) -> np.ndarray:
        return levels.saturated(x, chance.uniform(*self.degrees))

    def image(self, x: Any) -> Any:
        return levels.enhanced("Color", x, chance.uniform(*self.degrees))


class RandomSharpness(ImageOperation):
    """The image made sharper or smoother."""

    takes = levels.AdjustSharpness.takes

    def __init__(self, degrees: Any = (0.1, 1.9)) -> None:
        self.degrees = checked_strengths(self.name, degrees)

    def array(self, x: np.ndarray) -> np.ndarray:
        return levels.sharpened(x, chance.uniform(*self.degrees))

    def image(self, x: Any) -> Any:
        return levels.enhanced("Sharpness", x, chance.uniform(*self.degrees))


class RandomColorAdjust(ImageOperation):
    """The image with brightness, contrast, saturation and hue changed, each within its range."""

    takes = levels.COLOUR

    def __init__(
        self,
        brightness: Any = (1, 1),
        contrast: Any = (1, 1),
        saturation: Any = (1, 1),
        hue: Any = (0, 0),
    ) -> None:
        self.brightness = checked_factors(self.name, "brightness", brightness)
        self.contrast = checked_factors(self.name, "contrast", contrast)
        self.saturation = checked_factors(self.name, "saturation", saturation)
        self.hue = checked_turns(self.name, hue)

    def steps(self) -> Iterator[tuple[Callable[..., Any], str, float]]:
        """In random order: what is done to an array, the operation for Pillow's images, and how
        strongly. What changes nothing is left out, and draws nothing."""
        every: list[tuple[Callable[..., Any], str, tuple[float, float]]] = [
            (levels.brightened, "AdjustBrightness", self.brightness),
            (levels.contrasted, "AdjustContrast", self.contrast),
            (levels.saturated, "AdjustSaturation", self.saturation),
            (levels.hued, "AdjustHue", self.hue),
        ]
        for place in chance.order(len(every)):
            function, name, span = every[place]
            nothing = 0 if name == "AdjustHue" else 1
            if span != (nothing, nothing):
                yield function, name, chance.uniform(*span)

    def array(self, x: np.ndarray) -> np.ndarray:
        for function, _, factor in self.steps():
            x = function(x, factor)
        return x

    def image(self, x: Any) -> Any:
        for _, name, factor in self.steps():
            x = getattr(levels, name)(factor).image(x)
        return x


def checked_factors(where: str, name: str, value: Any) -> tuple[float, float]:
    """A range around 1, of how far it reaches or of its ends."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        far = checks.number(where, name, value)
        return max(0.0, 1 - far), 1 + far
    low, high = checks.span(where, name, value)
    return low, high


def checked_turns(where: str, value: Any) -> tuple[float, float]:
    """A range around 0."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        far = checks.number(where, "hue", value, 0, 0.5)
        return -far, far
    low, high = checks.span(where, "hue", value, -0.5, 0.5)
    return low, high


class RandomPosterize(ImageOperation):
    """The image with fewer bits of each level."""

    takes = levels.Posterize.takes

    def __init__(self, bits: Any = (8, 8)) -> None:
        if isinstance(bits, int) and not isinstance(bits, bool):
            bits = bits, bits
        checks.pair(self.name, "bits", bits, int)
        self.bits = checks.span(self.name, "bits", bits, 1, 8)

    def array(self, x: np.ndarray) -> np.ndarray:
        return levels.Posterize(chance.whole(*self.bits)).array(x)


class RandomSolarize(ImageOperation):
    """The image with the levels of a random range inverted."""

    takes = levels.Solarize.takes

    def __init__(self, threshold: Any = (0, 255)) -> None:
        checks.pair(self.name, "threshold", threshold, int)
        self.threshold = checks.span(self.name, "threshold", threshold, 0, 255)

    def array(self, x: np.ndarray) -> np.ndarray:
        low, high = sorted(chance.whole(*self.threshold) for _ in "ab")
        return levels.solarized(x, low, high)


class RandomLighting(ImageOperation):
    """The image in another light, as the light varies over ImageNet."""

    takes = takes("3", "3", "-uint32 int64 uint64")

    def __init__(self, alpha: float = 0.05) -> None:
        self.alpha = checks.number(self.name, "alpha", alpha)

    def array(self, x: np.ndarray) -> np.ndarray:
        light = LIGHT @ [chance.normal(self.alpha) for _ in range(3)]
        return as_type(x.astype(np.float64) + light, x.dtype)

    def image(self, x: Any) -> Any:
        return pillow().fromarray(self.array(np.asarray(x.convert("RGB"))))


class RandomGrayscale(PillowOperation):
    """The image, or the image as grey."""

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = checks.probability(self.name, prob)

    def image(self, x: Any) -> Any:
        channels = 1 if x.mode == "L" else 3
        return levels.grey_image(x, channels) if chance.happens(self.prob) else x
