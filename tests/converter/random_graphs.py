"""Random networks of modules, written as exporters write them: what tests of the structure convert.

A network is drawn as modules of steps. Modules are drawn from a few kinds and changed now and then
(a step another one, a number another one, a step missing), stand under shared names, are called
twice, and their nodes are mixed with those of others, named in part or not at all. Every value is
float32 (1, 4, 3, 3), or (1, 2, 3, 3) for the parts of a split, which only a concatenation takes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (1, 4, 3, 3)
NUMBERS = (0.5, 2.0, -1.5, 0.1, 1.0, 3.0)
PLAIN = ("Relu", "Sigmoid", "Tanh", "Neg", "Abs")
PAIRS = ("Add", "Mul", "Sub", "Max")
MEMBERS = ("conv", "size", "relu", "downsample", "bn", "act", "conv1", "0", "1", "2", "layers.0")
CHILDREN = ("block", "a", "layers.0", "layers.1", "layers.2", "0", "1", "h.0", "h.1", "x", "size")


@dataclass(frozen=True)
class Step:
    """One step of a module: what it does, to which values, with which number, under which name.

    `sources` are counted back from the latest value; `inner` is the module of a call.
    """

    kind: str
    sources: tuple[int, ...]
    number: float = 0.0
    name: str = ""
    inner: Kind | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of module: its steps, and which values it hands on, counted back from the latest."""

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    inputs: int


@dataclass
class Drawing:
    """A graph in the making: its nodes with their module paths, its weights."""

    rng: random.Random
    form: str
    nodes: list[tuple[onnx.NodeProto, tuple[str, ...]]] = field(default_factory=list)
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def value(self) -> str:
        return f"v{len(self.nodes)}"

    def weight(self, name: str, shape: tuple[int, ...], low: float = -0.4) -> str:
        """A weight of the name, which others may have drawn before."""
        if self.rng.random() < 0.15:
            name = f"onnx::Conv_{len(self.weights)}"
        if name not in self.weights or self.weights[name].shape != shape:
            name = name if name not in self.weights else f"{name}_{len(self.weights)}"
            generator = np.random.default_rng(self.rng.randrange(2**32))
            self.weights[name] = generator.uniform(low, 0.5, shape).astype(np.float32)
        return name

    def add(self, op: str, inputs: list[str], path: tuple[str, ...], **attrs: object) -> str:
        out = self.value()
        outputs = [out] if op != "Split" else [f"{out}a", f"{out}b"]
        self.nodes.append((helper.make_node(op, inputs, outputs, **attrs), path))
        return out


def drawn_kind(rng: random.Random, depth: int, known: list[Kind]) -> Kind:
    """A kind of module; those inside it are often of a kind that is known already."""
    steps: list[Step] = []
    inputs = rng.choice((1, 1, 1, 2))
    for _ in range(rng.randint(1, 5)):
        if depth and rng.random() < 0.55:
            inner = rng.choice(known) if known and rng.random() < 0.7 else None
            inner = inner or drawn_kind(rng, depth - 1, known)
            name = rng.choice(CHILDREN)
            steps.append(Step("call", _sources(rng, inner.inputs), name=name, inner=inner))
            if rng.random() < 0.4:
                again = changed(inner, rng) if rng.random() < 0.5 else inner
                name = rng.choice((name, *CHILDREN))
                steps.append(Step("call", _sources(rng, again.inputs), name=name, inner=again))
            continue
        steps.append(_drawn_step(rng))
    kind = Kind(tuple(steps), rng.choice(((1,), (1,), (1,), (1, 2), (2,))), inputs)
    known.append(kind)
    return kind


def _sources(rng: random.Random, count: int) -> tuple[int, ...]:
    return tuple(rng.choice((1, 1, 1, 2, 3)) for _ in range(count))


def _drawn_step(rng: random.Random) -> Step:
    kind = rng.choice(("layer", "layer", "bn", "plain", "pair", "number", "scale", "split", "pick"))
    number = rng.choice(NUMBERS)
    return Step(kind, _sources(rng, 2), number, rng.choice(MEMBERS))


def changed(kind: Kind, rng: random.Random) -> Kind:
    """Nearly the same kind: one step is changed, taken out, or reads another value."""
    steps = list(kind.steps)
    i = rng.randrange(len(steps))
    choice = rng.randrange(5)
    if choice == 0 and len(steps) > 1:
        del steps[i]
    elif choice == 1:
        steps[i] = replace(steps[i], number=rng.choice(NUMBERS))
    elif choice == 2:
        steps[i] = replace(steps[i], sources=_sources(rng, len(steps[i].sources)))
    elif choice == 3:
        return replace(kind, outputs=rng.choice(((1,), (1, 2), (2,))))
    else:
        steps[i] = _drawn_step(rng)
    return replace(kind, steps=tuple(steps))


def draw(drawing: Drawing, kind: Kind, path: tuple[str, ...], values: list[str]) -> list[str]:
    """Writes the nodes of one call of a module; the values that it hands on."""
    made = list(values)
    for step in kind.steps:
        sources = [made[-min(back, len(made))] for back in step.sources]
        if step.inner is not None:
            inner = (*path, *step.name.split("."))
            made += draw(drawing, step.inner, inner, sources)[::-1]
        else:
            made.append(_node(drawing, step, path, sources))
    return [made[-min(back, len(made))] for back in kind.outputs]


