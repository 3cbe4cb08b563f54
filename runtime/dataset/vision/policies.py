"""Augmentation by policies: learned ones, random ones, and those that users write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import ElementTypeError, ShapeError
from .. import chance
from ..images import warping
from ..transforms.composed import checked_function
from ..transforms.operation import TensorOperation, is_image, takes
from . import checks, levels
from .operation import ImageOperation
from .settings import AutoAugmentPolicy, Inter
from .turns import affine_matrix, kernel_of, rotated

IMAGENET = """
    Posterize .4 8, Rotate .6 9; Solarize .6 5, AutoContrast .6 -; Equalize .8 -, Equalize .6 -;
    Posterize .6 7, Posterize .6 6; Equalize .4 -, Solarize .2 4; Equalize .4 -, Rotate .8 8;
    Solarize .6 3, Equalize .6 -; Posterize .8 5, Equalize 1 -; Rotate .2 3, Solarize .6 8;
    Equalize .6 -, Posterize .4 6; Rotate .8 8, Color .4 0; Rotate .4 9, Equalize .6 -;
    Equalize 0 -, Equalize .8 -; Invert .6 -, Equalize 1 -; Color .6 4, Contrast 1 8;
    Rotate .8 8, Color 1 2; Color .8 8, Solarize .8 7; Sharpness .4 7, Invert .6 -;
    ShearX .6 5, Equalize 1 -; Color .4 0, Equalize .6 -; Equalize .4 -, Solarize .2 4;
    Solarize .6 5, AutoContrast .6 -; Invert .6 -, Equalize 1 -; Color .6 4, Contrast 1 8;
    Equalize .8 -, Equalize .6 -
"""
CIFAR10 = """
    Invert .1 -, Contrast .2 6; Rotate .7 2, TranslateX .3 9; Sharpness .8 1, Sharpness .9 3;
    ShearY .5 8, TranslateY .7 9; AutoContrast .5 -, Equalize .9 -; ShearY .2 7, Posterize .3 7;
    Color .4 3, Brightness .6 7; Sharpness .3 9, Brightness .7 9; Equalize .6 -, Equalize .5 -;
    Contrast .6 7, Sharpness .6 5; Color .7 7, TranslateX .5 8; Equalize .3 -, AutoContrast .4 -;
    TranslateY .4 3, Sharpness .2 6; Brightness .9 6, Color .2 8; Solarize .5 2, Invert 0 -;
    Equalize .2 -, AutoContrast .6 -; Equalize .2 -, Equalize .6 -; Color .9 9, Equalize .6 -;
    AutoContrast .8 -, Solarize .2 8; Brightness .1 3, Color .7 0; Solarize .4 5, AutoContrast .9 -;
    TranslateY .9 9, TranslateY .7 9; AutoContrast .9 -, Solarize .8 3; Equalize .8 -, Invert .1 -;
    TranslateY .7 9, AutoContrast .9 -
"""
SVHN = """
    ShearX .9 4, Invert .2 -; ShearY .9 8, Invert .7 -; Equalize .6 -, Solarize .6 6;
    Invert .9 -, Equalize .6 -; Equalize .6 -, Rotate .9 3; ShearX .9 4, AutoContrast .8 -;
    ShearY .9 8, Invert .4 -; ShearY .9 5, Solarize .2 6; Invert .9 -, AutoContrast .8 -;
    Equalize .6 -, Rotate .9 3; ShearX .9 4, Solarize .3 3; ShearY .8 8, Invert .7 -;
    Equalize .9 -, TranslateY .6 6; Invert .9 -, Equalize .6 -; Contrast .3 3, Rotate .8 4;
    Invert .8 -, TranslateY 0 2; ShearY .7 6, Solarize .4 8; Invert .6 -, Rotate .8 4;
    ShearY .3 7, TranslateX .9 3; ShearX .1 6, Invert .6 -; Solarize .7 2, TranslateY .6 7;
    ShearY .8 4, Invert .8 -; ShearX .7 9, TranslateY .8 3; ShearY .8 5, AutoContrast .7 -;
    ShearX .7 2, Invert .1 -
