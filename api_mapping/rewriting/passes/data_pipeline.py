"""Transforms and samples that are asked for outside of data sets; pipelines from ToImage on.

MindSpore's transforms give arrays, which a data set's loader makes Tensors; elsewhere calls do.
PyTorch's image is a tensor (c, h, w) behind ToImage. MindSpore's transforms take images of PIL, so
it stays one until ToDtype, which only transforms of torchvision may not see.

steps(image)  ->  compat.transformed(steps, image)
train[0]      ->  compat.sample(train, 0)
v2.Compose([v2.ToImage(), v2.Resize(4), v2.ToDtype(torch.float32, scale=True)])
    ->  compat.Compose([compat.ToImage(), ds.vision.Resize(4), compat.ToDtype(ms.float32, True)])
v2.Compose([v2.ToImage(), lambda image: image[:, :4], ...])  ->  refused

Behind ToTensor it is an array (c, h, w), of which they would flip and crop the wrong axes.

[T.ToTensor(), T.CenterCrop(4)]  ->  [ds.vision.ToTensor(), compat.OfTensors(...CenterCrop(4))]
[T.ToTensor(), T.Grayscale()]    ->  refused
[T.ToTensor(), lambda t: t.repeat(3, 1, 1)]  ->  [ds.vision.ToTensor(), compat.OnTensors(...)]
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import libcst as cst

from ...syntax.code import Code
from ...syntax.quotation import expression
from ...syntax.walk import every
from ...table.facts.results import (
    IMAGE_MAKING,
    SAMPLING,
    TENSOR_KEEPING,
    TENSOR_MAKING,
    TENSOR_MOVING,
    TRANSFORM_HOLDING,
    TRANSFORMING,
    TRANSFORMS,
)
from ...table.refusal import Refusal
from ..rewriter import Rewriter
from .table_call import table_call

V2 = f"{TRANSFORMS}v2."
FUNCTIONS = (f"{TRANSFORMS}functional.", f"{V2}functional.")
BEGIN, ENDS = f"{V2}ToImage", (f"{V2}ToDtype", f"{V2}ConvertImageDtype")
OPEN = f"{V2}Lambda"
OF_TENSORS = (*TENSOR_MAKING, *TENSOR_KEEPING, IMAGE_MAKING, "ToImage", "Lambda")
"""The transforms that take what is a tensor in PyTorch as it is."""


def transformed(node: ast.Call, to: Rewriter) -> Code | None:
    """The tensor that a transform makes of an image."""
    named = to.places.resolve(node.func)
    if named is None or named.api != TRANSFORMING or named.receiver is not node.func:
        return None
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        raise Refusal("a transform of several values at once: call it for each")
    transform, image = to.code(node.func), to.code(node.args[0])
    holes = {"compat": to.name("compat"), "transform": transform, "image": image}
    own = to.places.name_of(node.func).rpartition(".")[2]
    if own in TENSOR_MOVING:
        return expression("compat.transformed(compat.OfTensors(transform), image)", **holes)
    if not own or own in (*OF_TENSORS, *TRANSFORM_HOLDING):
        return expression("compat.transformed(transform, image)", **holes)
    raise Refusal(f"{own} takes images, not tensors: give it the image that is not one yet")


def sampled(node: ast.Subscript, to: Rewriter) -> Code | None:
    """A sample with Tensors for its arrays."""
    named = to.places.resolve(node)
    if named is None or named.api != SAMPLING:
        return None
    holes = {"compat": to.name("compat"), "data": to.code(node.value), "index": to.code(node.slice)}
    return expression("compat.sample(data, index)", **holes)


def composed(node: ast.Call, to: Rewriter) -> Code | None:
    """Nothing: the row of Compose writes it.

    Raises: Refusal of a pipeline in which something else than torchvision sees the image's axes
    """
    parts = node.args[0].elts if node.args and isinstance(node.args[0], ast.List) else []
    if not parts or called_in(node, to) != f"{V2}Compose":
        return None
    names = [called_in(part, to) for part in parts]
    if BEGIN not in names:
        return None
    end = next((n for n, name in enumerate(names) if name in ENDS), None)
    if end is None or end < names.index(BEGIN):
        raise Refusal("ToImage without ToDtype behind it: use ds.vision.ToTensor() in its place")
    for part, name in zip(parts[:end], names[:end], strict=True):
        if not name.startswith(V2) or name == OPEN:
            shown = ast.unparse(part)
            raise Refusal(f"{shown} would see an image of PIL: put it behind ToDtype")
    return None


def of_image(node: ast.Call, to: Rewriter) -> Code | None:
    """Nothing: the row of the function writes it.

    Raises: Refusal of a tensor for a function of MindSpore's that takes images of Pillow and arrays
    """
    api = called_in(node, to)
    if not api.startswith(FUNCTIONS) or not node.args:
        return None
    rules = to.rules(api)
    is_for_images = all(rule.target.startswith("ds.vision.") for rule in rules)
    if rules and is_for_images and to.places.kind_of(node.args[0]) == "tensor":
        name = api.rpartition(".")[2]
        raise Refusal(f"{name} takes images and arrays (h, w, c), not a tensor (c, h, w)")
    return None


def function_behind_tensor(node: ast.Lambda | ast.Name, to: Rewriter) -> Code | None:
    """A function behind a transform that gives a tensor, where it does more than compute."""
    if node not in to.notes.behind_tensors or not is_function(node, to):
        return None
    code = to.with_parts(node) if isinstance(node, ast.Lambda) else cst.Name(node.id)
    return on_tensors(code, to)


def is_function(node: ast.Lambda | ast.Name, to: Rewriter) -> bool:
    """Whether it is a function that calls something: arithmetic serves arrays, too."""
    if isinstance(node, ast.Lambda):
        return any(isinstance(part, ast.Call) for part in every(node.body))
    return to.places.kind_of(node) == "function"


def is_own_object(node: ast.Call, to: Rewriter) -> bool:
    """Whether it is an object of a class of the project's."""
    return to.places.kind_of(node) in ("object", "instance")


