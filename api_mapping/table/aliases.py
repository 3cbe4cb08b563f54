"""The names that converted code imports: others where the file binds those of the templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .facts.foreign import INNER
from .registry import roots
from .renaming import Renaming
from .target import Target

OTHERS = {
    "ms": "mindspore",
    "np": "numpy",
    "nn": "ms_nn",
    "ops": "ms_ops",
    "mint": "ms_mint",
    "ds": "ms_dataset",
    "compat": "ms_compat",
    "math": "ms_math",
}
"""The names that templates use, and what is written where a file has other uses for one."""

SUBMODULES = ("mint", "nn", "ops")
TARGETS = tuple(target.package for target in Target)
LIBRARIES = {"np": "numpy", "math": "math"}

Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Family:
    """PyTorch's packages, but those that are the converted project itself.

    Their imports go with the last use of what they import.
    """

    packages: frozenset[str] = field(default_factory=roots)

    @classmethod
    def around(cls, path: Path, kept: Collection[str] = ()) -> Family:
        """The packages that are PyTorch's for a file; not those that are kept."""
        own = {folder.name for folder in path.parents if (folder / "__init__.py").exists()}
        return cls((roots() | set(INNER)) - own - set(kept))

    def has(self, node: Import, alias: ast.alias) -> bool:
        """Whether an imported name is PyTorch's."""
        if isinstance(node, ast.ImportFrom) and node.level:
            return False
        module = node.module if isinstance(node, ast.ImportFrom) else alias.name
        return (module or "").partition(".")[0] in self.packages

    def has_some(self, node: Import) -> bool:
        return any(self.has(node, alias) for alias in node.names)


@dataclass(frozen=True)
class Aliases:
    """What stands in a file for each name of the templates that it binds itself."""

    others: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, bound: Collection[str]) -> Aliases:
        """The names for a file that binds these."""
        return cls({name: free(OTHERS[name], bound) for name in OTHERS if name in bound})

    def __getitem__(self, name: str) -> str:
        return self.others.get(name, name)

    @property
    def renaming(self) -> Renaming:
        return tuple(self.others.items())

    @property
    def all(self) -> frozenset[str]:
        """The names that may be imported."""
        return frozenset(self[name] for name in OTHERS)

    def in_text(self, text: str) -> str:
        """Code of templates alone, in these names."""
        if not self.others:
            return text
        return re.sub(r"(?<![\w.])(\w+)(?=\.)", lambda match: self[match[1]], text)

    def statements(self, read: Collection[str], package: str, compat: str) -> list[list[str]]:
        """The statements that bind the names that are read: before and behind any others."""
        used = [name for name in OTHERS if self[name] in read]
        plain = [self.plain(name, LIBRARIES[name]) for name in ("np", "math") if name in used]
        plain += [self.plain("ms", package)] if "ms" in used else []
        plain += [self.plain("ds", f"{package}.dataset")] if "ds" in used else []
        modules = [aliased(name, self[name]) for name in SUBMODULES if name in used]
        plain += [f"from {package} import {', '.join(modules)}"] if modules else []
        own = compat.replace(" as compat", f" as {self['compat']}")
        return [plain, [own] if "compat" in used else []]

    def plain(self, name: str, module: str) -> str:
        new = self[name]
        return f"import {module}" if new == module else f"import {module} as {new}"


def aliased(name: str, new: str) -> str:
    return name if name == new else f"{name} as {new}"


def free(name: str, bound: Collection[str]) -> str:
    while name in bound:
        name += "_"
    return name


def names_of_import(node: Import, family: Family) -> Iterator[str]:
    """The names that an import binds to something else than templates mean."""
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if not family.has(node, alias) and not is_meant(name, module_of(node, alias)):
            yield name


def module_of(node: Import, alias: ast.alias) -> str:
    """The full name of what is imported; it begins with dots if it is relative."""
    if isinstance(node, ast.Import):
        return alias.name
    return f"{'.' * node.level}{node.module or ''}.{alias.name}"


def is_meant(name: str, module: str) -> bool:
    """Whether an import gives a name what templates mean by it."""
    if name == "compat":
        return module.endswith("_ms_compat")
    submodule = {"ms": "", "ds": ".dataset"}.get(name, f".{name}")
    return module == LIBRARIES.get(name) or module in [f"{p}{submodule}" for p in TARGETS]
