"""The statements of training: what clears, computes, changes and applies gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..analysis import FileAnalysis
from ..analysis.optimizer_methods import applies, method_of
from ..syntax.nodes import dotted, start_of
from ..syntax.walk import every
from .by_hand import cleared_by, clipped_by

OPTIMIZER = re.compile(r"(^|[._])opt(im|imi[sz]er)?s?(_?\w*)?$|optim", re.IGNORECASE)
SCALER = re.compile(r"scaler", re.IGNORECASE)
CLIP = "torch.nn.utils.clip_grad"
ALONE = "torch.autograd.backward"
KEPT = frozenset({"retain_graph"})
"""Arguments of backward that say nothing of what it computes."""

WRAPPED = "{owner} wraps the training (as Accelerator, Fabric and DeepSpeed do): train without it"
"""Why `accelerator.backward(loss)` stays."""


@dataclass(frozen=True)
class Backward:
    """`loss.backward()`: `loss` is the expression whose gradients are computed."""

    node: ast.stmt
    loss: ast.expr
    retains: bool
    odd: str = ""
    """Why it is none that is known: an argument changes what is computed."""
    gradient: ast.expr | None = None
    """What the gradients of the loss's elements are multiplied with."""


@dataclass(frozen=True)
class Step:
    """`optimizer.step()`, or `scaler.step(optimizer)`; `target` is what takes the result."""

    node: ast.stmt
    optimizer: ast.expr
    scaler: ast.expr | None = None
    closure: ast.expr | None = None
    target: ast.expr | None = None
    call: ast.Call | None = None
    """The call of a method of its own by which an optimiser applies them."""
    inner: ast.Call | None = None
    """The call, where it is a part of its statement: `losses.append(opt.step(closure).item())`."""

    @property
    def key(self) -> str:
        return ast.unparse(self.optimizer)

    @property
    def is_clearing(self) -> bool:
        """Whether it clears the gradients behind it: `optimizer.first_step(zero_grad=True)`."""
        given = self.call.keywords if self.call is not None else ()
        named = (k.value for k in given if k.arg == "zero_grad")
        return any(isinstance(value, ast.Constant) and value.value is True for value in named)


@dataclass(frozen=True)
class Clear:
    """`optimizer.zero_grad()`, or a module's."""

    node: ast.stmt
    owner: ast.expr
    is_module: bool


@dataclass(frozen=True)
class Change:
    """`clip_grad_norm_(...)` or `scaler.unscale_(optimizer)`: gradients become others."""

    node: ast.stmt
    call: ast.Call
    api: str

    @property
    def is_unscaling(self) -> bool:
        return self.api == "unscale"

    @property
    def limit(self) -> ast.expr | None:
        """What the gradients are clipped to, if nothing else is said and nothing is given back."""
        call = self.call
        if isinstance(self.node, ast.Assign) or len(call.args) + len(call.keywords) != 2:
            return None
        given = [*call.args[1:], *(k.value for k in call.keywords if k.arg != "parameters")]
        return given[0] if given else None

    @property
    def is_new(self) -> bool:
        """Whether the gradients get new values; else the call changes them in place."""
        return self.is_unscaling or self.limit is not None


Event = Backward | Step | Clear | Change


