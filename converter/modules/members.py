"""Names of members: every layer and module gets one that is its own in the module around it.

What the file tells is a wish. Two calls of one name stay one member only if they are the same: the
same steps with the same numbers and weights, on values that go the same ways. Else the later one
gets a name of its own, and copies of the constants that it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count

from ..code.expr import Cell, CellCall, Code, Expr, Literal, Ref, children, refs, transform
from ..code.statement import Statement, Targets
from .blocks import WIDEST_GAP, Block, Item, blocks_in, item_path
from .cell_names import CELL_NAMES
from .homes import Home
from .place import cell_in
from .scopes import ModulePath, attribute_name

_LAYER_WORDS = {
    "Conv1d": "conv",
    "Conv2d": "conv",
    "Conv3d": "conv",
    "Conv1dTranspose": "deconv",
    "Conv2dTranspose": "deconv",
    "Conv3dTranspose": "deconv",
    "BatchNorm1d": "bn",
    "BatchNorm2d": "bn",
    "BatchNorm3d": "bn",
    "LayerNorm": "norm",
    "GroupNorm": "norm",
    "Dense": "fc",
    "FakeQuantize": "quant",
    "MaxPool1d": "pool",
    "MaxPool2d": "pool",
    "MaxPool3d": "pool",
    "AvgPool1d": "pool",
    "AvgPool2d": "pool",
    "AvgPool3d": "pool",
}
"""What a layer without a name is called; others by their kind in lower case."""


def name_members(block: Block, homes: dict[str, Home]) -> None:
    """Sets the path of every layer and block inside; adds to `homes` what renamed blocks hold."""
    if block.sequential:
        _name_elements(block, homes)
    else:
        _Members(block, homes).name()


def _name_elements(block: Block, homes: dict[str, Home]) -> None:
    for item in block.body:
        _set_path(item, (*block.path, item_path(item)[-1]), homes)
        if isinstance(item, Block):
            name_members(item, homes)


class _Tried:
    """The paths for one wish: those to try next, those where something stands, and what does."""

    def __init__(self, paths: Iterator[ModulePath]) -> None:
        self.paths = paths
        self.standing: list[ModulePath] = []
        self.same: dict[object, ModulePath] = {}


class _Members:
    """The members of one module: relative path -> what stands there."""

    def __init__(self, block: Block, homes: dict[str, Home]) -> None:
        self._block = block
        self._homes = homes
        self._known: dict[ModulePath, Item] = {}
        self._identities: dict[Item, object] = {}
        self._lists: dict[str, bool] = {}
        self._around: set[ModulePath] = set()
        self._tried: dict[object, _Tried] = {}

    def name(self) -> None:
        items = [i for i in self._block.body if isinstance(i, Block) or cell_in(i.expr) is not None]
        if self._block.is_layer:
            _set_path(items[0], self._block.path, self._homes)
            return
        wishes = [self._wish(item) for item in items]
        wishes = _without_wide_gaps(wishes)
        for item, wish in zip(items, wishes, strict=True):
            if wish:
                self._settle(item, self._choices(wish, chain((wish,), _renamed(wish))))
        words = Counter(_word(item) for item, wish in zip(items, wishes, strict=True) if not wish)
        for item, wish in zip(items, wishes, strict=True):
            word = _word(item)
            if not wish:
                choices = _numbered_words(word, several=words[word] > 1)
                self._settle(item, self._choices(word, choices))
        for item in items:
            if isinstance(item, Block):
                name_members(item, self._homes)

    def _wish(self, item: Item) -> ModulePath:
        """The relative path that the file tells: a name, and numbers in a list; () if none."""
        path, depth = item_path(item), len(self._block.path)
        rest = path[depth:] if path[:depth] == self._block.path else path[-1:]
        if not rest:
            return ()
        if rest[0].isdigit():
            rest = (f"layer{rest[0]}", *rest[1:])
        return rest if all(part.isdigit() for part in rest[1:]) else (_joined(rest),)

    def _choices(self, base: object, paths: Iterator[ModulePath]) -> _Tried:
        """The paths for a wish or word; those that were tried before are not tried again."""
        return self._tried.setdefault(base, _Tried(paths))

    def _settle(self, item: Item, tried: _Tried) -> None:
        """Takes the first path that is free, or where the same thing stands."""
        path = self._where_same(item, tried) if tried.standing or tried.same else None
        while path is None:
            choice = next(tried.paths)
            if choice in self._known:
                tried.standing.append(choice)
                path = self._where_same(item, tried)
            elif self._is_free(choice):
                tried.standing.append(choice)
                path = choice
        self._known.setdefault(path, item)
        self._around.update(path[:i] for i in range(1, len(path)))
        self._lists[path[0]] = len(path) > 1
        _set_path(item, self._block.path + path, self._homes)

    def _where_same(self, item: Item, tried: _Tried) -> ModulePath | None:
        """The path among those tried where the same thing stands."""
        for path in tried.standing:
            tried.same.setdefault(self._identity(self._known[path]), path)
        tried.standing.clear()
        return tried.same.get(self._identity(item))

    def _is_free(self, path: ModulePath) -> bool:
        if path[0] in CELL_NAMES or path in self._known:
            return False
        if path[0] not in self._lists:
            return True
        outer = any(path[:i] in self._known for i in range(1, len(path)))
        return len(path) > 1 and self._lists[path[0]] and not outer and path not in self._around

    def _identity(self, item: Item) -> object:
        if item not in self._identities:
            self._identities[item] = _Identity(item, self._homes).of_member()
        return self._identities[item]


def _without_wide_gaps(wishes: list[ModulePath]) -> list[ModulePath]:
    """The wishes; those in lists that would be mostly gaps as plain names."""
    numbers: dict[str, set[int]] = {}
    for head, *rest in filter(None, wishes):
        numbers.setdefault(head, set()).update(map(int, rest))
    wide = {h for h, found in numbers.items() if max(found, default=0) > len(found) + WIDEST_GAP}
    return [(_joined(w),) if w and w[0] in wide else w for w in wishes]


def _joined(path: ModulePath) -> str:
    """One attribute for a path of several."""
    return attribute_name("_".join(path))


def _renamed(path: ModulePath) -> Iterator[ModulePath]:
    """Other names for a path: `conv_2`, `conv_3`; a numbered element moves to another list."""
    return ((f"{path[0]}_{number}", *path[1:]) for number in count(2))


def _word(item: Item) -> str:
    cell = None if isinstance(item, Block) else cell_in(item.expr)
    return "block" if cell is None else _LAYER_WORDS.get(cell.kind, cell.kind.lower())


def _numbered_words(word: str, *, several: bool) -> Iterator[ModulePath]:
    numbered = ((f"{word}{i}",) for i in count(1))
    return numbered if several else chain(((word,),), numbered)


def _set_path(item: Item, path: ModulePath, homes: dict[str, Home]) -> None:
    """Moves an item, what is inside it, and its constants."""
    if isinstance(item, Statement):
        item.cell_path = path
        return
    before = item.path
    if before == path:
        return
    for inner in blocks_in(item):
        inner.path = path + inner.path[len(before) :]
        for statement in (i for i in inner.body if isinstance(i, Statement)):
            own = statement.cell_path
            if own is not None and own[: len(before)] == before:
                statement.cell_path = path + own[len(before) :]
    _copy_homes(item, before, homes)


def _copy_homes(block: Block, before: ModulePath, homes: dict[str, Home]) -> None:
    """Gives a renamed block constants of its own for those that stood under its old name."""
    new: dict[str, str] = {}
    for name in dict.fromkeys(_reads(block)):
        home = homes.get(name)
        if home is not None and home.path[: len(before)] == before:
            new[name] = f"{name} in {'.'.join(block.path)}"
            homes[new[name]] = replace(home, path=block.path + home.path[len(before) :])

    def leaf(e: Expr) -> Expr:
        return Ref(new.get(e.name, e.name)) if isinstance(e, Ref) else e

    for inner in blocks_in(block) if new else ():
        inner.inputs = [new.get(name, name) for name in inner.inputs]
        for item in inner.body:
            if isinstance(item, Statement):
                item.expr = transform(item.expr, leaf)


def _reads(block: Block) -> Iterator[str]:
    for inner in blocks_in(block):
        for item in inner.body:
            if isinstance(item, Statement):
                yield from refs(item.expr)


def drop_unused(homes: dict[str, Home], root: Block) -> dict[str, Home]:
    """The homes of constants that something reads."""
    used = set(_reads(root))
    return {name: home for name, home in homes.items() if name in used}


class _Identity:
    """What a member says and holds, values by number: two calls are one member if it is equal."""

    def __init__(self, item: Item, homes: dict[str, Home]) -> None:
        self._item = item
        self._homes = homes
        self._numbers: dict[str, int] = {}

    def of_member(self) -> object:
        if isinstance(self._item, Block):
            return self._block(self._item)
        cell = cell_in(self._item.expr)
        assert cell is not None
        return self._cell(cell)

    def _block(self, block: Block) -> object:
        inputs = tuple(self._value(name) for name in block.taken)
        body = tuple(self._part(block, item) for item in block.body)
        return inputs, body, tuple(self._value(name) for name in block.outputs), block.sequential

    def _part(self, block: Block, item: Item) -> object:
        path = item_path(item)
        named = path[len(block.path) :] if path[: len(block.path)] == block.path else path[-1:]
        if isinstance(item, Block):
            given = tuple(self._value(name) for name in item.inputs)
            return named, given, self._block(item)
        return named, self._expr(item.expr), self._targets(item.targets)

    def _targets(self, targets: Targets) -> object:
        if isinstance(targets, str):
            return self._value(targets) if targets else ""
        return tuple(self._targets(t) for t in targets)

    def _value(self, name: str) -> object:
        home, own = self._homes.get(name), item_path(self._item)
        if home is not None and isinstance(self._item, Block) and home.path[: len(own)] == own:
            return ("held", name)
        return self._numbers.setdefault(name, len(self._numbers))

    def _expr(self, e: Expr) -> object:
        if isinstance(e, Ref):
            return self._value(e.name)
        if isinstance(e, CellCall):
            return (self._cell(e.cell), *map(self._expr, e.args))
        return (type(e).__name__, _words_of(e), *map(self._expr, children(e)))

    def _cell(self, cell: Cell) -> object:
        arguments = tuple((n, self._expr(v)) for n, v in cell.arguments)
        return cell.kind, arguments, tuple((n, w.sources, w.content) for n, w in cell.weights)


def _words_of(e: Expr) -> object:
    """What an expression says besides its parts: operator, name, keywords, number."""
    match e:
        case Literal(value):
            return (type(value).__name__, repr(value))
        case Code(text):
            return text
    keywords = tuple(name for name, _ in getattr(e, "kwargs", ()))
    return getattr(e, "op", getattr(e, "name", "")), keywords, len(getattr(e, "args", ()))
