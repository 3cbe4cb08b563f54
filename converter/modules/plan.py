"""What a module's class would say: its members and its lines, with every number a slot."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..code.expr import Call, CellCall, Code, Expr, Literal, Ref, Tuple, children, rebuild, walk
from ..code.statement import Statement, Targets
from .blocks import Block, Item, element_name, read_by
from .homes import Home

if TYPE_CHECKING:
    from .classes import ModuleClass


@dataclass(frozen=True)
class Slot:
    """Where a number stands: in which member's argument, or in the lines (member "")."""

    member: str
    kind: str
    argument: str


@dataclass(frozen=True)
class Layer:
    """`nn.KIND(arguments)`."""

    kind: str
    arguments: tuple[tuple[str, Expr], ...]
    weights: tuple[str, ...]


@dataclass(frozen=True)
class Held:
    """A constant tensor of the module: `ms.Parameter(ops.zeros(shape, dtype))`.

    What is one number again and again, `fill`, is no Parameter: `ops.full(shape, fill)`. Nor is
    what a function makes anew: `ops.arange(40)`; `maker` and its `arguments`.
    """

    shape: Expr
    dtype: str
    trainable: bool
    fill: Expr | None = None
    maker: str = ""
    arguments: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Child:
    """An instance of another class of the script, with the arguments that it takes."""

    module: ModuleClass
    arguments: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class Chain:
    """`nn.SequentialCell(...)`: elements by number."""

    elements: tuple[tuple[str, Member], ...]


@dataclass(frozen=True)
class Optional:
    """A member that some instances do not have: there the value passes by it."""

    member: Member
    flag: Expr


Member = Layer | Held | Child | Chain | Optional


@dataclass(frozen=True)
class Line:
    targets: Targets
    expr: Expr


@dataclass
class Plan:
    """A module's class in the making: members by attribute, lines, inputs and outputs.

    `variadic` is the name of all inputs together where the class takes any number of them.
    """

    members: dict[str, Member] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    variadic: str = ""


Fill = Callable[[Slot, Expr], Expr]
"""Decides what stands in a slot: given its place and the number there."""


class Planner:
    """Builds the plan of one block; `fill` sees every number in a fixed order."""

    def __init__(
        self,
        block: Block,
        homes: Mapping[str, Home],
        classes: Mapping[Block, ModuleClass],
        fill: Fill,
    ) -> None:
        self._block = block
        self._homes = homes
        self._classes = classes
        self._count = 0
        self._given_fill = fill
        self._read = {name for item in block.body for name in read_by(item)} | {*block.outputs}
        self.spans: dict[int, tuple[int, int]] = {}
        """Which slots each item of the body filled: its index -> (first, behind the last)."""
        self.plan = Plan(inputs=list(block.taken), outputs=list(block.outputs))

    def build(self) -> Plan:
        for index, item in enumerate(self._block.body):
            first = self._count
            if self._block.sequential:
                name = element_name(item)
                self.plan.members[name] = self._member(item, name)
            elif isinstance(item, Statement):
                self.plan.lines.append(Line(item.targets, self._line(item.expr, item)))
            else:
                self._call(item)
            self.spans[index] = (first, self._count)
        _gather_inputs(self.plan)
        return self.plan

    def _fill(self, slot: Slot, value: Expr) -> Expr:
        self._count += 1
        return self._given_fill(slot, value)

    def _call(self, block: Block) -> None:
        attribute = relative(block.path, self._block.path)
        if attribute not in self.plan.members:
            self.plan.members[attribute] = self._member(block, attribute)
        call = Call(member_code(attribute), tuple(self._ref(Ref(name)) for name in block.inputs))
        given = [name if name in self._read else "" for name in block.outputs]
        targets: Targets = given[0] if len(given) == 1 else tuple(given)
        self.plan.lines.append(Line(targets, call))

    def _member(self, item: Item, attribute: str) -> Member:
        if isinstance(item, Statement):
            assert isinstance(item.expr, CellCall)
            return self._layer(item.expr, attribute)
        if not item.needs_class:
            elements = ((element_name(e), f"{attribute}.{element_name(e)}", e) for e in item.body)
            return Chain(tuple((n, self._member(e, full)) for n, full, e in elements))
        module = self._classes[item]
        values = module.values_of(item)
        filled = [(n, self._filled(Slot(attribute, module.kind, n), v)) for n, v in values]
        return Child(module, tuple(filled))

    def _layer(self, call: CellCall, attribute: str) -> Layer:
        cell = call.cell
        filled = [(n, self._filled(Slot(attribute, cell.kind, n), v)) for n, v in cell.arguments]
        return Layer(cell.kind, tuple(filled), tuple(name for name, _ in cell.weights))

    def _filled(self, slot: Slot, value: Expr) -> Expr:
        if isinstance(value, Tuple):
            return Tuple(tuple(self._filled(slot, item) for item in value.items))
        return self._fill(slot, value)

    def _line(self, e: Expr, statement: Statement) -> Expr:
        if isinstance(e, Literal):
            return self._fill(Slot("", "", ""), e)
        if isinstance(e, Ref):
            return self._ref(e)
        if isinstance(e, CellCall):
            attribute = relative(statement.cell_path or (), self._block.path)
            if attribute not in self.plan.members:
                self.plan.members[attribute] = self._layer(e, attribute)
            return Call(member_code(attribute), tuple(self._line(a, statement) for a in e.args))
        whole = children(e)
        parts = tuple([self._line(part, statement) for part in whole])
        return e if all(map(operator.is_, parts, whole)) else rebuild(e, parts)

    def _ref(self, ref: Ref) -> Expr:
        home = self._homes.get(ref.name)
        if home is None or home.path != self._block.path:
            return ref
        if home.attribute not in self.plan.members:
            array = home.weight.array
            slot = Slot(home.attribute, "Parameter", "shape")
            shape = self._filled(slot, Tuple(tuple(Literal(int(d)) for d in array.shape)))
            fill = None
            if home.is_filled:
                number = Literal(float(array.flat[0]))
                fill = self._filled(Slot(home.attribute, "Tensor", "fill"), number)
            held = Held(shape, array.dtype.name, home.trainable, fill, *self._made(home))
            self.plan.members[home.attribute] = held
        return member_code(home.attribute)

    def _made(self, home: Home) -> tuple[str, tuple[Expr, ...]]:
        """The function that makes a constant anew, and its arguments."""
        recipe = home.recipe
        if recipe is None:
            return "", ()
        slots = ((Slot(home.attribute, "Tensor", n), Literal(v)) for n, v in recipe.arguments)
        return recipe.maker, tuple(self._fill(slot, value) for slot, value in slots)


