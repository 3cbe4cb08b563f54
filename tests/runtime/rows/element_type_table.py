"""Functions of one and of two values by their element types, as `element_type_table.txt` has them.

A line is a module, a function with its further arguments, the element types that both take, and
behind a bar those that both refuse: `int8`, or of two values `int8+float32`, `int8+1.5`.
"""

from __future__ import annotations

from pathlib import Path

from msconvert.tests.runtime.parity_rows import refused, rows

TABLE = Path(__file__).parents[1] / "element_type_table.txt"


def row(module: str, function: str, kinds: str) -> str:
    name, _, more = function.partition(",")
    first, _, second = kinds.partition("+")
    operand = second if second in ("2", "1.5", "True") else f"x(3, dtype='{second}', seed=1)"
    behind = operand if second else more
    given = f"x(2, 3, dtype='{first}')" + (f", {behind}" if behind else "")
    return f"{module}.{name}({given})"


for _line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
    _function, _, _kinds = _line.partition(": ")
    _taken, _refused = ([k for k in part.split() if k != "-"] for part in _kinds.split("|"))
    _module, _name = _function.split(" ")
    rows(*(row(_module, _name, kinds) for kinds in _taken), tolerance=1e-4)
    refused(*(row(_module, _name, kinds) for kinds in _refused))
