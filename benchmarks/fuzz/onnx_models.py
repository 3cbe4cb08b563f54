"""ONNX models changed by their structure: nodes, wires, attributes, sizes, names, weights."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import onnx
from onnx import TensorProto, helper
from onnx.backend.test.loader import load_model_tests

from .byte_changes import NUMBERS, TEXTS, changed

LARGEST_SEED = 100_000
OPS = (
    *"Add Mul Sub Div Relu Identity Concat Split Reshape Transpose Gather Slice Squeeze".split(),
    *"Unsqueeze Expand Tile Shape Size Range ConstantOfShape Cast MatMul Gemm Conv LSTM".split(),
    *"ConvTranspose GRU RNN Resize Pad ReduceSum Softmax LayerNormalization TopK Where".split(),
    *"InstanceNormalization Einsum If Loop Scan StringConcat OneHot ScatterND Sum Max".split(),
    *"SequenceAt QuantizeLinear BatchNormalization MaxPool CumSum NonZero Dropout".split(),
)


@cache
def seeds() -> list[bytes]:
    """ONNX's own cases of single operators, and the model of the demo."""
    folder = Path(__file__).parents[2] / "examples"
    files = [folder / "demo.onnx"]
    with warnings.catch_warnings(action="ignore"):  # they are computed anew: the log of 0
        cases = load_model_tests(kind="node")
    files += [Path(case.model_dir, "model.onnx") for case in cases if case.model_dir]
    return [
        file.read_bytes() for file in files if file.exists() and file.stat().st_size <= LARGEST_SEED
    ]


def model(random: Random) -> bytes:
    """A model that is wrong, or odd, in one to five ways; every fifth has bytes changed, too."""
    proto = onnx.ModelProto.FromString(random.choice(seeds()))
    if random.random() < 0.3:
        _joined(proto, onnx.ModelProto.FromString(random.choice(seeds())), random)
    for _ in range(random.choice((1, 1, 2, 3, 5))):
        random.choice(CHANGES)(proto, random)
    data = proto.SerializeToString()
    return changed(data, random) if random.random() < 0.2 else data


def _joined(proto: Any, other: Any, random: Random) -> None:
    """The nodes of the other behind those of the first, with the first's outputs as its inputs."""
    wires = {item.name: f"b_{item.name}" for item in (*other.graph.input, *other.graph.initializer)}
    theirs = [item.name for item in other.graph.input]
    ours = [item.name for item in proto.graph.output] or [""]
    wires.update((name, random.choice(ours)) for name in theirs if random.random() < 0.8)
    for node in other.graph.node:
        new = proto.graph.node.add()
        new.CopyFrom(node)
        new.input[:] = [wires.get(name, f"b_{name}" if name else "") for name in node.input]
        new.output[:] = [f"b_{name}" if name else "" for name in node.output]
    for item in other.graph.initializer:
        new = proto.graph.initializer.add()
        new.CopyFrom(item)
        new.name = wires[item.name]
    for item in other.graph.output:
        new = proto.graph.output.add()
        new.CopyFrom(item)
        new.name = f"b_{item.name}"


def _some(items: Any, random: Random) -> Any:
    return random.choice(items) if len(items) else None


def _names(proto: Any) -> list[str]:
    wires = {name for node in proto.graph.node for name in (*node.input, *node.output)}
    return sorted(wires) or ["x"]


