"""Names that are left to choose: layers without one, constants, clashes, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from .blocks import Block, Item, blocks_in
from .classes import ModuleClass
from .expr import CellCall, Literal, Ref, children, walk
from .homes import Home
from .place import cell_in
from .plan import Chain, Child, Layer, Member, layers_in
from .scopes import CELL_NAMES, ModulePath
from .trace import Statement, names_of

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
}
"""What a layer without a name is called; others by their kind in lower case."""


def name_layers(root: Block) -> None:
    """Gives each layer without a name one in its block, and settles clashes of names."""
    for block in blocks_in(root):
        taken = _names_in(block)
        lone = [s for s in block.body if isinstance(s, Statement)]
        unnamed = [s for s in lone if s.cell_path is None and cell_in(s.expr) is not None]
        words = [_word(s) for s in unnamed]
        counts = Counter(words)
        for statement, word in zip(unnamed, words, strict=True):
            name = _numbered(word, taken, always=counts[word] > 1)
            taken.add(name)
            statement.cell_path = (*block.path, name)
    _settle_layers(root)
    _settle_blocks(root)


def _names_in(block: Block) -> set[str]:
    depth = len(block.path)
    paths = [i.path if isinstance(i, Block) else i.cell_path or () for i in block.body]
    return {path[depth] for path in paths if len(path) > depth} | CELL_NAMES


def _word(statement: Statement) -> str:
    cell = cell_in(statement.expr)
    assert cell is not None
    return _LAYER_WORDS.get(cell.kind, cell.kind.lower())


def _numbered(word: str, taken: Iterable[str], *, always: bool = False) -> str:
    first = [] if always else [word]
    choices = (*first, *(f"{word}{i}" for i in range(1, 10_000)))
    used = set(taken)
    return next(name for name in choices if name not in used)


def _settle_layers(root: Block) -> None:
    """Two layers of one name stay one only if they are the same: equal arguments and weights."""
    known: dict[ModulePath, object] = {}
    for statement in (s for b in blocks_in(root) for s in b.body if isinstance(s, Statement)):
        cell, path = cell_in(statement.expr), statement.cell_path
        if cell is None or path is None:
            continue
        identity = (cell.kind, cell.arguments, tuple((n, w.sources) for n, w in cell.weights))
        word = path[-1]
        while known.setdefault(path, identity) != identity:
            count = int(path[-1].removeprefix(f"{word}_") or 1) + 1 if path[-1] != word else 2
            path = (*path[:-1], f"{word}_{count}")
        statement.cell_path = path


def _settle_blocks(root: Block) -> None:
    """Two calls of one module stay one module only if they do the same with the same weights."""
    known: dict[ModulePath, object] = {}
    for block in sorted(blocks_in(root), key=lambda b: len(b.path)):
        identity = _identity(block)
        base, path, count = block.path, block.path, 1
        while path and known.setdefault(path, identity) != identity:
            count += 1
            path = (*base[:-1], f"{base[-1]}_{count}")
        if path != base:
            _rename(block, len(base), path)


def _identity(block: Block) -> object:
    numbers: dict[str, int] = {}

    def number(name: str) -> int:
        return numbers.setdefault(name, len(numbers))

    def shape(e: object) -> object:
        if isinstance(e, Ref):
            return number(e.name)
        if isinstance(e, Literal):
            return repr(e.value)
        if isinstance(e, CellCall):
            weights = tuple((n, w.sources) for n, w in e.cell.weights)
            return (e.cell.kind, e.cell.arguments, weights, tuple(shape(a) for a in e.args))
        return (type(e).__name__, tuple(shape(p) for p in children(e)))  # type: ignore[arg-type]

    def item_identity(item: Item) -> object:
        if isinstance(item, Block):
            return tuple(item_identity(i) for i in item.body)
        made = tuple(number(n) for n in names_of(item.targets))
        leaf = item.cell_path[-1] if item.cell_path else ""
        return shape(item.expr), leaf, made

    return tuple(item_identity(i) for i in block.body)


def _rename(block: Block, depth: int, path: ModulePath) -> None:
    for inner in blocks_in(block):
        inner.path = path + inner.path[depth:]
        for item in inner.body:
            if isinstance(item, Statement) and item.cell_path is not None:
                item.cell_path = path + item.cell_path[depth:]


def name_homes(homes: Mapping[str, Home], root: Block) -> dict[str, Home]:
    """Homes with an attribute each that is free in its module."""
    taken: dict[ModulePath, set[str]] = {}
    for block in blocks_in(root):
        taken.setdefault(block.path, set()).update(_names_in(block))
    users = _first_users(root)
    named: dict[str, Home] = {}
    for name, home in homes.items():
        used = taken.setdefault(home.path, set(CELL_NAMES))
        attribute = _numbered(home.attribute or users.get(name, "constant"), used)
        used.add(attribute)
        named[name] = replace(home, attribute=attribute)
    return named


_CONSTANT_WORDS = {
    "Mul": "scale",
    "Div": "scale",
    "Add": "bias",
    "Sub": "offset",
    "Where": "mask",
    "Gather": "table",
    "MatMul": "matrix",
}


def _first_users(root: Block) -> dict[str, str]:
    """A word for each constant from the operator that reads it first."""
    words: dict[str, str] = {}
    for block in blocks_in(root):
        for item in block.body:
            if isinstance(item, Statement):
                for part in walk(item.expr):
                    if isinstance(part, Ref):
                        words.setdefault(part.name, _CONSTANT_WORDS.get(item.node.op, "constant"))
    return words


def name_classes(classes: list[ModuleClass], title: str) -> dict[ModuleClass, str]:
    """A name for each class: the source's own, or what it is; the network is called `title`."""
    names: dict[ModuleClass, str] = {}
    taken: set[str] = {"Parameter", "Tensor"}
    for module in [classes[-1], *classes[:-1]]:
        word = module.hint or (title if module is classes[-1] else describe(module))
        name = _numbered(word, taken)
        taken.add(name)
        names[module] = name
    return names


