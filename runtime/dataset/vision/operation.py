"""What image operations have in common: arrays are computed as OpenCV does, images by Pillow."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ...engine.failure import ElementTypeError, MissingNameError
from ..transforms.composed import not_random as marked
from ..transforms.operation import TensorOperation, is_image
from .settings import Inter


def pillow(module: str = "Image") -> ModuleType:
    """A module of Pillow's. Raises: MS301 where it is not installed."""
    try:
        return importlib.import_module(f"PIL.{module}")
    except ModuleNotFoundError as error:
        advice = "install it: the extra msconvert[vision] has it"
        raise MissingNameError(
            "mindspore.dataset.vision", "it needs Pillow for this", advice=advice
        ) from error


def filter_of(where: str, interpolation: Inter) -> Any:
    """Pillow's name of an interpolation. Raises: TypeError (MS304) for those it has not."""
    names = {
        Inter.NEAREST: "NEAREST",
        Inter.ANTIALIAS: "LANCZOS",
        Inter.LINEAR: "BILINEAR",
        Inter.CUBIC: "BICUBIC",
    }
    if interpolation not in names:
        refuse_interpolation(where, interpolation, "images of Pillow's")
    return getattr(pillow().Resampling, names[interpolation])


def refuse_interpolation(where: str, interpolation: Inter, subject: str) -> None:
    problem = f"the interpolation is not there for {subject}"
    raise ElementTypeError(where, problem, got=interpolation.name)


class ImageOperation(TensorOperation):
    """An operation on an image: an array, or one of Pillow's if `image` says how."""

    image: ClassVar[Callable[..., Any] | None] = None

    def __call__(self, *values: Any) -> Any:
        for value in values:
            if not isinstance(value, np.ndarray) and not is_image(value):
                got = f"a {type(value).__name__}"
                expected = "an array or an image of Pillow's"
                raise ElementTypeError(self.name, "it is no image", got=got, expected=expected)
        if len(values) == 1 and self.image is not None and is_image(values[0]):
            return self.image(values[0])
        return super().__call__(*map(np.asarray, values))


class PillowOperation(TensorOperation):
    """An operation on images of Pillow's only."""

    def __call__(self, *values: Any) -> Any:
        if len(values) != 1 or not is_image(values[0]):
            got = ", ".join(f"a {type(value).__name__}" for value in values)
            advice = "put Decode(to_pil=True) or ToPIL() before it"
            raise ElementTypeError(
                self.name, "it is no image of Pillow's", got=got, expected="one", advice=advice
            )
        return self.image(values[0])

    def image(self, x: Any) -> Any:
        """What becomes of one image."""
        raise NotImplementedError(self.name)


def not_random(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function, marked as one that gives the same for the same."""
    return marked(func)
