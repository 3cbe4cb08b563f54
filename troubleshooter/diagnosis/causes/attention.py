"""Causes in attention."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..layers.attention import MultiheadAttention, ScaledDotProduct, TransformerLayer
from ..layers.layer import Array, Layer
from .case import Case, Cause, Fact, Trial


def inner_variants(
    attention: ScaledDotProduct, size: int, whole: int
) -> Iterator[tuple[Fact, ScaledDotProduct]]:
    """Ways to attend, for heads of `size` of `whole` numbers."""
    own = 1 / math.sqrt(size) if attention.scale is None else attention.scale
    scales = {"1, missing": 1.0, "1 / d": 1 / size, "1 / sqrt(embed_dim)": 1 / math.sqrt(whole),
              "1 / d ** 0.25": size**-0.25, "1 / sqrt(d)": 1 / math.sqrt(size)}  # fmt: skip
    for name, scale in scales.items():
        if abs(scale - own) > 1e-9 * own:
            fact = Fact("the scale of scores is", f"{own:.4g}", name)
            yield fact, replace(attention, scale=scale)
    if attention.causal:
        yield Fact("what comes later is", "masked", "not masked"), replace(attention, causal=False)
        for offset in (1, -1):
            fact = Fact("the causal mask begins", "after the diagonal", f"{offset:+d} of that")
            yield fact, replace(attention, causal_offset=attention.causal_offset + offset)
        ends = ("from the first key", "from the last key")
        other = not attention.causal_from_end
        fact = Fact("the causal mask counts", ends[not other], ends[other])
        yield fact, replace(attention, causal_from_end=other)
    else:
        yield Fact("each step sees", "all", "none that come later"), replace(attention, causal=True)


def attending(layer: ScaledDotProduct | MultiheadAttention, case: Case) -> Iterator[Trial]:
    if isinstance(layer, ScaledDotProduct):
        size = case.inputs[0].shape[-1]
        for fact, changed in inner_variants(layer, size, size):
            yield case.varied(fact, changed)
        return
    whole = len(layer.projections[0].weight)
    for fact, changed in inner_variants(layer.attention, whole // layer.heads, whole):
        yield case.varied(fact, replace(layer, attention=changed))


def masks(layer: ScaledDotProduct | MultiheadAttention, case: Case) -> Iterator[Trial]:
    given = case.inputs[3:]
    for k, mask in enumerate(given):
        rest = [*given[:k], *given[k + 1 :]]
        yield case.fed(Fact("the mask is", "applied", "not applied"), *case.inputs[:3], *rest)
        if mask.dtype == bool:
            others = [*given[:k], ~mask, *given[k + 1 :]]
            fact = Fact("the mask is", "true for what is left out", "true for what is kept")
            yield case.fed(fact, *case.inputs[:3], *others)
            added = [*given[:k], mask.astype(np.float64), *given[k + 1 :]]
            fact = Fact("the mask says", "which scores count", "what is added to them, 0 or 1")
            yield case.fed(fact, *case.inputs[:3], *added)
        else:
            fact = Fact("the mask is", "added to the scores", "subtracted")
            yield case.fed(fact, *case.inputs[:3], *given[:k], -mask, *given[k + 1 :])


def heads(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    whole = len(layer.projections[0].weight)
    for count in range(1, whole + 1):
        if whole % count == 0 and count != layer.heads:
            fact = Fact("the number of heads is", layer.heads, count)
            yield case.varied(fact, replace(layer, heads=count))


def projections(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    names = ("query", "key", "value")
    for order in itertools.permutations(range(3)):
        if order != (0, 1, 2):
            a, b, c = (layer.projections[k] for k in order)
            taken = ", ".join(names[k] for k in order)
            fact = Fact("the order of projections is", "query, key, value", taken)
            yield case.varied(fact, replace(layer, projections=(a, b, c)))


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
    fact = Fact("each head has", "rows in a block", "rows that are dealt out in turn")
    yield case.varied(fact, replace(layer, projections=(a, b, c)))


def output_projection(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    none = replace(layer.out, weight=np.eye(len(layer.out.weight)), bias=None)
    yield case.varied(Fact("the heads are", "projected at the end", "not projected"),
                      replace(layer, out=none))  # fmt: skip


def layout(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    names = ("steps first, batch_first=False", "batches first, batch_first=True")
    own, other = names[layer.batch_first], names[not layer.batch_first]
    fact = Fact("inputs have", own, other)
    yield case.varied(fact, replace(layer, batch_first=not layer.batch_first))


def extra_steps(layer: MultiheadAttention, case: Case) -> Iterator[Trial]:
    if layer.bias_k is not None:
        fact = Fact("bias_k and bias_v are", "a step more", "left out")
        yield case.varied(fact, replace(layer, bias_k=None, bias_v=None))
    if layer.zero_step:
        fact = Fact("a step of zeros is", "added", "none")
        yield case.varied(fact, replace(layer, zero_step=False))


def norm_first(layer: TransformerLayer, case: Case) -> Iterator[Trial]:
    names = ("after each part, norm_first=False", "before each part, norm_first=True")
    own, other = names[layer.norm_first], names[not layer.norm_first]
    fact = Fact("norms stand", own, other)
    yield case.varied(fact, replace(layer, norm_first=not layer.norm_first))


def inner_activation(layer: TransformerLayer, case: Case) -> Iterator[Trial]:
    for function in ("ReLU", "GELU", "GELU by tanh", "SiLU"):
        if function != layer.activation:
            fact = Fact("the activation is", layer.activation, function)
            yield case.varied(fact, replace(layer, activation=function))


def norms_epsilon(layer: TransformerLayer, case: Case) -> Iterator[Trial]:
    for eps in (1e-5, 1e-6, 1e-7, 1e-12, 1e-3):
        if eps != layer.norms[0].eps:
            changed = tuple(replace(norm, eps=eps) for norm in layer.norms)
            fact = Fact("the norms' epsilon is", f"{layer.norms[0].eps:g}", f"{eps:g}")
            yield case.varied(fact, replace(layer, norms=changed))


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