def describe(module: ModuleClass) -> str:
    """What a class is, from what it contains; else from where it is used."""
    kinds = [
        m.kind
        for top in module.plan.members.values()
        for m in layers_in(top)
        if isinstance(m, Layer)
    ]
    children_ = [
        m for top in module.plan.members.values() for m in layers_in(top) if isinstance(m, Child)
    ]
    codes = {
        part.text for line in module.plan.lines for part in walk(line.expr) if hasattr(part, "text")
    }
    words = _attribute_words(module)
    if "ops.softmax" in codes and "ops.matmul" in codes:
        return "Attention"
    if words:
        return words
    if any(k.startswith("Conv") for k in kinds):
        return _conv_block(module, kinds, codes)
    if kinds.count("Dense") >= 2 and not children_:
        return "MLP"
    return "Block"


def _attribute_words(module: ModuleClass) -> str:
    """The attribute under which the first instance stands, as a class name; "" if a number."""
    path = [p for p in module.blocks[0].path]
    word = next((p for p in reversed(path) if not p.isdigit()), "")
    numbered = bool(path) and path[-1].isdigit()
    word = word.rstrip("0123456789") or word
    if numbered:
        word = word[:-1] if word.endswith("s") else ""
        word = "" if word in ("layer", "block", "modul", "stage") else word
    return "".join(part.capitalize() for part in word.split("_")) if word.isascii() else ""


def _conv_block(module: ModuleClass, kinds: list[str], codes: set[str]) -> str:
    joins = {line.expr.op for line in module.plan.lines for _ in [0] if hasattr(line.expr, "op")}
    convs = sum(k.startswith("Conv") for k in kinds)
    if "ops.concat" in codes:
        return "ConcatBlock"
    if "+" in joins or any(
        "+" == getattr(p, "op", "") for line in module.plan.lines for p in walk(line.expr)
    ):
        return "Bottleneck" if convs == 3 else "ResidualBlock"
    return "ConvBlock"


__all__ = ["Chain", "Member", "describe", "name_classes", "name_homes", "name_layers"]
