"""Cells that hold cells: SequentialCell, CellList, CellDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..cells.cell import Cell
from ..engine.failure import ShapeError
from ..engine.trace import active


class CellSequence(Cell):
    """Sub-cells by position, named "0", "1"... Abstract: SequentialCell and CellList are final."""

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return bool(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(list(self._cells.values()))

    def key(self, index: int) -> str:
        """The name of the cell at `index`. Raises: IndexError, or TypeError if not a number."""
        if not isinstance(index, int):
            raise TypeError(f"For '{self.cls_name}', the index must be int or slice, got {index!r}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"For '{self.cls_name}', the index {index} is out of {len(self)}")
        return str(list(self._cells)[index])

    def place(self, name: str, cell: Cell, prefix: str = "") -> None:
        """Puts `cell` under `name`, and its parameters' names below `prefix` and that."""
        if not isinstance(cell, Cell):
            raise TypeError(f"For '{self.cls_name}', each item must be a Cell, got {type(cell)}")
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{name}.")
        self.insert_child_to_cell(name, cell, replace=True)

    def append(self, cell: Cell) -> None:
        self.place(str(len(self)), cell, prefix_of(self._cells))

    def __setitem__(self, index: int, cell: Cell) -> None:
        self.place(self.key(index), cell, prefix_of(self._cells))

    def __delitem__(self, index: int | slice) -> None:
        gone = [self.key(index)] if isinstance(index, int) else list(self._cells)[index]
        self.renumber([(n, c) for n, c in self._cells.items() if n not in gone])

    def insert(self, index: int, cell: Cell) -> None:
        """Puts `cell` before the one at `index`; the later ones move up."""
        if not isinstance(index, int):
            raise TypeError(f"For '{self.cls_name}', the index must be int, got {index!r}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"For '{self.cls_name}', the index {index} is out of {len(self)}")
        prefix, cells = prefix_of(self._cells), list(self._cells.items())
        cells.insert(index, ("0", cell))
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}0.")
        self.renumber(cells)

    def renumber(self, cells: list[tuple[str, Cell]]) -> None:
        """Puts `cells` under their positions, and renames their parameters so."""
        prefix, own = prefix_of(dict(cells)), self._prefix
        for name in list(self._cells):
            delattr(self, name)
        self.__dict__["_prefix"] = own
        depth = prefix.count(".") + 1
        for k, (name, cell) in enumerate(cells):
            key = str(k) if name.isdigit() else name
            for parameter in cell.get_parameters() if self._auto_prefix else ():
                rest = parameter.name.split(".")[depth:]
                parameter.name = ".".join([f"{prefix}{key}", *rest])
            self.insert_child_to_cell(key, cell, replace=True)


def prefix_of(cells: Mapping[str, Cell]) -> str:
    """What stands before the cells' keys in the names of their parameters, as MindSpore finds it:
    in the first name there is, so that a list that was empty when it got its owner has none.
    """
    first = [(key, next(iter(cell.get_parameters()), None)) for key, cell in cells.items()]
    named = [(key, parameter.name.split(".")) for key, parameter in first if parameter is not None]
    prefix = ""
    for k, part in enumerate(named[0][1]) if named else ():
        if part == named[0][0]:
            prefix = "".join(f"{outer}." for outer in named[0][1][:k])
            if len(named) > 1 and named[1][1][k : k + 1] == [named[1][0]]:
                break
    return prefix


class SequentialCell(CellSequence):
    """Calls its cells one after the other. Args: cells, a list of them, or an OrderedDict."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        cells = args[0] if len(args) == 1 else list(args)
        if isinstance(cells, Cell):
            cells = [cells]
        if isinstance(cells, OrderedDict):
            for name, cell in cells.items():
                self.place(name, cell)
        elif isinstance(cells, list):
            for k, cell in enumerate(cells):
                self.place(str(k), cell)
        else:
            raise TypeError(
                f"For '{self.cls_name}', the 'args[0]' must be Cell, list or orderedDict, "
                f"but got {type(cells).__name__}"
            )

    @property
    def cell_list(self) -> list[Cell]:
        return list(self._cells.values())

    @cell_list.setter
    def cell_list(self, cells: list[Cell]) -> None:
        self._cells.update(zip(self._cells, cells, strict=True))

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return self._cells[self.key(index)]

    def construct(self, input_data: Any) -> Any:
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(CellSequence):
    """A list of cells; it computes nothing itself. Args: one list of cells."""

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if len(args) == 1:
            self.extend(args[0])

    def extend(self, cells: list[Cell]) -> CellList:
        """Appends every cell of a list. Raises: TypeError for anything but a list."""
        if not isinstance(cells, list):
            raise TypeError(
                f"For '{self.cls_name}', the new cells wanted to append "
                f"should be instance of list, but got {type(cells).__name__}."
            )
        prefix = prefix_of(self._cells)
        for cell in cells:
            self.place(str(len(self)), cell, prefix)
        return self

    __iadd__ = extend

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            # in graph mode MindSpore's slice takes no cell's name away, and SequentialCell's does
            return CellList(list(self._cells.values())[index], auto_prefix=active() is None)
        return self._cells[self.key(index)]


class CellDict(Cell):
    """Cells by name; it computes nothing itself. Args: a dictionary or pairs."""

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if len(args) == 1:
            self.update(args[0])

    def update(self, cells: Mapping[str, Cell] | Iterable[tuple[str, Cell]]) -> None:
        for name, cell in cells.items() if isinstance(cells, (Mapping, CellDict)) else cells:
            self[name] = cell

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(cell, Cell):
            raise TypeError(f"For '{self.cls_name}', each value must be a Cell, got {type(cell)}")
        if isinstance(cell, (CellDict, CellSequence)):
            raise TypeError(f"For '{self.cls_name}', a value must not be a {cell.cls_name}")
        if hasattr(type(self), key):
            raise ShapeError(self.cls_name, f"the key {key!r} is the name of a method")
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix_of(self._cells)}{key}.")
        self.insert_child_to_cell(key, cell, replace=True)

    def __getitem__(self, key: str) -> Cell:
        found: Cell = self._cells[key]
        return found

    def __delitem__(self, key: str) -> None:
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return bool(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def keys(self) -> Any:
        return self._cells.keys()

    def values(self) -> Any:
        return self._cells.values()

    def items(self) -> Any:
        return self._cells.items()

    def pop(self, key: str) -> Cell:
        found = self[key]
        del self[key]
        return found

    def clear(self) -> None:
        for key in list(self._cells):
            delattr(self, key)
