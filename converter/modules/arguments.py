"""Which numbers of a class become arguments, how they are called, and which follow from others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from ..code.expr import Binary, Code, Expr, Literal
from .plan import OWN, Slot
from .scopes import ModulePath

Slots = list[tuple[Slot, Expr]]
Vector = tuple[Expr, ...]

WIDTHS = (
    "in_channels",
    "out_channels",
    "num_features",
    "normalized_shape",
    "num_channels",
    "group",
)
"""Layer arguments that say how wide a layer is: they make required arguments, without a default."""


@dataclass(frozen=True)
class Argument:
    """An argument of a class: its value in each instance, and its default, None if required."""

    name: str
    values: Mapping[ModulePath, Expr]
    default: Expr | None = None


MOST_BASES = 64
"""Arguments of which others may be multiples; the class of a model has a few."""

ABSENT = Code("absent")
"""Stands in the slots of a member that an instance does not have."""


def choose_arguments(
    instances: Mapping[ModulePath, Slots], members: Iterable[str]
) -> tuple[list[Argument], list[Expr]]:
    """The arguments of a class, none called like one of its `members`, and what is written in
    each slot, in slot order.
    """
    paths = list(instances)
    rows = [instances[p] for p in paths]
    columns = [tuple(row[i][1] for row in rows) for i in range(len(rows[0]))]
    places = [slot for slot, _ in rows[0]]
    columns = _completed(places, _without_valid(places, columns))
    bases: dict[Vector, list[Slot]] = {}
    for place, column in zip(places, columns, strict=True):
        if any(value != column[0] for value in column):
            bases.setdefault(column, []).append(place)
    kept: list[Vector] = []
    for column in bases:
        if all(_derived(column, base, "unnamed") is None for base in kept[:MOST_BASES]):
            kept.append(column)
    names = _names({column: bases[column] for column in kept}, members)
    written: dict[Vector, Expr] = {}
    for column in bases:
        found = (
            _derived(column, base, names[base]) for base in kept[:MOST_BASES] if column not in names
        )
        derived = next((e for e in found if e is not None), None)
        written[column] = Code(names[column]) if derived is None else derived
    filled = [
        written.get(c, c[0]) if p.member else _in_construct(written.get(c, c[0]))
        for p, c in zip(places, columns, strict=True)
    ]
    arguments = [_argument(names[c], bases[c], c, paths) for c in kept]
    return sorted(arguments, key=lambda a: a.default is not None), filled


def _completed(places: list[Slot], columns: list[Vector]) -> list[Vector]:
    """The columns, absent places filled as in a column that agrees, else by the commonest."""
    whole = [(p, c) for p, c in zip(places, columns, strict=True) if ABSENT not in c]
    pairs = zip(places, columns, strict=True)
    return [c if ABSENT not in c else _fitting(p, c, whole) for p, c in pairs]


def _fitting(place: Slot, column: Vector, whole: list[tuple[Slot, Vector]]) -> Vector:
    """A constant column takes another of the same argument only: stride 2 that of the block."""
    present = [value for value in column if value != ABSENT]
    constant = len(set(present)) == 1
    for other_place, other in whole:
        alike = not constant or other_place.argument == place.argument
        if alike and all(a in (ABSENT, b) for a, b in zip(column, other, strict=True)):
            return other
    common = Counter(present).most_common(1)[0][0]
    return tuple(common if value == ABSENT else value for value in column)


def _without_valid(places: list[Slot], columns: list[Vector]) -> list[Vector]:
    """pad_mode "valid" is "pad" with padding 0: written so where instances differ in it."""
    valid, padded = Literal("valid"), Literal("pad")
    return [
        (padded,) * len(column)
        if place.argument == "pad_mode" and set(column) == {valid, padded}
        else column
        for place, column in zip(places, columns, strict=True)
    ]


def _argument(name: str, slots: list[Slot], column: Vector, paths: list[ModulePath]) -> Argument:
    values = dict(zip(paths, column, strict=True))
    common, count = Counter(column).most_common(1)[0]
    required = any(slot.argument in WIDTHS for slot in slots) or 2 * count < len(column)
    return Argument(name, values, None if required else common)


def _derived(column: Vector, base: Vector, name: str) -> Expr | None:
    """`4 * channels` or `channels // 4` if that holds in every instance."""
    pairs = [(_whole(a), _whole(b)) for a, b in zip(column, base, strict=True)]
    numbers = [(a, b) for a, b in pairs if a is not None and b is not None]
    if len(numbers) < len(pairs) or any(a <= 0 or b <= 0 for a, b in numbers):
        return None
    a, b = numbers[0]
    if a % b == 0 and a > b and all(x == y * (a // b) for x, y in numbers):
        return Binary("*", Literal(a // b), Code(name))
    if b % a == 0 and b > a and all(x * (b // a) == y for x, y in numbers):
        return Binary("//", Code(name), Literal(b // a))
    return None


def _whole(e: Expr) -> int | None:
    is_int = isinstance(e, Literal) and isinstance(e.value, int) and not isinstance(e.value, bool)
    return e.value if is_int and isinstance(e, Literal) and isinstance(e.value, int) else None


def _names(bases: Mapping[Vector, list[Slot]], members: Iterable[str]) -> dict[Vector, str]:
    """A name for each varying number, from the layer arguments in which it stands."""
    wide = [c for c, slots in bases.items() if any(s.argument in WIDTHS for s in slots)]
    names: dict[Vector, str] = {}
    taken = {member.split(".")[0] for member in members}
    for column, slots in bases.items():
        plain = _plain_names(slots, "scale" if _is_float(column[0]) else "size")
        choices = chain(_width_names(column, slots, wide), plain) if column in wide else plain
        name = next(n for n in choices if n not in taken)
        taken.add(name)
        names[column] = name
    return names


def _width_names(column: Vector, slots: list[Slot], wide: list[Vector]) -> Iterable[str]:
    arguments = [s.argument for s in slots]
    if column == wide[0]:
        yield "in_channels" if arguments[0] == "in_channels" else "channels"
    if column == wide[-1] and len(wide) > 1 and "out_channels" in arguments:
        yield "out_channels"
    yield "channels" if len(wide) <= 3 else f"{_word(slots[0].member)}_channels"


def _is_float(e: Expr) -> bool:
    return isinstance(e, Literal) and isinstance(e.value, float)


def _plain_names(slots: list[Slot], base: str) -> Iterable[str]:
    own = next((s for s in slots if s.member), None)
    if own is not None:
        yield own.argument
        base = f"{_word(own.member)}_{own.argument}"
    yield base
    yield from (f"{base}_{i}" for i in range(2, 10**6))


def _word(member: str) -> str:
    """A member's name as part of an argument's name."""
    if member == OWN:
        return "layer"
    text = member.replace(".", "_")
    return f"layer{text}" if text[:1].isdigit() else text


def _in_construct(e: Expr) -> Expr:
    """What stands in a line, arguments as `construct` reaches them: `self.size`."""
    if isinstance(e, Code):
        return Code(f"self.{e.text}")
    if isinstance(e, Binary):
        return Binary(e.op, _in_construct(e.left), _in_construct(e.right))
    return e
