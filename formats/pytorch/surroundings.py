"""What a file of PyTorch's has around the weights: optimizer, epoch, whatever was saved with them.

templates/compat/saving.txt knows the same marks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...errors import MsconvertError
from ..ckpt import STRUCTURE
from ..element_types import element_type_of
from ..limits import take_name
from ..names.naming import COUNTED, LEFT_OUT
from ..names.renaming import Plan
from ..transfer.conversion import Part
from .pth import SavedFile, TorchCheckpoint, Walk, prefix_of
from .torch_globals import SavedTensor

TENSOR = "tensor of the checkpoint"
"""Marks the place of a tensor in that text."""
PAIRS, TUPLE = "pairs of the checkpoint", "tuple of the checkpoint"
"""Mark a dictionary whose keys are not texts, and a tuple: JSON has neither."""


Names = Mapping[str, str]
"""Of a network's tensors: those in the dictionary, and those in the written file."""


@dataclass(frozen=True)
class Surroundings:
    """`text`: the values of the file with marks where tensors are; `parts`: those of these tensors
    that are not a network's; `absent`: the keys of what a checkpoint has no place for."""

    text: str
    parts: tuple[Part, ...]
    absent: tuple[str, ...]


def surroundings_of(checkpoint: TorchCheckpoint, plan: Plan) -> Surroundings | None:
    """What stands around the network's tensors; None if the file is these alone. Raises: MS302"""
    if not checkpoint.key or is_alone(checkpoint):
        return None
    names = [step.new for step in plan.steps if step.new != LEFT_OUT]
    names += [added.name for added in plan.added]
    return around(checkpoint.file, {checkpoint.key: {name: name for name in names}})


def around(file: SavedFile, networks: Mapping[str, Names]) -> Surroundings:
    """What stands around some networks' tensors, by the keys that lead to them. Raises: MS302"""
    taken = {full for names in networks.values() for full in names.values()} | {STRUCTURE}
    content = Content(Walk(file), networks, taken)
    text = json.dumps(content.value(file.content))
    return Surroundings(text, tuple(content.parts), tuple(content.absent))


def is_alone(checkpoint: TorchCheckpoint) -> bool:
    """Whether the file has the weights and nothing else, under a name that converted code knows.

    templates/compat/saving.txt finds what is asked for by such a name.
    """
    content, name = checkpoint.file.content, checkpoint.key.lower()
    is_only = isinstance(content, dict) and [*content] == [checkpoint.key]
    return is_only and ("state" in name or "model" in name)


@dataclass
class Content:
    """The values of a file on their way to JSON; tensors are put aside."""

    walk: Walk
    networks: Mapping[str, Names]
    taken: set[str]
    parts: list[Part] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return ".".join(self.walk.path)

    def value(self, value: Any) -> Any:
        """One of the values. Raises: MS302 if they hold one another without end"""
        if isinstance(value, SavedTensor):
            return self.tensor(value)
        if isinstance(value, dict):
            own = self.networks.get(self.path)
            return self.dictionary(value) if own is None else self.network(value, own)
        if isinstance(value, list | tuple):
            found = [inner for _, inner in self.inside(enumerate(value))]
            return {TUPLE: found} if isinstance(value, tuple) else found
        return value

    def network(self, value: dict[Any, Any], names: Names) -> Any:
        """The tensors of a network by their new names, and what its dictionary has besides."""
        others = {k: v for k, v in value.items() if not isinstance(v, SavedTensor)}
        rest = self.dictionary(others)
        return {**{name: {TENSOR: full} for name, full in names.items()}, **rest}

    def dictionary(self, value: dict[Any, Any]) -> Any:
        """A dictionary; of one of tensors what wrappers put before names, and counters, are left
        out."""
        named = [key for key in value if isinstance(key, str)]
        tensors = bool(value) and all(isinstance(v, SavedTensor) for v in value.values())
        prefix = prefix_of(dict.fromkeys(named)) if tensors and len(named) == len(value) else ""
        found = self.inside(value.items())
        pairs = [
            [key.removeprefix(prefix) if prefix else key, inner]
            for key, inner in found
            if str(key).rpartition(".")[2] not in COUNTED
        ]
        return dict(pairs) if len(named) == len(value) else {PAIRS: pairs}

    def inside(self, items: Any) -> Iterator[tuple[Any, Any]]:
        """The keys with their values, without what has no place in a checkpoint."""
        for key, value in items:
            self.walk.enter(key)
            if is_plain(value) and is_plain_key(key):
                yield key, self.value(value)
            else:
                self.absent.append(self.path)
            self.walk.path.pop()

    def tensor(self, value: SavedTensor) -> Any:
        """The mark of a tensor that is no part of the network; None where it has no place."""
        name = self.path or "tensor"
        while name in self.taken:
            name += "_"
        stored = value.stored(name)
        if 0 not in value.shape and element_type_of(stored.dtype) is not None:
            with suppress(MsconvertError):  # a name that MindSpore does not read
                take_name(name, self.taken)
                self.parts.append(Part(name, stored, value.shape))
                return {TENSOR: name}
        self.absent.append(self.path)
        return None


MOST_BITS = 4096
"""Of a whole number in the text; Python reads no decimals of several thousand digits."""


def is_plain(value: Any) -> bool:
    """Whether JSON, or a mark in it, can say the value."""
    return is_plain_key(value) or isinstance(value, list | tuple | dict | SavedTensor)


def is_plain_key(key: Any) -> bool:
    """Whether it comes back from JSON as it was."""
    if isinstance(key, int):
        return key.bit_length() <= MOST_BITS
    return key is None or isinstance(key, float | str)
