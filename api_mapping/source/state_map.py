"""The weight map of a converted source: the layers of its classes, and their parameters' names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import MsconvertError
from ...formats.names.naming import COUNTED, WITH_PARAMETERS, Naming
from ...formats.names.weight_map import (
    Choice,
    ClassEntry,
    ClassMap,
    Container,
    Node,
    class_map_text,
)
from ..analysis import FileAnalysis, Kind, Project, find_sources
from ..analysis.definitions import Class
from ..table.facts.results import WRAPPERS
from ..table.kinds import MODULE
from ..table.registry import find
from .members import Members

LINES = frozenset({"torch.nn.Conv1d", "torch.nn.ConvTranspose1d"})
COUNTING = "track_running_stats"
CONTAINERS = frozenset(f"torch.nn.{name}" for name in ("Sequential", "ModuleList", "ModuleDict"))


def naming_of_layer(name: str) -> Naming | None:
    """How a layer of torch.nn names its parameters, by its row; None if the table has no such."""
    for full in (name, f"torch.nn.{name}", f"torch.{name}"):
        if find(full):
            return naming_of(full)
    return None


def naming_of(api: str, mint: bool = False) -> Naming:
    """The naming of a layer by its rows; `mint` has PyTorch's own, where it has the layer."""
    rules = find(api)
    if mint and any(rule.mint for rule in rules):
        return Naming()
    names: dict[str, str] = {}
    for rule in rules:
        names |= rule.state
        if any(param.name == COUNTING for param in rule.params):
            names |= COUNTED
    return Naming(names, api in LINES)


def is_layer(api: str) -> bool:
    """Whether the map says how this API names its parameters; of others, their structure does."""
    module, _, name = api.rpartition(".")
    if module == "torch.nn" and name.removeprefix("Lazy") in WITH_PARAMETERS:
        return True
    rules = [rule for rule in find(api) if module != "torch.nn.utils"]
    is_operator = api.startswith("torchvision.ops.") and any(rule.target for rule in rules)
    return is_operator or any(rule.state for rule in rules)


@dataclass(frozen=True, eq=False)
class FileClasses:
    """The classes of one file, by keys that are the same wherever a class is named.

    It holds no tree and no class of the analysis: it can be sent to another process.
    """

    path: Path
    entries: Mapping[str, ClassEntry]


def file_classes(analysis: FileAnalysis) -> FileClasses:
    """The modules of every class of a file that derives from nn.Module."""
    entries = {}
    for found in analysis.modules:
        members = Members(analysis, found.node, choice_of).collected()
        bases = [base_of(analysis.kind_of(node)) for node in found.node.bases]
        if not any(bases):
            bases = [found.base]
        entry = ClassEntry(
            tuple(filter(None, bases)),
            {name: tuple(dict.fromkeys(choice)) for name, choice in members.modules.items()},
            tuple(dict.fromkeys(members.tensors)),
        )
        entries[key_of(analysis.path, found.node.name)] = entry
    return FileClasses(analysis.path, entries)


def base_of(kind: Kind) -> str:
    """The key of a base class, or the name of the API that it is; "" if it is unknown."""
    if isinstance(kind.target, Class):
        return key_of(kind.target.module.path, kind.target.name)
    return kind.name if kind.tag == "api" else ""


def key_of(path: Path, name: str) -> str:
    return f"{path}:{name}"


def choice_of(kind: Kind) -> Choice:
    """The layers, classes and containers that a value may be; none if it is unknown."""
    if kind.tag == "union":
        return either([part for part in kind.parts if part.tag != "none"])
    if kind.tag != "module":
        return ()
    if isinstance(kind.target, Class):
        return (key_of(kind.target.module.path, kind.target.name),)
    if kind.name == MODULE.name:
        return either(kind.parts)
    if kind.name in WRAPPERS:
        return either(kind.parts)
    if kind.name in CONTAINERS:
        return container_of(kind.parts)
    return (kind.name,) if kind.name.startswith("torch.nn.") or is_layer(kind.name) else ()


def either(parts: Sequence[Kind]) -> Choice:
    """One of several; unknown if one of them is."""
    choices = [choice_of(part) for part in parts]
    return () if () in choices else tuple(node for choice in choices for node in choice)


