"""Causes where images are resized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..layers.resizing import ROUNDINGS, Resize
from .case import Case, Cause, Fact, Trial

TENTHS = [k / 10 for k in range(1, 81)]
"""The scales that are tried."""

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
            fact = Fact("places are", own, told)
            yield case.varied(fact, replace(layer, coordinates=name))


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
                yield case.varied(Fact("the nearest is by", own, told), changed)


def scales(layer: Resize, case: Case) -> Iterator[Trial]:
    """The scale that was given against the ratio of the sizes."""
    if layer.scales is not None:
        fact = Fact("places follow", "from the scale given", "from the sizes, recomputed")
        yield case.varied(fact, replace(layer, scales=None))
    old = case.inputs[0].shape[-len(layer.sizes) :]
    for scale in TENTHS if layer.scales is None else ():
        given = (scale,) * len(old)
        if [int(n * scale) for n in old] == list(layer.sizes):
            fact = Fact("places follow", "from the sizes", f"from a scale of {scale:g}")
            yield case.varied(fact, replace(layer, scales=given))


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
            yield case.varied(Fact("the mode is", layer.mode, name), changed)


def cubic(layer: Resize, case: Case) -> Iterator[Trial]:
    if layer.mode == "cubic":
        for a in (-0.5, -0.75):
            if a != layer.cubic:
                fact = Fact("the cubic coefficient is", f"{layer.cubic:g}", f"{a:g}")
                yield case.varied(fact, replace(layer, cubic=a))
        outside = not layer.exclude_outside
        ways = ("as the border", "not at all")
        fact = Fact("what lies outside counts", ways[not outside], ways[outside])
        yield case.varied(fact, replace(layer, exclude_outside=outside))


def antialias(layer: Resize, case: Case) -> Iterator[Trial]:
    if layer.mode in ("linear", "cubic"):
        fact = Fact("antialias is", layer.antialias, not layer.antialias)
        yield case.varied(fact, replace(layer, antialias=not layer.antialias))


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
