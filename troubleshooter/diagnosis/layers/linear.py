"""Layers that multiply by a matrix, or take rows of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .layer import Array, Layer, Outputs


@dataclass(frozen=True, eq=False)
class Linear(Layer):
    """x @ weight.T + bias: (..., c) -> (..., o); weight (o, c), bias (o)."""

    weight: Array
    bias: Array | None = None

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        y = x @ self.weight.T
        return (y if self.bias is None else y + self.bias,)


@dataclass(frozen=True, eq=False)
class Bilinear(Layer):
    """x1 (n, c), x2 (n, d) -> (n, o); weight (o, c, d), bias (o)."""

    weight: Array
    bias: Array | None = None

    def outputs(self, *inputs: Array) -> Outputs:
        y = np.einsum("...c,ocd,...d->...o", inputs[0], self.weight, inputs[1], optimize=True)
        return (y if self.bias is None else y + self.bias,)


@dataclass(frozen=True, eq=False)
class Embedding(Layer):
    """The rows of weight (n, d) at the indices, cut to a norm of `max_norm`: (...) -> (..., d).

    `padding_idx` changes no output: the row is zero because it was made so.
    """

    weight: Array
    padding_idx: int | None = None
    max_norm: float | None = None
    norm_type: float = 2.0

    def outputs(self, *inputs: Array) -> Outputs:
        rows = self.weight[inputs[0].astype(np.int64)]
        if self.max_norm is None:
            return (rows,)
        norms = np.linalg.norm(rows, self.norm_type, axis=-1, keepdims=True)
        return (np.where(norms > self.max_norm, rows * self.max_norm / (norms + 1e-7), rows),)


BAGS: dict[str, Callable[..., Array]] = {"sum": np.sum, "mean": np.mean, "max": np.max}
"""What is made of the rows of a bag, by PyTorch's names."""


@dataclass(frozen=True, eq=False)
class EmbeddingBag(Layer):
    """Sums, means or maxima of rows: indices (n, length) -> (n, d), or (total) with offsets (n)."""

    weight: Array
    mode: str = "mean"
    padding_idx: int | None = None
    include_last_offset: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        indices = inputs[0].astype(np.int64)
        if indices.ndim == 2:
            return (np.stack([self.bag(row) for row in indices]),)
        starts = inputs[1].astype(np.int64)
        ends = starts[1:] if self.include_last_offset else [*starts[1:], len(indices)]
        return (np.stack([self.bag(indices[a:b]) for a, b in zip(starts, ends, strict=False)]),)

    def bag(self, indices: Array) -> Array:
        kept = indices if self.padding_idx is None else indices[indices != self.padding_idx]
        rows = self.weight[kept]
        if not len(rows):
            return np.zeros(self.weight.shape[1])
        return np.asarray(BAGS[self.mode](rows, axis=0))


@dataclass(frozen=True, eq=False)
class MatMul(Layer):
    """scale * a @ b, each transposed in its last axes if asked, + c."""

    transpose_a: bool = False
    transpose_b: bool = False
    scale: float = 1.0

    def outputs(self, *inputs: Array) -> Outputs:
        a, b = inputs[:2]
        a = np.swapaxes(a, -1, -2) if self.transpose_a else a
        b = np.swapaxes(b, -1, -2) if self.transpose_b else b
        y = self.scale * (a @ b)
        return (y + inputs[2] if len(inputs) > 2 else y,)