def container_of(parts: tuple[Kind, ...]) -> Choice:
    if not parts:
        return ()
    if len(parts) == 1:
        return (Container(each=choice_of(parts[0])),)
    return (Container(tuple(choice_of(part) for part in parts)),)


# the map of a file


def map_of_source(path: Path) -> ClassMap | None:
    """The map of a PyTorch source and of what it imports, straight from the code; None: no modules.

    Nothing is imported or run. Raises: MS209 if the file cannot be read or parsed
    """
    path = path.absolute()
    sources, problems = find_sources([path])
    project = Project(sources, [path.parent])
    found: dict[Path, FileClasses] = {}
    waiting = [path]
    while waiting:
        current = waiting.pop(0)
        if current in found:
            continue
        analysis = project.analyse(current)
        if current == path and (problems := [*problems, *analysis.problems]):
            raise MsconvertError("MS209", str(path), problems[0].message)
        found[current] = file_classes(analysis)
        named = {node for entry in found[current].entries.values() for node in strings_in(entry)}
        waiting += sorted({Path(node.rpartition(":")[0]) for node in named if ":" in node})
    return class_map_of(path, found.values())


def weight_map_of(
    path: Path, files: Iterable[FileClasses], source: str = "", mint: bool = False
) -> str | None:
    """The weight map of a file as JSON; None if the file has no modules."""
    found = class_map_of(path, files, source, mint)
    return None if found is None else class_map_text(found)


def class_map_of(
    path: Path, files: Iterable[FileClasses], source: str = "", mint: bool = False
) -> ClassMap | None:
    """The map of the classes in one file, and of those that they are made of.

    `files`: what file_classes found in all files of the project.
    """
    known = {key: entry for file in files for key, entry in file.entries.items()}
    own = [key for key in known if key.rpartition(":")[0] == str(path)]
    if not own:
        return None
    reached = closure(own, known)
    names = short_names(reached)
    classes = {names[key]: renamed(known[key], names) for key in reached}
    used = {node for entry in classes.values() for node in strings_in(entry)}
    layers = {api: naming_of(api, mint) for api in sorted(used) if is_layer(api)}
    inner = {node for name, entry in classes.items() for node in strings_in(entry) if node != name}
    roots = tuple(names[key] for key in own if names[key] not in inner)
    return ClassMap(source or path.name, roots or tuple(names[key] for key in own), classes, layers)


def closure(own: Iterable[str], known: Mapping[str, ClassEntry]) -> list[str]:
    """These classes and all that they are made of."""
    reached: dict[str, None] = {}
    waiting = list(own)
    while waiting:
        key = waiting.pop(0)
        if key in known and key not in reached:
            reached[key] = None
            waiting += strings_in(known[key])
    return list(reached)


def short_names(keys: Iterable[str]) -> dict[str, str]:
    """`net.Block` for `/project/net.py:Block`; with a number behind it if two files have one."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key in keys:
        path, _, name = key.rpartition(":")
        short = base = f"{Path(path).stem}.{name}"
        number = 2
        while short in taken:
            short, number = f"{base}_{number}", number + 1
        taken.add(short)
        found[key] = short
    return found


def strings_in(entry: ClassEntry) -> list[str]:
    """All classes and APIs that an entry names."""
    found = list(entry.bases)
    for choice in entry.modules.values():
        found += strings_of(choice)
    return found


def strings_of(choice: Choice) -> list[str]:
    found: list[str] = []
    for node in choice:
        if isinstance(node, str):
            found.append(node)
        else:
            for inner in (*node.items, node.each, *node.named.values()):
                found += strings_of(inner)
    return found


def renamed(entry: ClassEntry, names: Mapping[str, str]) -> ClassEntry:
    """The entry with short names for classes; classes that are not known are left out."""
    modules = {name: shortened(choice, names) for name, choice in entry.modules.items()}
    bases = tuple(names.get(base, base) for base in entry.bases if ":" not in base or base in names)
    return ClassEntry(bases, modules, entry.tensors)


def shortened(choice: Choice, names: Mapping[str, str]) -> Choice:
    found: list[Node] = []
    for node in choice:
        if isinstance(node, Container):
            found.append(
                Container(
                    tuple(shortened(item, names) for item in node.items),
                    shortened(node.each, names),
                    {key: shortened(inner, names) for key, inner in node.named.items()},
                )
            )
        elif node in names or ":" not in node:
            found.append(names.get(node, node))
    return tuple(found)