def on_tensors(code: Any, to: Rewriter) -> Code:
    return expression("compat.OnTensors(code)", compat=to.name("compat"), code=code)


def behind_tensor(node: ast.Call, to: Rewriter) -> Code | None:
    """A transform of pixels behind one that gives a tensor.

    Raises: Refusal of a transform that takes images alone
    """
    turning = to.notes.behind_tensors.get(node, "")
    if not turning:
        return None
    transforms = transforms_in(node, to)
    if not transforms or called_in(node, to) == f"{TRANSFORMS}Lambda":
        code = table_call(node, to) if transforms else to.with_parts(node)
        return on_tensors(code, to) if transforms or is_own_object(node, to) else None
    own, *inner = [called_in(call, to).rpartition(".")[2] for call in transforms]
    if own in OF_TENSORS or (own in TRANSFORM_HOLDING and set(inner) <= set(OF_TENSORS)):
        return None
    if own not in TENSOR_MOVING:
        raise Refusal(f"{own} takes images, not the tensor of {turning}: put it before that")
    if own == "Pad" and any(is_fraction(inner) for inner in ast.walk(node)):
        raise Refusal(
            "MindSpore fills borders with whole numbers: pad the image, before its levels"
        )
    code = table_call(node, to)
    if code is None:
        return None
    holes = {"compat": to.name("compat"), "transform": code}
    whole = expression("compat.OfTensors(transform)", **holes)
    to.chosen[node] = replace(to.chosen[node], new=whole)
    return whole


def transforms_in(node: ast.expr, to: Rewriter) -> list[ast.Call]:
    """The calls in an expression that make transforms of torchvision's, its own first."""
    calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return [call for call in calls if called_in(call, to).startswith(TRANSFORMS)]


def is_fraction(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def called_in(node: ast.expr, to: Rewriter) -> str:
    """The API of PyTorch's that an expression calls; "" if it calls none."""
    named = to.places.resolve(node.func) if isinstance(node, ast.Call) else None
    return "" if named is None else named.api
