"""The layers that have weights of their own, in the order in which they are called."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from ...sides.child.messages import Call, Held
from ...sides.naming import expected, is_needed
from ..matching.kinds import family
from ..recorded import Run

ROLES = {
    **dict.fromkeys(
        ("weight", "gamma", "embedding_table", "kernel", "in_proj_weight", "w", "a"), "weight"
    ),
    **dict.fromkeys(("bias", "beta", "in_proj_bias", "b"), "bias"),
    **dict.fromkeys(("running_mean", "moving_mean"), "mean"),
    **dict.fromkeys(("running_var", "moving_variance"), "variance"),
}
"""What tensors of layers are, by the last part of their names."""

STATISTICS = ("mean", "variance")
FIXED = ("gamma", "beta")
"""What norms of MindSpore hold, not trainable, where they are to have no weights."""

WORDS = {
    **dict.fromkeys(("q", "query", "queries", "wq"), "query"),
    **dict.fromkeys(("k", "key", "keys", "wk"), "key"),
    **dict.fromkeys(("v", "value", "values", "wv"), "value"),
    **dict.fromkeys(("gate", "w1"), "gate"),
    **dict.fromkeys(("up", "hidden", "w3"), "up"),
    **dict.fromkeys(("src", "source"), "source"),
    **dict.fromkeys(("tgt", "target"), "target"),
    **dict.fromkeys(("pos", "position", "positions", "wpe"), "position"),
    **dict.fromkeys(("out", "output", "proj", "projection", "o", "wo", "dense"), "out"),
    **dict.fromkeys(("norm", "ln", "bn", "layernorm", "gn"), "norm"),
}
"""Words of names that mean the same."""

PART = re.compile(r"[A-Za-z]+|[0-9]+")

Fit = Literal["same", "turned"]


@dataclass(frozen=True)
class Owner:
    """A layer with tensors of its own, without those of the layers in it, and its calls."""

    path: str
    kind: str
    held: tuple[Held, ...]
    calls: tuple[Call, ...] = field(default=(), compare=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted(prod(item.shape) for item in self.held))

    @property
    def words(self) -> frozenset[str]:
        return frozenset(words(".".join(self.path.split(".")[-2:])))

    @property
    def last(self) -> frozenset[str]:
        """The words of its own name."""
        return frozenset(words(self.path.rpartition(".")[2]))


def words(name: str) -> list[str]:
    return [WORDS.get(part.lower(), part.lower()) for part in PART.findall(name)]


def owners_of(held: Iterable[Held], run: Run, *, is_apart: bool = False) -> tuple[Owner, ...]:
    """In the order of their first calls; those that are not called by themselves behind what
    was registered before them. `is_apart`: what is tied counts in each of its places."""
    found: dict[str, list[Held]] = {}
    for item in held:
        if (is_apart or not item.same_as) and is_needed(item) and item.saved:
            path = item.name[: -len(item.leaf)].removesuffix(".")
            found.setdefault(path, []).append(item)
    calls: dict[str, list[Call]] = {}
    for call in run.calls:
        calls.setdefault(call.path, []).append(call)
    ordered = []
    at = 0.0
    for number, (path, items) in enumerate(found.items()):
        own = tuple(calls.get(path, ()))
        at = float(own[0].began) if own else at + 1e-6
        kind = run.kind(path) if path in run.layers else ""
        ordered.append((at, number, Owner(path, kind, tuple(items), own)))
    return tuple(owner for _, _, owner in sorted(ordered, key=lambda item: item[:2]))


def without_statistics(held: Iterable[Held], other: Iterable[Held]) -> list[Held]:
    """Without the statistics of norms of which the other side has none, as MindSpore's InstanceNorm
    holds some and PyTorch's does not: no sizes would fit."""
    tracked = {norm_of(item) for item in other if role(item) in STATISTICS}
    return [x for x in held if role(x) not in STATISTICS or norm_of(x) in tracked]


def without_constants(held: Iterable[Held], other: Iterable[Held]) -> list[Held]:
    """Without the ones and zeros that MindSpore's norms hold in the place of weights, where the
    other side's norms have none."""
    weighted = {norm_of(item) for item in other if role(item) == "weight"}
    return [x for x in held if x.leaf not in FIXED or x.trainable or norm_of(x) in weighted]


def norm_of(held: Held) -> str:
    """The family of the layer that holds it."""
    return family(held.layers[-1].classes[0])


def role(held: Held) -> str:
    return ROLES.get(held.leaf, held.leaf)


def fit_of(ours: Held, theirs: Held) -> Fit | None:
    """How the one's elements become the other's: as they are, or with both axes exchanged."""
    shapes = [tuple(size for size in item.shape if size != 1) for item in (ours, theirs)]
    if shapes[0] == shapes[1] or theirs.shape == expected(ours)[1]:
        return "same"
    if len(shapes[0]) == 2 and shapes[0] == shapes[1][::-1]:
        return "turned"
    return None


def tensors_in_pairs(one: Owner, other: Owner) -> list[tuple[Held, Held]] | None:
    """Each tensor of one with that of the other of the same role, else of its shape, in order."""
    if one.sizes != other.sizes:
        return None
    left = list(other.held)
    found: dict[str, Held] = {}
    for is_strict in (True, False):
        for ours in one.held:
            fits = [t for t in left if fit_of(ours, t) and (not is_strict or role(ours) == role(t))]
            if ours.name not in found and fits:
                found[ours.name] = fits[0]
                left.remove(fits[0])
    if left or len(found) != len(one.held):
        return None
    return [(ours, found[ours.name]) for ours in one.held]


def likeness(one: Owner, other: Owner) -> float:
    """What kinds and names say for two layers whose tensors fit, from 0 to 10."""
    found = 2.0 if family(one.kind) == family(other.kind) else 0.0
    found += 3.0 if one.path == other.path else 0.0
    found += 3.0 if one.last & other.last else 0.0
    found += 2.0 * len(one.words & other.words) / max(len(one.words | other.words), 1)
    return found
