"""Nodes that draw random numbers, which are other ones in each framework and in each run."""

from __future__ import annotations

from .graph import Graph, Node, subgraphs

DRAWS = frozenset(
    (
        *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike"),
        *("RandomUniform", "RandomUniformLike"),
    )
)
"""ONNX's operators whose results no other framework gives."""


def drawn(graph: Graph) -> list[str]:
    """What the graph's own nodes draw."""
    return [name for node in graph.nodes if draws(node) for name in node.outputs if name]


def drawn_from(graph: Graph) -> list[str]:
    """What the graph computes for its draws alone or besides: probabilities, tensors of a shape."""
    made = graph.producers()
    read = (name for node in graph.nodes if draws(node) for name in node.inputs)
    return [name for name in read if name in made and not draws(made[name])]


def draws_inside(graph: Graph) -> bool:
    """Whether a branch or a loop of it draws."""
    inner = [one for node in graph.nodes for one in subgraphs(node)]
    return any(drawn(one) or draws_inside(one) for one in inner)


def draws(node: Node) -> bool:
    """Whether it gives other numbers each time."""
    return node.op in DRAWS and not node.domain
