"""Whether a network has statistics that every call in training moves."""

from __future__ import annotations

import ast

from ..analysis import FileAnalysis, Kind
from ..analysis.definitions import Class

DEPTH = 6
"""Networks that are looked into one in another."""

NAMES = ("BatchNorm", "InstanceNorm")


def counts(kind: Kind, analysis: FileAnalysis, depth: int = DEPTH) -> bool:
    """Whether calls of a module may move statistics; of what is not known, they may."""
    if kind.tag == "union":
        return any(counts(part, analysis, depth) for part in kind.parts if part.tag != "none")
    if kind.tag != "module" or not depth:
        return True
    if isinstance(kind.target, Class):
        return class_counts(kind.target, analysis, depth)
    last = kind.name.rpartition(".")[2]
    if kind.parts:
        return any(counts(part, analysis, depth - 1) for part in kind.parts)
    is_layer = kind.name.startswith("torch.nn.") and last not in ("Module", "Sequential")
    return not is_layer or last.removeprefix("Lazy").startswith(NAMES)


def class_counts(cls: Class, analysis: FileAnalysis, depth: int) -> bool:
    """Whether a layer with statistics is made somewhere in a class, or what is not known."""
    classes = (node for node in analysis.families if node.name == cls.name)
    own = [node for node in classes if node.lineno == cls.node.lineno]
    if cls.module.path != analysis.path or not own:
        return True
    modules = (analysis.kind_of(n) for n in ast.walk(own[0]) if isinstance(n, ast.Call))
    made = [kind for kind in modules if kind.tag == "module"]
    return any(counts(kind, analysis, depth - 1) for kind in made if kind.target is not cls)
