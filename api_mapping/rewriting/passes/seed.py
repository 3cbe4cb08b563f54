"""Seeds in projects that draw numbers of NumPy or of random, which PyTorch's seed leaves alone.

torch.manual_seed(0)  ->  compat.manual_seed(0)  where the project has `np.random.rand(3)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.code import Code
from ...syntax.nodes import dotted
from ...syntax.quotation import expression
from ...syntax.walk import Layout
from ...table.facts.seeds import APART, GENERATORS, SEEDS
from ..rewriter import Rewriter


def apart(node: ast.Call, to: Rewriter) -> Code | None:
    """The code of a seed that NumPy and random do not feel."""
    if not to.notes.draws or to.mint:
        return None
    named = to.places.resolve(node.func)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if named is None or named.api not in SEEDS or len(given) != 1:
        return None
    seed = to.code(given[0])
    return expression("compat.manual_seed(seed)", compat=to.name("compat"), seed=seed)


def draws(layout: Layout) -> bool:
    """Whether a file asks, or seeds, the generators that all code shares: `np.random.rand(3)`."""
    modules = set(modules_in(layout))
    imported = (alias.name for node in taken_from(layout) for alias in node.names)
    if any(name not in APART for name in imported):
        return True
    called = (dotted(call.func).rpartition(".") for call in layout.of_type(ast.Call))
    return any(name not in APART and owner in modules for owner, _, name in called)


def modules_in(layout: Layout) -> Iterator[str]:
    """How a file names the modules that draw: `random`, `np.random`."""
    for node in layout.of_type(ast.Import):
        for alias in node.names:
            if alias.name == "numpy" or (alias.name == "numpy.random" and alias.asname is None):
                yield f"{alias.asname or 'numpy'}.random"
            elif alias.name in GENERATORS:
                yield alias.asname or alias.name
    for node in layout.of_type(ast.ImportFrom):
        if node.module == "numpy":
            yield from (
                alias.asname or alias.name for alias in node.names if alias.name == "random"
            )


def taken_from(layout: Layout) -> Iterator[ast.ImportFrom]:
    """The imports of single names of the modules that draw."""
    return (node for node in layout.of_type(ast.ImportFrom) if node.module in GENERATORS)
