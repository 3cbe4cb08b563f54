"""Names that are left to choose: layers without one, constants, clashes, classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

import numpy as np

from .blocks import Block, Item, blocks_in, item_path
from .classes import ModuleClass
from .expr import Binary, CellCall, Code, Literal, Ref, children, refs, walk
from .homes import Home
from .place import cell_in
from .plan import Child, Layer, layers_in
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
    "MaxPool1d": "pool",
    "MaxPool2d": "pool",
    "MaxPool3d": "pool",
    "AvgPool1d": "pool",
    "AvgPool2d": "pool",
    "AvgPool3d": "pool",
}
"""What a layer without a name is called; others by their kind in lower case."""


def name_layers(root: Block) -> None:
    """Gives each layer without a name one in its block, and settles clashes of names."""
    for block in blocks_in(root):
        if not block.sequential:
            _name_numbered(block)
        taken = _names_in(block)
        lone = [s for s in block.body if isinstance(s, Statement)]
        unnamed = [s for s in lone if s.cell_path is None and cell_in(s.expr) is not None]
        words = [_word(s) for s in unnamed]
        numbers = Counter(words)
        for statement, word in zip(unnamed, words, strict=True):
            name = _numbered(word, taken, always=numbers[word] > 1)
            taken.add(name)
            statement.cell_path = (*block.path, name)
    _settle_layers(root)
    _settle_blocks(root)


def _name_numbered(block: Block) -> None:
    """Calls a member that is a mere number `layer0`: only lists have numbered members."""
    depth = len(block.path)
    for item in block.body:
        path = item_path(item)
        if len(path) > depth and path[depth].isdigit():
            named = (*block.path, f"layer{path[depth]}")
            if isinstance(item, Block):
                _rename(item, depth + 1, named)
            else:
                item.cell_path = named + path[depth + 1 :]


def _names_in(block: Block) -> set[str]:
    depth = len(block.path)
    paths = [i.path if isinstance(i, Block) else i.cell_path or () for i in block.body]
    return {path[depth] for path in paths if len(path) > depth} | CELL_NAMES


def _word(statement: Statement) -> str:
    cell = cell_in(statement.expr)
    assert cell is not None
    return _LAYER_WORDS.get(cell.kind, cell.kind.lower())


def _numbered(word: str, taken: Iterable[str], *, always: bool = False) -> str:
    used = set(taken)
    if not always and word not in used:
        return word
    return next(name for i in count(1) if (name := f"{word}{i}") not in used)


def _settle_layers(root: Block) -> None:
    """Two layers of one name stay one only if they are the same: equal arguments and weights."""
    known: dict[ModulePath, object] = {}
    for statement in (s for b in blocks_in(root) for s in b.body if isinstance(s, Statement)):
        cell, path = cell_in(statement.expr), statement.cell_path
        if cell is None or path is None:
            continue
        identity = (cell.kind, cell.arguments, tuple((n, w.sources) for n, w in cell.weights))
        choices = _renamed(path)
        while known.setdefault(path, identity) != identity:
            path = next(choices)
        statement.cell_path = path


def _renamed(path: ModulePath) -> Iterator[ModulePath]:
    """Other names for a path: `conv_2`, `conv_3`; a numbered element moves to another list."""
    at = len(path) - 1
    while at and path[at].isdigit():
        at -= 1
    for number in count(2):
        yield (*path[:at], f"{path[at]}_{number}", *path[at + 1 :])


def _settle_blocks(root: Block) -> None:
    """Two calls of one module stay one module only if they do the same with the same weights."""
    known: dict[ModulePath, object] = {}
    for block in sorted(blocks_in(root), key=lambda b: len(b.path)):
        identity = _identity(block)
        base, path, choices = block.path, block.path, _renamed(block.path)
        while path and known.setdefault(path, identity) != identity:
            path = next(choices)
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
        word = "mask" if home.weight.array.dtype == np.bool_ else users.get(name, "constant")
        attribute = _numbered(home.attribute or word, used)
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
    items = (item for block in blocks_in(root) for item in block.body)
    for item in items:
        if isinstance(item, Statement):
            word = _CONSTANT_WORDS.get(item.node.op, "constant")
            words = dict.fromkeys(refs(item.expr), word) | words
    return words


def name_classes(classes: list[ModuleClass], title: str) -> dict[ModuleClass, str]:
    """A name for each class: the source's own, or what it is; the network is called `title`."""
    names: dict[ModuleClass, str] = {}
    taken: set[str] = {"Parameter", "Tensor"}
    for module in [classes[-1], *classes[:-1]]:
        word = module.hint or (title if module is classes[-1] else describe(module))
        name = _numbered(word, taken)
        taken.add(name)
        names[module] = module.kind = name
    return names