def _node(drawing: Drawing, step: Step, path: tuple[str, ...], sources: list[str]) -> str:
    x, other = sources
    own = (*path, *step.name.split("."))
    prefix = ".".join(own)
    match step.kind:
        case "layer":
            size = 3 if step.number in (0.5, 2.0) else 1
            inputs = [x, drawing.weight(f"{prefix}.weight", (4, 4, size, size))]
            if step.number > 0:
                inputs.append(drawing.weight(f"{prefix}.bias", (4,)))
            return drawing.add("Conv", inputs, own, pads=[size // 2] * 4)
        case "bn":
            leaves = ("weight", "bias", "running_mean", "running_var")
            inputs = [drawing.weight(f"{prefix}.{leaf}", (4,), 0.1) for leaf in leaves]
            epsilon = abs(step.number) / 100
            return drawing.add("BatchNormalization", [x, *inputs], own, epsilon=epsilon)
        case "plain":
            op = PLAIN[NUMBERS.index(step.number) % len(PLAIN)]
            return drawing.add(op, [x], own)
        case "pair":
            op = PAIRS[NUMBERS.index(step.number) % len(PAIRS)]
            return drawing.add(op, [x, other], path)
        case "number":
            name = f"number{step.number}"
            drawing.weights[name] = np.array(step.number, np.float32)
            return drawing.add("Mul" if step.number > 0 else "Add", [x, name], path)
        case "scale":
            name = drawing.weight(".".join((*path, step.name.replace(".", "_"))), (4, 1, 1))
            return drawing.add("Mul", [x, name] if step.number > 0 else [name, x], path)
        case "split":
            part = drawing.add("Split", [x], path, axis=1)
            return drawing.add("Concat", [f"{part}b", f"{part}a"], path, axis=1)
    half = drawing.add("Split", [x], path, axis=1)
    return drawing.add("Concat", [f"{half}a", f"{half}a"], path, axis=1)


def random_model(seed: int) -> onnx.ModelProto:
    """The network of a seed: always the same."""
    rng = random.Random(seed)
    drawing = Drawing(rng, rng.choice(("torchscript", "dynamo", "none", "partial")))
    kind = drawn_kind(rng, rng.choice((1, 2, 3)), [])
    names = rng.choice((["x", "mask"], ["image", "x"], ["a/x", "b/x"], ["self", "construct"]))
    names = names[: max(kind.inputs, rng.choice((1, 2)))]
    results = list(dict.fromkeys(draw(drawing, kind, (), names)))
    if rng.random() < 0.3 and drawing.nodes:
        results = list(dict.fromkeys([*results, rng.choice(drawing.nodes)[0].output[0]]))
    if rng.random() < 0.1:
        results = list(dict.fromkeys([*results, names[0]]))
    return _finished(drawing, names, results)


def _finished(drawing: Drawing, names: list[str], results: list[str]) -> onnx.ModelProto:
    for node, path in drawing.nodes:
        _tell(drawing, node, path)
    nodes = [node for node, _ in drawing.nodes]
    if drawing.rng.random() < 0.5:
        nodes = _mixed(nodes, drawing.rng)
    halves = {name for n in nodes if n.op_type == "Split" for name in n.output}
    graph = helper.make_graph(
        nodes,
        "random",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, SHAPE) for n in names],
        [
            helper.make_tensor_value_info(
                n, TensorProto.FLOAT, (1, 2, 3, 3) if n in halves else SHAPE
            )
            for n in results
        ],
        [numpy_helper.from_array(array, name) for name, array in drawing.weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _tell(drawing: Drawing, node: onnx.NodeProto, path: tuple[str, ...]) -> None:
    """Writes the module path into the node, in the form of an exporter, or not."""
    if drawing.form == "none" or (drawing.form == "partial" and drawing.rng.random() < 0.3):
        return
    if drawing.form == "dynamo":
        scopes = ["", *(".".join(path[: i + 1]) for i in range(len(path))), "op"]
        classes = ["pkg.Net", *(f"pkg.{part.title()}" for part in path), "aten.op"]
        for key, value in (("name_scopes", scopes), ("class_hierarchy", classes)):
            node.metadata_props.add(key=f"pkg.torch.onnx.{key}", value=repr(value))
        return
    tokens = []
    for i, part in enumerate(path):
        repeated = part.isdigit() and i > 0
        tokens.append(f"{path[i - 1]}.{part}" if repeated else part)
    call = "/".join(["", *tokens, node.op_type])
    count = drawing.calls[call] = drawing.calls.get(call, -1) + 1
    node.name = f"{call}_{count}" if count else call
    if count and tokens and drawing.rng.random() < 0.7:
        node.name = "/".join(["", *tokens[:-1], f"{tokens[-1]}_{count}", node.op_type])


def _mixed(nodes: list[onnx.NodeProto], rng: random.Random) -> list[onnx.NodeProto]:
    """Another order in which each value is made before it is read."""
    made = {name for node in nodes for name in node.output}
    waiting, order = list(nodes), []
    while waiting:
        ready = [n for n in waiting if not made.intersection(n.input)]
        node = rng.choice(ready[:3])
        made -= set(node.output)
        waiting.remove(node)
        order.append(node)
    return order