@dataclass(frozen=True)
class Events:
    """Tells the statements of one file that are about gradients."""

    analysis: FileAnalysis
    deferred: frozenset[int] = frozenset()
    """The ids of the statements that call methods which end with backward."""
    holds: bool = False
    """Tensors hold their gradients: a backward may be given a gradient."""
    known: dict[int, Event | None] = field(default_factory=dict)

    def of(self, node: ast.AST) -> Event | None:
        """The event that a statement is."""
        if id(node) not in self.known:
            self.known[id(node)] = self.found(node)
        return self.known[id(node)]

    @cached_property
    def own(self) -> frozenset[int]:
        """The ids of what stands in classes of optimisers, schedulers and foreign libraries."""
        inner = (*self.analysis.optimizers, *self.analysis.foreign)
        return frozenset(id(node) for cls in inner for node in ast.walk(cls))

    def found(self, node: ast.AST) -> Event | None:
        if isinstance(node, ast.For):
            return by_hand(node)
        if not isinstance(node, SIMPLE) or id(node) in self.own:
            return None
        return self.of_call(node, value_of(node)) or self.inner_step(node)

    def of_call(self, node: ast.stmt, call: ast.expr | None) -> Event | None:
        """The event of a statement that is a call, or gives its result to something."""
        if not isinstance(call, ast.Call):
            return None
        if id(node) in self.deferred:
            return Backward(node, call, retains=False)
        api = self.analysis.kind_of(call.func).name
        if api.startswith(CLIP):
            return Change(node, call, api)
        if api == ALONE and self.is_one(call):
            return Backward(node, call.args[0], retains=False)
        if not isinstance(call.func, ast.Attribute):
            return None
        maker = MAKERS.get(call.func.attr)
        if maker is None:
            return self.own_step(node, call, call.func)
        return maker(self, node, call, call.func.value)

    def inner_step(self, node: ast.stmt) -> Event | None:
        """`float(optimizer.step(closure))`, where nothing that acts is computed before it."""
        calls = [n for n in every(node) if isinstance(n, ast.Call)]
        given = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "step"]
        if len(given) != 1 or len(given[0].args) != 1 or given[0].keywords:
            return None
        step, (closure,) = given[0], given[0].args
        around = (
            {n for n in every(node) if step in every(n)} if isinstance(closure, ast.Name) else ()
        )
        before = (c for c in calls if start_of(c) < start_of(step) and c not in around)
        if not around or any(isinstance(n, ONCE_OR_NOT) for n in around) or any(before):
            return None
        assert isinstance(step.func, ast.Attribute)
        owner = step.func.value
        return Step(node, owner, None, closure, inner=step) if self.is_optimizer(owner) else None

    def own_step(self, node: ast.stmt, call: ast.Call, called: ast.Attribute) -> Event | None:
        """`optimizer.first_step()`, if that is a method of the project's that applies gradients."""
        function = method_of(self.analysis.kind_of(called.value), called.attr)
        if function is None or not applies(function):
            return None
        return Step(node, called.value, None, call=call)

    def is_one(self, call: ast.Call) -> bool:
        """Whether a call is given one tensor and nothing else."""
        given = [*call.args, *call.keywords]
        return len(given) == len(call.args) == 1 and self.analysis.kind_of(call.args[0]).is_tensor

    def backward(self, node: ast.stmt, call: ast.Call, owner: ast.expr) -> Event | None:
        kind = self.analysis.kind_of(owner)
        if kind.tag in ("object", "class", "module") or not isinstance(node, ast.Expr):
            return None
        if dotted(owner) in ("self", "torch.autograd"):
            return None
        if call.args and kind.tag != "tensor":
            return Backward(node, call.args[0], False, WRAPPED.format(owner=ast.unparse(owner)))
        names = ["gradient" for _ in call.args] + [k.arg or "**" for k in call.keywords]
        known = KEPT | {"gradient"} if self.holds and len(call.args) < 2 else KEPT
        odd = next((f"backward has the argument {name}" for name in names if name not in known), "")
        named = [k.value for k in call.keywords if k.arg == "gradient"]
        gradient = next(iter((*call.args, *named)), None)
        return Backward(node, owner, bool(call.keywords), odd, gradient)

    def step(self, node: ast.stmt, call: ast.Call, owner: ast.expr) -> Event | None:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if self.is_scaler(owner) and call.args:
            return Step(node, call.args[0], owner, target=target)
        if not self.is_optimizer(owner):
            return None
        given = [*call.args, *(k.value for k in call.keywords)]
        return Step(node, owner, None, given[0] if given else None, target)

    def zero_grad(self, node: ast.stmt, call: ast.Call, owner: ast.expr) -> Event | None:
        if self.analysis.kind_of(owner).tag == "object":
            return None
        return Clear(node, owner, not self.is_optimizer(owner))

    def unscale(self, node: ast.stmt, call: ast.Call, owner: ast.expr) -> Event | None:
        return Change(node, call, "unscale") if self.is_scaler(owner) else None

    def is_optimizer(self, node: ast.expr) -> bool:
        """Whether it is known to be an optimiser, or is called one and nothing speaks against."""
        kind = self.analysis.kind_of(node)
        tags = {kind.tag, *(part.tag for part in kind.parts)} if kind.tag == "union" else {kind.tag}
        if "optimizer" in tags:
            return True
        return bool(tags & {"unknown"}) and bool(OPTIMIZER.search(ast.unparse(node)))

    def is_scaler(self, node: ast.expr) -> bool:
        kind = self.analysis.kind_of(node)
        if kind.tag in ("scaler", "union"):
            return kind.tag == "scaler" or any(part.tag == "scaler" for part in kind.parts)
        return kind.tag == "unknown" and bool(SCALER.search(dotted(node)))

    def all_in(self, node: ast.AST) -> Iterator[Event]:
        """Every event in a statement, in the order of the text; functions in it left out."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        event = self.of(node)
        if event is not None:
            yield event
            return
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):
                yield from self.all_in(child)


SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
"""The statements that may be events, or have one in them."""
ONCE_OR_NOT = (
    *(ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp),
    *(ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""What is computed on a condition, or several times."""

MAKERS = {
    "backward": Events.backward,
    "step": Events.step,
    "zero_grad": Events.zero_grad,
    "unscale_": Events.unscale,
}


def by_hand(loop: ast.For) -> Event | None:
    """The event that a loop over the parameters of a network is."""
    if (call := clipped_by(loop)) is not None:
        return Change(loop, call, f"{CLIP}_value_")
    owner = cleared_by(loop)
    return None if owner is None else Clear(loop, owner, is_module=True)


def value_of(node: ast.AST) -> ast.expr | None:
    return node.value if isinstance(node, ast.Expr | ast.Assign) else None
