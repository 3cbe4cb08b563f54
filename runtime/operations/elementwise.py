"""Element by element: arithmetic, comparison, logic."""

from __future__ import annotations

from .operation import same

for _name, _op in {"Abs": "abs", "Add": "add", "Mul": "mul", "Sub": "sub"}.items():
    same(_name, _op)
