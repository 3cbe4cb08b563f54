"""Causes in pools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..layers.convolution import Pads
from ..layers.layer import Layer
from ..layers.pooling import AdaptivePool, AvgPool, LpPool, MaxPool, Pool
from ..reading.description import same_pads
from .case import Case, Cause, Trial
from .convolution import as_text, other_numbers, pads_by_likelihood, shown


def fits(layer: Pool, case: Case) -> bool:
    """Whether the sizes are those of the candidate's output."""
    axes = len(layer.kernel)
    places = layer.places(case.inputs[0].shape[-axes:])
    return tuple(case.wanted[0].shape[-axes:]) == tuple(places)


def ceil_mode(layer: Pool, case: Case) -> Iterator[Trial]:
    changed = replace(layer, ceil_mode=not layer.ceil_mode)
    if fits(changed, case):
        yield case.varied(f"ceil_mode is {layer.ceil_mode} (here: {not layer.ceil_mode})", changed)


def count_include_pad(layer: AvgPool, case: Case) -> Iterator[Trial]:
    counted = layer.count_include_pad
    changed = replace(layer, count_include_pad=not counted)
    yield case.varied(f"count_include_pad is {counted} (here: {not counted})", changed)


def divisor(layer: AvgPool, case: Case) -> Iterator[Trial]:
    """Another one, or the window's size even where part of it lies outside."""
    if layer.divisor_override is not None:
        text = f"divisor_override is {layer.divisor_override} (here: not given)"
        yield case.varied(text, replace(layer, divisor_override=None))
    whole = int(np.prod(layer.kernel))
    for number in {whole, 1, *range(1, whole + 2)} - {layer.divisor_override}:
        text = f"windows are divided as on the reference (here: all of them by {number})"
        yield case.varied(text, replace(layer, divisor_override=number))


def padding(layer: Pool, case: Case) -> Iterator[Trial]:
    own = as_text(layer.padding)
    seen = {layer.padding}
    axes = len(layer.kernel)
    upper = same_pads(case.inputs[0].shape[-axes:], layer.kernel, layer.stride, layer.spread)
    lower: Pads = tuple((b, a) for a, b in upper)
    for pads in (upper, lower, *pads_by_likelihood(axes)):
        changed = replace(layer, padding=pads)
        if pads not in seen and fits(changed, case):
            named = "pad_mode 'same', " if pads == upper else ""
            text = f"the padding is {own} (here: {named}{as_text(pads)})"
            yield from with_counts(changed, case, text)
        seen.add(pads)


def with_counts(layer: Pool, case: Case, text: str) -> Iterator[Trial]:
    """Of a mean also without counting the padding, as MindSpore's pad_mode 'same' has it."""
    yield case.varied(text, layer)
    if isinstance(layer, AvgPool) and layer.count_include_pad:
        yield case.varied(text, replace(layer, count_include_pad=False))


def stride(layer: Pool, case: Case) -> Iterator[Trial]:
    for steps in (layer.kernel, *other_numbers(layer.stride)):
        changed = replace(layer, stride=steps)
        if steps != layer.stride and fits(changed, case):
            default = ", MindSpore's default" if set(steps) == {1} else ""
            text = f"the stride is {shown(layer.stride)} (here: {shown(steps)}{default})"
            yield case.varied(text, changed)


def kernel(layer: Pool, case: Case) -> Iterator[Trial]:
    for sizes in other_numbers(layer.kernel):
        changed = replace(layer, kernel=sizes)
        if sizes != layer.kernel and fits(changed, case):
            text = f"the kernel is {shown(layer.kernel)} (here: {shown(sizes)})"
            yield case.varied(text, changed)


def dilation(layer: MaxPool, case: Case) -> Iterator[Trial]:
    for steps in other_numbers(layer.spread):
        changed = replace(layer, dilation=steps)
        if steps != layer.spread and fits(changed, case):
            text = f"the dilation is {shown(layer.spread)} (here: {shown(steps)})"
            yield case.varied(text, changed)


