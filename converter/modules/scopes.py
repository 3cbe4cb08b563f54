"""Where a statement belongs: the module path that the ONNX file still tells.

Sources, best first: the names of initialisers (`layer1.0.conv1.weight`), the metadata of PyTorch's
newer exporter (`pkg.torch.onnx.name_scopes`, `pkg.torch.onnx.class_hierarchy`), the node names of
its older one (`/layer1/layer1.0/conv1/Conv`).
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from ..graph.exporter_metadata import LONGEST_TEXT, name_before_fusion, strings_in
from ..graph.graph import Node
from .cell_names import CELL_NAMES

ModulePath = tuple[str, ...]

_COMPONENT = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}|0|[1-9][0-9]{0,2}")
"""A module added by name may have a hyphen in it, which its attribute cannot have."""
_CALLED = re.compile(r"(?:0|[1-9][0-9]{0,2})_[1-9][0-9]{0,2}")
"""A further call of a list's member, in the names of PyTorch's older exporter: "0_1"."""
_LEAVES = ("weight", "bias", "running_mean", "running_var", "gamma", "beta", "scale", "kernel")
_DEEPEST = 24

QUANTISED = "_quantized"
"""What ONNX Runtime's quantiser adds to the name of a weight."""

MOST_REMEMBERED = 1 << 17
"""Names of weights: four steps of a conversion ask for each, one after the other."""


def node_path(node: Node) -> ModulePath | None:
    """The module that made the node, () for the network itself, None if the file does not say."""
    scopes = strings_in(node.metadata.get("pkg.torch.onnx.name_scopes", ""))
    if scopes:
        return checked_path(scopes[-2].split(".")) if len(scopes) > 1 and scopes[-2] else ()
    name = name_before_fusion(node.name)
    if not name.startswith("/") or len(name) > LONGEST_TEXT:
        return None
    path: ModulePath = ()
    for component in name.split("/")[1:-1]:
        path = _joined(path, tuple(component.split(".")))
    bare = checked_path(p.split("_")[0] if _CALLED.fullmatch(p) else p for p in path)
    pairs = zip(bare, path, strict=False)
    return tuple(whole if _CALLED.fullmatch(whole) else part for part, whole in pairs)


def node_classes(node: Node) -> dict[ModulePath, str]:
    """The class of each module around the node, as PyTorch's newer exporter tells them."""
    if not node.metadata:
        return {}
    scopes = strings_in(node.metadata.get("pkg.torch.onnx.name_scopes", ""))
    names = strings_in(node.metadata.get("pkg.torch.onnx.class_hierarchy", ""))
    pairs = zip(scopes[:-1], names[:-1], strict=False)
    classes = {checked_path(s.split(".")) if s else (): n.rsplit(".", 1)[-1] for s, n in pairs}
    return {path: name for path, name in classes.items() if _is_class_name(name)}


def _is_class_name(word: str) -> bool:
    return re.fullmatch(r"_?[A-Za-z][A-Za-z0-9_]{0,63}", word) is not None


@lru_cache(maxsize=MOST_REMEMBERED)
def weight_path(source: str) -> tuple[ModulePath, str] | None:
    """Module path and leaf of an initialiser's name: ("layer1", "0", "conv1"), "weight"."""
    if "::" in source or len(source) > LONGEST_TEXT:
        return None
    parts = source.split(".")
    path = checked_path(parts)
    return (path[:-1], path[-1]) if len(path) == len(parts) and len(parts) > 1 else None


def cell_path(
    sources: Iterable[str], scope: ModulePath, shared: Counter[str], *, beside: bool
) -> ModulePath | None:
    """The path of a layer from its weights' names; None if they say nothing that fits `scope`.

    `beside`: the scope may be the module next to it, as a convolution with a folded BatchNorm
    carries the BatchNorm's.
    """
    for source in sources:
        found = weight_path(source)
        if found is None:
            continue
        path, leaf = found[0], found[1].removesuffix(QUANTISED)
        if leaf not in _LEAVES:
            path = (*path, re.sub(r"_?(weight|bias)$", "", leaf) or leaf)
        if not scope or path[: len(scope)] == scope:
            return path
        if shared[source] > 1 and _is_twin(path, scope):
            path = scope + path[len(scope) :]
        if path[:-1] == scope or (beside and path[:-1] == scope[:-1]):
            return path
    return None


def _is_twin(path: ModulePath, scope: ModulePath) -> bool:
    """Whether a name of one layer of a stack fits another: equal but for numbers, one name more.

    Exporters keep one of several equal initialisers; its name tells the others' too.
    """
    pairs = list(zip(path, scope, strict=False))
    alike = all(a == b or (a.isdigit() and b.isdigit()) for a, b in pairs)
    return alike and len(path) == len(scope) + 1 and not path[-1].isdigit()


def checked_path(parts: Iterable[str]) -> ModulePath:
    """The components if each is a plain identifier or a small number, else ().

    A component that Python or MindSpore's Cell uses itself gets an underscore at its end; a hyphen
    becomes one.
    """
    path = tuple(parts)
    fits = len(path) <= _DEEPEST and all(_COMPONENT.fullmatch(p) for p in path)
    return tuple(p if p.isdigit() else attribute_name(p) for p in path) if fits else ()


def attribute_name(word: str) -> str:
    """`word` as an attribute of a Cell: a plain identifier, whatever the word is.

    It is no keyword, none of the Cell's own names, and begins with one underscore at most.
    """
    plain = re.sub(r"[^A-Za-z0-9_]", "_", word)
    begins = plain[:1].isdigit() or plain.startswith("__")
    if not begins and plain not in CELL_NAMES and plain and not keyword.iskeyword(plain):
        return plain
    bare = plain.lstrip("_")
    return f"{bare}_" if bare and not bare[0].isdigit() else f"part_{bare}".rstrip("_")


def without_call_number(part: str) -> str:
    """`relu` of `relu_1`: PyTorch's older exporter numbers the calls of what it takes for one."""
    match = re.fullmatch(r"(.+)_[1-9][0-9]{0,2}", part)
    return match[1] if match else part


def merged_calls(paths: Iterable[ModulePath], own: set[ModulePath]) -> dict[ModulePath, ModulePath]:
    """Renames `relu_1` to `relu` where the suffix only counts calls of one module.

    A path keeps its number if the module without
    it was never called, or if the file has weights under the numbered name (`own`).
    """
    known: dict[ModulePath, ModulePath] = {}
    seen: set[ModulePath] = set()
    for path in paths:
        new: ModulePath = ()
        for i, part in enumerate(path):
            bare = without_call_number(part)
            base = (*new, bare) if bare != part else None
            repeated = base in seen and path[: i + 1] not in own
            kept = attribute_name(part) if _CALLED.fullmatch(part) else part
            new = base if repeated and base is not None else (*new, kept)
            seen.add(new)
        known[path] = new
    return known


def _joined(path: ModulePath, parts: ModulePath) -> ModulePath:
    """`path` and a component such as `layer1.0`, whose beginning may repeat the end of `path`."""
    for size in range(min(len(path), len(parts) - 1), 0, -1):
        if path[-size:] == parts[:size]:
            return path + parts[size:]
    return path + parts
