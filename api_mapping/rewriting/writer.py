"""Writes the statements of a file anew, in the lines of the original."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..table.argument import Refusal
from ..table.brackets import beside
from ..table.named import Named
from .layout import laid_out
from .param_group_rates import rate_code
from .suggestion import AS_TYPES, Suggester, decorated, name_alone


@dataclass(frozen=True)
class Writer(Suggester):
    """A suggester that keeps the lines and comments of what it writes.

    `roles` are the kinds of the uses that are more than a value: bases, annotations, decorators;
    `growing` the bases of classes without a `forward` that set attributes; `walked` the targets of
    loops over all modules, and what they go through; `switched` the calls that make modules in
    training mode; `modules` MindSpore's for those of PyTorch's that are values: `dir(torch.nn)`.
    """

    roles: Mapping[int, str] = field(default_factory=dict)
    growing: Collection[int] = ()
    walked: Collection[int] = ()
    switched: Collection[int] = ()
    modules: Mapping[int, str] = field(default_factory=dict)

    def rewritten(self, node: ast.AST) -> str | None:
        if id(node) in self.walked:
            return self.of_walk(node)
        if id(node) in self.modules:
            return dict(self.names).get(self.modules[id(node)], self.modules[id(node)])
        if isinstance(node, ast.Subscript) and self.is_final(node.value):
            return self.text(node.slice)
        role = self.roles.get(id(node))
        if role is None:
            rate = rate_code(node, self.text, self.kind_of, dict(self.names).get("ops", "ops"))
            if rate is not None:
                return rate
            code = super().rewritten(node)
            if isinstance(node, ast.Call) and code is not None:
                code = laid_out(code, node, self.source, self.text)
            if id(node) in self.switched:
                whole = self.assembled(node, ()) if code is None else code
                return f"{whole}.set_train()"
            return code
        named = self.resolve(node) if isinstance(node, ast.Name | ast.Attribute) else None
        return None if named is None else self.in_role(named, role, id(node) in self.growing)

    def is_final(self, node: ast.expr) -> bool:
        """Whether it is the annotation torch.jit.Final."""
        named = self.resolve(node) if self.roles.get(id(node)) == "annotation" else None
        return named is not None and named.api == "torch.jit.Final"

    def of_walk(self, node: ast.AST) -> str | None:
        """The code of the target of a loop over all modules, or of what it goes through."""
        named = self.resolve(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Name):
            return f"_, {node.id}"
        assert named is not None
        assert named.receiver is not None
        return f"{beside(self.text(named.receiver))}.cells_and_names()"

    def in_role(self, named: Named, role: str, is_growing: bool) -> str | None:
        """The code of a name that is a base class, an annotation or a decorator."""
        rules = self.rules(named.api)
        if is_growing and rules[0].base:
            return rules[0].base
        if role == "decorator":
            return decorated(rules)
        if role == "base":
            try:
                return self.referred(named)
            except Refusal:
                return name_alone(rules[0])
        return AS_TYPES.get(named.api) or name_alone(rules[0]) or None
