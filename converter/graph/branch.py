"""If with a condition that is known becomes the nodes of the branch that is taken."""

from __future__ import annotations

from .graph import Graph, Node, subgraphs
from .simplify import rename


def inline_branches(graph: Graph) -> list[Node]:
    """Replaces each If whose condition is constant by its branch; returns the Ifs."""
    gone: list[Node] = []
    nodes: list[Node] = []
    taken = _names(graph) if any(_is_known(node, graph) for node in graph.nodes) else set()
    for node in graph.nodes:
        if _is_known(node, graph):
            nodes.extend(_inlined(graph, node, taken))
            gone.append(node)
        else:
            nodes.append(node)
    graph.nodes[:] = nodes
    return gone


def _is_known(node: Node, graph: Graph) -> bool:
    if node.op != "If" or node.domain or node.inputs[0] not in graph.constants:
        return False
    return graph.constants[node.inputs[0]].size == 1


def _inlined(graph: Graph, node: Node, taken: set[str]) -> list[Node]:
    """The nodes of the branch, its values renamed where the graph has their names already."""
    branch = _branch(graph, node)
    names = _new_names(branch, taken)
    graph.constants.update({names[name]: array for name, array in branch.constants.items()})
    graph.types.update({names[k]: known for k, known in branch.types.items() if k in names})
    for inner in branch.nodes:
        inner.outputs[:] = [names.get(name, name) for name in inner.outputs]
        rename(inner, names)
        inner.origin = inner.origin + node.origin
    results = zip(branch.outputs, node.outputs, strict=True)
    return branch.nodes + [
        Node("Identity", [names.get(inner, inner)], [outer], version=1, origin=node.origin)
        for inner, outer in results
        if outer
    ]


def _branch(graph: Graph, node: Node) -> Graph:
    chosen = bool(graph.constants[node.inputs[0]].item())
    branch = node.attrs["then_branch" if chosen else "else_branch"]
    assert isinstance(branch, Graph)
    return branch


def _new_names(branch: Graph, taken: set[str]) -> dict[str, str]:
    made = [name for inner in branch.nodes for name in inner.outputs if name]
    names = {}
    for name in (*branch.constants, *made):
        new, number = name, 1
        while new in taken:
            number += 1
            new = f"{name}_{number}"
        taken.add(new)
        names[name] = new
    return names


def _names(graph: Graph) -> set[str]:
    """All names of values, those inside subgraphs included except a branch's own."""
    names = {*graph.inputs, *graph.constants, *graph.outputs}
    for node in graph.nodes:
        names.update(node.outputs)
        if not _is_known(node, graph):
            for inner in subgraphs(node):
                names |= _names(inner)
    return names
