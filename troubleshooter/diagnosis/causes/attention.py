"""Causes in attention."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..layers.attention import MultiheadAttention, ScaledDotProduct, TransformerLayer
from ..layers.layer import Array, Layer
from .case import Case, Cause, Trial


def inner_variants(
    attention: ScaledDotProduct, size: int, whole: int
) -> Iterator[tuple[str, ScaledDotProduct]]:
    """Ways to attend, for heads of `size` of `whole` numbers."""
    own = 1 / math.sqrt(size) if attention.scale is None else attention.scale
    scales = {"1, missing": 1.0, "1 / d": 1 / size, "1 / sqrt(embed_dim)": 1 / math.sqrt(whole),
              "1 / d ** 0.25": size**-0.25, "1 / sqrt(d)": 1 / math.sqrt(size)}  # fmt: skip
    for name, scale in scales.items():
        if abs(scale - own) > 1e-9 * own:
            text = f"scores are scaled by {own:.4g} (here: by {name})"
            yield text, replace(attention, scale=scale)
    if attention.causal:
        yield "what comes later is masked (here: nothing)", replace(attention, causal=False)
        for offset in (1, -1):
            text = f"the causal mask begins after the diagonal (here: {offset:+d})"
            yield text, replace(attention, causal_offset=attention.causal_offset + offset)
        text = "the causal mask counts from the first key (here: from the last)"
        turned = not attention.causal_from_end
        yield text, replace(attention, causal_from_end=turned)
    else:
        yield "every step sees all (here: none that come later)", replace(attention, causal=True)


def attending(layer: ScaledDotProduct | MultiheadAttention, case: Case) -> Iterator[Trial]:
    if isinstance(layer, ScaledDotProduct):
        size = case.inputs[0].shape[-1]
        for text, changed in inner_variants(layer, size, size):
            yield case.varied(text, changed)
        return
    whole = len(layer.projections[0].weight)
    for text, changed in inner_variants(layer.attention, whole // layer.heads, whole):
        yield case.varied(text, replace(layer, attention=changed))


def masks(layer: ScaledDotProduct | MultiheadAttention, case: Case) -> Iterator[Trial]:
    given = case.inputs[3:]
    for k, mask in enumerate(given):
        rest = [*given[:k], *given[k + 1 :]]
        yield case.fed("the mask is applied (here: it is not)", *case.inputs[:3], *rest)
        if mask.dtype == bool:
            others = [*given[:k], ~mask, *given[k + 1 :]]
            text = "the mask is True for what is left out (here: for what is kept)"
            yield case.fed(text, *case.inputs[:3], *others)
            added = [*given[:k], mask.astype(np.float64), *given[k + 1 :]]
            text = "the mask says which scores count (here: it is added to them, as 0 and 1)"
            yield case.fed(text, *case.inputs[:3], *added)
        else:
            text = "the mask is added to the scores (here: subtracted)"
            yield case.fed(text, *case.inputs[:3], *given[:k], -mask, *given[k + 1 :])


def heads(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    whole = len(layer.projections[0].weight)
    for count in range(1, whole + 1):
        if whole % count == 0 and count != layer.heads:
            text = f"there are {layer.heads} heads (here: {count})"
            yield case.varied(text, replace(layer, heads=count))


def projections(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    names = ("query", "key", "value")
    for order in itertools.permutations(range(3)):
        if order != (0, 1, 2):
            a, b, c = (layer.projections[k] for k in order)
            taken = ", ".join(names[k] for k in order)
            text = f"the projections are in the order query, key, value (here: {taken})"
            yield case.varied(text, replace(layer, projections=(a, b, c)))


def interleaved(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    """The rows of each projection by heads: (d, heads) for (heads, d)."""

    def dealt(array: Array | None) -> Array | None:
        if array is None:
            return None
        split = array.reshape(-1, layer.heads, *array.shape[1:])
        return np.swapaxes(split, 0, 1).reshape(array.shape)

    a, b, c = (
        replace(one, weight=np.asarray(dealt(one.weight)), bias=dealt(one.bias))
        for one in layer.projections
    )
    text = "each head has rows in a block (here: rows dealt to the heads in turn)"
    yield case.varied(text, replace(layer, projections=(a, b, c)))


def output_projection(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    none = replace(layer.out, weight=np.eye(len(layer.out.weight)), bias=None)
    yield case.varied("the heads are projected at the end (here: they are not)",
                      replace(layer, out=none))  # fmt: skip


def layout(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    names = ("steps first", "batches first")
    own, other = names[layer.batch_first], names[not layer.batch_first]
    text = f"inputs have {own}, batch_first={layer.batch_first} (here: {other})"
    yield case.varied(text, replace(layer, batch_first=not layer.batch_first))


def extra_steps(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    if layer.bias_k is not None:
        text = "bias_k and bias_v are a step more (here: they are not there)"
        yield case.varied(text, replace(layer, bias_k=None, bias_v=None))
    if layer.zero_step:
        text = "a step of zeros is added (here: none)"
        yield case.varied(text, replace(layer, zero_step=False))


def norm_first(layer: TransformerLayer, case: Case) -> Iterator[Trial]:
    names = ("after each part", "before each part")
    own, other = names[layer.norm_first], names[not layer.norm_first]
    text = f"norms stand {own}, norm_first={layer.norm_first} (here: {other})"
    yield case.varied(text, replace(layer, norm_first=not layer.norm_first))


def inner_activation(layer: TransformerLayer, case: Case) -> Iterator[Trial]:
    for function in ("ReLU", "GELU", "GELU by tanh", "SiLU"):
        if function != layer.activation:
            text = f"the activation is {layer.activation} (here: {function})"
            yield case.varied(text, replace(layer, activation=function))


def norms_epsilon(layer: TransformerLayer, case: Case) -> Iterator[Trial]:
    for eps in (1e-5, 1e-6, 1e-7, 1e-12, 1e-3):
        if eps != layer.norms[0].eps:
            changed = tuple(replace(norm, eps=eps) for norm in layer.norms)
            text = f"the norms' epsilon is {layer.norms[0].eps:g} (here: {eps:g})"
            yield case.varied(text, replace(layer, norms=changed))


HEADS: tuple[type[Layer], ...] = (MultiheadAttention,)

CAUSES = (
    Cause(
        "attention",
        "scores scaled otherwise, or masked otherwise from the diagonal on",
        (ScaledDotProduct, *HEADS),
        attending,
    ),
    Cause("mask", "a mask that is not applied, or turned", (ScaledDotProduct, *HEADS), masks),
    Cause("heads", "another number of heads", HEADS, heads, ("heads",)),
    Cause("projections", "query, key and value exchanged", HEADS, projections, in_weights=True),
    Cause(
        "interleaved-heads",
        "heads that take turns in the rows of a projection",
        HEADS,
        interleaved,
        in_weights=True,
    ),
    Cause("output-projection", "no projection at the end", HEADS, output_projection),
    Cause(
        "attention-layout",
        "batches first for steps first, or the other way round",
        HEADS,
        layout,
        ("batch_first",),
    ),
    Cause(
        "extra-steps",
        "no bias_k and bias_v, or no step of zeros",
        HEADS,
        extra_steps,
        ("zero_step", "bias_k"),
        in_weights=True,
    ),
    Cause(
        "norm-first",
        "norms before each part for after it",
        (TransformerLayer,),
        norm_first,
        ("norm_first",),
    ),
    Cause(
        "inner-activation",
        "another activation in a transformer's layer",
        (TransformerLayer,),
        inner_activation,
        ("activation",),
    ),
    Cause(
        "norms-epsilon",
        "another epsilon in a transformer's layer",
        (TransformerLayer,),
        norms_epsilon,
    ),
)
