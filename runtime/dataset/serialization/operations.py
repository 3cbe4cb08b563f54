"""Operations as JSON: a row for each of those that MindSpore writes with its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...engine.failure import ElementTypeError, ShapeError
from .. import transforms, vision
from ..faults import DataError
from ..transforms.operation import TensorOperation
from .fields import (
    BORDER,
    FLOAT,
    FLOATS,
    INTERPOLATION,
    KIND,
    LEVELS,
    ONE_OR_TWO,
    PERHAPS,
    SHORTER,
    TURNED,
    WHOLES,
    Field,
)


@dataclass(frozen=True)
class Operation:
    """A class of operations; `is_placed`: MindSpore writes where it runs, too."""

    made: type[Any]
    fields: tuple[Field, ...] = ()
    is_placed: bool = False
    name: str = ""

    def written(self, operation: Any) -> dict[str, Any]:
        values = {field.name: field.of(operation) for field in self.fields}
        if self.is_placed:
            values["device_target"] = operation.device_target
        name = self.name or self.made.__name__
        return {"tensor_op_name": name, "tensor_op_params": values or None}

    def read(self, values: Any) -> Any:
        """Raises: KeyError, TypeError or ValueError for arguments that do not fit."""
        given = values or {}
        found = self.made(**dict(field.argument(given) for field in self.fields))
        if self.is_placed and isinstance(given["device_target"], str):  # AdjustContrast's is none
            found.device(given["device_target"])
        return found


FACTOR = "factor"
SIZE = Field("size", WHOLES)
PROB = Field("prob", FLOAT)
FILL = Field("fill_value", WHOLES)
CENTER = Field("center", PERHAPS)
EXPAND = Field("expand")
PADDING = Field("padding", WHOLES)
MODE = Field("padding_mode", BORDER)
IS_HWC = Field("is_hwc")
RESAMPLE = Field("resample", INTERPOLATION)
WAY = Field("interpolation", INTERPOLATION)
NORMAL = (Field("mean", LEVELS), Field("std", LEVELS), IS_HWC)
CONTRAST = (Field("cutoff", FLOAT), Field("ignore", WHOLES))
RESIZED_CROP = (
    SIZE,
    Field("scale", FLOATS),
    Field("ratio", FLOATS),
    WAY,
    Field("max_attempts"),
)

ROWS = (
    Operation(vision.AdjustBrightness, (Field("brightness_factor", FLOAT, FACTOR),), True),
    Operation(vision.AdjustContrast, (Field("contrast_factor", FLOAT, FACTOR),), True),
    Operation(vision.AdjustGamma, (Field("gamma", FLOAT), Field("gain", FLOAT))),
    Operation(vision.AdjustHue, (Field("hue_factor", FLOAT, FACTOR),), True),
    Operation(vision.AdjustSaturation, (Field("saturation_factor", FLOAT, FACTOR),), True),
    Operation(vision.AdjustSharpness, (Field("sharpness_factor", FLOAT, FACTOR),), True),
    Operation(vision.AutoContrast, CONTRAST, True),
    Operation(vision.CenterCrop, (SIZE,)),
    Operation(vision.Crop, (Field("coordinates", TURNED), SIZE), True),
    Operation(vision.CutOut, (Field("length"), Field("num_patches"), IS_HWC)),
    Operation(vision.Equalize, (), True),
    Operation(
        vision.GaussianBlur,
        (Field("kernel_size", ONE_OR_TWO, "size"), Field("sigma", ONE_OR_TWO)),
        True,
    ),
    Operation(vision.HorizontalFlip, (), True),
    Operation(vision.HWC2CHW, name="HwcToChw"),
    Operation(vision.Invert, (), True),
    Operation(vision.MixUpBatch, (Field("alpha", FLOAT),)),
    Operation(vision.Normalize, NORMAL, True),
    Operation(vision.NormalizePad, (*NORMAL, Field("dtype"))),
    Operation(vision.Pad, (PADDING, FILL, MODE), True),
    Operation(vision.Posterize, (Field("bits"),), True),
    Operation(vision.RandomAdjustSharpness, (Field("degree", FLOAT), PROB)),
    Operation(vision.RandomAutoContrast, (*CONTRAST, PROB)),
    Operation(vision.RandomColor, (Field("degrees", FLOATS),)),
    Operation(
        vision.RandomColorAdjust,
        tuple(Field(name, FLOATS) for name in ("brightness", "contrast", "saturation", "hue")),
    ),
    Operation(vision.RandomCrop, (SIZE, PADDING, Field("pad_if_needed"), FILL, MODE)),
    Operation(vision.RandomCropDecodeResize, RESIZED_CROP),
    Operation(vision.RandomEqualize, (PROB,)),
    Operation(vision.RandomHorizontalFlip, (PROB,)),
    Operation(vision.RandomInvert, (PROB,)),
    Operation(vision.RandomLighting, (Field("alpha", FLOAT),)),
    Operation(vision.RandomPosterize, (Field("bits", WHOLES),)),
    Operation(vision.RandomResizedCrop, RESIZED_CROP),
    Operation(vision.RandomRotation, (Field("degrees", FLOATS), RESAMPLE, EXPAND, CENTER, FILL)),
    Operation(vision.RandomSharpness, (Field("degrees", FLOATS),)),
    Operation(vision.RandomSolarize, (Field("threshold", WHOLES),)),
    Operation(vision.RandomVerticalFlip, (PROB,)),
    Operation(vision.Rescale, (Field("rescale", FLOAT), Field("shift", FLOAT))),
    Operation(vision.Resize, (Field("size", SHORTER, "asked"), WAY), True),
    Operation(
        vision.Rotate,
        (Field("degree", FLOAT, "degrees", "degrees"), RESAMPLE, EXPAND, CENTER, FILL),
        True,
    ),
    Operation(vision.Solarize, (Field("threshold", FLOATS),), True),
    Operation(vision.ToTensor, (Field("output_type", KIND),)),
    Operation(vision.VerticalFlip, (), True),
    Operation(transforms.TypeCast, (Field("data_type", KIND),)),
    Operation(transforms.OneHot, (Field("num_classes"), Field("smoothing_rate"))),
)
BY_CLASS = {row.made: row for row in ROWS}
BY_NAME = {row.name or row.made.__name__: row for row in ROWS}


def written(operation: Callable[..., Any]) -> dict[str, Any] | None:
    """An operation as JSON; None if nothing could make it of that again."""
    kind = type(operation)
    if isinstance(operation, vision.Decode) and not operation.to_pil:
        values = {"device_target": operation.device_target, "rgb": True}
        return {"tensor_op_name": "Decode", "tensor_op_params": values}
    if kind is vision.ToType:
        return BY_CLASS[transforms.TypeCast].written(operation)
    return BY_CLASS[kind].written(operation) if kind in BY_CLASS else None


def named(operation: Callable[..., Any]) -> str:
    """What a function or operation is called."""
    if isinstance(operation, TensorOperation):
        return operation.name
    return str(getattr(operation, "__name__", type(operation).__name__))


def read(where: str, found: Any) -> Any:
    """An operation of its JSON. Raises: RuntimeError (MS314)"""
    name = str(found.get("tensor_op_name")) if isinstance(found, dict) else ""
    values = found.get("tensor_op_params") if isinstance(found, dict) else None
    if "python_module" in (found or ()) or (name != "Decode" and name not in BY_NAME):
        advice = "map(...) with the operation itself, after deserialize"
        problem = "an operation cannot be made of what is written of it"
        raise DataError(where, problem, got=name[:80], advice=advice)
    try:
        return vision.Decode() if name == "Decode" else BY_NAME[name].read(values)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise badly_written(where, name, error) from error


def badly_written(where: str, name: str, error: Exception) -> DataError:
    """What is said of arguments that do not fit."""
    if isinstance(error, ElementTypeError | ShapeError):
        got = f"{error.problem} {error.got}".strip()
    else:
        got = f"{type(error).__name__}: {error}"
    return DataError(where, f"the arguments of {name} cannot be used", got=got[:200])
