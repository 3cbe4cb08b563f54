"""Graphs that grow: small files of which a careless converter makes without end, and long ones.

Run as a program it converts each row under limits of memory and CPU: names and sizes of the rows
are its arguments. It prints a line for each: the row, the codes left, and the script's length.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from msconvert.converter.convert import Options, script_of, understood
from msconvert.errors import MsconvertError
from msconvert.tests.bad_models import saved
from msconvert.tests.converter.small_models import model
from msconvert.tests.converter.wide_graphs import WIDE

MEMORY = 2 << 30
SECONDS, ROW_SECONDS = 400, 30
"""For all rows together, and for each: what is quadratic in one of them takes hours."""

node = helper.make_node


def sizes(op: str, n: int) -> onnx.ModelProto:
    """A shape that is combined with itself n times, and used."""
    attributes = {"axis": 0} if op == "Concat" else {}
    steps = [node(op, [f"s{i}"] * 2, [f"s{i + 1}"], **attributes) for i in range(n)]
    nodes = [node("Shape", ["x"], ["s0"]), *steps, node("Expand", ["x", f"s{n}"], ["y"])]
    return model(nodes, {"x": ("a", "b")}, ["y"])


def chain(op: str, n: int, more: int = 0) -> onnx.ModelProto:
    """A chain of n nodes, with a scalar constant as second input of those that take one."""
    second = ["half"] * more
    names = ["x", *(f"v{i}" for i in range(1, n)), "y"]
    nodes = [node(op, [names[i], *second], [names[i + 1]], name=f"n{i}") for i in range(n)]
    weights = {"half": np.array(0.5, np.float32)} if more else {}
    return model(nodes, {"x": (2, 3)}, ["y"], weights)


def fan(op: str, n: int) -> onnx.ModelProto:
    """One value that n nodes read, and one node that reads all of theirs."""
    attributes = {"axis": 0} if op == "Concat" else {}
    parts = [node("Neg", ["x"], [f"v{i}"]) for i in range(n)]
    whole = node(op, [f"v{i}" for i in range(n)], ["y"], **attributes)
    return model([*parts, whole], {"x": (2, 3)}, ["y"])


def gates(n: int) -> onnx.ModelProto:
    """x sigmoid(x), n times: a rule fits at every step."""
    nodes = []
    for i in range(n):
        nodes += [node("Sigmoid", [f"v{i}"], [f"s{i}"])]
        nodes += [node("Mul", [f"v{i}", f"s{i}"], [f"v{i + 1}"])]
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"])


def outputs(n: int) -> onnx.ModelProto:
    """n outputs, each handed on by an Identity."""
    nodes = []
    for i in range(n):
        nodes += [
            node("Relu", [f"v{i}"], [f"v{i + 1}"]),
            node("Identity", [f"v{i + 1}"], [f"y{i}"]),
        ]
    return model(nodes, {"v0": (2, 3)}, [f"y{i}" for i in range(n)])


def folded(n: int) -> onnx.ModelProto:
    """n constants, each made of the one before."""
    steps = [node("Add", [f"c{i}", "c0"], [f"c{i + 1}"]) for i in range(n)]
    nodes = [*steps, node("Add", ["x", f"c{n}"], ["y"])]
    return model(nodes, {"x": (2, 3)}, ["y"], {"c0": np.ones(3, np.float32)})


def unfoldable(n: int) -> onnx.ModelProto:
    """n nodes of constants that ONNX Runtime refuses."""
    weights = {"w": np.ones(3, np.float32), "far": np.array(9)}
    wrong = [node("Gather", ["w", "far"], [f"c{i}"]) for i in range(n)]
    nodes = [*wrong, node("Sum", ["x", *(f"c{i}" for i in range(n))], ["y"])]
    return model(nodes, {"x": (2, 3)}, ["y"], weights)


def layers(n: int, name: str) -> onnx.ModelProto:
    """n layers with weights of these names."""
    names = ["x", *(f"v{i}" for i in range(1, n)), "y"]
    words = [name.format(i) for i in range(n)]
    nodes = [
        node("Gemm", [names[i], word], [names[i + 1]], name=f"/{word.rpartition('.')[0]}/Gemm")
        for i, word in enumerate(words)
    ]
    return model(nodes, {"x": (2, 3)}, ["y"], {w: np.full((3, 3), 0.1, np.float32) for w in words})


def tensors(n: int) -> onnx.ModelProto:
    """n sums, each with a constant of its own."""
    nodes = [node("Add", [f"v{i}", f"w{i}"], [f"v{i + 1}"]) for i in range(n)]
    weights = {f"w{i}": np.full(3, i, np.float32) for i in range(n)}
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"], weights)


def unread(n: int) -> onnx.ModelProto:
    """One node, and n weights that nothing reads."""
    weights = {f"w{i}": np.full(3, i, np.float32) for i in range(n)}
    return model([node("Add", ["x", "w0"], ["y"])], {"x": (2, 3)}, ["y"], weights)


def unused(n: int) -> onnx.ModelProto:
    """n nodes that no output needs."""
    nodes = [node("Relu", ["x"], [f"u{i}"]) for i in range(n)]
    return model([*nodes, node("Neg", ["x"], ["y"])], {"x": (2, 3)}, ["y"])


def inputs(n: int) -> onnx.ModelProto:
    """n inputs, each with an output of its own."""
    nodes = [node("Relu", [f"x{i}"], [f"y{i}"]) for i in range(n)]
    return model(nodes, {f"x{i}": (2, 3) for i in range(n)}, [f"y{i}" for i in range(n)])


def blocks(n: int) -> onnx.ModelProto:
    """n nodes in blocks of blocks, all alike."""
    steps, nodes = ("fc/Gemm", "Relu", "Tanh", "Exp", "Neg"), []
    for i in range(n):
        block, layer, step = i // 50, i // 5 % 10, steps[i % 5]
        place = f"blocks.{block}.layers.{layer}"
        more = [f"{place}.fc.weight"] if step == "fc/Gemm" else []
        name, op = f"/{place.replace('.layers', '/layers')}/{step}", step.rpartition("/")[2]
        nodes.append(node(op, [f"v{i}", *more], [f"v{i + 1}"], name=name))
    words = [one.input[1] for one in nodes if len(one.input) > 1]
    weights = {word: np.full((3, 3), 0.1, np.float32) for word in words}
    return model(nodes, {"v0": (2, 3)}, [f"v{n}"], weights)


def cycle(n: int) -> onnx.ModelProto:
    nodes = [node("Add", ["x", f"v{(i - 1) % n}"], [f"v{i}"], name=f"n{i}") for i in range(n)]
    return model([*nodes, node("Relu", ["v0"], ["y"])], {"x": (2, 3)}, ["y"])


def masks(n: int) -> onnx.ModelProto:
    """n Dropouts with masks that nothing reads."""
    names = ["x", *(f"v{i}" for i in range(1, n)), "y"]
    nodes = [node("Dropout", [names[i]], [names[i + 1], f"m{i}"]) for i in range(n)]
    return model(nodes, {"x": (2, 3)}, ["y"])


def placeholders(n: int) -> onnx.ModelProto:
    names = ["x", *(f"v{i}" for i in range(1, n)), "y"]
    nodes = [node("Swirl", [names[i]], [names[i + 1]], domain="my") for i in range(n)]
    proto = model(nodes, {"x": (2, 3)}, ["y"])
    proto.opset_import.add(domain="my", version=1)
    return proto


def split(n: int) -> onnx.ModelProto:
    parts = [f"v{i}" for i in range(n)]
    nodes = [node("Split", ["x"], parts, axis=0), node("Concat", parts, ["y"], axis=1)]
    return model(nodes, {"x": (n, 3)}, ["y"], opset=13)


def functions(n: int) -> onnx.ModelProto:
    """n functions, and one that calls them all."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    relu = [node("Relu", ["a"], ["b"])]
    made = [helper.make_function("my", f"F{i}", ["a"], ["b"], relu, opsets) for i in range(n)]
    calls = [node(f"F{i}", [f"v{i}"], [f"v{i + 1}"], domain="my") for i in range(n)]
    made.append(helper.make_function("my", "All", ["v0"], [f"v{n}"], calls, opsets))
    proto = model([node("All", ["x"], ["y"], domain="my")], {"x": (2, 3)}, ["y"])
    proto.opset_import.add(domain="my", version=1)
    proto.functions.extend(made)
    return proto


