"""How the rows of the parity table are written: `rows/FAMILY.py` calls these functions.

    rows("ops.relu(x(3, 4))", "ops.softmax(x(2, 3), -1)", tolerance=1e-4)
    refused("ops.concat((x(2, 3), x(3, 2)), 1)")
    differs("ops.full((2,), 1.5)", "np.full((2,), 1.5, np.float32)",
            because="MindSpore's CPU build loses the fraction")
    only_here("ops.roll(x(5), 2)", because="MindSpore's CPU build has no kernel")

A row is an expression with the same meaning in both frameworks, or statements of which the last
one is `result = ...`. It is evaluated by both: element type, shape, value and, where floating,
the gradient with respect to every floating `x(...)` agree; so do graph mode and PyNative.

Names in a row: `x(*shape, dtype="float32", seed=0, low=-2.0)`, a Tensor of reproducible numbers;
`filled(cell)`, whose parameters are; ms, nn, ops, mint, np, `P` (mindspore.ops.operations), `F`
(ops.functional), `C` (ops.composite), `G` (ops.operations._grad_ops), `mnp` (mindspore.numpy),
`sl` and `sfft` (mindspore.scipy.linalg and fft).
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
import textwrap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from msconvert.tests.runtime.parity_runner import NAMESPACES


@dataclass(frozen=True)
class Row:
    """`code` is evaluated by both; they agree within `tolerance` of the largest element.

    `refused`: both raise, and errors of the same class. `gradient`: compared where there is one.
    `graph`: graph mode gives the same; if not, it refuses.
    `expected`: MindSpore differs, `because`; this is what its documentation says instead.
    `only_here`: MindSpore refuses, `because`; the runtime gives something.
    """

    family: str
    code: str
    tolerance: float = 1e-5
    refused: bool = False
    gradient: bool = True
    graph: bool = True
    expected: str | None = None
    only_here: bool = False
    because: str = ""

    @cached_property
    def apis(self) -> tuple[str, ...]:
        """MindSpore's names that the row spells, outermost first; `mindspore.Tensor.max` for
        `x(3).max`, which may be another class's method."""
        found = [chain(node) for node in ast.walk(ast.parse(self.code))]
        return tuple(dict.fromkeys(name for name in found if name))


def chain(node: ast.AST) -> str:
    """The full name of an attribute, as in `ops.relu`; empty for other nodes."""
    if not isinstance(node, ast.Attribute):
        return ""
    text = ast.unparse(node)
    first, _, rest = text.partition(".")
    if first in NAMESPACES and text.replace(".", "").isidentifier():
        return f"{NAMESPACES[first]}.{rest}"
    return f"mindspore.Tensor.{node.attr}" if first != "np" else ""


TABLE: list[Row] = []


def add(codes: tuple[str, ...], **options: object) -> None:
    """Adds rows of the family (module) that called `rows`, `refused` or `differs`."""
    family = sys._getframe(2).f_globals["__name__"].rpartition(".")[2]
    TABLE.extend(Row(family, textwrap.dedent(code).strip(), **options) for code in codes)


def rows(
    *codes: str,
    tolerance: float = 1e-5,
    gradient: bool = True,
    graph: bool = True,
    because: str = "",
) -> None:
    """Rows on which both agree; what is False needs a `because`."""
    assert (gradient and graph) or because, f"{codes[0]}: why not?"
    add(codes, tolerance=tolerance, gradient=gradient, graph=graph, because=because)


def refused(*codes: str) -> None:
    """Rows for which both raise, and errors of the same class."""
    add(codes, refused=True)


def differs(code: str, expected: str, *, because: str, tolerance: float = 1e-5) -> None:
    """A row that MindSpore's CPU build gets wrong. `expected`, with np, is what is right.

    An exception's class as `expected`: it should be raised.
    """
    add((code,), expected=expected, because=because, tolerance=tolerance, gradient=False)


def only_here(*codes: str, because: str) -> None:
    """Rows that MindSpore's CPU build cannot run, and the runtime can."""
    add(codes, only_here=True, because=because, gradient=False)


def load() -> list[Row]:
    """The rows of all families, each once: the one that says `because` if there are several."""
    folder = importlib.import_module("msconvert.tests.runtime.rows")
    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")
    found: dict[str, Row] = {}
    for row in TABLE:
        if row.code not in found or row.because:
            found[row.code] = row
    return [*found.values()]


def groups() -> dict[str, list[Row]]:
    """The rows by family and by the API that they are about."""
    found: dict[str, list[Row]] = {}
    for row in load():
        about = row.apis[0].removeprefix("mindspore.") if row.apis else "others"
        found.setdefault(f"{row.family}-{about}", []).append(row)
    return found


def listed(file: Path) -> dict[str, bool]:
    """The names in a list: a module per paragraph, its names indented; whether they are starred."""
    found, module = {}, ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found |= {f"{module}.{word.rstrip('*')}": word.endswith("*") for word in line.split()}
        elif not line.startswith("#"):
            module = line
    return found
