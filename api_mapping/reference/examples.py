"""The examples of the rows, and what the rules make of them: for the docs and the tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..rewriting.places import Places
from ..rewriting.snippet import rewritten
from ..table import registry
from ..table.named import Named
from ..table.rule import Rule

MODULES = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "init": "torch.nn.init",
    "optim": "torch.optim",
    "lr_scheduler": "torch.optim.lr_scheduler",
    "data": "torch.utils.data",
    "transforms": "torchvision.transforms",
    "torchvision": "torchvision",
    "einops": "einops",
    "pytorch_lightning": "pytorch_lightning",
}
"""What the examples call PyTorch's modules."""

RECEIVERS = {
    "pair": "torch.return_types",
    "wave": "torch.ComplexTensor",
    "layer": "torch.nn.Module",
    "optimizer": "torch.optim.Optimizer",
    "scheduler": "torch.optim.lr_scheduler.LRScheduler",
    "scaler": "torch.amp.GradScaler",
    "ctx": "torch.autograd.Function",
    "trainer": "pytorch_lightning.Trainer",
}
"""What variables of these names hold in the examples; `it`: an instance of the row's own class."""


def name_of(node: ast.expr) -> str:
    """The full name of a function in an example, which defines none of its own."""
    return f"builtins.{node.id}" if isinstance(node, ast.Name) else dotted(node)


@dataclass(frozen=True)
class Example:
    """One example of one rule, by the classic target or by `mint`."""

    rule: Rule
    code: str
    mint: bool = False

    @property
    def id(self) -> str:
        return f"{self.rule.signature} | {self.code}{' | mint' if self.mint else ''}"

    @cached_property
    def converted(self) -> str:
        """The MindSpore side, written by the rules themselves.

        Raises: Refusal
        """
        places = Places(self.resolve, kind_of, holder_of=holder_of, name_of=name_of)
        return rewritten(self.code, places, mint=self.mint)

    def resolve(self, node: ast.expr) -> Named | None:
        path = dotted(node)
        head, _, rest = path.partition(".")
        if head in MODULES:
            return Named(f"{MODULES[head]}.{rest}") if rest else None
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.rule.name.rpartition(".")[0] if head == "it" else RECEIVERS.get(head)
        if owner is None and kind_of(node.value) not in ("tensor", "tensors"):
            return self.of_other(node)
        return Named(f"{owner or 'torch.Tensor'}.{node.attr}", node.value)

    def of_other(self, node: ast.Attribute) -> Named | None:
        """A field of what is no tensor, if the table has it: `torch.finfo(d).max`."""
        value = node.value.func if isinstance(node.value, ast.Call) else node.value
        owner = self.resolve(value)
        full = f"{owner.api}.{node.attr}" if owner is not None else ""
        return Named(full, node.value) if registry.find(full) else None


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""


def kind_of(node: ast.expr) -> str:
    """What an argument in an example is; the names of inputs are tensors, but for images."""
    if isinstance(node, ast.UnaryOp):
        return kind_of(node.operand)
    if isinstance(node, ast.Constant):
        return "none" if node.value is None else type(node.value).__name__
    if isinstance(node, ast.Tuple | ast.List):
        return "shape" if all(kind_of(e) == "int" for e in node.elts) else "sequence"
    if isinstance(node, ast.IfExp):
        return ""
    if isinstance(node, ast.Name) and node.id in ("picture", "pixels"):
        return "other"
    return returned(node.func if isinstance(node, ast.Call) else node) or "tensor"


def holder_of(node: ast.expr) -> str:
    """ "parameter" of the inputs that are Parameters."""
    return "parameter" if dotted(node) in ("weight", "kernel") else ""


def returned(node: ast.expr) -> str:
    """What the API that an expression names gives, "" if that is not stated."""
    head, _, rest = dotted(node).partition(".")
    if head in MODULES:
        rules = registry.find(f"{MODULES[head]}.{rest}")
    else:
        rules = (
            registry.find(f"torch.Tensor.{node.attr}") if isinstance(node, ast.Attribute) else ()
        )
    return rules[0].returns if rules else ""


def examples(prefix: str = "") -> Iterator[Example]:
    for rule in registry.all_rules(prefix):
        for code in rule.examples if rule.target else ():
            yield Example(rule, code)
            if rule.mint:
                yield Example(rule, code, mint=True)
