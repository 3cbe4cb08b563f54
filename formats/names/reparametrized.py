"""Weights that PyTorch computes of others before each step: weight_norm, spectral_norm.

Source: torch/nn/utils/parametrizations.py and torch/nn/utils/{weight,spectral}_norm.py of 2.13.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ...errors import MsconvertError
from ..stored import Checkpoint, Stored, StoredTensor
from .naming import Shape, split, without_parametrization

Array: TypeAlias = np.ndarray[Any, Any]

TINY = 1e-30
"""So small a norm is taken for none."""
SURE_COSINE = 0.9
"""So close to W v is the saved u, which was computed of it one step before."""


@dataclass(frozen=True)
class Fold:
    """A tensor `name` that is computed of others: `compute` takes the `sources` in their order.

    `kind`: "weight_norm", "spectral_norm" or whatever it was made by; `shape`: the result's.
    """

    name: str
    sources: tuple[str, ...]
    kind: str
    shape: Shape
    compute: Callable[[Sequence[Array]], Array]


def folds_in(shapes: Mapping[str, Shape]) -> Iterator[Fold]:
    """Each weight under weight_norm or spectral_norm, by PyTorch's names, old or new."""
    parts: dict[str, dict[str, str]] = defaultdict(dict)
    for name in shapes:
        path, inner = split(name)
        base, _, part = without_parametrization(inner).rpartition("_")
        if base and part in ("g", "v", "u", "orig"):
            parts[f"{path}.{base}" if path else base][part] = name
    for name, found in parts.items():
        if found.keys() == {"g", "v"}:
            yield fold_of(name, (found["v"], found["g"]), "weight_norm", shapes)
        elif found.keys() == {"orig", "u", "v"}:
            sources = found["orig"], found["u"], found["v"]
            yield fold_of(name, sources, "spectral_norm", shapes)


def fold_of(name: str, sources: tuple[str, ...], kind: str, shapes: Mapping[str, Shape]) -> Fold:
    compute = weight_normed if kind == "weight_norm" else spectral_normed
    return Fold(name, sources, kind, shapes[sources[0]], partial(compute, name))


def folded(source: Checkpoint) -> Checkpoint:
    """The file with such weights computed, each at the place of its first part."""
    tensors = source.tensors()
    folds = folds_in({name: tensor.shape for name, tensor in tensors.items()})
    new = {fold.sources[0]: fold for fold in folds if fold.name not in tensors}
    parts = {name for fold in new.values() for name in fold.sources}
    entries: dict[str, Stored] = {}
    for name, stored in source.items():
        if name in new:
            entries[new[name].name] = computed(new[name], tensors)
        elif name not in parts:
            entries[name] = stored
    return source.with_computed(entries, {fold.name: fold.sources for fold in new.values()})


def computed(fold: Fold, tensors: Mapping[str, StoredTensor]) -> StoredTensor:
    """The weight as a tensor of the file, computed when it is asked for."""

    def load() -> Array:
        return fold.compute([tensors[source].array() for source in fold.sources])

    like = tensors[fold.sources[0]]
    return StoredTensor(fold.name, like.type_name, fold.shape, like.dtype, load)


def weight_normed(name: str, sources: Sequence[Array]) -> Array:
    """v in the length of g along each axis that g has.

    Shapes: v (o, ...), g (o, 1, ...) or another single axis, or () for dim=None
    Raises: MS312 if g has none of these shapes
    """
    v, g = sources
    if g.size != 1 and not is_along(g.shape, v.shape):
        raise unfoldable(name, "weight_norm: g does not fit v", f"v {[*v.shape]}, g {[*g.shape]}")
    axes = tuple(axis for axis in range(v.ndim) if g.size == 1 or g.shape[axis] == 1)
    wide = v.astype(np.float64)
    length = np.sqrt(np.sum(wide * wide, axis=axes, keepdims=True))
    scale = g.astype(np.float64).reshape(length.shape) / np.maximum(length, TINY)
    found: Array = (wide * scale).astype(v.dtype)
    return found


def is_along(g: Shape, v: Shape) -> bool:
    """Whether each axis of g is one of v, or 1."""
    return len(g) == len(v) and all(n in (1, m) for n, m in zip(g, v, strict=True))


def spectral_normed(name: str, sources: Sequence[Array]) -> Array:
    """The weight by its largest singular value, as the saved u and v say it.

    Shapes: weight (o, i, ...), u (o,), v (i * ...); of transposed convolutions u (i,)
    Raises: MS312 if u and v fit no axis, or two axes equally well
    """
    weight, u, v = (part.astype(np.float64) for part in sources)
    fitting = [
        np.moveaxis(weight, axis, 0).reshape(weight.shape[axis], -1)
        for axis in range(min(2, weight.ndim))
        if (weight.shape[axis], weight.size // max(1, weight.shape[axis])) == (u.size, v.size)
    ]
    if len(fitting) == 2:
        fitting = [matrix for matrix in fitting if is_image(matrix, u, v)]
    if len(fitting) == 2 and np.array_equal(fitting[0], fitting[1]):
        del fitting[1]
    if len(fitting) != 1:
        got = f"weight {[*weight.shape]}, u {[*u.shape]}, v {[*v.shape]}"
        raise unfoldable(name, "spectral_norm: the axis of u is not known", got)
    sigma = float(u @ fitting[0] @ v)
    return (weight / sigma).astype(sources[0].dtype)


def is_image(matrix: Array, u: Array, v: Array) -> bool:
    """Whether u has the direction of the matrix times v, of which PyTorch computes it."""
    image = matrix @ v
    length = float(np.linalg.norm(image) * np.linalg.norm(u))
    return math.isfinite(length) and float(u @ image) > SURE_COSINE * max(length, TINY)


def unfoldable(name: str, problem: str, got: str) -> MsconvertError:
    """The MS312 error about a weight that cannot be computed of its parts."""
    advice = "in PyTorch: torch.nn.utils.parametrize.remove_parametrizations before saving"
    return MsconvertError("MS312", f"'{name}'", problem, got=got, advice=advice)
