"""Causes in convolutions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..layers.convolution import NUMPYS_MODES, Convolution, Pads, TransposedConvolution
from ..layers.layer import Array
from ..reading.description import same_pads
from .case import Case, Cause, Fact, Trial

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
    yield f"{as_text(upper)}, pad_mode 'same'", upper
    lower: Pads = tuple((b, a) for a, b in upper)
    yield f"{as_text(lower)}, as SAME_LOWER", lower
    yield "0, pad_mode 'valid'", ((0, 0),) * axes
    turned: Pads = tuple((b, a) for a, b in layer.padding)
    yield f"{as_text(turned)}, sides exchanged", turned
    yield f"{as_text(layer.padding[::-1])}, axes exchanged", layer.padding[::-1]
    for first in (True, False):
        whole = [a + b for a, b in layer.padding]
        shifted: Pads = tuple((n, 0) if first else (0, n) for n in whole)
        yield as_text(shifted), shifted
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
            yield case.varied(Fact("the padding is", own, name), changed)
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
            fact = Fact("it pads with", named(layer.padding_mode), named(mode))
            yield case.varied(fact, replace(layer, padding_mode=mode))


def named(mode: str) -> str:
    return mode if mode == "zeros" else f"the mode '{mode}'"


def other_numbers(own: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """One number for all axes, then the axes changed."""
    for n in range(1, max(FARTHEST, *own) + 1):
        yield (n,) * len(own)
    yield own[::-1]


def stride(layer: Convolution, case: Case) -> Iterator[Trial]:
    for steps in other_numbers(layer.stride):
        fact = Fact("the stride is", shown(layer.stride), shown(steps))
        changed = replace(layer, stride=steps)
        if steps != layer.stride and may_give(changed, case.inputs[0], case.wanted[0]):
            yield case.varied(fact, changed)


def dilation(layer: Convolution, case: Case) -> Iterator[Trial]:
    """Alone, or with the padding that keeps the size, as "same" does."""
    x = case.inputs[0]
    for steps in other_numbers(layer.dilation):
        fact = Fact("the dilation is", shown(layer.dilation), shown(steps))
        changed = replace(layer, dilation=steps)
        if steps != layer.dilation and may_give(changed, x, case.wanted[0]):
            yield case.varied(fact, changed)


def shown(numbers: tuple[int, ...]) -> str:
    return str(numbers[0]) if len(set(numbers)) == 1 else str(numbers)


def groups(layer: Convolution, case: Case) -> Iterator[Trial]:
    """The kernels of each group on the channels of another."""
    count = layer.groups
    if count < 2 or case.inputs[0].ndim != layer.weight.ndim:
        return
    x = case.inputs[0]
    dealt = np.swapaxes(x.reshape(len(x), -1, count, *x.shape[2:]), 1, 2).reshape(x.shape)
    yield case.fed(
        Fact(f"the channels of {count} groups are", "neighbours", "dealt in turn"), dealt
    )


def kernel_turned(layer: Convolution | TransposedConvolution, case: Case) -> Iterator[Trial]:
    """The kernel mirrored, which makes a correlation of a convolution; its axes exchanged."""
    axes = tuple(range(2, layer.weight.ndim))
    if any(n > 1 for n in layer.kernel):
        flipped = np.flip(layer.weight, axes)
        yield case.varied(
            Fact("the kernel is", "as it is", "mirrored"), replace(layer, weight=flipped)
        )
    if len(axes) > 1 and layer.weight.shape[-1] == layer.weight.shape[-2] > 1:
        turned = np.swapaxes(layer.weight, -1, -2)
        fact = Fact("the kernel's height and width are", "in order", "exchanged")
        yield case.varied(fact, replace(layer, weight=turned))


def channels_exchanged(layer: Convolution | TransposedConvolution, case: Case) -> Iterator[Trial]:
    if layer.weight.shape[0] == layer.weight.shape[1] > 1:
        fact = Fact("the weight's input and output channels are", "in order", "exchanged")
        yield case.varied(fact, replace(layer, weight=np.swapaxes(layer.weight, 0, 1)))


def transposed_padding(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    """Padding and output padding that give the candidate's size."""
    x, wanted = case.inputs[0], case.wanted[0]
    axes = len(layer.kernel)
    extra = layer.output_padding or (0,) * axes
    every = zip(x.shape[-axes:], layer.kernel, layer.stride, layer.dilation, strict=True)
    whole = [(n - 1) * s + (k - 1) * d + 1 for n, k, s, d in every]
    cut = [a - b for a, b in zip(whole, wanted.shape[-axes:], strict=True)]
    for pads, more in transposed_pads(cut, max(layer.stride)):
        if (pads, more) != (layer.padding, extra):
            own = f"{as_text(layer.padding)} and {shown(extra)}"
            fact = Fact("padding and output_padding are", own, f"{as_text(pads)} and {shown(more)}")
            changed = replace(layer, padding=pads, output_padding=more, zeros_behind=())
            yield case.varied(fact, changed)


def transposed_pads(cut: list[int], stride: int) -> Iterator[tuple[Pads, tuple[int, ...]]]:
    """Paddings and output paddings by which the result is shorter by `cut`.

    First as much before as after; then all, and all but one after another, on one side.
    """
    for more in range(stride):
        sides = [-(-max(n, 0) // 2) + more for n in cut]
        yield (
            tuple((n, n) for n in sides),
            tuple(2 * a - n for a, n in zip(sides, cut, strict=True)),
        )
    for before in range(max([*cut, 0]) + 1):
        pads: Pads = tuple((before, max(n - before, 0)) for n in cut)
        yield pads, tuple(max(before - n, 0) for n in cut)


def zeros_behind(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    if any(layer.output_padding):
        fact = Fact(
            "what output_padding adds is", "computed", "zeros, as MindSpore's layer appends"
        )
        changed = replace(layer, output_padding=(), zeros_behind=layer.output_padding)
        yield case.varied(fact, changed)


def transposed_stride(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    for steps in other_numbers(layer.stride):
        if steps != layer.stride:
            fact = Fact("the stride is", shown(layer.stride), shown(steps))
            yield case.varied(fact, replace(layer, stride=steps))
    for steps in other_numbers(layer.dilation):
        if steps != layer.dilation:
            fact = Fact("the dilation is", shown(layer.dilation), shown(steps))
            yield case.varied(fact, replace(layer, dilation=steps))


def not_transposed(layer: TransposedConvolution, case: Case) -> Iterator[Trial]:
    as_plain = Convolution(
        np.swapaxes(layer.weight, 0, 1), layer.bias, layer.stride, layer.padding, layer.dilation
    )
    if layer.groups == 1:
        yield case.varied(Fact("it is", "transposed", "a plain convolution"), as_plain)


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
