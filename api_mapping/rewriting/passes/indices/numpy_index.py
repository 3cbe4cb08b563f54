"""NumPy's numbers and arrays, and ranges, in the index of a tensor: MindSpore takes none of them.

x[permutation[:8], 0]  ->  x[ms.tensor(permutation[:8]), 0]
x[:lengths.max()]      ->  x[:int(lengths.max())]
x[range(3)]            ->  x[list(range(3))]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.code import Code
from ....syntax.quotation import expression
from ...places import Places
from ...rewriter import Rewriter


def indexed(node: ast.Subscript, to: Rewriter) -> Code | None:
    """The subscript with tensors, numbers and lists in the place of NumPy's values and ranges."""
    if not is_by_numpy(node, to.places):
        return None
    index = node.slice
    parts = list(parts_of(index))
    new: dict[ast.AST, Code] = {part: to.code(part) for part in parts}
    new |= {part: own_type(part, index, to) for part in parts if is_numpy(part, to.places)}
    if isinstance(index, ast.Tuple) and index in to.reading.parts(node):
        new = {index: to.with_parts(index, new)}
    code = to.with_parts(node, new)
    assert isinstance(code, Code)
    return code


def own_type(part: ast.expr, index: ast.expr, to: Rewriter) -> Code:
    """A tensor in the place of what is NumPy's, a number where it bounds a slice; a list."""
    if to.places.sort_of(part) == "range":
        return expression("list(values)", values=to.code(part))
    parts = index.elts if isinstance(index, ast.Tuple) else (index,)
    if part in parts:
        return expression("ms.tensor(value)", ms=to.name("ms"), value=to.code(part))
    return expression("int(value)", value=to.code(part))


def is_by_numpy(node: ast.Subscript, places: Places) -> bool:
    """Whether a tensor is indexed by what is NumPy's, or a range, which no list can be."""
    sorts = {places.sort_of(part) for part in parts_of(node.slice) if is_numpy(part, places)}
    kind = places.kind_of(node.value)
    return bool(sorts) and (kind == "tensor" or (kind == "unknown" and sorts == {"range"}))


def is_numpy(part: ast.expr, places: Places) -> bool:
    return places.sort_of(part) in ("numpy", "list of numpy", "range")


def parts_of(node: ast.expr) -> Iterator[ast.expr]:
    """What is in an index, and what bounds its slices."""
    for part in node.elts if isinstance(node, ast.Tuple) else (node,):
        yield from bounds_of(part) if isinstance(part, ast.Slice) else (part,)


def bounds_of(node: ast.Slice) -> Iterator[ast.expr]:
    return (part for part in (node.lower, node.upper, node.step) if part is not None)
