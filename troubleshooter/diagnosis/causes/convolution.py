"""Causes in convolutions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..layers.convolution import NUMPYS_MODES, Convolution, Pads, TransposedConvolution
from ..layers.layer import Array
from ..reading.description import same_pads
from .case import Case, Cause, Trial

FARTHEST = 4
"""Strides, dilations and paddings are tried up to that, or a little above the reference's own."""


def as_text(pads: Pads) -> str:
    """`1`, `(1, 2)` for each axis, `(0 before, 1 after)` where sides differ."""
    if all(a == b for a, b in pads):
        each = [a for a, _ in pads]
        return str(each[0]) if len(set(each)) == 1 else str(tuple(each))
    if len(set(pads)) == 1:
        return f"{pads[0][0]} before and {pads[0][1]} after"
    return ", ".join(f"{a} before and {b} after" for a, b in pads)


def other_pads(layer: Convolution, sizes: Sequence[int]) -> Iterator[tuple[str, Pads]]:
    """The paddings that the candidate may have, the likeliest first, with their names."""
    axes = len(layer.kernel)
    upper = same_pads(sizes, layer.kernel, layer.stride, layer.dilation)
    yield f"pad_mode 'same', {as_text(upper)}", upper
    lower: Pads = tuple((b, a) for a, b in upper)
    yield f"as SAME_LOWER, {as_text(lower)}", lower
    yield "pad_mode 'valid', none", ((0, 0),) * axes
    yield "sides changed", tuple((b, a) for a, b in layer.padding)
    yield "axes changed", tuple(reversed(layer.padding))
    for first in (True, False):
        whole = [a + b for a, b in layer.padding]
        shifted: Pads = tuple((n, 0) if first else (0, n) for n in whole)
        yield f"all of it {'before' if first else 'after'}", shifted
    for pads in pads_by_likelihood(axes):
        yield as_text(pads), pads


def pads_by_likelihood(axes: int) -> Iterator[Pads]:
    """As much before as after, then more on one side; the same for all axes."""
    sides = [(a, b) for a in range(FARTHEST + 1) for b in range(FARTHEST + 1)]
    for a, b in sorted(sides, key=lambda pair: (pair[0] != pair[1], sum(pair))):
        yield ((a, b),) * axes


def padding(layer: Convolution, case: Case) -> Iterator[Trial]:
    x = case.inputs[0]
    own = as_text(layer.padding)
    seen = {layer.padding}
    for name, pads in other_pads(layer, x.shape[-len(layer.kernel) :]):
        changed = replace(layer, padding=pads)
        if pads not in seen and may_give(changed, x, case.wanted[0]):
            yield case.varied(f"the padding is {own} (here: {name})", changed)
        seen.add(pads)


