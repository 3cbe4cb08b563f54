"""The operations that passes write anew though they name no API: `~x`, `x >> 1`, `x * np.pi`."""

from __future__ import annotations

import ast

from ..analysis import FileAnalysis, Kind
from ..analysis.definitions import Class
from ..rewriting.passes.indices.lead_axis import is_deepened
from ..rewriting.passes.indices.numpy_index import is_by_numpy
from ..rewriting.passes.indices.scalar_index import is_by_elements
from ..rewriting.passes.indices.stored_part import is_stored
from ..rewriting.passes.indices.strided_index import is_strided
from ..rewriting.passes.magnitude import measured
from ..rewriting.passes.modules.child_set import is_of_child
from ..rewriting.passes.modules.layer_call import named_first
from ..rewriting.passes.numpy_operand import is_by_number, of_numpy
from ..rewriting.passes.shift import is_of_tensors
from ..rewriting.places import Places
from ..syntax.walk import Layout, every
from ..table.facts.spelling import ON_TREES
from ..table.kinds import TRUTHS, present
from .pipelines import behind_tensors


def inverted(layout: Layout, analysis: FileAnalysis) -> list[ast.UnaryOp]:
    """The `~x` of what may be a tensor of integers."""
    found = (node for node in layout.of_type(ast.UnaryOp) if isinstance(node.op, ast.Invert))
    return [node for node in found if may_be_integers(analysis.kind_of(node.operand))]


def may_be_integers(kind: Kind) -> bool:
    """Whether a value may be a tensor that is not of bools."""
    parts = kind.parts if kind.tag == "union" else (kind,)
    return any(part.tag in ("tensor", "unknown") and part != TRUTHS for part in parts)


def numpy_names(layout: Layout, analysis: FileAnalysis) -> frozenset[str]:
    """The names that values of NumPy's have somewhere in the file."""
    targets = (target for node in layout.of_type(ast.Assign) for target in node.targets)
    names = (target for target in targets if isinstance(target, ast.Name))
    return frozenset(name.id for name in names if analysis.kind_of(name).tag == "numpy")


def of_parameter(node: ast.expr, analysis: FileAnalysis) -> bool:
    """Whether it is a call of a function that the function around it was given."""
    return isinstance(node, ast.Call) and analysis.kind_of(node.func)[:2] == ("unknown", "param")


def layer_of(node: ast.expr, analysis: FileAnalysis) -> str:
    """The full name of the class of a layer of PyTorch's own, else "".

    One that is derived from it may take its arguments in another order.
    """
    kind = present(analysis.kind_of(node))
    is_own = isinstance(kind.target, Class)
    return kind.name if kind.tag == "module" and not is_own else ""


def computed(layout: Layout, places: Places) -> list[ast.AST]:
    """The shifts of tensors, operations with what is NumPy's, tensors by some indices, and what
    stands behind transforms that make tensors.
    """
    kind_of = places.kind_of
    binary, augmented = layout.of_type(ast.BinOp), layout.of_type(ast.AugAssign)
    shifts = [node for node in (*binary, *augmented) if is_of_tensors(node, kind_of)]
    operations = (*binary, *layout.of_type(ast.Compare), *augmented)
    mixed = [node for node in operations if of_numpy(node, kind_of) is not None]
    mixed += [node for node in binary if is_by_number(node, places)]
    subscripts = layout.of_type(ast.Subscript)
    tests = is_by_numpy, is_by_elements, is_stored, is_strided
    indexed = [n for n in subscripts if any(test(n, places) for test in tests)]
    sizes = [n for n in layout.of_type(ast.Call) if measured(n, places) is not None]
    children = [n for n in layout.of_type(ast.Call) if is_of_child(n, places)]
    children += [n for n in layout.of_type(ast.Call) if named_first(n, places)]
    behind = behind_tensors(layout, places.resolve)
    deepened = [n for n in layout.of_type(ast.Assign) if is_deepened(n, places)]
    return [*deepened, *shifts, *mixed, *indexed, *sizes, *children, *behind]


def unsure(analysis: FileAnalysis) -> dict[ast.AST, tuple[str, ...]]:
    """The calls of methods of what is not known, with the APIs that they may be of.

    Not where the class has been asked for before: `t.copy() if isinstance(t, A) else t.clone()`.
    """
    found = [u for u in analysis.uses if u.certainty == "unknown" and u.receiver is not None]
    branches = [node for node in analysis.kinds if isinstance(node, ast.IfExp)] if found else []
    asked = (n.orelse for n in branches if isinstance(n.test, ast.Call) and is_test(n.test))
    narrowed = {node for branch in asked for node in every(branch)}
    calls = (use for use in found if use.kind == "call" and use.node not in narrowed)
    return {use.node: tuple(use.candidates) for use in calls}


def is_test(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "isinstance"


def is_on_trees(analysis: FileAnalysis) -> bool:
    """Whether a file calls networks with dictionaries of weights."""
    names = (use.api.rpartition(".")[2] for use in analysis.uses if use.kind != "import")
    return not ON_TREES.isdisjoint(names)