GATHERED = "features"
"""What the inputs of a class are called together, if it only concatenates them."""


def _gather_inputs(plan: Plan) -> None:
    """`construct(self, *features)` for a class that takes many values to concatenate them.

    Layers of a dense block differ in nothing but how many they take: so they are one class.
    """
    if len(plan.inputs) < 2:
        return
    refs = tuple(Ref(name) for name in plan.inputs)
    names = set(plan.inputs)
    parts = (part for line in plan.lines for part in walk(line.expr))
    uses = sum(1 for part in parts if isinstance(part, Ref) and part.name in names)
    for i, line in enumerate(plan.lines):
        match line.expr:
            case Call(Code("ops.concat") as concat, (Tuple(items), *rest), kwargs):
                if items == refs and uses == len(refs):
                    gathered = Call(concat, (Code(GATHERED), *rest), kwargs)
                    plan.lines[i] = Line(line.targets, gathered)
                    plan.inputs = []
                    plan.variadic = GATHERED


OWN = "super()"
"""The attribute of the layer that a class is derived from."""


def relative(path: tuple[str, ...], base: tuple[str, ...]) -> str:
    """The attribute of a member as its module reaches it: "conv1", or "layers.0" in a list."""
    if path and path == base:
        return OWN
    return ".".join(path[len(base) :])


def member_code(attribute: str) -> Code:
    """`self.conv1`, `self.layers[0]`."""
    if attribute == OWN:
        return Code(f"{OWN}.construct")
    text = "self"
    for part in attribute.split("."):
        text += f"[{part}]" if part.isdigit() else f".{part}"
    return Code(text)


def signature(plan: Plan) -> tuple[Any, ...]:
    """What two plans must share to be one class; values are numbered, slots already alike."""
    numbers: dict[str, int] = {}

    def number(name: str) -> int:
        return numbers.setdefault(name, len(numbers))

    def shape(targets: Targets) -> Any:
        if isinstance(targets, str):
            return number(targets) if targets else ""
        return tuple(shape(t) for t in targets)

    def renamed(e: Expr) -> Expr:
        if isinstance(e, Ref):
            return Code(f"v{number(e.name)}")
        parts = tuple(renamed(p) for p in children(e))
        return rebuild(e, parts) if parts else e

    inputs = tuple(number(n) for n in plan.inputs)
    lines = tuple((renamed(line.expr), shape(line.targets)) for line in plan.lines)
    outputs = tuple(number(n) for n in plan.outputs)
    return inputs, plan.variadic, tuple(plan.members.items()), lines, outputs


def layers_in(member: Member) -> Iterator[Member]:
    """A member and those inside it, if it is a chain."""
    yield member
    if isinstance(member, Chain):
        for _, element in member.elements:
            yield from layers_in(element)
    if isinstance(member, Optional):
        yield from layers_in(member.member)
