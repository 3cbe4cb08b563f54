"""Constant tensors that are no layer's weight: which module holds each, and under what name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..code.expr import Constant, Content, Expr, Ref, Weight, transform
from ..code.statement import Statement
from ..graph.exporter_metadata import is_computed, is_lifted, is_made_up
from ..graph.graph import SPREAD, UNFOLDED
from .blocks import container_paths, plain
from .recipes import Recipe, recipe_of
from .scopes import QUANTISED, ModulePath, attribute_name, weight_path


@dataclass(frozen=True)
class Home:
    """Where a constant tensor lives: `path` is the module, `attribute` the name in it, "" if free.

    `trainable` is whether the source held it as a weight of its own. A name that the exporter made
    up has lost the number by which it tells one module's from another's. `is_filled`: it is no
    weight, but one number again and again, as the first state of a recurrent network.
    """

    path: ModulePath
    attribute: str
    weight: Weight
    trainable: bool
    is_filled: bool = False

    @cached_property
    def recipe(self) -> Recipe | None:
        """What makes it anew, if its numbers count up, or are the waves of positions."""
        is_named = _attribute_path(self.weight.sources[0]) is not None
        return recipe_of(self.weight.array, is_named=is_named)

    @property
    def is_weight(self) -> bool:
        """Whether it is read from the checkpoint; the others are made anew."""
        return not self.is_filled and self.recipe is None


def find_homes(statements: list[Statement]) -> dict[str, Home]:
    """Takes the constants out of the statements (they become `Ref`s) and finds their modules."""
    containers = container_paths(statements)
    uses: dict[str, list[ModulePath]] = {}
    found: dict[str, Constant] = {}
    given = _given(statements)
    for s in statements:
        constants = [part for part in s.expr.tensors if isinstance(part, Constant)]
        for part in constants:
            found[part.name] = part
            depth = given.get(part.name, len(s.scope))
            uses.setdefault(part.name, []).append(plain(s.scope[:depth]))
        if constants:
            s.expr = transform(s.expr, _as_ref)
    return {name: _home(c, uses[name], containers) for name, c in found.items()}


def _given(statements: Iterable[Statement]) -> dict[str, int]:
    """The constants that a module is handed in some of its calls, and how deep those stand that do.

    A state that begins with zeros is computed in all calls but the first. What each call reads of
    equal numbers is the module's own.
    """
    calls: dict[ModulePath, set[ModulePath]] = {}
    read: dict[tuple[ModulePath, Content], set[ModulePath]] = {}
    held: list[tuple[str, Content, ModulePath]] = []
    for s in statements:
        constants = [part for part in s.expr.tensors if isinstance(part, Constant)]
        contents = [(part.name, part.weight.content) for part in constants if not _is_named(part)]
        held += [(name, key, s.scope) for name, key in contents]
        for depth in range(1, len(s.scope) + 1):
            path, call = plain(s.scope[:depth]), s.scope[:depth]
            calls.setdefault(path, set()).add(call)
            for _, key in contents:
                read.setdefault((path, key), set()).add(call)
    given: dict[str, int] = {}
    for name, key, scope in held:
        for depth in range(len(scope), 0, -1):
            path = plain(scope[:depth])
            if read[path, key] != calls[path]:
                given[name] = min(depth - 1, given.get(name, depth))
    return given


def _is_named(constant: Constant) -> bool:
    return weight_path(constant.weight.sources[0]) is not None


def _as_ref(e: Expr) -> Expr:
    return Ref(e.name) if isinstance(e, Constant) else e


def _home(constant: Constant, uses: list[ModulePath], containers: set[ModulePath]) -> Home:
    common = uses[0]
    for path in uses[1:]:
        same = [a == b for a, b in zip(common, path, strict=False)]
        common = common[: same.index(False)] if False in same else common[: len(same)]
    named = _attribute_path(constant.weight.sources[0])
    attribute = named[1].removesuffix(QUANTISED) if named is not None else plain_name(constant.name)
    if named is not None and named[0] == common[: len(named[0])]:
        common = named[0]
    while common in containers:
        common = common[:-1]
    array, change = constant.weight.array, constant.weight.transformation
    is_ours = change.endswith((UNFOLDED, SPREAD))
    is_derived = change != "none" and not is_ours
    floating = array.dtype.kind == "f" and (array.size > 1 or named is not None)
    attribute = attribute if floating or named is not None or is_ours else ""
    is_kept = floating and (attribute != "" or is_lifted(constant.name))
    is_computed_once = is_computed(constant.name) or change.endswith(SPREAD)
    is_kept = is_kept and (named is not None or not is_computed_once)
    filled = floating and _is_filled(constant)
    if is_lifted(constant.name) or (named is None and common and is_derived):
        attribute = ""
    elif named is None and common:
        attribute = uncounted(attribute)
    return Home(common, attribute, constant.weight, is_kept and not filled, filled)


def _is_filled(constant: Constant) -> bool:
    """Whether the exporter computed a tensor of one number, as a function of PyTorch's makes it."""
    array = constant.weight.array
    made = is_made_up(constant.name) or is_computed(constant.name)
    return made and not _is_named(constant) and bool(np.all(array == array.flat[0]))


def uncounted(attribute: str) -> str:
    """The name without the number at its end; "" if it has nothing else."""
    word = re.sub(r"_?\d+$", "", attribute)
    return attribute_name(word) if word.strip("_") else ""


def _attribute_path(source: str) -> tuple[ModulePath, str] | None:
    """As `weight_path`; of a list of parameters, `scales.0` is the attribute `scales_0`."""
    named = weight_path(source)
    if named is None or not named[1][0].isdigit():
        return named
    path, number = named
    return path[:-1], f"{path[-1]}_{number}" if not path[-1].isdigit() else f"constant_{number}"


def plain_name(name: str) -> str:
    """The constant's own name if it is a plain word that a person gave, else ""."""
    word = name.rsplit(".", 1)[-1]
    given = word.isidentifier() and word.isascii() and len(word) <= 40
    return attribute_name(word) if given and not is_made_up(name) else ""
