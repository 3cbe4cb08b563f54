"""Which parameter of the converted network is which of the original's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...formats.names.naming import (
    BATCH_NORM,
    COUNTED,
    EMBEDDED_BAG,
    EMBEDDING,
    LEFT_OUT,
    LINE,
    NORM,
    PLAIN,
    PRELU,
    STATISTICS,
    TRANSFORMER_LAYER,
    VOLUME_NORM,
    Naming,
    Shape,
)
from .child.messages import Held, Layer

NN = "torch.nn.modules."

NAMINGS = {
    "activation.PReLU": PRELU,
    "batchnorm.BatchNorm3d": VOLUME_NORM,
    "batchnorm._BatchNorm": BATCH_NORM,
    "conv.Conv1d": LINE,
    "conv.ConvTranspose1d": LINE,
    "instancenorm._InstanceNorm": BATCH_NORM,
    "normalization.GroupNorm": NORM,
    "normalization.LayerNorm": NORM,
    "sparse.Embedding": EMBEDDING,
    "sparse.EmbeddingBag": Naming(EMBEDDED_BAG),
    "transformer.TransformerDecoderLayer": TRANSFORMER_LAYER,
    "transformer.TransformerEncoderLayer": TRANSFORMER_LAYER,
}
"""How PyTorch's classes, below torch.nn.modules, name their parameters in MindSpore."""

NORMS = ("BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm")
CONSTANT = (*STATISTICS, *STATISTICS.values())
"""What MindSpore's norms hold, untrained, where PyTorch's have none."""


@dataclass(frozen=True)
class Mapping:
    """The name of each parameter and buffer in the converted network, and what does not fit.

    `pairs` are (original, converted).
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
    return held.leaf not in COUNTED and (held.saved or held.trainable)


def has_one(held: Held, done: set[str]) -> bool:
    return held.name in done or (bool(held.same_as) and held.same_as in done)


def may_be_left(held: Held) -> bool:
    """Whether a value of the converted network needs none of the original's."""
    if not held.saved:
        return True
    kinds = " ".join(held.layers[-1].classes)
    is_norm = any(kind in kinds for kind in NORMS)
    return is_norm and held.leaf in CONSTANT and not held.trainable


def candidates(held: Held) -> tuple[str, str]:
    """The names that it may have in MindSpore: by the rules, then its own, as in `mint`."""
    return expected(held)[0], held.name


def expected(held: Held) -> tuple[str, Shape]:
    """Its name and shape in MindSpore, by the rules of each layer on the way to it."""
    name, shape = held.leaf, held.shape
    for layer in reversed(held.layers):
        naming = naming_of(layer)
        shape = naming.shaped(name, shape)
        name = naming.renamed(name)
        if name == LEFT_OUT:
            return LEFT_OUT, shape
        name = f"{layer.name}.{name}" if layer.name else name
    return name, shape


def naming_of(layer: Layer) -> Naming:
    """By the most special of its classes that has rules."""
    kinds = [kind.removeprefix(NN) for kind in layer.classes if kind.startswith(NN)]
    return next((NAMINGS[kind] for kind in kinds if kind in NAMINGS), PLAIN)


def misfits(ours: Held, theirs: Held) -> Iterator[str]:
    """What keeps a value from being copied."""
    if theirs.shape not in (ours.shape, expected(ours)[1]):
        yield f"{theirs.name}: shape {theirs.shape}, the original's {ours.shape}"
    elif ours.dtype != theirs.dtype and not (is_whole(ours.dtype) and is_whole(theirs.dtype)):
        yield f"{theirs.name}: element type {theirs.dtype}, the original's {ours.dtype}"


def is_whole(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def described(held: Held) -> str:
    return f"{held.name} {held.dtype} {held.shape}"
