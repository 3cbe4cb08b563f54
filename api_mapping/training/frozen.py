"""Parameters that are not trained: weight decay would move them, as their gradients are zeros."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..analysis import FileAnalysis
from ..syntax.edits import Edit
from ..syntax.nodes import end_of, start_of
from .blocks import Scope, blocks_of
from .parameter_names import optimizers_made
from .text import Converted

FLAG, SETTER, AFFINE = "requires_grad", "requires_grad_", "affine"
DECAYING = frozenset({"torch.optim.AdamW"})
"""Optimisers that take something off all weights where nothing else is said."""


class Standing(NamedTuple):
    """A statement and the scope that it runs in."""

    scope: Scope
    statement: ast.stmt

    def is_before(self, other: Standing) -> bool:
        return self.scope is other.scope and start_of(self.statement) < start_of(other.statement)


def trained_alone(analysis: FileAnalysis, converted: Converted) -> Iterator[Edit]:
    """The edits that give optimisers with weight decay the parameters that are trained.

    Where some may be trained or frozen later, all of them stay.
    """
    made = [call for call in optimizers_made(analysis) if decays(call, analysis)]
    if not made:
        return
    is_lacking = any(map(is_without_weights, (use.node for use in analysis.uses)))
    if not (is_lacking or FLAG in analysis.source.text):
        return
    places = [Standing(b.scope, s) for b in blocks_of(analysis.tree) for s in b.statements]
    thawing = [place for place in places if switches(place.statement) is True]
    freezing = [place for place in places if switches(place.statement) is False]
    for place in places if freezing or is_lacking else ():
        calls = [call for call in made if getattr(place.statement, "value", None) is call]
        is_set = all(one.is_before(place) for one in thawing)
        if calls and is_set and not any(place.is_before(one) for one in freezing):
            yield from (edit for call in calls for edit in of_trained(call, converted))


def is_without_weights(node: ast.AST) -> bool:
    """Whether it makes a norm without weights: MindSpore's has some that are never trained."""
    given = node.keywords if isinstance(node, ast.Call) else []
    return any(k.arg == AFFINE and is_false(k.value) for k in given)


def decays(call: ast.Call, analysis: FileAnalysis) -> bool:
    value = next((k.value for k in call.keywords if k.arg == "weight_decay"), None)
    if value is None:
        return analysis.kind_of(call).name in DECAYING
    return not isinstance(value, ast.Constant) or bool(value.value)


def switches(statement: ast.stmt) -> bool | None:
    """What a statement sets `requires_grad` of something to: False, or what may be True."""
    if isinstance(statement, ast.Assign):
        flags = [t for t in statement.targets if isinstance(t, ast.Attribute) and t.attr == FLAG]
        return not is_false(statement.value) if flags else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return not any(map(is_false, given)) if call.func.attr == SETTER else None


def is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def of_trained(call: ast.Call, converted: Converted) -> Iterator[Edit]:
    """The edit of a call that is given all parameters of a network."""
    given = call.args[0] if call.args else None
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
        return
    network = converted.code(given.func.value)
    every = f"{converted.names['compat']}.parameters({network})"
    for edit in converted.edits if converted.code(given) == every else ():
        if edit.start <= start_of(call) and end_of(call) <= edit.end:
            text = edit.text.replace(every, f"{network}.trainable_params()", 1)
            yield Edit(edit.start, edit.end, text)
