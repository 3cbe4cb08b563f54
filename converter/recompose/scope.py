"""Which module of the user's a node belongs to, as PyTorch's exporters write it down."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.exporter_metadata import name_before_fusion, strings_in
from ..graph.graph import Node

SCOPES = "pkg.torch.onnx.name_scopes"
CLASSES = "pkg.torch.onnx.class_hierarchy"
LISTS = (SCOPES, CLASSES)
NO_MODULE = "_empty_nn_module_stack_from_metadata_hook"

Scope = tuple[str, ...]


def scope(node: Node) -> Scope | None:
    """The path of modules around a node, None if the file does not say."""
    names = strings_in(node.metadata.get(SCOPES, ""))
    if names:
        return None if NO_MODULE in names else tuple(names[:-1])
    parts = name_before_fusion(node.name).split("/")
    return tuple(parts[:-1]) if len(parts) > 1 and not parts[0] else None


def speaker(nodes: Sequence[Node]) -> tuple[str, dict[str, str]]:
    """The name and metadata for what `nodes`, in order, become together.

    They are the last node's of the deepest scope common to all; without such a node, the last
    node's with the scope shortened.
    """
    known = [(node, path) for node in nodes if (path := scope(node)) is not None]
    if not known:
        return nodes[-1].name, nodes[-1].metadata
    common = _common([path for _, path in known])
    for node, path in reversed(known):
        if path == common:
            return node.name, node.metadata
    return lifted(known[-1][0], common)


def _common(paths: list[Scope]) -> Scope:
    shortest = min(paths, key=len)
    same = (all(path[i] == part for path in paths) for i, part in enumerate(shortest))
    depth = next((i for i, ok in enumerate(same) if not ok), len(shortest))
    return shortest[:depth]


def lifted(node: Node, common: Scope) -> tuple[str, dict[str, str]]:
    """The node's name and metadata as if its own scope were `common`."""
    metadata = dict(node.metadata)
    for key in LISTS:
        parts = strings_in(metadata.get(key, ""))
        if parts:
            metadata[key] = repr([*parts[: len(common)], parts[-1]])
    if SCOPES in metadata:
        return node.name, metadata
    return "/".join((*common, node.name.split("/")[-1])), metadata
