"""Causes in pools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..layers.convolution import Pads
from ..layers.layer import Layer
from ..layers.pooling import AdaptivePool, AvgPool, LpPool, MaxPool, Pool
from ..reading.description import same_pads
from .case import Case, Cause, Fact, Trial
from .convolution import as_text, other_numbers, pads_by_likelihood, shown


def fits(layer: Pool, case: Case) -> bool:
    """Whether the sizes are those of the candidate's output."""
    axes = len(layer.kernel)
    places = layer.places(case.inputs[0].shape[-axes:])
    return tuple(case.wanted[0].shape[-axes:]) == tuple(places)


def ceil_mode(layer: Pool, case: Case) -> Iterator[Trial]:
    changed = replace(layer, ceil_mode=not layer.ceil_mode)
    if fits(changed, case):
        yield case.varied(Fact("ceil_mode is", layer.ceil_mode, not layer.ceil_mode), changed)


def count_include_pad(layer: AvgPool, case: Case) -> Iterator[Trial]:
    counted = layer.count_include_pad
    changed = replace(layer, count_include_pad=not counted)
    yield case.varied(Fact("count_include_pad is", counted, not counted), changed)


def divisor(layer: AvgPool, case: Case) -> Iterator[Trial]:
    """Another one, or the window's size even where part of it lies outside."""
    if layer.divisor_override is not None:
        fact = Fact("divisor_override is", layer.divisor_override, "not given")
        yield case.varied(fact, replace(layer, divisor_override=None))
    own = "how much is in each" if layer.divisor_override is None else layer.divisor_override
    for number in {*range(1, int(np.prod(layer.kernel)) + 2)} - {layer.divisor_override}:
        fact = Fact("the divisor of windows is", own, number)
        yield case.varied(fact, replace(layer, divisor_override=number))


def padding(layer: Pool, case: Case) -> Iterator[Trial]:
    own = as_text(layer.padding)
    seen = {layer.padding}
    axes = len(layer.kernel)
    upper = same_pads(case.inputs[0].shape[-axes:], layer.kernel, layer.stride, layer.spread)
    lower: Pads = tuple((b, a) for a, b in upper)
    for pads in (upper, lower, *pads_by_likelihood(axes)):
        changed = replace(layer, padding=pads)
        if pads not in seen and fits(changed, case):
            named = ", pad_mode 'same'" if pads == upper else ""
            fact = Fact("the padding is", own, f"{as_text(pads)}{named}")
            yield from with_counts(changed, case, fact)
        seen.add(pads)


def with_counts(layer: Pool, case: Case, fact: Fact) -> Iterator[Trial]:
    """Of a mean also without counting the padding, as MindSpore's pad_mode 'same' has it."""
    yield case.varied(fact, layer)
    if isinstance(layer, AvgPool) and layer.count_include_pad:
        yield case.varied(fact, replace(layer, count_include_pad=False))


def stride(layer: Pool, case: Case) -> Iterator[Trial]:
    for steps in (layer.kernel, *other_numbers(layer.stride)):
        changed = replace(layer, stride=steps)
        if steps != layer.stride and fits(changed, case):
            default = ", MindSpore's default" if set(steps) == {1} else ""
            fact = Fact("the stride is", shown(layer.stride), f"{shown(steps)}{default}")
            yield case.varied(fact, changed)


def kernel(layer: Pool, case: Case) -> Iterator[Trial]:
    for sizes in other_numbers(layer.kernel):
        changed = replace(layer, kernel=sizes)
        if sizes != layer.kernel and fits(changed, case):
            fact = Fact("the kernel is", shown(layer.kernel), shown(sizes))
            yield case.varied(fact, changed)


def dilation(layer: MaxPool, case: Case) -> Iterator[Trial]:
    for steps in other_numbers(layer.spread):
        changed = replace(layer, dilation=steps)
        if steps != layer.spread and fits(changed, case):
            fact = Fact("the dilation is", shown(layer.spread), shown(steps))
            yield case.varied(fact, changed)


def another_pool(layer: Pool, case: Case) -> Iterator[Trial]:
    own = (layer.kernel, layer.stride, layer.padding, layer.ceil_mode)
    size = case.wanted[0].shape[-len(layer.kernel) :]
    others: list[tuple[str, Layer]] = [
        ("the largest of each window", MaxPool(*own)),
        ("the mean of each window", AvgPool(*own)),
        ("the norm of each window", LpPool(*own)),
        ("the mean of each adaptive window", AdaptivePool(size)),
    ]
    name = next(name for name, made in others if isinstance(made, type(layer)))
    for other, made in others:
        if other != name:
            yield case.varied(Fact("it takes", name, other), made)


def norm(layer: LpPool, case: Case) -> Iterator[Trial]:
    for p in (1.0, 2.0, 3.0, 4.0):
        if p != layer.p:
            fact = Fact("norm_type is", f"{layer.p:g}", f"{p:g}")
            yield case.varied(fact, replace(layer, p=p))


def adaptive_kind(layer: AdaptivePool, case: Case) -> Iterator[Trial]:
    names = ("the mean", "the largest")
    own, other = names[layer.largest], names[not layer.largest]
    fact = Fact("it takes", f"{own} of each window", f"{other} of each window")
    yield case.varied(fact, replace(layer, largest=not layer.largest))


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
        yield case.varied(Fact("windows are", "adapted to the input", how), made)


def adaptive_size(layer: AdaptivePool, case: Case) -> Iterator[Trial]:
    got = case.wanted[0].shape[-len(layer.output_size) :]
    fact = Fact("the output size is", layer.output_size, got)
    yield case.varied(fact, replace(layer, output_size=got))


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
