"""Causes where images are resized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..layers.resizing import ROUNDINGS, Resize
from .case import Case, Cause, Trial

COORDINATES = {
    "half_pixel": "half_pixel, align_corners=False",
    "align_corners": "align_corners=True",
    "asymmetric": "asymmetric",
    "pytorch_half_pixel": "pytorch_half_pixel",
}


def coordinates(layer: Resize, case: Case) -> Iterator[Trial]:
    own = COORDINATES[layer.coordinates]
    for name, told in COORDINATES.items():
        if name != layer.coordinates and layer.mode != "nearest":
            text = f"places are {own} (here: {told})"
            yield case.varied(text, replace(layer, coordinates=name))


def nearest(layer: Resize, case: Case) -> Iterator[Trial]:
    """Which element is the nearest: coordinates and rounding together."""
    if layer.mode != "nearest":
        return
    own = f"{layer.coordinates}, {layer.rounding}"
    for name in COORDINATES:
        for rounding in ROUNDINGS:
            told = f"{name}, {rounding}"
            if told != own:
                changed = replace(layer, coordinates=name, rounding=rounding)
                yield case.varied(f"the nearest is by {own} (here: {told})", changed)


def scales(layer: Resize, case: Case) -> Iterator[Trial]:
    """The scale that was given against the ratio of the sizes."""
    if layer.scales is not None:
        text = "places follow from the scale given (here: from the sizes, recomputed)"
        yield case.varied(text, replace(layer, scales=None))
    old = case.inputs[0].shape[-len(layer.sizes) :]
    for scale in (2.0, 3.0, 1.5, 0.5, 4.0):
        given = (scale,) * len(old)
        if layer.scales is None and [int(n * scale) for n in old] == list(layer.sizes):
            text = f"places follow from the sizes (here: from a scale of {scale:g})"
            yield case.varied(text, replace(layer, scales=given))


def mode(layer: Resize, case: Case) -> Iterator[Trial]:
    ways = {
        "nearest": replace(layer, mode="nearest", coordinates="asymmetric", rounding="floor"),
        "linear": replace(layer, mode="linear", coordinates="half_pixel"),
        "linear, align_corners": replace(layer, mode="linear", coordinates="align_corners"),
        "cubic": replace(layer, mode="cubic", coordinates="half_pixel"),
        "cubic, align_corners": replace(layer, mode="cubic", coordinates="align_corners"),
        "area": replace(layer, mode="area"),
    }
    for name, changed in ways.items():
        if changed.mode != layer.mode:
            yield case.varied(f"the mode is {layer.mode} (here: {name})", changed)


def cubic(layer: Resize, case: Case) -> Iterator[Trial]:
    if layer.mode == "cubic":
        for a in (-0.5, -0.75):
            if a != layer.cubic:
                text = f"the cubic coefficient is {layer.cubic:g} (here: {a:g})"
                yield case.varied(text, replace(layer, cubic=a))
        outside = not layer.exclude_outside
        text = "what lies outside counts as the border (here: not at all)"
        yield case.varied(text, replace(layer, exclude_outside=outside))


def antialias(layer: Resize, case: Case) -> Iterator[Trial]:
    if layer.mode in ("linear", "cubic"):
        text = f"antialias is {layer.antialias} (here: {not layer.antialias})"
        yield case.varied(text, replace(layer, antialias=not layer.antialias))


CAUSES = (
    Cause(
        "align-corners",
        "align_corners set or not; other coordinates",
        (Resize,),
        coordinates,
        ("coordinates",),
    ),
    Cause(
        "nearest",
        "another neighbour taken as the nearest",
        (Resize,),
        nearest,
        ("coordinates", "rounding"),
    ),
    Cause("resize-mode", "another mode of resizing", (Resize,), mode, ("mode",)),
    Cause(
        "resize-scale",
        "places by the scale given, or by the ratio of sizes",
        (Resize,),
        scales,
        ("scales",),
    ),
    Cause("cubic", "another cubic kernel", (Resize,), cubic, ("cubic", "exclude_outside")),
    Cause("antialias", "antialiasing or none", (Resize,), antialias, ("antialias",)),
)
