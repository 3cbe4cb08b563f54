"""Which part of the graph is converted, and with which input shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import UsageError
from .graph import Dim, Graph, Node, reads
from .structure import nearest

LEFT_DYNAMIC = -1
"""A size in --shape that leaves the dimension as it is."""


def cut(graph: Graph, inputs: Sequence[str] | None, outputs: Sequence[str] | None) -> None:
    """Makes the named values the graph's inputs and outputs; what is then unused stays for `prune`.

    A name is that of a value (graph inputs and outputs included), or of a node, whose outputs
    are meant. Raises: MS105
    """
    if outputs is not None:
        graph.outputs[:] = _values(graph, outputs, "--output_nodes")
    if inputs is not None:
        chosen = _values(graph, inputs, "--input_nodes")
        _check_enough(graph, chosen)
        _make_inputs(graph, chosen)
        graph.inputs[:] = chosen


def set_shapes(graph: Graph, shapes: Sequence[Sequence[int]]) -> None:
    """Fixes the inputs' shapes, in order; -1 leaves a size dynamic. Raises: MS105"""
    if len(shapes) != len(graph.inputs):
        raise _usage(
            "--shape",
            "not as many shapes as inputs",
            got=f"{len(shapes)} shapes",
            expected=f"{len(graph.inputs)}: {_listed(graph)}",
            advice="give one shape for each input, in this order",
        )
    for name, shape in zip(graph.inputs, shapes, strict=True):
        known = graph.type_of(name)
        graph.types[name] = replace(known, shape=_fixed(name, known.shape, tuple(shape)))


def _fixed(name: str, known: tuple[Dim, ...] | None, shape: tuple[int, ...]) -> tuple[Dim, ...]:
    if any(size < 1 and size != LEFT_DYNAMIC for size in shape):
        raise _usage(
            "--shape",
            f"a size of input {name!r} is not positive",
            got=_text(shape),
            expected="sizes of 1 or more, or -1 to leave one dynamic",
        )
    if known is None:
        return tuple(None if size == LEFT_DYNAMIC else size for size in shape)
    if len(shape) != len(known):
        raise _usage(
            "--shape",
            f"input {name!r} has rank {len(known)}",
            got=f"{len(shape)} sizes: {_text(shape)}",
            expected=f"{len(known)} sizes: {_text(known)}",
        )
    for size, old in zip(shape, known, strict=True):
        if isinstance(old, int) and size not in (old, LEFT_DYNAMIC):
            raise _usage(
                "--shape",
                f"input {name!r} has a fixed size in the model",
                got=_text(shape),
                expected=_text(known),
                advice="keep the fixed sizes, or export the model with dynamic axes",
            )
    return tuple(
        old if size == LEFT_DYNAMIC else size for size, old in zip(shape, known, strict=True)
    )


def _values(graph: Graph, names: Sequence[str], flag: str) -> list[str]:
    """The values that the names mean, in order, each once."""
    makers = graph.producers()
    known = {*makers, *graph.inputs, *graph.constants}
    found = [
        value
        for name in names
        for value in ([name] if name in known else _meant(graph, name, flag, makers))
    ]
    return list(dict.fromkeys(found))


def _meant(graph: Graph, name: str, flag: str, makers: Mapping[str, Node]) -> list[str]:
    """The outputs of the node of this name."""
    nodes = [node for node in graph.nodes if node.name == name]
    if len(nodes) == 1 and name:
        read = graph.consumers().keys() | set(graph.outputs)
        made = [out for out in nodes[0].outputs if out]
        return [out for out in made if out in read] or made[:1]
    if nodes:
        outs = ", ".join(repr(node.outputs[0]) for node in nodes[:3])
        raise _usage(
            flag,
            f"{len(nodes)} nodes have the name {name!r}",
            got=name,
            expected=f"the name of a value, such as {outs}",
        )
    known = [*graph.inputs, *graph.outputs, *(node.name for node in graph.nodes), *makers]
    close = nearest(name, known) or _listed(graph)
    raise _usage(
        flag, f"the graph has no node or value {name!r}", got=name, expected=f"for example {close}"
    )


def _check_enough(graph: Graph, chosen: list[str]) -> None:
    """Raises: MS105 if the outputs need an input that was not chosen."""
    makers = graph.producers()
    needed, todo = set(chosen), list(graph.outputs)
    while todo:
        name = todo.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in makers:
            todo.extend(reads(makers[name]))
        elif name in graph.inputs:
            raise _usage(
                "--input_nodes",
                f"the outputs need the input {name!r} too",
                got=", ".join(chosen),
                expected=", ".join([*chosen, name]),
                advice=f"add {name!r}, or cut behind it",
            )


def _make_inputs(graph: Graph, names: Sequence[str]) -> None:
    for name in names:
        graph.types[name] = graph.type_of(name)
        graph.constants.pop(name, None)
    given = set(names)
    for node in graph.nodes:
        node.outputs[:] = ["" if out in given else out for out in node.outputs]
    graph.nodes[:] = [node for node in graph.nodes if any(node.outputs)]


def _usage(flag: str, problem: str, **facts: str) -> UsageError:
    return UsageError("MS105", flag, problem, **facts)


def _text(shape: Sequence[Dim]) -> str:
    return ",".join("?" if size is None else str(size) for size in shape) or "(scalar)"


def _listed(graph: Graph) -> str:
    return ", ".join(
        f"{name!r} ({_text(graph.type_of(name).shape or ())})" for name in graph.inputs
    )
