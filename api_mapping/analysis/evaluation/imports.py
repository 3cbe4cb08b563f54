"""Import statements: which names they bind, and to what."""

from __future__ import annotations

import ast

from ...table.kinds import UNKNOWN, Kind
from ..frame import Frame


def run_import(frame: Frame, node: ast.Import) -> None:
    for alias in node.names:
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]
        kind = frame.engine.imported(frame.module, dotted)
        frame.bind(alias.asname or dotted, kind)


def run_import_from(frame: Frame, node: ast.ImportFrom) -> None:
    """`from a import b`: the project's modules are read when b is first used."""
    source = frame.engine.imported_from(frame.module, node.module or "", node.level)
    for alias in node.names:
        if alias.name == "*":
            _star(frame, node, source)
            continue
        frame.bind(alias.asname or alias.name, _imported_name(frame, alias, source))


def _imported_name(frame: Frame, alias: ast.alias, source: Kind) -> Kind:
    if source.tag == "project":
        return Kind("deferred", alias.name, (), source.target)
    if source.tag == "api":
        kind = frame.engine.api(f"{source.name}.{alias.name}")
        bound = alias.asname or alias.name
        frame.recorder.imports.append((alias, bound, kind.name))
        return kind
    if source.tag == "foreign":
        return Kind("foreign", f"{source.name}.{alias.name}")
    return UNKNOWN


def _star(frame: Frame, node: ast.ImportFrom, source: Kind) -> None:
    """Notes where names come from: they are looked for there when they are read."""
    if source.tag == "api":
        frame.mention(node, source.name, "star")
    frame.module.stars.append(source)