"""
"""Pairs of steps: name, probability, magnitude in 0..9. Source: arXiv 1805.09501, its policies"""

POLICIES = {
    AutoAugmentPolicy.IMAGENET: IMAGENET,
    AutoAugmentPolicy.CIFAR10: CIFAR10,
    AutoAugmentPolicy.SVHN: SVHN,
}
Step = tuple[str, float, int]

SIGNED = frozenset(
    "ShearX ShearY TranslateX TranslateY Rotate Brightness Color Contrast Sharpness".split()
)
"""What may also be done the other way."""
ENHANCERS = {
    "Brightness": levels.brightened,
    "Color": levels.saturated,
    "Contrast": levels.contrasted,
    "Sharpness": levels.sharpened,
}
RANDOM_STEPS = (
    "Identity ShearX ShearY TranslateX TranslateY Rotate Brightness Color Contrast Sharpness "
    "Posterize Solarize AutoContrast Equalize"
).split()


def steps_of(text: str) -> list[list[Step]]:
    """The sub-policies that a text lists."""
    found = []
    for line in text.replace("\n", " ").split(";"):
        words = [step.split() for step in line.split(",")]
        found.append([(n, float(p), 0 if m == "-" else int(m)) for n, p, m in words])
    return found


class PolicyOperation(ImageOperation):
    """An operation that does random steps to an image of bytes."""

    takes = takes("3", "3", "uint8")

    def settle(self, interpolation: Inter, fill_value: Any) -> None:
        """Keeps what all policies are told."""
        self.interpolation = checks.choice(self.name, "interpolation", interpolation, Inter)
        self.fill_value = checks.fill(self.name, fill_value)

    def done(self, x: np.ndarray, step: str, magnitude: float) -> np.ndarray:
        """The image after one step."""
        if step in ("Identity", "AutoContrast", "Equalize", "Invert"):
            functions = {"AutoContrast": levels.spread, "Equalize": levels.equalized}
            function = functions.get(step, lambda image: 255 - image if step == "Invert" else image)
            return np.asarray(function(x))
        if step in ENHANCERS:
            return ENHANCERS[step](x, 1.0 + magnitude)
        if step == "Posterize":
            return levels.Posterize(int(magnitude)).array(x)
        if step == "Solarize":
            return levels.solarized(x, magnitude, magnitude)
        kernel = kernel_of(self.name, self.interpolation)
        if step == "Rotate":
            return rotated(x, magnitude, kernel, False, None, self.fill_value[::-1])
        return self.moved(x, step, magnitude, kernel)

    def moved(self, x: np.ndarray, step: str, magnitude: float, kernel: str) -> np.ndarray:
        """The image sheared or shifted along an axis."""
        h, w = x.shape[:2]
        along = np.array([step.endswith("X"), step.endswith("Y")], np.float64)
        is_shear = step.startswith("Shear")
        shear = along * (math.degrees(math.atan(magnitude)) if is_shear else 0)
        shift = along * (0 if is_shear else int(magnitude))
        matrix = affine_matrix(0.0, (shift[0], shift[1]), 1.0, shear, (h, w))
        return warping.affine(x, matrix, (h, w), kernel, self.fill_value)


def magnitudes(step: str, bins: int, size: tuple[int, int], is_wide: bool = False) -> np.ndarray:
    """The strengths of a step, weakest first. Shapes: -> (bins,)"""
    h, w = size
    most = {
        "ShearX": 0.99 if is_wide else 0.3,
        "ShearY": 0.99 if is_wide else 0.3,
        "TranslateX": 32.0 if is_wide else 150.0 / 331.0 * w,
        "TranslateY": 32.0 if is_wide else 150.0 / 331.0 * h,
        "Rotate": 135.0 if is_wide else 30.0,
    }
    if step in most or step in ENHANCERS:
        return np.linspace(0, most.get(step, 0.99 if is_wide else 0.9), bins)
    if step == "Posterize":
        return 8 - np.rint(np.arange(bins) / ((bins - 1) / (6 if is_wide else 4)))
    if step == "Solarize":
        return np.linspace(255, 0, bins)
    return np.zeros(bins)


def either_way(step: str, magnitude: float) -> float:
    return -magnitude if step in SIGNED and chance.happens(0.5) else magnitude


class AutoAugment(PolicyOperation):
    """The image after one of the pairs of steps that were learned for a data set."""

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        check_type(self.name, "policy", policy, AutoAugmentPolicy)
        self.policy = steps_of(POLICIES[policy])
        self.settle(interpolation, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        for step, probability, place in self.policy[chance.whole(0, len(self.policy) - 1)]:
            if chance.happens(probability):
                strength = float(magnitudes(step, 10, x.shape[:2])[place])
                x = self.done(x, step, either_way(step, strength))
        return x


class RandAugment(PolicyOperation):
    """The image after so many random steps of one strength."""

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        self.num_ops = checks.whole(self.name, "num_ops", num_ops, 0, checks.LARGEST)
        self.magnitude = checks.whole(self.name, "magnitude", magnitude, 0, checks.LARGEST)
        self.bins = checks.whole(self.name, "num_magnitude_bins", num_magnitude_bins, 2)
        if self.magnitude >= self.bins:
            got, expected = str(magnitude), f"below num_magnitude_bins, {self.bins}"
            raise ShapeError(self.name, "magnitude is out of range", got=got, expected=expected)
        self.settle(interpolation, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        for _ in range(self.num_ops):
            step = RANDOM_STEPS[chance.whole(0, len(RANDOM_STEPS) - 1)]
            strength = float(magnitudes(step, self.bins, x.shape[:2])[self.magnitude])
            x = self.done(x, step, either_way(step, strength))
        return x


class TrivialAugmentWide(PolicyOperation):
    """The image after one random step of random strength."""

    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        self.bins = checks.whole(self.name, "num_magnitude_bins", num_magnitude_bins, 2)
        self.settle(interpolation, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        step = RANDOM_STEPS[chance.whole(0, len(RANDOM_STEPS) - 1)]
        strengths = magnitudes(step, self.bins, x.shape[:2], is_wide=True)
        strength = float(strengths[chance.whole(0, self.bins - 1)])
        return self.done(x, step, either_way(step, strength))


class UniformAugment(TensorOperation):
    """The image after some of the operations, each done with a random probability."""

    def __init__(self, transforms: Any, num_ops: int = 2) -> None:
        check_type(self.name, "num_ops", num_ops, int)
        checks.positive(self.name, "num_ops", num_ops)
        check_type(self.name, "transforms", transforms, list, tuple)
        if not transforms or num_ops > len(transforms):
            got, expected = f"{len(transforms)} transforms", f"at least num_ops, {num_ops}"
            raise ShapeError(self.name, "there are too few", got=got, expected=expected)
        self.transforms = [checked_function(self.name, "transforms", t) for t in transforms]
        self.num_ops = num_ops

    def __call__(self, *values: Any) -> Any:
        x = values[0] if is_image(values[0]) else self.checked(values[0])
        for place in chance.sample(len(self.transforms), self.num_ops):
            if chance.whole(0, 1) == 0:
                with chance.part(place):
                    x = self.transforms[place](x)
        return x


class RandomSelectSubpolicy(TensorOperation):
    """The image after one list of operations, each done with its own probability."""

    def __init__(self, policy: Any) -> None:
        check_type(self.name, "policy", policy, list)
        if not policy:
            raise ShapeError(self.name, "policy is empty", expected="at least one list")
        self.policy = [self.checked_steps(steps) for steps in policy]

    def checked_steps(self, steps: Any) -> Sequence[tuple[Any, float]]:
        check_type(self.name, "policy", steps, list)
        if not steps:
            raise ShapeError(self.name, "a list of the policy is empty")
        for step in steps:
            if not isinstance(step, tuple) or len(step) != 2:
                raise ElementTypeError(
                    self.name,
                    "a step is of a wrong type",
                    got=repr(step),
                    expected="(operation, probability)",
                )
            checked_function(self.name, "policy", step[0])
            checks.probability(self.name, step[1])
        return list(steps)

    def array(self, x: np.ndarray) -> Any:
        for place, (operation, probability) in enumerate(
            self.policy[chance.whole(0, len(self.policy) - 1)]
        ):
            if chance.happens(probability):
                with chance.part(place):
                    x = operation(x)
        return x