def _attribute(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    attribute = _some(node.attribute, random) if node else None
    if attribute is None:
        return
    number = random.choice(NUMBERS)
    number = max(-(2**63), min(2**63 - 1, number))
    way = random.randrange(6)
    if way == 0:
        attribute.i, attribute.type = number, random.choice((attribute.type, attribute.INT))
    elif way == 1:
        attribute.f = random.choice((0.0, -1.0, float("nan"), float("inf"), 1e38, 1e-45))
    elif way == 2:
        attribute.s = random.choice(TEXTS).encode()
        attribute.type = random.choice((attribute.type, attribute.STRING))
    elif way == 3 and len(attribute.ints):
        attribute.ints[random.randrange(len(attribute.ints))] = number
    elif way == 4:
        attribute.ints.extend([number] * random.choice((1, 2, 64, 2000)))
    else:
        del attribute.ints[1:]


def _new_attribute(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    if node:
        names = ("axis", "axes", "perm", "keepdims", "to", "hidden_size", "direction", "equation")
        name = random.choice((*names, "kernel_shape", "pads", "mode", "value", "group"))
        value = random.choice((0, -7, [1], [0] * 70, "x", "i,i", 1.5, [2**40, 3]))
        node.attribute.append(helper.make_attribute(name, value))


def _no_attribute(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    if node and len(node.attribute):
        del node.attribute[random.randrange(len(node.attribute))]


def _size(proto: Any, random: Random) -> None:
    item = _some([*proto.graph.input, *proto.graph.output, *proto.graph.value_info], random)
    if item is None:
        return
    shape = item.type.tensor_type.shape
    way = random.randrange(5)
    if way == 0 and len(shape.dim):
        _some(shape.dim, random).dim_value = random.choice((0, 1, 3, -1, 100_000, 2**40, 2**63 - 1))
    elif way == 1 and len(shape.dim):
        _some(shape.dim, random).dim_param = random.choice((*TEXTS, "n", "4*n"))
    elif way == 2:
        for _ in range(random.choice((1, 2, 65))):
            shape.dim.add().dim_value = random.choice((1, 2, 3, 0))
    elif way == 3 and len(shape.dim):
        del shape.dim[-1]
    else:
        item.type.tensor_type.ClearField("shape")


def _type(proto: Any, random: Random) -> None:
    item = _some([*proto.graph.input, *proto.graph.output, *proto.graph.value_info], random)
    if item is not None:
        item.type.tensor_type.elem_type = random.randrange(0, 28)


def _wire(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    if node and len(node.input):
        names = [*_names(proto), "", "nowhere"]
        node.input[random.randrange(len(node.input))] = random.choice(names)


def _more_wires(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    if node:
        wires = node.input if random.random() < 0.7 else node.output
        wires.extend([random.choice(_names(proto))] * random.choice((1, 1, 3, 300)))


def _fewer_wires(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    wires = (node.input if random.random() < 0.7 else node.output) if node else []
    if len(wires):
        del wires[random.randrange(len(wires))]


def _op(proto: Any, random: Random) -> None:
    node = _some(proto.graph.node, random)
    if node:
        node.op_type = random.choice((*OPS, *OPS, random.choice(TEXTS)))
        if random.random() < 0.1:
            node.domain = random.choice(("com.microsoft", "ai.onnx.ml", *TEXTS))


def _again(proto: Any, random: Random) -> None:
    """An operator on its own result, many times: what grows grows without bound."""
    node = _some(proto.graph.node, random)
    if not node or not len(node.output) or not len(node.input):
        return
    source, op = random.choice(_names(proto)), random.choice(("Add", "Mul", "Concat", "Identity"))
    for i in range(random.choice((2, 8, 40, 200))):
        new = helper.make_node(op, [source] * (1 if op == "Identity" else 2), [f"again{i}"])
        if op == "Concat":
            new.attribute.append(helper.make_attribute("axis", 0))
        proto.graph.node.append(new)
        source = f"again{i}"
    node.input[0] = source if random.random() < 0.3 else node.input[0]
    proto.graph.output.append(helper.make_empty_tensor_value_info(source))


def _order(proto: Any, random: Random) -> None:
    nodes = list(proto.graph.node)
    random.shuffle(nodes)
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)


def _no_node(proto: Any, random: Random) -> None:
    if len(proto.graph.node):
        del proto.graph.node[random.randrange(len(proto.graph.node))]


def _name(proto: Any, random: Random) -> None:
    """Another name for a wire, everywhere."""
    old, new = random.choice(_names(proto)), random.choice(TEXTS)
    for node in proto.graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]
        if random.random() < 0.3:
            node.name = random.choice(TEXTS)
    for item in (*proto.graph.input, *proto.graph.output, *proto.graph.initializer):
        item.name = new if item.name == old else item.name


def _weight(proto: Any, random: Random) -> None:
    item = _some(proto.graph.initializer, random)
    if item is None:
        item = proto.graph.initializer.add(name=random.choice(_names(proto)), data_type=1)
    way = random.randrange(6)
    if way == 0:
        item.dims.extend([random.choice((0, 1, 2, 2**40, -1))] * random.choice((1, 2, 65)))
    elif way == 1:
        item.data_type = random.randrange(0, 28)
    elif way == 2:
        item.raw_data = item.raw_data[: random.randrange(len(item.raw_data) + 1)]
    elif way == 3:
        item.data_location = TensorProto.EXTERNAL
        for key, texts in (("location", TEXTS), ("offset", ("-1", "9", "٣")), ("length", ("1e9",))):
            item.external_data.add(key=key, value=random.choice((*texts, "model.onnx", "0")))
    elif way == 4 and len(item.dims):
        item.dims[random.randrange(len(item.dims))] = random.choice((0, -5, 2**50, 3))
    else:
        item.int64_data.extend([random.choice((0, -1, 5, 10**6, 2**62))] * random.choice((1, 3)))


def _opset(proto: Any, random: Random) -> None:
    way = random.randrange(4)
    if way == 0 and len(proto.opset_import):
        del proto.opset_import[:]
    elif way == 1:
        proto.ir_version = random.choice((0, 2, 3, 8, 10, 99, 2**40))
    elif way == 2 and len(proto.opset_import):
        _some(proto.opset_import, random).version = random.choice((0, 1, 6, 9, 13, 17, 21, 99))
    else:
        proto.opset_import.add(domain=random.choice(TEXTS), version=random.choice((1, 0, 17)))


def _function(proto: Any, random: Random) -> None:
    """A node as a call of a local function, which may call itself or stand there twice."""
    node = _some(proto.graph.node, random)
    if not node:
        return
    inner = onnx.NodeProto()
    inner.CopyFrom(node)
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid("f", 1)])]
    inputs, outputs = list(dict.fromkeys(node.input)), list(dict.fromkeys(node.output))
    function = helper.make_function("f", "F", inputs, outputs, [inner], opsets)
    if random.random() < 0.3:
        function.node.add(domain="f", op_type="F", input=inputs, output=["inner"])
    proto.functions.extend([function] * random.choice((1, 1, 2)))
    if random.random() < 0.8:
        proto.opset_import.add(domain="f", version=1)
    node.Clear()
    node.op_type, node.domain = "F", "f"
    node.input.extend(inputs)
    node.output.extend(outputs)


def _branch(proto: Any, random: Random) -> None:
    """A node inside of an If, or of a Loop without end."""
    node = _some(proto.graph.node, random)
    if not node or not len(node.output):
        return
    inner = onnx.NodeProto()
    inner.CopyFrom(node)
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    body = helper.make_graph([inner], "body", [], outputs)
    condition = helper.make_tensor("condition", TensorProto.BOOL, [], [True])
    proto.graph.initializer.append(condition)
    made = list(node.output)
    node.Clear()
    node.output.extend(made)
    if random.random() < 0.6:
        node.op_type = "If"
        node.input.append("condition")
        for name in ("then_branch", "else_branch"):
            node.attribute.append(helper.make_attribute(name, body))
    else:
        node.op_type = "Loop"
        node.input.extend(["", "condition"])
        node.attribute.append(helper.make_attribute("body", body))


def _endless(proto: Any, random: Random) -> None:
    """A valid Loop that never ends, or Scan, whose state may grow with each step."""
    state = random.choice(_names(proto))
    op = random.choice(("Add", "Mul", "Concat", "Identity", "MatMul"))
    node = helper.make_node(op, ["x"] * (1 if op == "Identity" else 2), ["y"])
    if op == "Concat":
        node.attribute.append(helper.make_attribute("axis", 0))
    on = [helper.make_node("Identity", ["on"], ["on_out"])]
    if random.random() < 0.3:
        on = [
            helper.make_node("Not", ["on"], ["off"]),
            helper.make_node("Not", ["off"], ["on_out"]),
        ]
    wires = [helper.make_tensor_value_info("i", TensorProto.INT64, [])]
    wires += [helper.make_tensor_value_info("on", TensorProto.BOOL, [])]
    gathered = ["y"] if random.random() < 0.5 else []
    outputs = [helper.make_empty_tensor_value_info(name) for name in ["on_out", "y"]]
    inputs = [*wires, helper.make_empty_tensor_value_info("x")]
    if gathered:
        on.append(helper.make_node("Identity", ["y"], ["row"]))
        outputs.append(helper.make_empty_tensor_value_info("row"))
    body = helper.make_graph([node, *on], "body", inputs, outputs)
    times = random.choice((2**62, 2**63 - 1, 10**9, 10**5, -1))
    proto.graph.initializer.append(helper.make_tensor("times", TensorProto.INT64, [], [times]))
    proto.graph.initializer.append(helper.make_tensor("endless", TensorProto.BOOL, [], [True]))
    ends = ["endless_state", *(["endless_rows"] if gathered else [])]
    given = [random.choice(("times", "times", "")), random.choice(("endless", "")), state]
    loop = helper.make_node("Loop", given, ends, body=body)
    place = random.randrange(len(proto.graph.node) + 1)
    proto.graph.node.insert(place if random.random() < 0.3 else len(proto.graph.node), loop)
    proto.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in ends)


