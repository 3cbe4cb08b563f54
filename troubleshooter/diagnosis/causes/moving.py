"""Causes in layers that move elements, leave some out or look them up."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ..layers.convolution import NUMPYS_MODES
from ..layers.layer import Array, Outputs
from ..layers.linear import Embedding, EmbeddingBag
from ..layers.moving import (
    ChannelShuffle,
    Dropout,
    Flatten,
    Pad,
    PixelShuffle,
    PixelUnshuffle,
    Transpose,
)
from .case import Case, Cause, Fact, Trial


def pad_mode(layer: Pad, case: Case) -> Iterator[Trial]:
    for mode in NUMPYS_MODES:
        if mode != layer.mode:
            fact = Fact("the mode is", layer.mode, mode)
            yield case.varied(fact, replace(layer, mode=mode))


def pad_value(layer: Pad, case: Case) -> Iterator[Trial]:
    if layer.mode == "zeros" and case.wanted[0].size:
        found = float(case.wanted[0].flat[0]), float(case.wanted[0].flat[-1])
        for value in (0.0, 1.0, *found):
            if value != layer.value:
                fact = Fact("the value is", f"{layer.value:g}", f"{value:g}")
                yield case.varied(fact, replace(layer, value=value))


def pad_order(layer: Pad, case: Case) -> Iterator[Trial]:
    axes = tuple(reversed(layer.padding))
    yield case.varied(Fact("the axis that is padded first is", "the last", "the first"),
                      replace(layer, padding=axes))  # fmt: skip
    sides = tuple((b, a) for a, b in layer.padding)
    yield case.varied(Fact("sides are", "in order", "exchanged"), replace(layer, padding=sides))
    flat = [n for pair in layer.padding for n in pair]
    half = len(flat) // 2
    mixed = tuple(zip(flat[:half], flat[half:], strict=True))
    fact = Fact("paddings are", "pairs of one axis", "read as all before, then all after")
    yield case.varied(fact, replace(layer, padding=mixed))


def blocks(layer: PixelShuffle | PixelUnshuffle, case: Case) -> Iterator[Trial]:
    names = ("channels before blocks (CRD)", "blocks before channels (DCR)")
    own, other = names[layer.blocks_first], names[not layer.blocks_first]
    fact = Fact("the channels are", own, other)
    yield case.varied(fact, replace(layer, blocks_first=not layer.blocks_first))


def shuffled_back(layer: ChannelShuffle, case: Case) -> Iterator[Trial]:
    channels = case.inputs[0].shape[1]
    if channels % layer.groups == 0:
        fact = Fact("the number of groups is", layer.groups, channels // layer.groups)
        yield case.varied(fact, replace(layer, groups=channels // layer.groups))


def flattened_order(layer: Flatten, case: Case) -> Iterator[Trial]:
    x = case.inputs[0]
    if x.ndim > 2:
        fact = Fact("elements are taken", "channels first", "channels last, NHWC")
        yield case.fed(fact, np.moveaxis(x, 1, -1))
        for order in itertools.islice(itertools.permutations(range(1, x.ndim)), 1, 24):
            fact = Fact("elements are taken", "in order", f"with axes as {(0, *order)}")
            yield case.fed(fact, x.transpose(0, *order))


def axes_order(layer: Transpose, case: Case) -> Iterator[Trial]:
    for order in itertools.islice(itertools.permutations(range(case.inputs[0].ndim)), 120):
        if order != layer.order:
            yield case.varied(Fact("axes are", layer.order, order), Transpose(order))


def dropping(layer: Dropout, case: Case) -> Iterator[Trial]:
    """Zeros and a constant factor elsewhere: the factor tells the probability."""
    if layer.active:
        evaluated = replace(layer, active=False)
        ways = (f"{layer.p:.0%}, as in training", "nothing, as in evaluation")
        yield case.varied(Fact("what is dropped is", *ways), evaluated)
    x, y = case.inputs[0], case.wanted[0]
    if x.shape != y.shape or not (x != 0).any():
        return
    kept = (y != 0) & (x != 0)
    share = float(1 - kept.sum() / (x != 0).sum())
    if not kept.any() or share == 0:
        return
    factor = float((y[kept] * x[kept]).sum() / (x[kept] ** 2).sum())
    p = 1 - 1 / factor if factor > 1 else 0.0
    yield Trial(dropped(layer, float(f"{p:.3g}"), share), scaled(x, kept, factor))


def dropped(layer: Dropout, p: float, share: float) -> Fact:
    if not layer.active:
        return Fact(
            "what is dropped is", "nothing, as in evaluation", f"{share:.0%}, as in training"
        )
    if abs(p - layer.p) < 1e-6:
        return Fact("the elements dropped are", "the same", "others, at random")
    if abs(p - (1 - layer.p)) < 1e-6:
        return Fact("p is", f"{layer.p:g}", f"{p:g}, p given as keep_prob")
    return Fact("p is", f"{layer.p:g}", f"{p:g}")


def scaled(x: Array, kept: Array, factor: float) -> Callable[[], Outputs]:
    return lambda: (np.where(kept, x * factor, 0.0),)


def scaled_in_evaluation(layer: Dropout, case: Case) -> Iterator[Trial]:
    if not layer.active:
        fact = Fact("evaluation gives", "x", "x times 1 - p")
        yield case.followed(fact, lambda y: y * (1 - layer.p))


def indices(layer: Embedding | EmbeddingBag, case: Case) -> Iterator[Trial]:
    """Off by one, or cut to a smaller integer."""
    ids = case.inputs[0].astype(np.int64)
    rows = len(layer.weight)
    for offset in (1, -1):
        if ids.min() + offset >= 0 and ids.max() + offset < rows:
            fact = Fact("indices are", "as given", f"{offset:+d}")
            yield case.fed(fact, ids + offset, *case.inputs[1:])
    for kind in (np.int8, np.uint8, np.int16, np.float16):
        cut = ids.astype(kind).astype(np.int64)
        if (cut != ids).any():
            fact = Fact("indices are", "whole", f"cut to {kind.__name__}")
            yield case.fed(fact, cut % rows, *case.inputs[1:])
    clipped = np.clip(ids, 0, rows - 1)
    if (clipped != ids).any():
        fact = Fact("indices are", "within the table", "brought to its ends")
        yield case.fed(fact, clipped, *case.inputs[1:])


def padding_row(layer: Embedding, case: Case) -> Iterator[Trial]:
    """A row of zeros where the reference has numbers, or the other way round."""
    rows = [layer.padding_idx] if layer.padding_idx is not None else [0, len(layer.weight) - 1]
    for row in rows:
        if layer.weight[row].any():
            weight = layer.weight.copy()
            weight[row] = 0
            fact = Fact(f"row {row} is", "as it is", "zeros, as at padding_idx")
            yield case.varied(fact, replace(layer, weight=weight))


def embedding_norm(layer: Embedding, case: Case) -> Iterator[Trial]:
    if layer.max_norm is not None:
        fact = Fact("max_norm is", f"{layer.max_norm:g}", "none")
        yield case.varied(fact, replace(layer, max_norm=None))


def embedding_scale(layer: Embedding, case: Case) -> Iterator[Trial]:
    root = float(np.sqrt(layer.weight.shape[1]))
    for factor, name in ((root, "sqrt(d)"), (1 / root, "1 / sqrt(d)")):
        fact = Fact("rows are", "as in the table", f"times {name}")
        yield case.followed(fact, partial(np.multiply, factor))


def bag_mode(layer: EmbeddingBag, case: Case) -> Iterator[Trial]:
    for mode in ("sum", "mean", "max"):
        if mode != layer.mode:
            yield case.varied(Fact("the mode is", layer.mode, mode), replace(layer, mode=mode))


CAUSES = (
    Cause("pad-mode", "another mode of padding", (Pad,), pad_mode, ("mode",)),
    Cause("pad-value", "another value in the padding", (Pad,), pad_value, ("value",)),
    Cause("pad-order", "paddings read in another order", (Pad,), pad_order, ("padding",)),
    Cause(
        "blocks",
        "channels of a pixel shuffle in another order",
        (PixelShuffle, PixelUnshuffle),
        blocks,
        ("blocks_first",),
    ),
    Cause(
        "shuffled-back",
        "channels shuffled by another number of groups",
        (ChannelShuffle,),
        shuffled_back,
        ("groups",),
    ),
    Cause(
        "flattened-order",
        "elements flattened in another order, as channels last",
        (Flatten,),
        flattened_order,
    ),
    Cause("axes-order", "axes transposed in another order", (Transpose,), axes_order, ("order",)),
    Cause(
        "dropout",
        "dropout in evaluation, or of another p; keep_prob given as p",
        (Dropout,),
        dropping,
        ("p", "active"),
    ),
    Cause("dropout-scale", "a factor of 1 - p in evaluation", (Dropout,), scaled_in_evaluation),
    Cause(
        "indices",
        "indices off by one, cut to a smaller integer or brought to the ends",
        (Embedding, EmbeddingBag),
        indices,
    ),
    Cause(
        "padding-row", "zeros in the row of padding_idx", (Embedding,), padding_row, in_weights=True
    ),
    Cause("max-norm", "no max_norm", (Embedding,), embedding_norm, ("max_norm",)),
    Cause("embedding-scale", "an embedding times sqrt(d)", (Embedding,), embedding_scale),
    Cause("bag-mode", "another mode of a bag of embeddings", (EmbeddingBag,), bag_mode, ("mode",)),
)
