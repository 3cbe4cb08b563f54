"""Calls from other files: what they say of the parameters of a module's functions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...table.facts.seeds import DRAWS
from ...table.facts.spelling import COMPLEX, PACKS
from ..definitions import Class, Function, Module
from .reading import content

MAX_SOURCES = 150
"""Projects with more files are not searched for calls: functions that others import are open."""
MAX_WITNESSES = 12
"""Files that are read to learn how one module's functions are called."""
WORD = re.compile(rb"[A-Za-z_]\w*")
FROM = re.compile(rb"from\s+\S+\s+import\s+")
NAMES = re.compile(rb"\([^)]*\)|[^\n]*")


class Witnesses:
    """Finds the files of a project that may call the functions of a module."""

    def __init__(self, sources: Iterable[Path]) -> None:
        self.sources = [path for path in sources if path.suffix == ".py"]
        self._words: dict[Path, frozenset[bytes]] = {}
        self._imported: frozenset[bytes] | None = None
        self._packing: bool | None = None
        self._complex: bool | None = None
        self._drawing: frozenset[Path] | None = None

    def words(self, path: Path) -> frozenset[bytes]:
        """All identifiers in a file."""
        if path not in self._words:
            self._words[path] = frozenset(WORD.findall(bytes_of(path)))
        return self._words[path]

    def imported(self) -> frozenset[bytes]:
        """All names that some file of the project imports from a module."""
        if self._imported is None:
            found: set[bytes] = set()
            for path in self.sources:
                found.update(imported_in(bytes_of(path)))
            self._imported = frozenset(found)
        return self._imported

    def are_packing(self, path: Path) -> bool:
        """Whether a file of the project packs sequences: this one is looked at first."""
        if self._packing is None:
            files = (path, *self.sources)
            self._packing = any(PACKS.search(bytes_of(path)) for path in files)
        return self._packing

    def are_complex(self, path: Path) -> bool:
        """Whether a file of the project computes with complex tensors: this one comes first."""
        if self._complex is None:
            files = (path, *self.sources)
            self._complex = any(COMPLEX.search(bytes_of(path)) for path in files)
        return self._complex

    def are_drawing(self, path: Path) -> bool:
        """Whether another file of the project asks the generators of NumPy or of random."""
        if self._drawing is None:
            found = (source for source in self.sources if DRAWS.search(bytes_of(source)))
            self._drawing = frozenset(found)
        return not self._drawing <= {path}

    def of(self, module: Module) -> list[Path]:
        """The files that may call functions of the module whose parameters are not annotated.

        Functions that files call which are too many to be read are open from then on.
        """
        functions = [function for function in module.functions if has_open_parameters(function)]
        if not functions:
            return []
        if len(self.sources) > MAX_SOURCES:
            leave_open(functions, self.imported())
            return []
        names = {name_that_calls(function).encode() for function in functions}
        home = os.fsencode((module.path.parent if module.is_package else module.path).stem)
        package = os.fsencode(module.path.parent.name)
        found = []
        for path in self.sources:
            words = self.words(path) if path != module.path else frozenset()
            if (home in words or package in words) and not names.isdisjoint(words):
                found.append(path)
        for path in found[MAX_WITNESSES:]:
            leave_open(functions, self.words(path))
        return found[:MAX_WITNESSES]


def bytes_of(path: Path) -> bytes:
    try:
        return content(path)
    except OSError:  # told where the file itself is scanned
        return b""


def imported_in(data: bytes) -> Iterator[bytes]:
    """The names that statements import from modules; text that looks like one counts as one."""
    for match in FROM.finditer(data):
        start = match.start()
        if not data[data.rfind(b"\n", 0, start) + 1 : start].strip():
            names = NAMES.match(data, match.end())
            yield from WORD.findall(names[0] if names else b"")


def has_open_parameters(function: Function) -> bool:
    """Whether the calls could tell something: a parameter has no annotation."""
    arguments = function.node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if function.owner is not None:
        named = named[1:]
    return any(argument.annotation is None for argument in named)


def name_that_calls(function: Function) -> str:
    """The word that stands where the function is called: a class's for what instances run."""
    owner: Class | None = function.owner
    if owner is not None and function.name in ("__init__", "forward", "__call__", "__getitem__"):
        return owner.name
    return function.name


def leave_open(functions: Iterable[Function], words: frozenset[bytes]) -> None:
    """Takes the calls of functions that are named among the words as not all seen."""
    for function in functions:
        if name_that_calls(function).encode() in words:
            function.escapes = True