def _overflow(proto: Any, random: Random) -> None:
    """A shape whose product is larger than memory, or than a whole number of 64 bits."""
    large = (2**31, 2**32, 2**62, 2**63 - 1, 65536, 10**6, -1, -(2**63), 0)
    shape = [random.choice(large) for _ in range(random.choice((1, 2, 2, 4)))]
    proto.graph.initializer.append(
        helper.make_tensor("overflow", TensorProto.INT64, [len(shape)], shape)
    )
    x = random.choice(_names(proto))
    op = random.choice(("ConstantOfShape", "Expand", "Reshape", "Tile", "Pad", "Range", "Resize"))
    inputs = [x, "overflow"]
    if op == "ConstantOfShape":
        inputs = ["overflow"]
    elif op == "Resize":
        inputs = [x, "", "", "overflow"]
    elif op == "Range":
        for name, number in (("from", 0), ("to", random.choice(large)), ("by", 1)):
            item = helper.make_tensor(f"overflow_{name}", TensorProto.INT64, [], [number])
            proto.graph.initializer.append(item)
        inputs = ["overflow_from", "overflow_to", "overflow_by"]
    proto.graph.node.append(helper.make_node(op, inputs, ["overflown"]))
    proto.graph.output.append(helper.make_empty_tensor_value_info("overflown"))


def _metadata(proto: Any, random: Random) -> None:
    for node in proto.graph.node:
        for key in ("pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy", "namespace"):
            value = random.choice((*TEXTS, "['', 'a.b', '0']", "['__main__.Net', 'x']", "[" * 300))
            node.metadata_props.add(key=key, value=value)


def _ends(proto: Any, random: Random) -> None:
    items = random.choice((proto.graph.input, proto.graph.output))
    way = random.randrange(3)
    if way == 0 and len(items):
        del items[random.randrange(len(items))]
    elif way == 1:
        items.append(helper.make_empty_tensor_value_info(random.choice(_names(proto))))
    elif len(items):
        items.append(random.choice(items))


CHANGES = (
    *(
        _attribute,
        _attribute,
        _attribute,
        _new_attribute,
        _no_attribute,
        _size,
        _size,
        _type,
        _wire,
    ),
    *(
        _wire,
        _more_wires,
        _fewer_wires,
        _op,
        _op,
        _again,
        _order,
        _no_node,
        _name,
        _weight,
        _weight,
    ),
    *(_opset, _function, _branch, _branch, _endless, _endless, _overflow, _metadata, _ends),
)
