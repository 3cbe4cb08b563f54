"""The hyper-parameters of two layers that answer to each other, in the same words."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...numerics.limits import OF_OPTIONS
from ..compare.records import LayerPair
from .causes.convolution import as_text
from .hypothesis import OptionDifference
from .layers.layer import Layer
from .reading import Description, describe


@dataclass(frozen=True)
class Default:
    """What the frameworks do where an option is not given, where they are not of one mind."""

    torch: str
    mindspore: str


DEFAULTS: dict[tuple[str, str], Default] = {
    ("LayerNorm", "eps"): Default("1e-05", "1e-07"),
    ("LeakyReLU", "slope"): Default("0.01", "0.2"),
    ("Activation", "function"): Default("GELU by erf", "GELU by tanh"),
    ("Convolution", "padding"): Default("0", "pad_mode 'same'"),
    ("Convolution", "bias"): Default("True", "has_bias=False"),
    ("TransposedConvolution", "padding"): Default("0", "pad_mode 'same'"),
    ("TransposedConvolution", "bias"): Default("True", "has_bias=False"),
    ("MaxPool", "stride"): Default("the kernel's size", "1"),
    ("AvgPool", "stride"): Default("the kernel's size", "1"),
    ("InstanceNorm", "weight"): Default("affine=False", "affine=True"),
}
"""By layer and field."""

WITHOUT_PADDING = ("count_include_pad", "padding_mode")
"""Options that mean nothing where nothing is padded."""


def compare_options(pair: LayerPair) -> tuple[OptionDifference, ...]:
    """The options that differ, of those that both sides tell."""
    ours, theirs = describe(pair.reference), describe(pair.candidate)
    if ours is None or theirs is None or ours.layer is not theirs.layer:
        return ()
    with_mindspore = pair.candidate.kind.startswith("mindspore.nn.")  # mint has PyTorch's meanings
    return tuple(differences(ours, theirs, with_mindspore))


def differences(
    ours: Description, theirs: Description, with_mindspore: bool
) -> Iterator[OptionDifference]:
    for field in dataclasses.fields(ours.layer):
        name = field.name
        if name not in ours.values or name not in theirs.values:
            continue
        a, b = told(ours.values[name]), told(theirs.values[name])
        if same(a, b) or is_idle(name, ours, theirs):
            continue
        text = f"{name}: {shown(a)} on the reference, {shown(b)} here"
        note = note_on(ours.layer, name, a, b) if with_mindspore else ""
        yield OptionDifference(name, text + note, a, b)


def told(value: Any) -> Any:
    """Of an array, that there is one; of parts of a layer, nothing but their number."""
    if isinstance(value, np.ndarray) or dataclasses.is_dataclass(value):
        return "given"
    if isinstance(value, tuple) and not all(isinstance(n, SIMPLE) for n in flat(value)):
        return len(value)
    return value


SIMPLE = (bool, int, float, str, type(None))


def flat(value: Any) -> Iterator[Any]:
    for part in value:
        if isinstance(part, tuple):
            yield from flat(part)
        else:
            yield part


def same(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return bool(a) == bool(b)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=OF_OPTIONS)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def is_idle(name: str, ours: Description, theirs: Description) -> bool:
    """Whether an option that differs means nothing beside the others."""
    if name in WITHOUT_PADDING:
        every = [side.values.get("padding", ()) for side in (ours, theirs)]
        return not any(n for padding in every for pair in padding for n in pair)
    if name == "norm_type":
        return all(side.values.get("max_norm") is None for side in (ours, theirs))
    if name in ("rounding", "cubic", "exclude_outside", "antialias"):
        mode = "nearest" if name == "rounding" else "cubic"
        return ours.values.get("mode") != mode and name != "antialias"
    return name == "scales" and same_scales(ours, theirs)


def same_scales(ours: Description, theirs: Description) -> bool:
    """Where one side goes by the ratio of the sizes: whether the scale given is that ratio."""
    given = ours.values["scales"] or theirs.values["scales"]
    sizes = ours.values["sizes"]
    return all(float(n / s).is_integer() for n, s in zip(sizes, given, strict=True))


def shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if is_pads(value):
        return as_text(value)
    return "none" if value is None else str(value)


def is_pads(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(n, tuple) and len(n) == 2 for n in value)


def note_on(layer: type[Layer], name: str, a: Any, b: Any) -> str:
    """Where the difference comes from, if the frameworks' defaults or meanings differ."""
    if name == "momentum" and a is not None and b is not None:
        written = f"write {1 - a:g}, not {1 - b:g}"
        return f" (MindSpore's is 1 minus that, the weight of the old statistics: {written})"
    default = DEFAULTS.get((layer.__name__, name))
    if default is None or (name == "function" and "GELU" not in f"{a} {b}"):
        return ""
    return f" (MindSpore's default is {default.mindspore}, PyTorch's {default.torch})"
