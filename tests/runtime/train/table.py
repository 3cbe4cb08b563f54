"""How the rows are written: `rows/FAMILY.py` calls these functions.

    rows("result = train.MAE()(values(3), values(3))")
    refused("train.LossMonitor(-1)")
    differs("train.History().epoch['epoch']", here={...}, because="...")

A row is a piece of a script with the names of `runner.py`. Both frameworks run it, in a folder of
its own; they agree in `result`, in what is printed, in the files that are left, and in the class
of an error.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import textwrap
from dataclasses import dataclass, field
from typing import Any

BOTH = ("pynative", "graph")


@dataclass(frozen=True)
class Row:
    """`code` agrees in `modes` within `tolerance` of each number, or of 1 if that is more.

    here: what the runtime gives instead, `because`: parts of an outcome (result, printed, files,
    error). Metrics and checks of arguments know no mode, and run in one.
    """

    family: str
    code: str
    modes: tuple[str, ...] = BOTH
    tolerance: float = 1e-6
    here: dict[str, Any] = field(default_factory=dict, hash=False)
    because: str = ""
    refused: bool = False
    """Both raise, errors of the same class; only such rows may raise."""


TABLE: list[Row] = []


def add(codes: tuple[str, ...], **options: Any) -> None:
    """Adds rows of the family (module) that called `rows` or `differs`."""
    family = sys._getframe(2).f_globals["__name__"].rpartition(".")[2]
    TABLE.extend(Row(family, textwrap.dedent(code).strip(), **options) for code in codes)


def rows(*codes: str, **options: Any) -> None:
    """Rows in which the runtime is MindSpore's equal."""
    add(codes, **options)


def refused(*codes: str, **options: Any) -> None:
    """Rows that both refuse, with errors of the same class."""
    add(codes, refused=True, **options)


def differs(code: str, *, here: dict[str, Any], because: str, **options: Any) -> None:
    """A row in which the runtime differs on purpose."""
    add((code,), here=here, because=because, **options)


def groups() -> dict[str, list[Row]]:
    """The rows by family."""
    package = importlib.import_module("msconvert.tests.runtime.train.rows")
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")
    families = dict.fromkeys(row.family for row in TABLE)
    return {family: [row for row in TABLE if row.family == family] for family in families}
