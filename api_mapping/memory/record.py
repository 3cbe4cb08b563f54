"""What a write in place was seen to change, and the form that it gets for it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from ..table.facts.writes import AFRESH, SHAPING
from .tensors import LINKED, Held, Helds, How, Memory, are_apart
from .write_form import NAMED, Form, Way


class Act(StrEnum):
    """What writes.

    VALUE   a method, function or operator whose result the tensor gets
    ITEM    an assignment to an index of the tensor
    CALL    a function of the file that writes to its parameter
    INDEX   one that does so by an index alone
    LAYER   a layer that writes to its input
    """

    VALUE = "value"
    ITEM = "item"
    CALL = "call"
    INDEX = "index"
    LAYER = "layer"


@dataclass(frozen=True)
class Event:
    """A write to objects; `name` is the place that gets a new value, if one does.

    `container` is what that place is an element of.
    """

    node: ast.AST
    act: Act
    helds: Helds
    name: str = ""
    container: str = ""


@dataclass(frozen=True)
class Seen:
    """One object that was written to: which others see it.

    `same`: another name has the same object; `above`: what it was cut from; `lost` is the name of
    what shares its memory otherwise; `is_valid`: the expression that cut it gives it still.
    """

    held: Held
    same: bool
    above: frozenset[Held]
    lost: str
    sharer: str
    is_valid: bool

    @property
    def is_linked(self) -> bool:
        """Whether an index leads from the object to all above it that see the write."""
        return all(h.cut is not None and h.cut.how in LINKED for h in self.between)

    @property
    def between(self) -> list[Held]:
        """The cuts that lead to the object from the first that sees the write."""
        line = self.held.line
        first = min((line.index(held) for held in self.above), default=len(line))
        return line[first + 1 :]

    def is_cut(self, how: How) -> bool:
        return self.held.cut is not None and self.held.cut.how is how


Sharers = list[tuple[str, Held]]


def sharers_of(held: Held, holders: Mapping[str, Helds], is_outside: bool) -> Sharers:
    """The objects that see what is written to one, with the names that hold them."""
    found = [
        (name, other)
        for name, helds in holders.items()
        for other in helds
        if is_overlap(other, held)
    ]
    return [*found, (told(held.memory), held.root)] if is_outside else found


def is_overlap(one: Held, other: Held) -> bool:
    """Whether two objects may have an element in common."""
    return one.memory == other.memory and not are_apart(one, other)


def told(memory: Memory) -> str:
    """What a memory is called that others than the names of the scope share."""
    if isinstance(memory.key, ast.AST):
        return ast.unparse(memory.key)
    return f"the caller's {memory.key}" if memory.origin == "parameter" else memory.key


@dataclass
class Record:
    """All that was seen of one node that writes."""

    node: ast.AST
    act: Act
    name: str = ""
    """The place that gets a new value."""
    seen: list[Seen] = field(default_factory=list)

    def add(self, held: Held, sharers: Sharers, is_valid: bool) -> None:
        others = [(name, other) for name, other in sharers if other != held]
        lost = next((name for name, other in others if other not in held.line), "")
        above = frozenset(other for _, other in others if other in held.line)
        sharer = next((name for name, _ in [*others, *sharers]), "")
        self.seen.append(Seen(held, len(others) < len(sharers), above, lost, sharer, is_valid))

    @property
    def method(self) -> str:
        """The name of the method or function that is called, "" for an operator."""
        called = self.node.func if isinstance(self.node, ast.Call) else None
        return called.attr if isinstance(called, ast.Attribute) else ""

    @property
    def is_named(self) -> bool:
        """Whether it writes to what a variable is."""
        return self.name.isidentifier()

    @property
    def message(self) -> str:
        """What is told of a write that gets lost."""
        sharer = self.form.sharer
        if self.act is Act.LAYER:
            return f"the layer writes to its input, {sharer}, which is read later"
        if self.act in (Act.CALL, Act.INDEX):
            return f"what is called writes to its argument, by another name to {sharer}"
        return f"it writes to {sharer} by another name"

    @cached_property
    def form(self) -> Form:
        """The form of the write, for all objects that it may be of."""
        is_shared = any(seen.same or seen.above for seen in self.seen)
        lost = min((seen.lost for seen in self.seen if seen.lost), default="")
        is_refused = self.act is Act.LAYER or self.method in SHAPING
        if lost or (is_shared and is_refused):
            return self.lost(lost)
        if not any(seen.above for seen in self.seen):
            is_whole = self.act is Act.VALUE and any(seen.same for seen in self.seen)
            return Form(Way.WHOLE) if is_whole else NAMED
        return self.of_view or self.lost()

    @property
    def of_view(self) -> Form | None:
        """The form of a write to what was cut from another tensor."""
        views = [seen for seen in self.seen if seen.above]
        cuts = {seen.held.cut.node for seen in self.seen if seen.held.cut is not None}
        is_one = len(cuts) == 1 and len(views) == len(self.seen)
        is_named = self.is_named and is_one and all(s.is_valid and not s.same for s in views)
        if all(seen.is_linked for seen in views) and self.act is not Act.CALL:
            if self.act in (Act.ITEM, Act.INDEX):
                return NAMED
            if self.method in AFRESH or all(seen.is_cut(How.ROW) for seen in self.seen):
                return Form(Way.PART)
            if is_named and all(seen.is_cut(How.INDEX) for seen in views):
                (cut,) = cuts
                return Form(Way.CHAIN, cut) if is_place(cut) else None
        is_order = is_named and all(seen.is_cut(How.ORDER) for seen in views)
        is_near = all(seen.above == {seen.held.parent} for seen in views)
        if not is_order or not is_near or self.act in (Act.CALL, Act.INDEX):
            return None
        (cut,) = cuts
        owner = owner_of(cut)
        return Form(Way.BACK, owner) if owner is not None and is_place(owner) else None

    def lost(self, sharer: str = "") -> Form:
        known = (seen.sharer for seen in self.seen if seen.sharer)
        return Form(Way.LOST, sharer=sharer or min(known, default=""))


def is_place(node: ast.expr) -> bool:
    """Whether an expression can be written twice, and be assigned to."""
    kinds = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
    is_plain = not any(isinstance(inner, kinds) for inner in ast.walk(node))
    return is_plain and isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def owner_of(node: ast.expr) -> ast.expr | None:
    """What a view is made of: x of `x.view(-1)` and `torch.flatten(x)`."""
    if not isinstance(node, ast.Call):
        return None
    called = node.func
    if isinstance(called, ast.Attribute) and not is_module_name(called.value):
        return called.value
    return node.args[0] if node.args else None


def is_module_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "torch"
