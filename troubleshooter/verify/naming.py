"""Which parameter of the converted network is which of the original's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .child.messages import Held, Layer

NN = "torch.nn.modules."
SCALED = {"weight": "gamma", "bias": "beta"}
STATISTICS = SCALED | {"running_mean": "moving_mean", "running_var": "moving_variance"}

NAMES: dict[str, dict[str, str]] = {
    "batchnorm.BatchNorm3d": {name: f"bn2d.{new}" for name, new in STATISTICS.items()},
    "batchnorm._BatchNorm": STATISTICS,
    "instancenorm._InstanceNorm": STATISTICS,
    "normalization.LayerNorm": SCALED,
    "normalization.GroupNorm": SCALED,
    "sparse.Embedding": {"weight": "embedding_table"},
    "sparse.EmbeddingBag": {"weight": "embedding.embedding_table"},
    "activation.PReLU": {"weight": "w"},
    "transformer.TransformerEncoderLayer": {"linear1": "dense1", "linear2": "dense2"},
    "transformer.TransformerDecoderLayer": {"linear1": "dense1", "linear2": "dense2"},
    "module.Module": {
        "parametrizations.weight.original0": "weight_g",
        "parametrizations.weight.original1": "weight_v",
        "parametrizations.weight.original": "weight_orig",
        "parametrizations.weight.0._u": "weight_u",
        "parametrizations.weight.0._v": "weight_v",
    },
}
"""By class, below torch.nn.modules, what is called otherwise in MindSpore."""

EXTRA_AXIS = ("conv.Conv1d", "conv.ConvTranspose1d")
"""Layers whose weights have one more axis of size 1 in MindSpore, behind the first two."""

COUNTER = "num_batches_tracked"
"""PyTorch counts batches; MindSpore does not, and nothing follows from it by default."""

NORMS = ("BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm")
CONSTANT = ("gamma", "beta", "moving_mean", "moving_variance", "weight", "bias")
"""What MindSpore's norms hold, untrained, where PyTorch's have none."""


@dataclass(frozen=True)
class Mapping:
    """The name of each parameter and buffer in the converted network, and what does not fit.

    `pairs` are (original, converted); `reshaped` those whose shape differs by a known rule.
    """

    pairs: tuple[tuple[Held, Held], ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not (self.missing or self.unexpected or self.wrong)


def mapping_of(originals: Sequence[Held], converted: Sequence[Held]) -> Mapping:
    """Each original's counterpart by its name; all of both must have one.

    A parameter that is used twice needs its counterpart under one of its names; a buffer that
    is not saved needs none.
    """
    by_name = {held.name: held for held in converted}
    found: dict[str, tuple[Held, Held]] = {}
    for held in originals:
        name = next((n for n in candidates(held) if n in by_name), None)
        if name is not None:
            found[held.name] = (held, by_name[name])
    done = {held.name for held in originals if held.name in found}
    done |= {held.same_as for held in originals if held.name in found}
    missing = [held for held in originals if is_needed(held) and not has_one(held, done)]
    taken = {theirs.name for _, theirs in found.values()}
    left = [held for held in converted if held.name not in taken and not may_be_left(held)]
    return Mapping(
        tuple(found.values()),
        tuple(described(held) for held in missing),
        tuple(described(held) for held in left),
        tuple(misfit for pair in found.values() for misfit in misfits(*pair)),
    )


def is_needed(held: Held) -> bool:
    return held.leaf != COUNTER and (held.saved or held.trainable)


def has_one(held: Held, done: set[str]) -> bool:
    return held.name in done or (bool(held.same_as) and held.same_as in done)


def may_be_left(held: Held) -> bool:
    """Whether a value of the converted network needs none of the original's."""
    if not held.saved:
        return True
    kinds = " ".join(held.layers[-1].classes)
    is_norm = any(kind in kinds for kind in NORMS)
    return is_norm and held.leaf in CONSTANT and not held.trainable


def candidates(held: Held) -> Iterator[str]:
    """The names that it may have in MindSpore: by the rules, then its own."""
    parts = [layer.name for layer in held.layers[1:]] + [held.leaf]
    path = list(parts)
    for depth, layer in enumerate(held.layers):
        rules = rules_of(layer)
        for length in range(len(parts) - depth, 0, -1):
            old = ".".join(parts[depth : depth + length])
            if old in rules:
                path[depth : depth + length] = [rules[old], *[""] * (length - 1)]
                break
    yield ".".join(part for part in path if part)
    yield held.name


def rules_of(layer: Layer) -> dict[str, str]:
    """What is called otherwise in a layer, by the most special of its classes that has rules."""
    for kind in layer.classes:
        rules = NAMES.get(kind.removeprefix(NN)) if kind.startswith(NN) else None
        if rules is not None:
            return rules
    return {}


def misfits(ours: Held, theirs: Held) -> Iterator[str]:
    """What keeps a value from being copied."""
    if ours.shape != theirs.shape and with_extra_axis(ours) != theirs.shape:
        yield f"{theirs.name}: shape {theirs.shape}, the original's {ours.shape}"
    elif ours.dtype != theirs.dtype and not (is_whole(ours.dtype) and is_whole(theirs.dtype)):
        yield f"{theirs.name}: element type {theirs.dtype}, the original's {ours.dtype}"


def with_extra_axis(held: Held) -> tuple[int, ...]:
    """The shape that MindSpore gives to the weights of a convolution over a line."""
    kinds = [kind.removeprefix(NN) for kind in held.layers[-1].classes]
    if len(held.shape) == 3 and any(kind in EXTRA_AXIS for kind in kinds):
        return (*held.shape[:2], 1, held.shape[2])
    return held.shape


def is_whole(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def described(held: Held) -> str:
    return f"{held.name} {held.dtype} {held.shape}"
