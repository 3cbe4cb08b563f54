"""The pairs of two files: what is surest first, and each step only for what is left."""

from __future__ import annotations

import math

from ...formats.names.naming import LEFT_OUT, Shape
from .change import RESHAPE, SAME, transpose
from .composed import by_composition
from .mapped import Naming, named_by
from .matching import Matching
from .order import by_order
from .pair import Pair, Tensors
from .renumbering import by_renumbering
from .rules import by_counter, by_fold, by_prefix, by_rule, without_counterpart
from .running import by_running_number
from .values import by_likeness, by_tie, by_value

BY_NAMES = (by_rule, by_fold, by_prefix)
OF_THE_REST = (
    *(by_counter, by_renumbering),
    *(by_value, by_composition, by_likeness, by_order),
    *(by_tie, without_counterpart),
)


def pair_up(a: Tensors, b: Tensors, *, naming: Naming | None = None) -> tuple[Pair, ...]:
    """Each tensor of `a` and `b` with its counterpart, in a's order, then what only b has.

    `naming`: names of a -> names of b, or the weight map of a converted model, in either
    direction; it goes before everything else. Then equal names count, naming rules, values,
    and shapes in their order; data is read only of what no name pairs.
    Raises: MS310 for a map that does not fit
    """
    so_far = Matching(a, b)
    if naming is not None:
        by_map(so_far, naming)
    by_running_number(so_far)
    for name in [name for name in so_far.left_a if name in so_far.left_b]:
        so_far.by_names(name, name, "name", 1.0)
    for step in BY_NAMES:
        if not so_far.is_done:
            step(so_far)
    for step in OF_THE_REST:
        if so_far.left_a or so_far.left_b:
            step(so_far)
    return tuple(so_far.pairs())


def by_map(so_far: Matching, naming: Naming) -> None:
    """What the map says, and the changes of shape that it says."""
    for name, (other, is_turned) in named_by(naming, shapes(so_far.a), shapes(so_far.b)).items():
        if other == LEFT_OUT:
            so_far.add(Pair(name, None, "map"))
        elif name in so_far.left_a and other in so_far.left_b:
            change = transpose((1, 0)) if is_turned else reshaped(*so_far.shapes(name, other))
            so_far.add(Pair(name, other, "map", 1.0, change))


def reshaped(before: Shape, after: Shape) -> str:
    """The change of shape that keeps the order of the elements."""
    is_other = before != after and math.prod(before) == math.prod(after)
    return RESHAPE if is_other else SAME


def shapes(tensors: Tensors) -> dict[str, Shape]:
    return {name: tensor.shape for name, tensor in tensors.items()}
