"""A tensor of one file and its counterpart in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ...formats.names.reparametrized import Fold
from ...formats.stored import StoredTensor
from .change import changed

How = Literal["name", "map", "rule", "shape", "value", "none"]
Array: TypeAlias = np.ndarray[Any, Any]
Tensors: TypeAlias = Mapping[str, StoredTensor]


@dataclass(frozen=True, slots=True)
class Pair:
    """The tensors `a` and `b`, and how sure it is that they are the same one.

    Without a counterpart (`how` "none": nothing says why; "rule": it has none by the rules) one
    of them is None. `change` makes a's shape b's: "", "reshape", "transpose(1, 0)".
    `fold`: the tensor of the side `folded` is computed of several, whose first is its name here.
    `tied`: the tensor of the same side that it is another name of, and paired as.
    """

    a: str | None
    b: str | None
    how: How
    confidence: float = 1.0
    change: str = ""
    fold: Fold | None = None
    folded: Literal["", "a", "b"] = ""
    tied: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether there are two tensors to compare."""
        left = self.a is not None or self.folded == "a"
        return left and (self.b is not None or self.folded == "b")

    def arrays(self, a: Tensors, b: Tensors) -> tuple[Array, Array]:
        """Both tensors, a's changed to be like b's; of whole pairs only.

        Raises: MS312 if one of them is computed of parts that do not fit
        """
        left, right = self.value(a, "a", self.a), self.value(b, "b", self.b)
        return changed(left, self.change, right.shape), right

    def value(self, tensors: Tensors, side: str, name: str | None) -> Array:
        if self.fold is not None and self.folded == side:
            return self.fold.compute([tensors[source].array() for source in self.fold.sources])
        assert name is not None, "a pair that is not whole"
        return tensors[name].array()