def another_pool(layer: Pool, case: Case) -> Iterator[Trial]:
    own = (layer.kernel, layer.stride, layer.padding, layer.ceil_mode)
    others: list[tuple[str, Layer]] = [
        ("the largest", MaxPool(*own)), ("the mean", AvgPool(*own)), ("the norm", LpPool(*own)),
    ]  # fmt: skip
    names = {MaxPool: "the largest", AvgPool: "the mean", LpPool: "the norm"}
    name = names.get(type(layer), "")
    for other, made in others:
        if other != name:
            yield case.varied(f"it takes {name} of each window (here: {other})", made)


def norm(layer: LpPool, case: Case) -> Iterator[Trial]:
    for p in (1.0, 2.0, 3.0, 4.0):
        if p != layer.p:
            text = f"norm_type is {layer.p:g} (here: {p:g})"
            yield case.varied(text, replace(layer, p=p))


def adaptive_kind(layer: AdaptivePool, case: Case) -> Iterator[Trial]:
    names = ("the mean", "the largest")
    own, other = names[layer.largest], names[not layer.largest]
    text = f"it takes {own} of each window (here: {other})"
    yield case.varied(text, replace(layer, largest=not layer.largest))


def adaptive_windows(layer: AdaptivePool, case: Case) -> Iterator[Trial]:
    """Windows of one size and stride, as where the input does not divide evenly they are not."""
    sizes = case.inputs[0].shape[-len(layer.output_size) :]
    wanted = [n if size is None else size for n, size in zip(sizes, layer.output_size, strict=True)]
    if any(m < 1 or m > n for n, m in zip(sizes, wanted, strict=True)):
        return
    step = tuple(n // m for n, m in zip(sizes, wanted, strict=True))
    sizes_of_windows = {
        "of one size and stride": tuple(
            n - (m - 1) * s for n, m, s in zip(sizes, wanted, step, strict=True)
        ),
        "that leave the end out": step,
    }
    for how, size in sizes_of_windows.items():
        pads: Pads = ((0, 0),) * len(size)
        made = MaxPool(size, step, pads) if layer.largest else AvgPool(size, step, pads)
        yield case.varied(f"windows are adapted to the input (here: windows {how})", made)


def adaptive_size(layer: AdaptivePool, case: Case) -> Iterator[Trial]:
    got = case.wanted[0].shape[-len(layer.output_size) :]
    text = f"the output size is {layer.output_size} (here: {got})"
    yield case.varied(text, replace(layer, output_size=got))


WINDOWS = (MaxPool, AvgPool, LpPool)

CAUSES = (
    Cause("ceil-mode", "ceil_mode set or not", WINDOWS, ceil_mode, ("ceil_mode",)),
    Cause(
        "count-include-pad",
        "the padding counted in means or not",
        (AvgPool,),
        count_include_pad,
        ("count_include_pad",),
    ),
    Cause("pool-padding", "another padding of a pool", WINDOWS, padding, ("padding",)),
    Cause(
        "pool-stride",
        "another stride of a pool: MindSpore's default is 1",
        WINDOWS,
        stride,
        ("stride",),
    ),
    Cause("pool-kernel", "another kernel size of a pool", WINDOWS, kernel, ("kernel",)),
    Cause("pool-dilation", "another dilation of a pool", (MaxPool,), dilation, ("dilation",)),
    Cause("divisor", "another divisor of means", (AvgPool,), divisor, ("divisor_override",)),
    Cause("another-pool", "another kind of pool", WINDOWS, another_pool),
    Cause("pool-norm", "another norm of a pool", (LpPool,), norm, ("p",)),
    Cause(
        "adaptive-kind",
        "the largest for the mean of adaptive pooling",
        (AdaptivePool,),
        adaptive_kind,
        ("largest",),
    ),
    Cause(
        "adaptive-windows",
        "windows of one size for adaptive ones",
        (AdaptivePool,),
        adaptive_windows,
    ),
    Cause(
        "adaptive-size",
        "another output size of adaptive pooling",
        (AdaptivePool,),
        adaptive_size,
        ("output_size",),
    ),
)
