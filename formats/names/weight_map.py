"""Weight maps: what is known of a network's classes, so that each parameter finds its new name.

Two kinds of file, both `weight_map_of_NAME.json`: that of a converted source, which says the
layers of each class (`ClassMap`), and that of a converted ONNX model, which names each parameter
(`NameMap`).
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import MsconvertError
from ..storage import opening
from ..storage.atomic import Path
from ..storage.recovery import settled
from .naming import Naming

EMPTY_BASES = ("torch.nn.Module", "torch.nn.Sequential", "torch.nn.ModuleList")
"""What has no parameters of its own."""
KIND, VERSION = "layers of classes", 1
MAX_BYTES = 64 << 20
SHOWN = 80
"""So many characters of what is no map are shown."""
MAX_BASES = 40


@dataclass(frozen=True)
class Container:
    """What a container holds: modules by place or by name, or one of `each` at any place."""

    items: tuple[Choice, ...] = ()
    each: Choice = ()
    named: Mapping[str, Choice] = field(default_factory=dict, hash=False)

    def at(self, key: str) -> Choice:
        """What stands at a place of the container."""
        if self.named:
            return tuple(inside(self.named, key)) or self.each
        if self.items and key.isdecimal() and len(key) < 9:
            return self.items[int(key)] if int(key) < len(self.items) else ()
        return self.each


Node = str | Container
Choice = tuple[Node, ...]
"""What a value may be: APIs and classes by their full names, containers; nothing: unknown."""


@dataclass(frozen=True)
class ClassEntry:
    """A class: its modules and its own tensors by attribute; `*` in a name stands for anything.

    `bases`: classes of the map, or the layer of PyTorch's that it extends.
    """

    bases: tuple[str, ...] = ()
    modules: Mapping[str, Choice] = field(default_factory=dict)
    tensors: tuple[str, ...] = ()


def inside(modules: Mapping[str, Choice], key: str) -> list[Node]:
    """What stands under a name; one that is written out goes before one with `*` in it."""
    if key in modules:
        return list(modules[key])
    patterns = [name for name in modules if "*" in name and fnmatch.fnmatchcase(key, name)]
    return [node for name in patterns for node in modules[name]]


@dataclass(frozen=True)
class ClassMap:
    """The classes of a source, and how the layers that they use name their parameters."""

    source: str
    roots: tuple[str, ...]
    classes: Mapping[str, ClassEntry]
    layers: Mapping[str, Naming]

    def line(self, name: str) -> Iterator[ClassEntry]:
        """The class and its bases in the map."""
        seen: list[str] = []
        waiting = [name]
        while waiting and len(seen) < MAX_BASES:
            current = waiting.pop(0)
            if current in self.classes and current not in seen:
                seen.append(current)
                yield self.classes[current]
                waiting += self.classes[current].bases

    def inside(self, node: Node, key: str) -> Choice:
        """What the attribute or the item `key` of a value may be."""
        if isinstance(node, Container):
            return node.at(key)
        lines = [inside(entry.modules, key) for entry in self.line(node)]
        return tuple(dict.fromkeys(node for line in lines for node in line))

    def has_tensor(self, name: str, tensor: str) -> bool:
        """Whether the class itself has a parameter or buffer of this name."""
        own = (pattern for entry in self.line(name) for pattern in entry.tensors)
        return any(fnmatch.fnmatchcase(tensor, pattern) for pattern in own)

    def is_own(self, name: str) -> bool:
        """Whether the class is all in the map: it extends no layer, and nothing unknown."""
        bases = [base for entry in self.line(name) for base in entry.bases]
        return bool(bases) and all(base in self.classes or base in EMPTY_BASES for base in bases)

    def has_attribute(self, name: str, attribute: str) -> bool:
        """Whether the class has a module or tensor of this name, whatever it is."""
        modules = (known for entry in self.line(name) for known in entry.modules if known != "*")
        return self.has_tensor(name, attribute) or any(
            fnmatch.fnmatchcase(attribute, known) for known in modules
        )

    def layers_of(self, name: str) -> Iterator[str]:
        """The layers of PyTorch's that a class extends, or the layer itself."""
        if name in self.layers:
            yield name
        for entry in self.line(name):
            yield from (base for base in entry.bases if base in self.layers)

    def find(self, name: str) -> str:
        """The full name of a class of the map. Raises: MS310"""
        found = [known for known in self.classes if known == name or known.endswith(f".{name}")]
        if len(found) == 1:
            return found[0]
        known = ", ".join(self.roots or self.classes)
        problem = f"the map has {'no' if not found else 'several'} classes {name!r}"
        raise MsconvertError("MS310", self.source, problem, expected=known)


@dataclass(frozen=True)
class NamedWeight:
    """One parameter of a converted model: its name, its sources, what was done to them."""

    name: str
    shape: tuple[int, ...]
    sources: tuple[str, ...]
    change: str
    source_shape: tuple[int, ...] | None = None


