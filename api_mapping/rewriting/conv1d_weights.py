"""Weights of Conv1d: MindSpore's have an axis of one, so what is read is no place to write to."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..table.brackets import beside
from .places import Places

APIS = frozenset({"torch.nn.Conv1d.weight", "torch.nn.ConvTranspose1d.weight"})
SQUEEZED = ".squeeze(2)"
OWN = frozenset({"requires_grad", "grad"})
"""Attributes that belong to the Parameter, not to its value."""

OWN_METHODS = frozenset({"torch.Tensor.requires_grad_", "torch.Tensor.register_hook"})
DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred)


@dataclass(frozen=True)
class LineWeights(Places):
    """Writes places that are such weights, or parts of them."""

    def text(self, node: ast.AST) -> str:
        raise NotImplementedError

    def line_weight(self, node: ast.AST) -> str:
        """The Parameter that a node is the value of, as `.data` may be; "" if it is no such one."""
        if isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        named = self.resolve(node) if isinstance(node, ast.Attribute) else None
        is_one = named is not None and named.api in APIS
        return self.text(node).removesuffix(SQUEEZED) if is_one else ""

    def line_part(self, node: ast.AST) -> str:
        """The place of a part of one, or its Parameter's own attribute: `weight[0]`, `.grad`."""
        if isinstance(node, ast.Attribute) and node.attr in OWN:
            whole = self.line_weight(node.value)
            return f"{whole}.{node.attr}" if whole else ""
        if not isinstance(node, ast.Subscript) or not (whole := self.line_weight(node.value)):
            return ""
        return f"{self.compat}.line({whole})[{self.text(node.slice)}]"

    @property
    def compat(self) -> str:
        raise NotImplementedError

    def is_identity(self, node: ast.AST, parent: ast.AST) -> bool:
        """Whether the Parameter itself is asked for: in a list, by a function that fills it."""
        if isinstance(parent, ast.Call):
            last = ast.unparse(parent.func).rpartition(".")[2]
            return node is not parent.func and (last.endswith("_") or "init" in last)
        return isinstance(parent, DISPLAYS)

    def line_set(self, place: ast.AST, value: str) -> str:
        """The statement that gives one a new value, which has PyTorch's axes; "" of others."""
        whole = self.line_weight(place)
        return f"{whole}.copy_({beside(value)}.expand_dims(-2))" if whole else ""
