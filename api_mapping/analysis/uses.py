"""A use of PyTorch in a source: what, where, and how sure."""

from __future__ import annotations

import ast
from typing import NamedTuple


class Use(NamedTuple):
    """One place where the source uses an API of PyTorch.

    api         the documented name: torch.nn.Linear, torch.Tensor.view, torch.nn.Module.train;
                torch.nn.* for a dynamic use, whose name is not in the source; the module of a star.
    kind        call, base, decorator, annotation, reference (not called there), attribute (a
                property, read or set), dtype, constant, import (imported and not used), star,
                getattr (with a literal name), dynamic (with a name that is computed).
    certainty   "is", or "unknown": the receiver could be PyTorch's, nothing says that it is.
    candidates  all APIs that an unknown use could be, `api` first; empty if it is certain.
    line...     from one, of the name alone: without receiver and arguments; columns in characters;
                the end is behind the last character.
    node        the ast node: the ast.Call of a call, the name or attribute otherwise.
    receiver    the expression whose method or property is used.
    cell        number of the notebook's cell that `line` counts in, 0 outside of notebooks.
    """

    api: str
    kind: str
    certainty: str
    line: int
    column: int
    end_line: int
    end_column: int
    node: ast.AST
    receiver: ast.expr | None = None
    cell: int = 0
    candidates: tuple[str, ...] = ()
