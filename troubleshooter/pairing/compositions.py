"""Tensors that exporters compute of several: folded normalisation, stacked gates, joined parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ...formats.names.naming import Shape
from ...formats.names.reparametrized import Fold
from ...numerics.sampling import places
from .names import common_form
from .pair import Tensors
from .sketch import sample

Array: TypeAlias = np.ndarray[Any, Any]

EPSILONS = (1e-5, 1e-3, 1e-6, 1e-12)
"""The first is PyTorch's, the second that of TensorFlow's networks."""
CONVOLUTIONS_BEFORE = 2
GATES = {4: (0, 3, 1, 2), 3: (1, 0, 2), 1: (0,)}
"""ONNX's order of PyTorch's gates: i, o, f, c of i, f, g, o; z, r, h of r, z, n."""
RECURRENT = re.compile(r"(.*?)weight_hh_l(\d+)$")
REVERSE = "_reverse"
TRIPLES = (
    *(("q", "k", "v"), ("query", "key", "value"), ("q_proj", "k_proj", "v_proj")),
    *(("to_q", "to_k", "to_v"), ("wq", "wk", "wv"), ("q_lin", "k_lin", "v_lin")),
    *(("q_proj_weight", "k_proj_weight", "v_proj_weight"), ("linear_q", "linear_k", "linear_v")),
)
"""How the parts of an attention's input projection are called."""


@dataclass(frozen=True)
class Composition:
    """What can be computed of a file's tensors; `sampled`: few elements of it, without the rest."""

    fold: Fold
    sampled: Callable[[Sequence[Array]], Array] | None = None

    def sample(self, tensors: Tensors) -> Array:
        """The elements that a sketch of the result would have."""
        sources = [tensors[source].array() for source in self.fold.sources]
        if self.sampled is not None:
            return self.sampled(sources)
        return sample(self.fold.compute(sources))


def compositions(tensors: Tensors, left: Mapping[str, None]) -> Iterator[Composition]:
    """What can be computed of tensors of a file some of which are left without a pair."""
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    for fold in (*stacked(shapes), *joined(shapes, left)):
        yield Composition(fold)
    yield from normalised(shapes, left)


# recurrent layers, as ONNX has them


def stacked(shapes: Mapping[str, Shape]) -> Iterator[Fold]:
    """The weights and biases of a recurrent layer, both directions in one tensor."""
    for name in shapes:
        found = RECURRENT.match(name)
        if found is None or len(shapes[name]) != 2 or not shapes[name][1]:
            continue
        start, layer = found[1], found[2]
        hidden, gates = shapes[name][1], shapes[name][0] // shapes[name][1]
        ends = [""] + [REVERSE] * (f"{name}{REVERSE}" in shapes)
        if gates not in GATES:
            continue
        for kind in ("weight_ih", "weight_hh"):
            parts = tuple(f"{start}{kind}_l{layer}{end}" for end in ends)
            if all(part in shapes for part in parts):
                shape = (len(ends), *shapes[parts[0]])
                yield Fold(parts[0], parts, "gates as in ONNX", shape, partial(in_onnx, gates))
        parts = tuple(
            f"{start}{kind}_l{layer}{end}" for end in ends for kind in ("bias_ih", "bias_hh")
        )
        if all(part in shapes for part in parts):
            shape = (len(ends), 2 * gates * hidden)
            compute = partial(biases_in_onnx, gates)
            yield Fold(parts[0], parts, "gates as in ONNX", shape, compute)


def reordered(gates: int, array: Array) -> Array:
    blocks = array.reshape(gates, -1, *array.shape[1:])
    return blocks[list(GATES[gates])].reshape(array.shape)


def in_onnx(gates: int, sources: Sequence[Array]) -> Array:
    return np.stack([reordered(gates, array) for array in sources])


def biases_in_onnx(gates: int, sources: Sequence[Array]) -> Array:
    """Those of the input and of the state, of each direction, behind each other."""
    count = len(sources) // 2
    return np.concatenate([reordered(gates, array) for array in sources]).reshape(count, -1)


# parts that stand in one tensor elsewhere