def places(layer: Convolution, x: Array) -> tuple[int, ...]:
    sizes = x.shape[-len(layer.kernel) :]
    every = zip(sizes, layer.kernel, layer.stride, layer.dilation, layer.padding, strict=True)
    return tuple((n + a + b - (k - 1) * d - 1) // s + 1 for n, k, s, d, (a, b) in every)


def may_give(layer: Convolution, x: Array, wanted: Array) -> bool:
    """Whether the sizes are those of the candidate's output."""
    return tuple(wanted.shape[-len(layer.kernel) :]) == places(layer, x)


def padding_mode(layer: Convolution, case: Case) -> Iterator[Trial]:
    for mode in NUMPYS_MODES:
        if mode != layer.padding_mode and any(itertools.chain(*layer.padding)):
            text = f"it pads with {named(layer.padding_mode)} (here: with {named(mode)})"
            yield case.varied(text, replace(layer, padding_mode=mode))


def named(mode: str) -> str:
    return mode if mode == "zeros" else f"the mode '{mode}'"


def other_numbers(own: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """One number for all axes, then the axes changed."""
    for n in range(1, max(FARTHEST, *own) + 1):
        yield (n,) * len(own)
    yield own[::-1]


def stride(layer: Convolution, case: Case) -> Iterator[Trial]:
    for steps in other_numbers(layer.stride):
        text = f"the stride is {shown(layer.stride)} (here: {shown(steps)})"
        changed = replace(layer, stride=steps)
        if steps != layer.stride and may_give(changed, case.inputs[0], case.wanted[0]):
            yield case.varied(text, changed)


def dilation(layer: Convolution, case: Case) -> Iterator[Trial]:
    """Alone, or with the padding that keeps the size, as "same" does."""
    x = case.inputs[0]
    for steps in other_numbers(layer.dilation):
        text = f"the dilation is {shown(layer.dilation)} (here: {shown(steps)})"
        changed = replace(layer, dilation=steps)
        if steps != layer.dilation and may_give(changed, x, case.wanted[0]):
            yield case.varied(text, changed)


def shown(numbers: tuple[int, ...]) -> str:
    return str(numbers[0]) if len(set(numbers)) == 1 else str(numbers)


def groups(layer: Convolution, case: Case) -> Iterator[Trial]:
    """The kernels of each group on the channels of another."""
    count = layer.groups
    if count < 2 or case.inputs[0].ndim != layer.weight.ndim:
        return
    x = case.inputs[0]
    dealt = np.swapaxes(x.reshape(len(x), -1, count, *x.shape[2:]), 1, 2).reshape(x.shape)
    yield case.fed(f"the channels of {count} groups are neighbours (here: dealt in turn)", dealt)


def kernel_turned(layer: Convolution | TransposedConvolution, case: Case) -> Iterator[Trial]:
    """The kernel mirrored, which makes a correlation of a convolution; its axes exchanged."""
    axes = tuple(range(2, layer.weight.ndim))
    if any(n > 1 for n in layer.kernel):
        flipped = np.flip(layer.weight, axes)
        yield case.varied(
            "the kernel is not mirrored (here: it is)", replace(layer, weight=flipped)
        )
    if len(axes) > 1 and layer.weight.shape[-1] == layer.weight.shape[-2] > 1:
        turned = np.swapaxes(layer.weight, -1, -2)
        text = "the kernel's height and width are in order (here: exchanged)"
        yield case.varied(text, replace(layer, weight=turned))


def channels_exchanged(layer: Convolution | TransposedConvolution, case: Case) -> Iterator[Trial]:
    if layer.weight.shape[0] == layer.weight.shape[1] > 1:
        text = "the weight's input and output channels are in order (here: exchanged)"
        yield case.varied(text, replace(layer, weight=np.swapaxes(layer.weight, 0, 1)))


def transposed_padding(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    """Padding and output padding that give the candidate's size."""
    x, wanted = case.inputs[0], case.wanted[0]
    axes = len(layer.kernel)
    extra = layer.output_padding or (0,) * axes
    every = zip(x.shape[-axes:], layer.kernel, layer.stride, layer.dilation, strict=True)
    whole = [(n - 1) * s + (k - 1) * d + 1 for n, k, s, d in every]
    cut = [a - b for a, b in zip(whole, wanted.shape[-axes:], strict=True)]
    own = f"padding is {as_text(layer.padding)} and output_padding {shown(extra)}"
    for before in itertools.product(*(range(max(0, n), max(0, n) + 3) for n in cut)):
        yield from transposed_pads(layer, case, own, cut, before)
    for size in range(max([*cut, 0]) + 1):
        yield from transposed_pads(layer, case, own, cut, (size,) * axes)


def transposed_pads(
    layer: TransposedConvolution, case: Case, own: str, cut: list[int], before: tuple[int, ...]
) -> Iterator[Trial]:
    """So much cut before; what the size asks for beyond that is cut, or added, behind."""
    pads: Pads = tuple((b, max(n - b, 0)) for b, n in zip(before, cut, strict=True))
    more = tuple(max(b - n, 0) for b, n in zip(before, cut, strict=True))
    changed = replace(layer, padding=pads, output_padding=more, zeros_behind=())
    if (pads, more) != (layer.padding, layer.output_padding or (0,) * len(cut)):
        text = f"{own} (here: {as_text(pads)} and {shown(more)})"
        yield case.varied(text, changed)


def zeros_behind(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    if any(layer.output_padding):
        text = "what output_padding adds is computed (here: zeros, as MindSpore's layer appends)"
        changed = replace(layer, output_padding=(), zeros_behind=layer.output_padding)
        yield case.varied(text, changed)


def transposed_stride(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    for steps in other_numbers(layer.stride):
        if steps != layer.stride:
            text = f"the stride is {shown(layer.stride)} (here: {shown(steps)})"
            yield case.varied(text, replace(layer, stride=steps))
    for steps in other_numbers(layer.dilation):
        if steps != layer.dilation:
            text = f"the dilation is {shown(layer.dilation)} (here: {shown(steps)})"
            yield case.varied(text, replace(layer, dilation=steps))


def not_transposed(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    as_plain = Convolution(
        np.swapaxes(layer.weight, 0, 1), layer.bias, layer.stride, layer.padding, layer.dilation
    )
    if layer.groups == 1:
        yield case.varied("it is transposed (here: a plain convolution)", as_plain)


BOTH = (Convolution, TransposedConvolution)

CAUSES = (
    Cause(
        "padding",
        "another padding: 'same' for numbers, more on one side, none",
        (Convolution,),
        padding,
        ("padding",),
    ),
    Cause("stride", "another stride", (Convolution,), stride, ("stride",)),
    Cause("dilation", "another dilation", (Convolution,), dilation, ("dilation",)),
    Cause(
        "padding-mode",
        "zeros for reflected, repeated or periodic padding, or the other way round",
        (Convolution,),
        padding_mode,
        ("padding_mode",),
    ),
    Cause(
        "transposed-padding",
        "another padding or output padding of a transposed convolution",
        (TransposedConvolution,),
        transposed_padding,
        ("padding", "output_padding"),
    ),
    Cause(
        "output-padding-of-zeros",
        "zeros where output padding is computed",
        (TransposedConvolution,),
        zeros_behind,
        ("zeros_behind",),
    ),
    Cause(
        "transposed-stride",
        "another stride or dilation of a transposed convolution",
        (TransposedConvolution,),
        transposed_stride,
        ("stride", "dilation"),
    ),
    Cause(
        "not-transposed",
        "a plain convolution for a transposed one",
        (TransposedConvolution,),
        not_transposed,
    ),
    Cause(
        "kernel-turned",
        "a kernel that is mirrored, or has height and width exchanged",
        BOTH,
        kernel_turned,
        in_weights=True,
    ),
    Cause(
        "channels-exchanged",
        "a kernel with input and output channels exchanged",
        BOTH,
        channels_exchanged,
        in_weights=True,
    ),
    Cause(
        "channel-groups",
        "the channels of groups in another order",
        (Convolution,),
        groups,
        ("groups",),
    ),
)
