"""What a map says of names: one given by hand, or that of a converted model."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import MsconvertError
from ...formats.names.naming import LEFT_OUT, Shape
from ...formats.names.renaming import Plan, plan_by_names, plan_of
from ...formats.names.weight_map import ClassMap, NameMap

Naming = ClassMap | NameMap | Mapping[str, str]
Shapes = Mapping[str, Shape]


Named = dict[str, tuple[str, bool]]
"""The name of each counterpart, and whether the two axes of a matrix change places."""


def named_by(naming: Naming, a: Shapes, b: Shapes) -> Named:
    """The names in b of those in a that the map knows; LEFT_OUT for what has none.

    Raises: MS310 for a map that names nothing of both files
    """
    if not isinstance(naming, ClassMap | NameMap):
        return {old: (new, False) for old, new in by_hand(naming, a, b).items()}
    there, problem = attempt(naming, a, b)
    back, _ = attempt(naming, b, a)
    found = max(there, {new: (old, turned) for old, (new, turned) in back.items()}, key=len)
    if not found:
        raise problem or unrelated(naming.source, a, b)
    return found


def by_hand(naming: Mapping[str, str], a: Shapes, b: Shapes) -> dict[str, str]:
    """The names that somebody has written: of a -> of b, or the other way. Raises: MS310"""
    there = {old: new for old, new in naming.items() if old in a and (new in b or new == LEFT_OUT)}
    back = {new: old for old, new in naming.items() if old in b and new in a}
    found = max(there, back, key=len)
    if naming and not found:
        raise unrelated("--map", a, b)
    return found


def unrelated(where: str, a: Shapes, b: Shapes) -> MsconvertError:
    """The MS310 error about a map that pairs nothing."""
    return MsconvertError(
        "MS310",
        where,
        "the map pairs no name of one file with one of the other",
        got=", ".join(list(a)[:3]),
        expected=", ".join(list(b)[:3]),
        advice="give the map that was written with this model, or none",
    )


def attempt(
    naming: ClassMap | NameMap, source: Shapes, target: Shapes
) -> tuple[Named, MsconvertError | None]:
    """The pairs if `source` has PyTorch's (or ONNX's) names; the error if the map does not fit."""
    try:
        plan = plan_in(naming, source)
    except MsconvertError as error:
        return {}, error
    steps = [step for step in plan.steps if step.new in target]
    return {step.old: (step.new, step.turned) for step in steps}, None


def plan_in(naming: ClassMap | NameMap, source: Shapes) -> Plan:
    if isinstance(naming, NameMap):
        return plan_by_names(source, naming)
    return plan_of(source, naming)
