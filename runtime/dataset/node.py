"""A pipeline as a tree: each node reads the rows of those below it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..engine.argument import check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.tensor import Tensor
from . import config
from .faults import DataError
from .workers import Threads

Row = tuple[Any, ...]
"""The values of one row: arrays, or dictionaries of a user's."""
Names = str | Sequence[str] | None
State = TypeVar("State")
Own = TypeVar("Own", bound="Node")


class Run:
    """One reading of a pipeline: what its nodes keep from epoch to epoch."""

    def __init__(self) -> None:
        self.seed = config.new_seed()
        self.kept: dict[object, Any] = {}

    def state(self, node: object, make: Callable[[], State]) -> State:
        """What a node keeps, made when it is first asked for."""
        if node not in self.kept:
            self.kept[node] = make()
        found: State = self.kept[node]
        return found

    def threads(self, node: object, count: int) -> Threads:
        """The threads of a node."""
        return self.state((node, "threads"), lambda: Threads(count))

    def close(self) -> None:
        """Ends what works on rows."""
        for kept in self.kept.values():
            if isinstance(kept, Threads):
                kept.close()


@dataclass(frozen=True)
class Source:
    """What a source was made of, as far as it can be written: its class, and arguments as JSON."""

    kind: str
    arguments: dict[str, Any]
    workers: int | None


class Node:
    """A step of a pipeline.

    columns: the names of the values of a row. size: the number of rows, None if only reading tells.
    """

    columns: list[str]
    is_slow = False
    """Whether it is worth making rows before they are asked for."""
    waits = False
    """Whether somebody else must let it go on."""
    source: Source | None = None
    """Of the node of a source that can be made again."""
    consumers = 0
    """How many steps read its rows."""

    def __init__(self, *children: Node) -> None:
        self.children = children
        for child in children:
            child.consumers += 1
        self.columns = list(children[0].columns) if children else []

    def rows(self, run: Run) -> Iterator[Row]:
        """The rows of one epoch."""
        raise NotImplementedError(type(self).__name__)

    def size(self) -> int | None:
        return self.children[0].size() if self.children else None

    def batch_size(self) -> int:
        return self.children[0].batch_size() if self.children else 1

    def repeats(self) -> int:
        return self.children[0].repeats() if self.children else 1

    def classes(self) -> dict[str, Any]:
        """The classes of the data and their numbers."""
        return self.children[0].classes() if self.children else {}

    def class_count(self) -> int | None:
        return self.children[0].class_count() if self.children else None

    def every(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for child in self.children:
            yield from child.every()

    def tree(self) -> Node:
        """Itself. Raises: ValueError (MS304) if two steps read the rows of one, as in MindSpore."""
        for node in self.every():
            if node is not self and node.consumers > 1:
                problem = "the data pipeline is not a tree: one node has 2 consumers"
                got = f"{node.consumers} steps read the rows {', '.join(node.columns)}"
                advice = "make the data set anew for each of them, or split() it"
                raise ShapeError("a data set", problem, got=got, advice=advice)
        return self

    def twin(self: Own) -> Own:
        """A node of the same rows that no step reads yet."""
        found = copy.copy(self)
        found.consumers = 0
        return found

    def places(self, where: str, names: Sequence[str]) -> list[int]:
        """Where columns are in a row. Raises: RuntimeError (MS314)"""
        for name in names:
            if name not in self.columns:
                expected = ", ".join(self.columns)
                raise DataError(where, "there is no such column", got=name, expected=expected)
        return [self.columns.index(name) for name in names]


def as_list(names: Names) -> list[str]:
    """Names of columns as a list; empty if none are given."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def checked_names(where: str, name: str, given: Any) -> list[str]:
    """Names of columns, none twice. Raises: TypeError or ValueError (MS304)"""
    check_type(where, name, given, str, list, tuple)
    found = as_list(given)
    if not found:
        raise ShapeError(where, f"{name} is empty")
    for one in found:
        check_type(where, name, one, str)
        if not one:
            raise ShapeError(where, f"a name in {name} is empty")
    if len(set(found)) < len(found):
        raise ShapeError(where, f"a name stands twice in {name}", got=repr(found))
    return found


def as_array(where: str, value: Any) -> Any:
    """A value of a row: an array, or a dictionary as it is. Raises: RuntimeError (MS314)"""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Tensor):
        return value.asnumpy()
    found = value if isinstance(value, np.ndarray) else array_of(where, value)
    if found.dtype.kind == "O":
        got = f"a {type(value).__name__}"
        expected = "numbers, text, or an array of either"
        raise DataError(where, "a value is no array", got=got, expected=expected)
    return found


def array_of(where: str, value: Any) -> np.ndarray:
    try:
        return np.asarray(value)
    except ValueError as error:
        got = f"a {type(value).__name__} ({error})"
        raise DataError(where, "a value is no array", got=got) from error


def as_row(where: str, values: Any) -> Row:
    """What a source or a function gives, as a row."""
    if isinstance(values, tuple):
        return tuple(as_array(where, value) for value in values)
    return (as_array(where, values),)


def checked_function(where: str, name: str, given: Any) -> Callable[..., Any]:
    """Raises: TypeError (MS304) for what cannot be called."""
    if not callable(given):
        raise ElementTypeError(where, f"{name} cannot be called", got=repr(given))
    found: Callable[..., Any] = given
    return found