GENERIC_WORDS = frozenset(
    "layer block module stage body net model feature main conv res sub h m".split()
)
"""Attributes that say nothing of what they hold: the class is then called after its contents."""


def describe(module: ModuleClass) -> str:
    """What a class is, from where it is used; else from what it contains."""
    word = _attribute_word(module)
    if word and word not in GENERIC_WORDS and not re.search("[0-9]", word):
        return "".join(_FULL_WORDS.get(part, part.capitalize()) for part in word.split("_"))
    return _by_contents(module)


_FULL_WORDS = {
    "attn": "Attention",
    "mha": "Attention",
    "gru": "GRU",
    "lstm": "LSTM",
    "rnn": "RNN",
    "denselayer": "DenseLayer",
    "denseblock": "DenseBlock",
    "se": "SqueezeExcite",
    "mlp": "MLP",
    "ffn": "FeedForward",
}


def _attribute_word(module: ModuleClass) -> str:
    """The attribute under which the first instance stands, without numbers; "" if it has none."""
    path = module.blocks[0].path
    word = next((p for p in reversed(path) if not p.isdigit()), "")
    word = re.sub(r"(_?[0-9]+[a-z]?)+$", "", word.lower()).strip("_") if word.isascii() else ""
    return word[:-1] if path and path[-1].isdigit() and word.endswith("s") else word


def _by_contents(module: ModuleClass) -> str:
    """A name that the field gives to what the class contains."""
    members = [m for top in module.plan.members.values() for m in layers_in(top)]
    layers = [m for m in members if isinstance(m, Layer)]
    inner = {m.module.kind for m in members if isinstance(m, Child)}
    parts = [part for line in module.plan.lines for part in walk(line.expr)]
    codes = {part.text for part in parts if isinstance(part, Code)}
    if {"ops.softmax", "ops.matmul"} <= codes:
        return "Attention"
    if any("Attention" in kind for kind in inner):
        return "EncoderLayer"
    kinds = [layer.kind for layer in layers]
    if module.blocks[0].sequential and kinds and kinds[0].startswith("Conv"):
        return "ConvNormAct" if len(kinds) > 1 else "ConvNorm"
    convolutions = [layer for layer in layers if layer.kind.startswith("Conv")]
    adds = any(isinstance(part, Binary) and part.op == "+" for part in parts)
    if convolutions:
        return _convolutional(convolutions, kinds, codes, adds=adds)
    if kinds.count("Dense") >= 2:
        return "ResidualMLP" if adds else "MLP"
    return "Block"


def _convolutional(layers: list[Layer], kinds: list[str], codes: set[str], *, adds: bool) -> str:
    arguments = [dict(layer.arguments) for layer in layers]
    depthwise = any(a["group"] not in (Literal(1), Literal(4)) for a in arguments)
    if "ops.concat" in codes:
        return "DenseLayer" if len(layers) <= 2 else "ConcatBlock"
    if adds and depthwise:
        return "InvertedResidual"
    if adds:
        return (
            "Bottleneck"
            if len(layers) >= 3 and arguments[0]["kernel_size"] == Literal(1)
            else "BasicBlock"
        )
    if any(kind.startswith("AvgPool") for kind in kinds):
        return "Transition"
    return {1: "ConvBlock", 2: "DoubleConv"}.get(len(layers), "ConvBlock")


__all__ = ["describe", "name_classes", "name_homes", "name_layers"]
