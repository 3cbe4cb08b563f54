"""Modules that say the same become one class; arguments for what differs between its instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..code.expr import Call, CellCall, Code, Expr, IfElse, Literal, Ref, transform
from ..code.statement import Statement
from .arguments import ABSENT, Argument, Slots, choose_arguments
from .blocks import Block, Item, blocks_in, item_path, made_by, read_by
from .homes import Home
from .plan import OWN, Line, Optional, Plan, Planner, Slot, member_code, relative, signature
from .scopes import ModulePath


@dataclass(eq=False)
class ModuleClass:
    """A class of the script: the plan with its arguments, and the blocks that are calls of it.

    `hint` is the class name in the source, "" if the file does not tell. A class that says what
    another says, under a name of its own, is derived from that one, its `base`.
    """

    plan: Plan
    blocks: list[Block]
    arguments: list[Argument] = field(default_factory=list)
    kind: str = ""
    hint: str = ""
    base: ModuleClass | None = None

    def values_of(self, block: Block) -> list[tuple[str, Expr]]:
        """The arguments of one instance, by name."""
        return [(a.name, a.values[block.path]) for a in self.arguments]


def build_classes(
    root: Block, homes: Mapping[str, Home], hints: Mapping[ModulePath, str]
) -> list[ModuleClass]:
    """The classes of the script, inner ones first, the network last."""
    found: dict[Block, ModuleClass] = {}
    order: list[ModuleClass] = []
    _find_own_classes(root, hints)
    waiting = [b for b in blocks_in(root) if b.needs_class]
    heights = _heights(root)
    for height in range(max(heights.values()) + 1):
        level = [b for b in waiting if heights[b] == height]
        for module in _level(level, homes, found, hints):
            order.append(module)
            found.update(dict.fromkeys(module.blocks, module))
    return order


def _heights(root: Block) -> dict[Block, int]:
    """How many classes deep each block is; sequential blocks add nothing."""
    heights: dict[Block, int] = {}
    for block in blocks_in(root):
        inner = [heights[item] for item in block.body if isinstance(item, Block)]
        heights[block] = max(inner, default=-1) + (1 if block.needs_class else 0)
    return heights


CONTAINERS = frozenset({"Sequential", "SequentialCell", "ModuleList", "CellList"})
OFTEN = 3
"""A chain of layers inside another that stands so often gets a class."""


def _find_own_classes(root: Block, hints: Mapping[ModulePath, str]) -> None:
    """Marks the chains that the source has a class for, or that stand often inside others."""
    inner: dict[tuple[str, ...], list[Block]] = {}
    for block in blocks_in(root):
        if not block.sequential:
            continue
        block.own_class = block is root or hints.get(block.path, "Sequential") not in CONTAINERS
        kinds = tuple(_layer_kind(item) for item in block.body)
        if block.attribute.isdigit() and len(kinds) > 1 and all(kinds):
            inner.setdefault(kinds, []).append(block)
    for blocks in inner.values():
        for block in blocks:
            block.own_class |= len(blocks) >= OFTEN


def _layer_kind(item: Item) -> str:
    return (
        item.expr.cell.kind
        if isinstance(item, Statement) and isinstance(item.expr, CellCall)
        else ""
    )


def _level(
    blocks: list[Block],
    homes: Mapping[str, Home],
    found: Mapping[Block, ModuleClass],
    hints: Mapping[ModulePath, str],
) -> list[ModuleClass]:
    """The classes of blocks of one height, none of which contains another."""
    if len(blocks) == 1:
        return [_lone(blocks[0], homes, found, hints)]
    groups: dict[Key, Group] = {}
    for block in blocks:
        key, slots, _, names = _recorded(block, homes, found)
        new = Group(block, names, homes, found)
        group = groups.setdefault((hints.get(block.path, ""), key), new)
        group.members.append((block, slots))
    _merge_optional(groups)
    families: dict[object, list[Group]] = {}
    for (hint, key), group in groups.items():
        alone = not hint or hint in CONTAINERS or group.optional or not _may_be_base(group.first)
        families.setdefault(group if alone else key, []).append(group)
    return [module for family in families.values() for module in _family(family, hints)]


MOST_ADDED = 2
"""So many arguments a class may get for those that are derived from it."""


def _may_be_base(block: Block) -> bool:
    return not block.sequential and not block.is_layer


def _family(groups: list[Group], hints: Mapping[ModulePath, str]) -> list[ModuleClass]:
    """The classes of groups that say the same under different names: all derived from the first,
    if no more than a few numbers tell them apart.
    """
    joined = replace(groups[0], members=[pair for group in groups for pair in group.members])
    base = joined.module(hints)
    own = [group.module(hints) for group in groups]
    if len(base.arguments) > MOST_ADDED + max(len(module.arguments) for module in own):
        return own
    base.blocks = own[0].blocks
    return [base, *(replace(base, blocks=o.blocks, hint=o.hint, base=base) for o in own[1:])]


def _lone(
    block: Block,
    homes: Mapping[str, Home],
    found: Mapping[Block, ModuleClass],
    hints: Mapping[ModulePath, str],
) -> ModuleClass:
    """The class of a block that no other is like, its numbers as they are."""
    plan = Planner(block, homes, found, lambda _, number: number).build()
    return ModuleClass(plan, [block], hint=hints.get(block.path, ""))


def _recorded(
    block: Block, homes: Mapping[str, Home], found: Mapping[Block, ModuleClass]
) -> tuple[object, Slots, dict[int, tuple[int, int]], list[str]]:
    """The signature of a block, its slots, which of them each item fills, its members' names."""
    slots: Slots = []

    def seen(slot: Slot, value: Expr) -> Expr:
        slots.append((slot, value))
        return Code("?")

    planner = Planner(block, homes, found, seen)
    plan = planner.build()
    return signature(plan), slots, planner.spans, list(plan.members)


