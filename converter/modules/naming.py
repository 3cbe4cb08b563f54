"""Names that are left to choose: constants and classes; those of members are settled before."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..code.expr import Binary, Code, Literal, refs, walk
from ..code.layers import WRITTEN_LAYERS
from ..code.numbering import Names
from ..code.statement import Statement
from .blocks import Block, blocks_in, item_path
from .cell_names import CELL_NAMES
from .classes import CONTAINERS, ModuleClass
from .homes import Home
from .plan import Child, Layer, layers_in
from .scopes import ModulePath


def _names_in(block: Block) -> set[str]:
    depth = len(block.path)
    paths = [item_path(item) for item in block.body]
    return {path[depth] for path in paths if len(path) > depth} | CELL_NAMES


def name_homes(homes: Mapping[str, Home], root: Block) -> dict[str, Home]:
    """Homes with an attribute each that is free in its module."""
    taken: dict[ModulePath, Names] = {}
    for block in blocks_in(root):
        taken.setdefault(block.path, Names()).add(_names_in(block))
    users = _first_users(root) if homes else {}
    named: dict[str, Home] = {}
    for name, home in homes.items():
        used = taken.setdefault(home.path, Names(CELL_NAMES))
        word = "mask" if home.weight.array.dtype == np.bool_ else users.get(name, "constant")
        named[name] = replace(home, attribute=used.take(home.attribute or word))
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
            for name in refs(item.expr):
                words.setdefault(name, word)
    return words


_SCRIPT_NAMES = frozenset(
    {"Parameter", "Tensor", "Path", "CHECKPOINT", *WRITTEN_LAYERS, *dir(builtins)}
)
"""What a script means by these words is not its own classes."""


def name_classes(
    classes: list[ModuleClass], title: str, taken: Names | None = None
) -> dict[ModuleClass, str]:
    """A name for each class: the source's own, or what it is; the network is called `title`.

    No name is one of those `taken`, which then are, too.
    """
    names: dict[ModuleClass, str] = {}
    taken = Names() if taken is None else taken
    taken.add({*_SCRIPT_NAMES} | {a.name for module in classes for a in module.arguments})
    for module in [classes[-1], *classes[:-1]]:
        hint = "" if module.hint in CONTAINERS else module.hint
        word = hint or (title if module is classes[-1] else describe(module))
        name = taken.take(word if word[0] == "_" else word[0].upper() + word[1:])
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


_NORMS = frozenset({"LayerNorm", "RMSNorm"})
_ACTIVATIONS = frozenset(f"ops.{name}" for name in "gelu relu silu sigmoid tanh".split())
_ACTIVATION_LAYERS = frozenset({"GELU", "ReLU", "SiLU"})

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
        return "TransformerBlock" if _is_whole_block(layers, codes) else "Attention"
    if any("Attention" in kind for kind in inner):
        return "EncoderLayer"
    kinds = [layer.kind for layer in layers]
    if module.blocks[0].sequential and kinds and kinds[0].startswith("Conv"):
        return _chain_word(kinds)
    convolutions = [layer for layer in layers if layer.kind.startswith("Conv")]
    scales = any(isinstance(part, Binary) and part.op == "*" for part in parts)
    if "ops.mean" in codes and scales and len(convolutions) == 2:
        return "SqueezeExcite"
    adds = any(isinstance(part, Binary) and part.op == "+" for part in parts)
    if any(isinstance(m, Child) and _is_grouped(m) for m in members):
        return "InvertedResidual" if adds else "DepthwiseBlock"
    if convolutions:
        return _convolutional(convolutions, kinds, codes, adds=adds)
    if kinds.count("Dense") >= 2:
        return "ResidualMLP" if adds else "MLP"
    return _by_path(module)


def _is_whole_block(layers: list[Layer], codes: set[str]) -> bool:
    """Whether layers around an attention are those of a block: norms, and a network of two more."""
    kinds = [layer.kind for layer in layers]
    activated = codes & _ACTIVATIONS or _ACTIVATION_LAYERS & set(kinds)
    return bool(activated) and kinds.count("Dense") >= 3 and bool(_NORMS & set(kinds))


def _by_path(module: ModuleClass) -> str:
    """What the attributes say together where the last one says too little: `DecoderBlockLayer`."""
    words = [re.sub("_?[0-9].*", "", part) for part in module.blocks[0].path if part.isascii()]
    words = [word for word in words if len(word) > 1]
    telling = [i for i, word in enumerate(words) if word not in GENERIC_WORDS]
    parts = "_".join(words[telling[-1] if telling else -1 :]).split("_")
    return "".join(_FULL_WORDS.get(part, part[:1].upper() + part[1:]) for part in parts) or "Block"


def _is_grouped(member: Child) -> bool:
    """Whether a convolution of its own class gets more than one group."""
    return dict(member.arguments).get("group", Literal(1)) != Literal(1)


def _chain_word(kinds: list[str]) -> str:
    """`ConvBNReLU` for a convolution and what follows it, `ConvChain` if that is long."""
    short = {"BatchNorm": "BN", "GroupNorm": "GN", "LayerNorm": "LN"}
    words = [short.get(kind.rstrip("123d"), kind) for kind in kinds[1:]]
    return f"Conv{''.join(words)}" if 0 < len(words) < 3 else "ConvChain"


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
