"""What a region of the source may change: local names, lists and dictionaries, Tensors in place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..tensor import Tensor
from ..trace import Trace
from .number import Number


class Unset:
    """What a name holds before it is set."""

    def __bool__(self) -> bool:
        raise UnboundLocalError("a name is read that is not set on this way")

    def __getattr__(self, name: str) -> Any:
        raise UnboundLocalError(f"a name is read that is not set on this way (its {name})")


UNSET = Unset()


@dataclass(frozen=True)
class Names:
    """Local names of a function, as its rewritten source hands them over.

    `names` are those that a region sets, `live` those of them that are read later; `seen` gives the
    values of others that it reads, `see` sets them, for a gradient, to what they were.
    """

    names: tuple[str, ...]
    live: Collection[str]
    get: Callable[[], tuple[Any, ...]]
    put: Callable[[tuple[Any, ...]], None]
    seen: Callable[[], tuple[Any, ...]]
    see: Callable[[tuple[Any, ...]], None]


@dataclass(frozen=True)
class Same:
    """A place in a layout: the list, dictionary or other object that was there before."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


LEAF = "leaf"


@dataclass
class State:
    """The values of a region's names, and what the lists and Tensors that it can reach hold."""

    trace: Trace
    names: Names
    holders: list[Any] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)

    @staticmethod
    def of(trace: Trace, names: Names) -> State:
        """As it is now."""
        made = State(trace, names)
        found: dict[int, Any] = {}
        for value in (*names.get(), *names.seen()):
            reach(value, found)
        made.holders = [x for x in found.values() if isinstance(x, (list, dict))]
        made.tensors = [x for x in found.values() if isinstance(x, Tensor) and not x.variable]
        return made

    def now(self, touched: list[Tensor]) -> list[Slot]:
        """A slot for each name that is read later, each list or dictionary, each changed Tensor."""
        before = {id(x) for x in self.holders}
        values = [
            value if name in self.names.live else None
            for name, value in zip(self.names.names, self.names.get(), strict=True)
        ]
        slots = [Slot.of(value, before) for value in values]
        slots += [Slot.of(content(x), before) for x in self.holders]
        return [*slots, *[Slot(LEAF, [Content(x.content)]) for x in touched]]

    def restore(self, slots: list[Slot], touched: list[Tensor]) -> None:
        """Sets all to what `now` gave, or to other leaves of the same layout."""
        count = len(self.names.names)
        values = [slot.value() for slot in slots[:count]]
        live = self.names.live
        pairs = zip(self.names.names, values, strict=True)
        self.names.put(tuple([value if name in live else UNSET for name, value in pairs]))
        rest = slots[count:]
        for x, slot in zip(self.holders, rest, strict=False):
            refill(x, slot.value())
        for x, slot in zip(touched, rest[len(self.holders) :], strict=True):
            x.assign_value(slot.leaves[0].content)


@dataclass
class Slot:
    """A value taken apart: its layout and its leaves (Tensors, numbers, names that are not set)."""

    layout: Any
    leaves: list[Any]

    @staticmethod
    def of(value: Any, before: set[int]) -> Slot:
        leaves: list[Any] = []
        return Slot(taken_apart(value, leaves, before), leaves)

    def value(self) -> Any:
        return put_together(self.layout, iter(self.leaves))

    @property
    def is_unset(self) -> bool:
        return self.layout is LEAF and isinstance(self.leaves[0], Unset)


@dataclass(frozen=True, eq=False)
class Content:
    """What a Tensor holds that is changed in place."""

    content: Any


@dataclass
class Memory:
    """All that a region can reach, to be put back after it was traced."""

    state: State
    values: tuple[Any, ...]
    seen: tuple[Any, ...]
    contents: list[Any]
    held: list[Any]

    @staticmethod
    def of(state: State) -> Memory:
        return Memory(
            state,
            state.names.get(),
            state.names.seen(),
            [content(x) for x in state.holders],
            [x.content for x in state.tensors],
        )

    def restore(self) -> None:
        self.state.names.put(self.values)
        self.state.names.see(self.seen)
        for x, inside in zip(self.state.holders, self.contents, strict=True):
            refill(x, inside)
        for x, array in zip(self.state.tensors, self.held, strict=True):
            if x.content is not array:
                x.assign_value(array)


def touched_since(state: State, memory: Memory) -> list[Tensor]:
    """The Tensors that hold something else than they did."""
    pairs = zip(state.tensors, memory.held, strict=True)
    return [x for x, array in pairs if x.content is not array]


def content(holder: Any) -> Any:
    return dict(holder) if isinstance(holder, dict) else list(holder)


def refill(holder: Any, inside: Any) -> None:
    if isinstance(holder, dict):
        holder.clear()
        holder.update(inside)
    else:
        holder[:] = inside


def reach(value: Any, found: dict[int, Any], depth: int = 0) -> None:
    """Adds the lists, dictionaries and Tensors in `value`; of objects, in their attributes."""
    if id(value) in found or depth > 6 or isinstance(value, Unset):
        return
    if isinstance(value, Tensor):
        found[id(value)] = value
    elif type(value) in (list, dict, tuple):
        if not isinstance(value, tuple):
            found[id(value)] = value
        for part in value.values() if isinstance(value, dict) else value:
            reach(part, found, depth + 1)
    elif hasattr(value, "graph_state") and not depth and not isinstance(value, type):
        for name, part in vars(value).items():
            if not name.startswith("_"):
                reach(part, found, depth + 1)


def taken_apart(value: Any, leaves: list[Any], before: set[int]) -> Any:
    """`value` with its Tensors and numbers moved to `leaves`."""
    if id(value) in before:
        return Same(value)
    if isinstance(value, (Tensor, Number, bool, int, float, Unset)):
        leaves.append(value)
        return LEAF
    if type(value) in (list, tuple):
        return (type(value), [taken_apart(part, leaves, before) for part in value])
    if type(value) is dict:
        parts = [taken_apart(part, leaves, before) for part in value.values()]
        return (dict, [*value], parts)
    return Same(value) if not isinstance(value, (str, type(None))) else (value,)


def put_together(layout: Any, leaves: Iterator[Any]) -> Any:
    if layout is LEAF:
        return next(leaves)
    if isinstance(layout, Same):
        return layout.value
    if len(layout) == 1:
        return layout[0]
    if layout[0] is dict:
        return {key: put_together(part, leaves) for key, part in zip(*layout[1:], strict=True)}
    return layout[0]([put_together(part, leaves) for part in layout[1]])