@dataclass(eq=False)
class Group:
    """Blocks that will share a class; `optional` is a member that the later ones do not have.

    `names` are those of the first block's members.
    """

    first: Block
    names: list[str]
    homes: Mapping[str, Home]
    found: Mapping[Block, ModuleClass]
    members: list[tuple[Block, Slots]] = field(default_factory=list)
    optional: str = ""
    without: set[ModulePath] = field(default_factory=set)

    def absorb(self, other: Group, attribute: str, span: tuple[int, int]) -> None:
        """Takes the blocks of `other`, which lack the member that fills the slots of `span`."""
        self.optional = attribute
        places = [slot for slot, _ in self.members[0][1][span[0] : span[1]]]
        gap: Slots = [(slot, ABSENT) for slot in places]
        for block, slots in other.members:
            self.members.append((block, slots[: span[0]] + gap + slots[span[0] :]))
            self.without.add(block.path)

    def module(self, hints: Mapping[ModulePath, str]) -> ModuleClass:
        """The class of the group, its arguments chosen."""
        instances = {block.path: slots for block, slots in self.members}
        arguments, written = choose_arguments(instances, self.names)
        fillers = iter(written)
        plan = Planner(self.first, self.homes, self.found, lambda *_: next(fillers)).build()
        if self.optional:
            flags = {path: Literal(path not in self.without) for path in instances}
            common = 2 * len(self.without) < len(flags)
            arguments.append(Argument(self.optional, flags, Literal(common)))
            _make_optional(plan, self.optional)
        hint = hints.get(self.first.path, "")
        return ModuleClass(plan, [b for b, _ in self.members], arguments, hint=hint)


Key = tuple[str, object]


def _merge_optional(groups: dict[Key, Group]) -> None:
    """Merges a group into another that does the same but for one member around which it passes."""
    sizes = {len(group.first.body) for group in groups.values()}
    for key in list(groups):
        group = groups.get(key)
        if group is None or group.first.sequential or not _may_have_one_more(group, sizes):
            continue
        for index, item in enumerate(group.first.body):
            passed = _passed_by(group.first, item)
            if passed is None or group.optional:
                continue
            other = (key[0], _recorded(passed, group.homes, group.found)[0])
            if other in groups and other != key and not groups[other].optional:
                span = _recorded(group.first, group.homes, group.found)[2][index]
                attribute = relative(item_path(item), group.first.path)
                group.absorb(groups.pop(other), attribute, span)


LONGEST_OPTIONAL = 200
"""Items of a class that may have an optional member: each is left out on trial."""


def _may_have_one_more(group: Group, sizes: set[int]) -> bool:
    size = len(group.first.body)
    return size <= LONGEST_OPTIONAL and size - 1 in sizes


def _passed_by(block: Block, item: Item) -> Block | None:
    """The block without `item`, its input taken for its output; None if it is no such member."""
    made, read = made_by(item), read_by(item)
    direct = isinstance(item, Block) or isinstance(item.expr, CellCall)
    attribute = relative(item_path(item), block.path)
    calls = [other for other in block.body if item_path(other) == item_path(item)]
    member = direct and "." not in attribute and attribute != OWN
    if len(made) != 1 or len(read) != 1 or not member or len(calls) > 1:
        return None

    def leaf(e: Expr) -> Expr:
        return Ref(read[0]) if isinstance(e, Ref) and e.name == made[0] else e

    body: list[Item] = []
    for other in block.body:
        if isinstance(other, Statement):
            body.append(replace(other, expr=transform(other.expr, leaf)))
        elif made[0] in other.inputs:
            return None
        elif other is not item:
            body.append(other)
    rest = [i for i in body if not (isinstance(i, Statement) and i.targets == made[0])]
    outputs = [read[0] if name == made[0] else name for name in block.outputs]
    return replace(block, body=rest, outputs=outputs)


def _make_optional(plan: Plan, attribute: str) -> None:
    plan.members[attribute] = Optional(plan.members[attribute], Code(attribute))
    own = member_code(attribute)
    for i, line in enumerate(plan.lines):
        e = line.expr
        if isinstance(e, Call) and e.func == own:
            absent = Code(f"{own.text} is None")
            plan.lines[i] = Line(line.targets, IfElse(e.args[0], absent, e))
