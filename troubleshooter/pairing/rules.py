"""Pairs by the naming rules of both frameworks, and what has no counterpart by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import numpy as np

from ...errors import MsconvertError
from ...formats.names.naming import COUNTED, MOVING
from ...formats.names.reparametrized import Fold, folds_in
from ...formats.stored import StoredTensor
from .change import change_of
from .matching import Matching
from .names import common_form, fit, single_forms
from .pair import Pair, Tensors
from .prefixes import BY_WRAPPER, exchanges, is_renumbered, unwrapped

Side = Literal["a", "b"]
BY_RULE, BY_CONSTANT = 0.98, 0.9
MOST_FIT = 0.8
"""So many of the tensors under a prefix have fitting shapes; a head may have another."""
ANONYMOUS = re.compile(r"(^|/)Constant(_\d+)?_output_\d+$|^onnx::\w+_\d+$|^val_\d+$")
"""How PyTorch's exporters name what has no name in the network."""
BLOCK = 1 << 16
UNTRAINED = {"weight": 1.0, "bias": 0.0, "running_mean": 0.0, "running_var": 1.0}
"""What MindSpore's norms hold where PyTorch's have affine=False, or track no statistics."""


def by_rule(so_far: Matching) -> None:
    """Names that are the same in their common form."""
    ours, theirs = single_forms(so_far.left_a), single_forms(so_far.left_b)
    for form, name in ours.items():
        if form in theirs:
            so_far.by_names(name, theirs[form], "rule", BY_RULE)


def by_fold(so_far: Matching) -> None:
    """Weights that one file has under weight_norm or spectral_norm, and the other plainly."""
    for fold, other in folded(so_far.a, so_far.left_a, so_far.left_b):
        add_fold(so_far, fold, other, "a")
    for fold, other in folded(so_far.b, so_far.left_b, so_far.left_a):
        add_fold(so_far, fold, other, "b")


def folded(
    tensors: Tensors, left: Iterable[str], others: Iterable[str]
) -> Iterator[tuple[Fold, str]]:
    """The weights that can be computed of what is left, with their names in the other file."""
    plain = single_forms(others)
    for fold in folds_in({name: tensors[name].shape for name in left}):
        if common_form(fold.name) in plain:
            yield fold, plain[common_form(fold.name)]


def add_fold(so_far: Matching, fold: Fold, other: str, side: Side) -> None:
    name = fold.sources[0]
    before, after = fold.shape, (so_far.b if side == "a" else so_far.a)[other].shape
    if side == "b":
        before, after = after, before
    change = (change_of(before, after) or "") if fit(before, after) else ""
    a, b = (name, other) if side == "a" else (other, name)
    so_far.fold(Pair(a, b, "rule", BY_RULE, change, fold, side))


def by_prefix(so_far: Matching) -> None:
    """Names that differ in what stands before them."""
    ours, theirs = single_unwrapped(so_far.left_a), single_unwrapped(so_far.left_b)
    for form in [form for form in ours if form in theirs]:
        so_far.by_names(ours.pop(form), theirs.pop(form), "rule", BY_WRAPPER)
    for exchange in exchanges(ours, theirs):
        found = exchange.pairs(ours, theirs)
        fitting = sum(fit(*so_far.shapes(ours[a], theirs[b])) for a, b in found.items())
        least = 2 if exchange.a and exchange.b else 1
        if fitting < max(least, MOST_FIT * len(found)) or is_renumbered(exchange):
            continue
        for form, other in found.items():
            so_far.by_names(ours.pop(form), theirs.pop(other), "rule", exchange.confidence)


def single_unwrapped(names: Iterable[str]) -> dict[str, str]:
    """The names by their forms without wrappers, but for those that share one."""
    groups: dict[str, list[str]] = {}
    for form, name in single_forms(names).items():
        groups.setdefault(unwrapped(form), []).append(name)
    return {form: found[0] for form, found in groups.items() if len(found) == 1}


# what has no counterpart


def by_counter(so_far: Matching) -> None:
    """Counters of PyTorch's that MindSpore has not."""
    for name in [name for name in so_far.left_a if is_counter(name)]:
        so_far.add(Pair(name, None, "rule"))
    for name in [name for name in so_far.left_b if is_counter(name)]:
        so_far.add(Pair(None, name, "rule"))


def without_counterpart(so_far: Matching) -> None:
    """Constants that the other framework, or the network as it was saved, has not."""
    for name in constants(so_far.a, so_far.left_a, so_far.of_a):
        so_far.add(Pair(name, None, "rule", BY_CONSTANT))
    for name in constants(so_far.b, so_far.left_b, so_far.of_b):
        so_far.add(Pair(None, name, "rule", BY_CONSTANT))
    for name in graph_constants(so_far.a, so_far.left_a):
        so_far.add(Pair(name, None, "rule", BY_CONSTANT))
    for name in graph_constants(so_far.b, so_far.left_b):
        so_far.add(Pair(None, name, "rule", BY_CONSTANT))


def is_counter(name: str) -> bool:
    return name.rpartition(".")[2] in COUNTED


def constants(tensors: Tensors, left: Iterable[str], paired: Mapping[str, Pair]) -> Iterator[str]:
    """What is left of a norm in MindSpore, as it is when nobody has trained it.

    Its BatchNorm has gamma and beta where PyTorch's has affine=False, its InstanceNorm has
    statistics. The rest of the norm has a counterpart.
    """
    forms = {common_form(name): name for name in tensors}
    for name in list(left):
        path, _, leaf = common_form(name).rpartition(".")
        if leaf not in UNTRAINED:
            continue
        partner = "weight" if leaf in MOVING else "running_mean"
        pair = paired.get(forms.get(f"{path}.{partner}" if path else partner, ""))
        if pair is not None and pair.is_whole and only_value(tensors[name]) == UNTRAINED[leaf]:
            yield name


def graph_constants(tensors: Tensors, left: Iterable[str]) -> Iterator[str]:
    """What an ONNX graph computes with besides weights: shapes, indices, numbers, zeros."""
    for name in [name for name in left if ANONYMOUS.search(name)]:
        tensor = tensors[name]
        if tensor.dtype.kind in "iub" or tensor.size <= 1 or only_value(tensor) is not None:
            yield name


def only_value(tensor: StoredTensor) -> float | None:
    """The value of all elements; None if there are several, or the tensor cannot be read."""
    found: set[float] = set()
    try:
        for block in tensor.blocks(BLOCK):
            first = block[0]
            found.add(float(abs(first) if block.dtype.kind == "c" else first))
            if len(found) > 1 or not np.all(block == first):
                return None
    except MsconvertError:
        return None
    return found.pop() if found else None
