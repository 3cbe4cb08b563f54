"""Layers that compute otherwise in training: new ones do so in PyTorch, and not in MindSpore.

net = Net()             ->  net = Net().set_train()
y = nn.Dropout(0.5)(x)  ->  y = nn.Dropout(p=0.5).set_train()(x)
net = Ema(other)        ->  net = compat.begun(Ema(other))  # where it has `self.other.eval()`
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...syntax.quotation import expression
from ..rewriter import Rewriter


def in_training(node: ast.Call, code: Code | None, to: Rewriter) -> Code | None:
    """The code of a call that makes a module, which goes on in training mode."""
    if node not in to.notes.switched:
        return code
    made = to.with_parts(node) if code is None else code
    if to.notes.switched[node]:
        return expression("compat.begun(module)", compat=to.name("compat"), module=made)
    return expression("module.set_train()", module=made)
