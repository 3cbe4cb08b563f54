"""The weights of both networks: A's in both, or each with its own, from files or its script."""

from __future__ import annotations

from collections.abc import Mapping as Names
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ...formats.names.naming import COUNTED
from ...formats.stored import StoredTensor
from ...formats.transfer.conversion import open_weights
from ...numerics.rounding import Allowance
from ...numerics.verdict import Difference
from ..sides.child.messages import Held, Leaf, Tensor
from ..sides.naming import Mapping, mapping_of
from ..verify.judgement import difference
from .matching.wholes import SameWeights
from .ports.owners import FIXED
from .records import Array, Arrays
from .session import Session
from .subject import Subject

MOST = 5
"""So many names are listed."""


@dataclass(frozen=True)
class Weights:
    """What both networks begin with, by path, and which of A's is which of B's.

    `names`: B's by A's, where they are aligned; of an ONNX file none. `misfits`: in words.
    `held`: the parameters and buffers of both; `is_copied`: whether B was given A's; `same`:
    which layers hold the same, where names are others; `said`: those that the user has named.
    """

    states: tuple[Arrays, Arrays]
    names: Names[str, str]
    misfits: tuple[str, ...]
    mapping: Mapping
    held: tuple[tuple[Held, ...], tuple[Held, ...]] = ((), ())
    is_copied: bool = False
    same: SameWeights = field(default_factory=lambda: SameWeights({}))
    said: Names[str, str] = field(default_factory=dict)

    @property
    def layers(self) -> Names[str, str]:
        """B's by A's, where names are others."""
        return self.same.single

    def differences(self) -> dict[str, Difference]:
        """By A's names those whose values are not the same: as where a checkpoint is the wrong
        one."""
        found = {}
        for name, other in self.names.items():
            ours, theirs = self.states[0].get(name), self.states[1].get(other)
            if ours is None or theirs is None or np.array_equal(ours.ravel(), theirs.ravel()):
                continue
            item = away(name, ours, theirs)
            if not item.passed:
                found[name] = item
        return found


def away(name: str, ours: Array, theirs: Array) -> Difference:
    if ours.size == theirs.size:
        theirs = theirs.reshape(ours.shape)
    one, other = [Leaf(name, Tensor(str(x.dtype), x)) for x in (ours, theirs)]
    return difference(one, other, Allowance(), 0.0)


def mapped(session: Session, ours: tuple[Held, ...], theirs: tuple[Held, ...]) -> Mapping:
    """A's parameters and B's in pairs, whichever of the two is PyTorch's."""
    if session.side(0) == "onnx":
        return of_graph(mapping_of(ours, theirs))
    if session.side(1) != "torch" or session.side(0) == "torch":
        return mapping_of(ours, theirs)
    found = mapping_of(theirs, ours)
    pairs = tuple((one, other) for other, one in found.pairs)
    return Mapping(pairs, found.unexpected, found.missing, found.wrong)


def of_graph(mapping: Mapping) -> Mapping:
    """Without the constants of a graph that B has not: they need not be weights."""
    return replace(mapping, missing=())


def copied(mapping: Mapping, state: Arrays) -> dict[str, Array]:
    """A's values by the names that they have in B, where they fit."""
    found = {}
    for held, other in mapping.pairs:
        value = state.get(held.same_as or held.name)
        if held.saved and value is not None and value.size == np.prod(other.shape, dtype=int):
            found[other.name] = value.reshape(other.shape)
    return found


def misfits_of(mapping: Mapping) -> tuple[str, ...]:
    """What of the parameters has no counterpart, or one that does not fit."""
    kinds = {"not in B": mapping.missing, "not in A": mapping.unexpected, "": mapping.wrong}
    return tuple(
        f"{kind}: {listed(names)}" if kind else listed(names)
        for kind, names in kinds.items()
        if names
    )


def listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def load(
    session: Session, index: int, file: Path, held: tuple[Held, ...], *, is_whole: bool = False
) -> tuple[str, ...]:
    """Gives one side the weights of a file as they are; what the network has no place for.

    A port that left out a bias is to be compared, not refused. `is_whole`: it must have them all.
    Raises: MS302, MS309 as the readers do; MS403 if they are another network's
    """
    wanted = {item.name: item for item in held if item.saved and not item.same_as}
    stored = without_prefix(open_weights(file).tensors(), wanted)
    known = {item.name for item in held}
    missing = [name for name, item in wanted.items() if name not in stored and is_needed(item)]
    unexpected = [name for name in stored if name not in known]
    wrong = [
        f"{name}: {stored[name].shape}, the network's {item.shape}"
        for name, item in wanted.items()
        if name in stored and tuple(stored[name].shape) != tuple(item.shape)
    ]
    problems = {"missing": missing, "not in the network": unexpected, "shapes": wrong}
    told = [f"{kind}: {listed(tuple(names))}" for kind, names in problems.items() if names]
    if missing or wrong or (unexpected and is_whole):
        raise MsconvertError(
            "MS403",
            str(file),
            f"the weights do not fit {session.subjects[index].name}",
            got="; ".join(told),
            advice="msconvert weights makes a file with the names of the other framework",
        )
    values = {name: plain(stored[name].load()) for name in wanted if name in stored}
    session.ask(index, "fill", values)
    return tuple(unexpected)


def left(subject: Subject, file: Path, names: tuple[str, ...]) -> str:
    """What is said of tensors of a file for which a network has no place."""
    return f"{file.name} has what is not in {subject.name}: {listed(names)}"


def is_needed(held: Held) -> bool:
    """Whether a file must have it: a norm without weights of its own has ones and zeros in
    MindSpore, which no training changes, and in PyTorch none."""
    is_constant = held.leaf in FIXED and not held.trainable
    return held.leaf not in COUNTED and not is_constant


def without_prefix(stored: dict[str, StoredTensor], wanted: Names[str, Held]) -> dict[str, Any]:
    """The tensors by their names, without what a wrapper has put before them all.

    That is `module.`, or `model.` of a LightningModule, whose own tensors, as of its loss, stand
    beside: what is before names is left out where the network has the names behind it.
    """
    if not stored or not wanted or any(name in stored for name in wanted):
        return stored
    first = next(iter(wanted))
    ends = [name for name in stored if name.endswith(f".{first}")]
    for prefix in (name.removesuffix(first) for name in ends):
        if all(prefix + name in stored or wanted[name].leaf in COUNTED for name in wanted):
            return {
                name.removeprefix(prefix): tensor
                for name, tensor in stored.items()
                if name.startswith(prefix)
            }
    return stored


def plain(array: Array) -> Array:
    """Elements of a type that NumPy has by itself, as the other processes know no others."""
    return array.astype(np.float32) if array.dtype.kind == "V" else np.array(array)