def joined(shapes: Mapping[str, Shape], left: Mapping[str, None]) -> Iterator[Fold]:
    """The queries', keys' and values' projections as one."""
    for names in (names for name in left for names in triples(name)):
        parts = [shapes[other] for other in names if shapes.get(other)]
        if len(parts) == len(names) and len({part[1:] for part in parts}) == 1:
            shape = (sum(part[0] for part in parts), *parts[0][1:])
            yield Fold(names[0], names, "joined q, k, v", shape, np.concatenate)


def triples(name: str) -> Iterator[tuple[str, ...]]:
    """`a.query.weight` with what stands beside it: `a.key.weight`, `a.value.weight`."""
    parts = name.split(".")
    for triple in TRIPLES:
        if triple[0] in parts:
            place = parts.index(triple[0])
            yield tuple(".".join((*parts[:place], it, *parts[place + 1 :])) for it in triple)


# BatchNorm in the convolution before


def normalised(shapes: Mapping[str, Shape], left: Mapping[str, None]) -> Iterator[Composition]:
    """Weight and bias of a convolution with the BatchNorm that may follow it, by each epsilon."""
    by_form = {common_form(name): name for name in shapes}
    layers: list[str] = []
    for form, name in by_form.items():
        path, _, leaf = form.rpartition(".")
        if leaf == "weight" and len(shapes[name]) > 1:
            layers.insert(0, path)
        elif leaf == "running_var" and name in left and len(shapes[name]) == 1:
            norm = norm_at(path, by_form)
            for layer in layers[:CONVOLUTIONS_BEFORE] if norm else ():
                yield from with_norm(shapes, by_form, layer, norm)


def norm_at(path: str, by_form: Mapping[str, str]) -> tuple[str, ...]:
    """The names of a BatchNorm's (weight, bias,) mean and variance; nothing if one is missing."""
    parts = ("weight", "bias", "running_mean", "running_var")
    found = tuple(by_form[form] for part in parts if (form := f"{path}.{part}") in by_form)
    return found if len(found) in (2, 4) else ()


def with_norm(
    shapes: Mapping[str, Shape], by_form: Mapping[str, str], layer: str, norm: tuple[str, ...]
) -> Iterator[Composition]:
    """What becomes of one convolution before one BatchNorm."""
    weight = by_form[f"{layer}.weight"]
    biases = tuple(by_form[form] for form in (f"{layer}.bias",) if form in by_form)
    (count,) = shapes[norm[-1]]
    axes = [axis for axis in (0, 1) if shapes[weight][axis] == count]
    if any(shapes[part] != (count,) for part in (*norm, *biases)):
        return
    for eps in EPSILONS if axes else ():
        kind = f"BatchNorm folded, eps {eps:g}"
        for axis in axes:
            fold = Fold(
                weight, (weight, *norm), kind, shapes[weight], partial(weight_with_norm, axis, eps)
            )
            yield Composition(fold, partial(sample_with_norm, axis, eps))
        compute = partial(bias_with_norm, bool(biases), eps)
        sources = (*biases, *norm)
        yield Composition(Fold(sources[0], sources, kind, (count,), compute))


def scale_of(norm: Sequence[Array], eps: float) -> Array:
    factor: Array = 1 / np.sqrt(norm[-1].astype(np.float64) + eps)
    return factor * norm[0] if len(norm) == 4 else factor


def weight_with_norm(axis: int, eps: float, sources: Sequence[Array]) -> Array:
    weight, *norm = sources
    shape = [-1 if place == axis else 1 for place in range(weight.ndim)]
    found: Array = weight * scale_of(norm, eps).reshape(shape)
    return found.astype(weight.dtype)


def sample_with_norm(axis: int, eps: float, sources: Sequence[Array]) -> Array:
    weight, *norm = sources
    channels = np.unravel_index(places(weight.size), weight.shape)[axis]
    return sample(weight) * scale_of(norm, eps)[channels]


def bias_with_norm(has_bias: bool, eps: float, sources: Sequence[Array]) -> Array:
    norm = sources[1:] if has_bias else sources
    mean = norm[-2].astype(np.float64)
    centred = (sources[0] - mean if has_bias else -mean) * scale_of(norm, eps)
    found: Array = centred + norm[1] if len(norm) == 4 else centred
    return found.astype(norm[-1].dtype)
