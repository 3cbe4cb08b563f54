"""Mistakes in layers: their options, which of them is called, their weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..fault import (
    Array,
    Spoiled,
    changed,
    copied,
    exchanged,
    filled,
    first_row_times,
    mirrored,
    rolled,
    transposed,
)
from .slips import Slip, Source, functions, parts, statements

EPSILON = ("epsilon", "norms-epsilon", "response-settings")
CLASSES = {
    "GELU": (("SiLU()", "another-activation"), ("ReLU()", "another-activation")),
    "SiLU": (("ReLU()", "another-activation"), ("GELU()", "another-activation")),
    "LeakyReLU": (
        ("ReLU()", "slope"),
        ("LeakyReLU(0.3)", "slope"),
        ("ELU()", "another-activation"),
    ),
    "MaxPool2d": (("AvgPool2d(2, 2)", "another-pool"),),
}
SETTINGS = {
    "LayerNorm": (("epsilon", "0.1", EPSILON),),
    "GroupNorm": (("eps", "0.1", EPSILON),),
    "BatchNorm1d": (("eps", "0.2", EPSILON), ("use_batch_statistics", "True", ("train-eval",))),
    "BatchNorm2d": (("eps", "0.2", EPSILON), ("use_batch_statistics", "True", ("train-eval",))),
    "InstanceNorm2d": (("eps", "0.2", EPSILON),),
    "Dense": (
        ("has_bias", "False", ("missing-parameter", "parameters")),
        ("activation", '"relu"', ("activation-added",)),
    ),
    "Conv1d": (
        ("has_bias", "False", ("missing-parameter", "parameters")),
        ("padding_mode", '"zeros"', ("padding-mode", "padding")),
    ),
    "Conv2d": (
        ("has_bias", "False", ("missing-parameter", "parameters")),
        ("pad_mode", '"same"', ("padding",)),
        ("padding_mode", '"zeros"', ("padding-mode", "padding")),
    ),
    "Conv2dTranspose": (("has_bias", "False", ("missing-parameter", "parameters")),),
    "TransformerEncoderLayer": (
        ("activation", '"relu"', ("inner-activation",)),
        ("norm_first", "True", ("norm-first",)),
        ("layer_norm_eps", "0.1", ("norms-epsilon", "epsilon")),
        ("nhead", "2", ("heads",)),
    ),
    "LSTM": (("batch_first", "False", ("batch-first",)),),
    "GRU": (("batch_first", "False", ("batch-first",)),),
    "RNN": (
        ("nonlinearity", '"relu"', ("nonlinearity",)),
        ("batch_first", "False", ("batch-first",)),
    ),
}
"""Of each class of layers: the argument, what it is by mistake, the causes that are right."""


def of_options(source: Source) -> Iterator[Slip]:
    """Each layer that is made, with one of its options wrong; `uses` is its path in its owner."""
    for owner, path, call in made(source):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        lines = (call.lineno, call.end_lineno or call.lineno)
        for new, cause in CLASSES.get(name, ()):
            start, end = source.span(call)
            yield Slip("another layer", start, end, f"nn.{new}", lines, owner, (cause,), path)
        for option, value, causes in SETTINGS.get(name, ()):
            span, new = instead(source, call, option, value)
            if source.text[slice(*span)] != new:
                yield Slip(f"option {option}", *span, new, lines, owner, causes, path)
        if name == "GroupNorm" and isinstance(call.args[0], ast.Constant):
            groups = call.args[0].value
            span = source.span(call.args[0])
            yield Slip(
                "option num_groups", *span, str(groups // 2), lines, owner, ("groups",), path
            )


def instead(source: Source, call: ast.Call, option: str, value: str) -> tuple[tuple[int, int], str]:
    for keyword in call.keywords:
        if keyword.arg == option:
            return source.span(keyword.value), value
    if option == "nhead":
        return source.span(call.args[1]), value
    if option == "padding_mode":  # which only some of these layers have
        return (0, 0), ""
    end = source.span(call)[1] - 1
    between = "" if source.text[end - 1] in "(," else ", "
    return (end, end), f"{between}{option}={value}"


def made(source: Source) -> Iterator[tuple[str, str, ast.Call]]:
    """The class, the layer's path in it, the call that makes it."""
    for owner in source.tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        for node in ast.walk(owner):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            target = node.targets[0]
            if not isinstance(target, ast.Attribute):
                continue
            yield owner.name, target.attr, node.value
            function = node.value.func
            if isinstance(function, ast.Attribute) and function.attr == "SequentialCell":
                for i, one in enumerate(node.value.args):
                    if isinstance(one, ast.Call):
                        yield owner.name, f"{target.attr}.{i}", one


CALLED = ("code", "missing", "extra", "operator-missing", "function-value", "operator-other")


def of_structure(source: Source) -> Iterator[Slip]:
    """Layers that are left out, called twice, or in the place of another one."""
    layers: dict[str, list[str]] = {}
    for owner, path, _ in made(source):
        layers.setdefault(owner, []).append(path)
    for owner, function in functions(source.tree):
        own = layers.get(owner, [])
        for statement in statements(function):
            lines = (statement.lineno, statement.end_lineno or statement.lineno)
            for node in parts(statement):
                name = layer_of(node)
                if name not in own or not isinstance(node, ast.Call) or len(node.args) != 1:
                    continue
                start, end = source.span(node)
                code, inner = source.code(node), source.code(node.args[0])
                more = (lines, owner, CALLED, name)
                yield Slip("layer left out", start, end, inner, *more)
                twice = (*more[:2], (*CALLED, "applied-twice", "operator-extra"), name)
                yield Slip("layer called twice", start, end, f"self.{name}({code})", *twice)
                for other in own:
                    if other != name and "." not in other:
                        new = code.replace(f"self.{name}(", f"self.{other}(", 1)
                        both = (lines, owner, (*CALLED, "parameters"), f"{name} {other}")
                        yield Slip("another layer called", start, end, new, *both)


def layer_of(node: ast.expr) -> str:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    is_own = isinstance(node.func.value, ast.Name) and node.func.value.id == "self"
    return node.func.attr if is_own else ""


def of_weights(weights: Mapping[str, Array]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Kinds of what is done, and to which tensors."""
    names = [name for name, x in weights.items() if x.dtype.kind == "f" and x.size > 1]
    for name in names:
        x = weights[name]
        yield from ((kind, (name,)) for kind in ("never loaded", "times 1.3", "first row"))
        if x.ndim > 1 and x.shape[0] == x.shape[1]:
            yield "transposed", (name,)
        if x.ndim > 1 or x.size > 4:
            yield "rolled", (name,)
            yield "mirrored", (name,)
        for other in names:
            if other != name and weights[other].shape == x.shape:
                yield "exchanged", (name, other)
                yield "copied", (name, other)


def spoiled(kind: str, names: Sequence[str]) -> Spoiled:
    if kind == "exchanged":
        return exchanged(*names)
    if kind == "copied":
        return copied(*names)
    change = {
        "never loaded": filled(0.0),
        "times 1.3": lambda x: x * np.float32(1.3),
        "first row": first_row_times(2.0),
        "transposed": transposed,
        "rolled": rolled(1),
        "mirrored": mirrored(0),
    }[kind]
    return changed(change, *names)
