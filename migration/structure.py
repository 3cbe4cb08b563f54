"""The values around the tensors of a file, as templates/compat/saving.txt reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..formats.pytorch.pth import is_of_optimizer
from ..formats.pytorch.surroundings import TENSOR
from ..formats.pytorch.torch_globals import SavedTensor

MOST_LEVELS = 60


@dataclass
class Structure:
    """Makes plain values of what a file holds; `names` are those of the tensors in each dictionary.

    `instead`: what stands for the values under some keys, as an optimizer's. `left_out` are the
    keys of what cannot be said so.
    """

    names: Mapping[str, Mapping[str, str]]
    instead: Mapping[str, Any] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def of(self, content: Any) -> Any:
        """What stands for the whole content of the file."""
        if isinstance(content, SavedTensor):  # torch.save(tensor, ...)
            return {TENSOR: "tensor"}
        return self.instead[""] if "" in self.instead else self.value(content, ())

    def value(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, dict):
            return self.dictionary(value, path)
        if isinstance(value, list | tuple):
            return [self.item(inner, (*path, str(n))) for n, inner in enumerate(value)]
        return value.item() if isinstance(value, np.generic) else value

    def item(self, value: Any, path: tuple[str, ...]) -> Any:
        """One of several; None in its place if it cannot be said."""
        entry = self.entry(value, path)
        if entry is None:
            self.left_out.append(".".join(path))
        return None if entry is None else entry[0]

    def dictionary(self, value: dict[Any, Any], path: tuple[str, ...]) -> dict[str, Any]:
        """The tensors of a dictionary by their new names, and the rest of it."""
        own = self.names.get(".".join(path), {})
        found: dict[str, Any] = {name: {TENSOR: full} for name, full in own.items()}
        for key, inner in value.items():
            if isinstance(inner, SavedTensor):
                continue
            entry = self.entry(inner, (*path, str(key))) if isinstance(key, str) else None
            if entry is None:
                self.left_out.append(".".join((*path, str(key))))
            else:
                found[key] = entry[0]
        return found

    def entry(self, value: Any, path: tuple[str, ...]) -> tuple[Any] | None:
        """The value in a tuple; None if it cannot be said."""
        name = ".".join(path)
        if name in self.instead:
            return (self.instead[name],)
        if isinstance(value, SavedTensor):
            return ({TENSOR: self.names.get(".".join(path[:-1]), {}).get(path[-1], name)},)
        if is_of_optimizer(name) or len(path) > MOST_LEVELS:
            return None
        plain = isinstance(value, dict | list | tuple | str | int | float | bool | np.generic)
        return (self.value(value, path),) if plain or value is None else None