def many(n: int) -> onnx.ModelProto:
    """n nodes, made as quickly as can be."""
    proto = model([node("Relu", ["x"], ["y"])], {"x": (2, 3)}, ["y"])
    proto.graph.node.extend(onnx.NodeProto(op_type="Relu", input=["x"]) for _ in range(n))
    return proto


ROWS: dict[str, Callable[[int], onnx.ModelProto]] = {
    "shapes added": lambda n: sizes("Add", n),
    "shapes multiplied": lambda n: sizes("Mul", n),
    "shapes joined": lambda n: sizes("Concat", n),
    "shapes subtracted": lambda n: sizes("Sub", n),
    "shapes divided": lambda n: sizes("Div", n),
    "a chain": lambda n: chain("Relu", n),
    "a chain of products": lambda n: chain("Mul", n, 1),
    "a chain of sums": lambda n: chain("Add", n, 1),
    "a chain of nothing": lambda n: chain("Identity", n),
    "a fan into a sum": lambda n: fan("Sum", n),
    "a fan into a maximum": lambda n: fan("Max", n),
    "a fan into a concatenation": lambda n: fan("Concat", n),
    "gates": gates,
    "outputs": outputs,
    "folded": folded,
    "unfoldable": unfoldable,
    "layers of a list": lambda n: layers(n, "layers.{}.weight"),
    "layers with names": lambda n: layers(n, "layer{}.weight"),
    "layers without names": lambda n: layers(n, "w{}"),
    "tensors": tensors,
    "unread weights": unread,
    "unused nodes": unused,
    "inputs": inputs,
    "blocks in blocks": blocks,
    "a cycle": cycle,
    "masks": masks,
    "placeholders": placeholders,
    "split": split,
    "functions": functions,
    "many": many,
    **WIDE,
}


def told(name: str, n: int, folder: Path) -> str:
    """What becomes of a row: the codes left and the length of the script, or the refusal."""
    path = saved(ROWS[name](n), folder)
    try:
        conversion = understood(Options(path, output=folder / "out", verify=False))
    except MsconvertError as error:
        return error.code
    codes = {item.error.code for item in conversion.written.traced.left}
    return f"{' '.join(sorted(codes)) or 'ok'} {len(script_of(conversion, 'bundled'))}"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as made:
        for row in sys.argv[1:]:
            until = int(time.process_time()) + ROW_SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (min(until, SECONDS), SECONDS))
            word, _, count = row.partition("=")
            sys.stdout.write(f"{row}: {told(word, int(count), Path(made))}\n")
            sys.stdout.flush()
