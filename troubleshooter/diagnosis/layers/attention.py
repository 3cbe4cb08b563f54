"""Attention and the layers of a transformer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from .activation import FUNCTIONS
from .layer import Array, Layer, Outputs
from .linear import Linear
from .normalization import LayerNorm


@dataclass(frozen=True, eq=False)
class ScaledDotProduct(Layer):
    """softmax(scale * q @ k.T + mask) @ v: q (..., l, d), k (..., s, d), v (..., s, e).

    A mask of booleans is True where attention is allowed (`masked_where_true`: where it is not).
    `causal`: what comes later is masked, counted from the first key, or with `causal_from_end`
    so that the last query sees the last key. `causal_offset` moves that diagonal.
    `scale` None: 1 / sqrt(d).
    """

    scale: float | None = None
    causal: bool = False
    causal_from_end: bool = False
    causal_offset: int = 0
    masked_where_true: bool = False
    apply_mask: bool = True

    def outputs(self, *inputs: Array) -> Outputs:
        q, k, v, *masks = inputs
        return (self.weights(q, k, masks) @ v,)

    def weights(self, q: Array, k: Array, masks: list[Array]) -> Array:
        scale = 1 / math.sqrt(q.shape[-1]) if self.scale is None else self.scale
        scores = scale * (q @ np.swapaxes(k, -1, -2))
        for mask in masks if self.apply_mask else []:
            scores = scores + self.added(mask)
        if self.causal:
            length, steps = scores.shape[-2:]
            offset = self.causal_offset + (steps - length if self.causal_from_end else 0)
            scores = np.where(np.tri(length, steps, offset, dtype=bool), scores, -np.inf)
        with np.errstate(invalid="ignore"):  # a row that is masked as a whole is NaN everywhere
            return np.asarray(special.softmax(scores, axis=-1))

    def added(self, mask: Array) -> Array:
        """What is added to the scores."""
        if mask.dtype != bool:
            return mask
        return np.where(mask, *((-np.inf, 0.0) if self.masked_where_true else (0.0, -np.inf)))


@dataclass(frozen=True, eq=False)
class MultiheadAttention(Layer):
    """Projections of query, key and value, attention in heads, a projection of all heads.

    Shapes: query (l, n, e), key (s, n, kdim), value (s, n, vdim), batches first if `batch_first`,
            or without n; weights (n, l, s), or of each head (n, heads, l, s)
    Masks of booleans are True where attention is not allowed.
    """

    heads: int
    projections: tuple[Linear, Linear, Linear]
    out: Linear
    bias_k: Array | None = None
    bias_v: Array | None = None
    zero_step: bool = False
    batch_first: bool = False
    attention: ScaledDotProduct = ScaledDotProduct(masked_where_true=True)
    average: bool = True

    def outputs(self, *inputs: Array) -> Outputs:
        given = [x.astype(np.float64) for x in self.three(inputs)]
        alone = given[0].ndim == 2
        if alone:
            given = [x[None] for x in given]
        elif not self.batch_first:
            given = [np.swapaxes(x, 0, 1) for x in given]
        q, k, v = (layer.outputs(x)[0] for layer, x in zip(self.projections, given, strict=True))
        k, v = self.extended(k, self.bias_k), self.extended(v, self.bias_v)
        masks = self.masks(inputs[3:], len(q), k.shape[1])
        weights = self.attention.weights(self.split(q), self.split(k), masks)
        y = np.swapaxes(weights @ self.split(v), 1, 2).reshape(q.shape[0], q.shape[1], -1)
        y = self.out.outputs(y)[0]
        y = y[0] if alone else y if self.batch_first else np.swapaxes(y, 0, 1)
        weights = weights.mean(1) if self.average else weights
        return y, (weights[0] if alone else weights)

    def three(self, inputs: Outputs) -> list[Array]:
        """Query, key and value: of one input all three."""
        return list(inputs[:3]) if len(inputs) >= 3 else [inputs[0]] * 3

    def extended(self, x: Array, bias: Array | None) -> Array:
        """With the steps that `bias` and `zero_step` add."""
        steps = [] if bias is None else [np.broadcast_to(bias, (len(x), 1, x.shape[-1]))]
        steps += [np.zeros((len(x), 1, x.shape[-1]))] if self.zero_step else []
        return np.concatenate([x, *steps], 1)

    def split(self, x: Array) -> Array:
        """(n, l, e) -> (n, heads, l, e / heads)."""
        n, length, _ = x.shape
        return np.swapaxes(x.reshape(n, length, self.heads, -1), 1, 2)

    def masks(self, given: Outputs, batch: int, steps: int) -> list[Array]:
        return [self.as_mask(mask, batch, steps) for mask in given]

    def as_mask(self, mask: Array, batch: int, steps: int) -> Array:
        """An attention mask (l, s) or (n * heads, l, s), or a key padding mask (n, s), of all.

        One of (n, s) is the padding mask where n is the batch and not also the number of queries.
        """
        missing = steps - mask.shape[-1]
        wide = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)])
        if mask.ndim == 3:
            return wide.reshape(batch, -1, *wide.shape[1:])
        if len(mask) == batch and mask.ndim == 2 and self.is_padding(mask):
            return wide[:, None, None]
        return wide

    def is_padding(self, mask: Array) -> bool:
        """Whether (n, s) masks keys: a mask of (l, s) would be square, or of another length."""
        return bool(mask.shape[0] != mask.shape[1])


@dataclass(frozen=True, eq=False)
class TransformerLayer(Layer):
    """Self-attention (and attention to a memory), then a feed-forward part, with residuals.

    Inputs: source, or target and memory; norms after each part, or before if `norm_first`.
    """

    attentions: tuple[MultiheadAttention, ...]
    norms: tuple[LayerNorm, ...]
    first: Linear
    second: Linear
    activation: str = "ReLU"
    norm_first: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        x = inputs[0]
        for k, norm in enumerate(self.norms):
            if self.norm_first:
                x = x + self.part(k, norm.outputs(x)[0], inputs)
            else:
                x = norm.outputs(x + self.part(k, x, inputs))[0]
        return (x,)

    def part(self, k: int, x: Array, inputs: Outputs) -> Array:
        if k < len(self.attentions):
            memory = inputs[1] if k else x
            masks = inputs[len(self.attentions) :] if not k else ()
            return self.attentions[k].outputs(x, memory, memory, *masks)[0]
        return self.second.outputs(FUNCTIONS[self.activation](self.first.outputs(x)[0]))[0]