@dataclass(frozen=True)
class NameMap:
    """The parameters of a converted ONNX model."""

    source: str
    weights: tuple[NamedWeight, ...]


def damaged(path: str, problem: str, got: str = "") -> MsconvertError:
    """The MS310 error about a file that is no weight map."""
    advice = "name the weight_map_of_NAME.json that the conversion has written"
    return MsconvertError("MS310", path, problem, got=got, advice=advice)


def read_weight_map(path: Path) -> ClassMap | NameMap:
    """The weight map in a file. Raises: MS310 if it is none"""
    where = os.fspath(path)
    content = json_in(path)
    try:
        if isinstance(content, list):
            return NameMap(where, tuple(map(named_weight, content)))
        if content["kind"] != KIND or content["version"] != VERSION:
            got = f"{content['kind']}, version {content['version']}"
            raise damaged(where, "a weight map of another version", got)
        return class_map(where, content)
    except ValueError as error:
        raise damaged(where, "not a weight map", str(error)) from error
    except (KeyError, TypeError, AttributeError) as error:
        got = json.dumps(content)[:SHOWN]
        got += f" without {error}" if isinstance(error, KeyError) else ""
        raise damaged(where, "not a weight map", got) from error


def json_in(path: Path) -> Any:
    """The content of a JSON file of a bounded size. Raises: MS310 if it is none"""
    where = os.fspath(path)
    settled(where, "MS310")
    try:
        return opening.json_of(path, MAX_BYTES)
    except OSError as error:
        raise damaged(where, f"cannot be read ({opening.reason(error)})") from error
    except ValueError as error:
        raise damaged(where, "not a weight map: not valid JSON", str(error)) from error


def is_weight_map(path: Path) -> bool:
    """Whether a file is one that a conversion has written."""
    try:
        read_weight_map(path)
    except MsconvertError:
        return False
    return True


def named_weight(entry: Mapping[str, Any]) -> NamedWeight:
    new, old = entry["converted_weight"], entry["source_weight"]
    sources = old if isinstance(old, list) else [old]
    names = tuple(str(source["name"]) for source in sources)
    shape = tuple(int(size) for size in new["shape"])
    held = [source["shape"] for source in sources if "shape" in source]
    before = tuple(int(size) for size in held[0]) if len(held) == 1 else None
    return NamedWeight(str(new["name"]), shape, names, str(entry["transformation"]), before)


def class_map(where: str, content: Mapping[str, Any]) -> ClassMap:
    classes = {
        str(name): ClassEntry(
            tuple(map(str, entry.get("bases", ()))),
            {str(key): choice_of(value) for key, value in entry.get("modules", {}).items()},
            tuple(map(str, entry.get("tensors", ()))),
        )
        for name, entry in content["classes"].items()
    }
    layers = {
        str(name): Naming(
            {str(old): str(new or "") for old, new in entry.get("names", {}).items()},
            bool(entry.get("line", False)),
        )
        for name, entry in content["layers"].items()
    }
    return ClassMap(where, tuple(map(str, content["roots"])), classes, layers)


def choice_of(value: Sequence[Any]) -> Choice:
    if not isinstance(value, list):
        raise ValueError("a list of layers was expected")
    return tuple(node if isinstance(node, str) else container_of(node) for node in value)


def container_of(node: Mapping[str, Any]) -> Container:
    return Container(
        tuple(choice_of(item) for item in node.get("items", ())),
        choice_of(node.get("each", [])),
        {str(key): choice_of(inner) for key, inner in node.get("named", {}).items()},
    )


def class_map_text(of: ClassMap) -> str:
    """The map as JSON, as `read_weight_map` reads it."""
    content = {
        "kind": KIND,
        "version": VERSION,
        "source": of.source,
        "roots": list(of.roots),
        "classes": {name: entry_json(entry) for name, entry in of.classes.items()},
        "layers": {name: naming_json(naming) for name, naming in of.layers.items()},
    }
    return json.dumps(content, indent=2) + "\n"


def entry_json(entry: ClassEntry) -> dict[str, Any]:
    modules = {name: choice_json(choice) for name, choice in entry.modules.items()}
    facts = {"bases": list(entry.bases), "modules": modules, "tensors": list(entry.tensors)}
    return {key: value for key, value in facts.items() if value}


def naming_json(naming: Naming) -> dict[str, Any]:
    names = {old: new or None for old, new in naming.names.items()}
    return ({"names": names} if names else {}) | ({"line": True} if naming.line else {})


def choice_json(choice: Choice) -> list[Any]:
    return [node if isinstance(node, str) else container_json(node) for node in choice]


def container_json(node: Container) -> dict[str, Any]:
    if node.items:
        return {"items": [choice_json(item) for item in node.items]}
    if node.named:
        return {"named": {key: choice_json(inner) for key, inner in node.named.items()}}
    return {"each": choice_json(node.each)}
