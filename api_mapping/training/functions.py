"""Writes the function that is differentiated, and what makes its gradient function."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ..analysis import FileAnalysis, Kind
from ..syntax.nodes import dotted, end_of, start_of
from .placement import Place, inputs_of, method_of
from .region import Region
from .text import Converted, moved, statement
from .weights import OBJECTS, is_module

TAB = "    "
OPERATORS = {ast.Div: "/", ast.Mult: "*", ast.Add: "+", ast.Sub: "-"}
PARALLEL = "DataParallel", "DistributedDataParallel"


@dataclass(frozen=True)
class Names:
    """What the functions of one region are called: forward, gradient, and what averages."""

    forward: str
    gradient: str
    reducer: str

    def through(self, owner: str | None) -> Names:
        """The names as attributes of an instance."""
        if owner is None:
            return self
        names = (f"{owner}.{name}" for name in (self.forward, self.gradient, self.reducer))
        return Names(*names)


@dataclass(frozen=True)
class FunctionWriter:
    """Writes the functions of one region.

    `optimizers` are the code of those whose parameters the gradients are of, and whether they may
    be None.
    """

    region: Region
    names: Names
    place: Place
    converted: Converted
    analysis: FileAnalysis
    optimizers: Mapping[str, bool]

    @property
    def owner(self) -> str | None:
        """The instance whose method the function becomes."""
        return method_of(self.region.block) if self.place.method is not None else None

    @property
    def inputs(self) -> list[str]:
        return inputs_of(self.region, self.place, self.analysis)

    @property
    def results(self) -> tuple[str, list[str]]:
        """The name that the loss is given, "_" if nobody reads it, and the other results."""
        region = self.region
        loss = region.losses[0]
        name = loss.id if isinstance(loss, ast.Name) and len(region.losses) == 1 else ""
        others = [o for o in region.outputs if o != name and o not in self.objects]
        return (name if name in region.outputs else "_"), others

    @property
    def objects(self) -> list[str]:
        """The results that are objects of the project: MindSpore gives tensors back alone."""
        if self.owner is not None:
            return []
        stored = (n for n in self.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        found = {n.id for n in stored if self.analysis.kind_of(n).tag in OBJECTS}
        return [output for output in self.region.outputs if output in found]

    @property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the forward pass."""
        region = self.region
        return [n for s in (*region.statements, *region.losses) for n in ast.walk(s)]

    @property
    def networks(self) -> list[str]:
        """The networks that the forward pass calls."""
        calls = [n.func for n in self.nodes if isinstance(n, ast.Call)]
        found = dict.fromkeys(dotted(f) for f in calls if is_network(self.analysis.kind_of(f)))
        return [name for name in found if name]

    @property
    def is_parallel(self) -> bool:
        """Whether a network is trained by several processes."""
        calls = [n.func for n in self.nodes if isinstance(n, ast.Call)]
        return any(is_wrapped(self.analysis.kind_of(f)) for f in calls)

    def definition(self, indent: str) -> str:
        """The function that computes what is differentiated, and the other results."""
        inputs = [*filter(None, [self.owner]), *self.inputs]
        returned = ", ".join([self.loss, *self.results[1]])
        forward = self.names.forward
        head = f"{indent}def {forward}({', '.join(inputs)}):\n"
        kept = "".join(f"{indent}{TAB}{forward}.{o} = {o}\n" for o in self.objects)
        return f"{head}{self.body(indent + TAB)}{kept}{indent}{TAB}return {returned}\n"

    @property
    def loss(self) -> str:
        """The code of what is differentiated."""
        return " + ".join(map(self.loss_code, self.region.losses))

    def loss_code(self, loss: ast.expr) -> str:
        if isinstance(loss, ast.IfExp) and not hasattr(loss, "lineno"):  # of two branches
            first, test, second = (
                self.converted.code(p) for p in (loss.body, loss.test, loss.orelse)
            )
            code = f"{first} if {test} else {second}"
            return f"({code})" if self.results[1] else code
        if isinstance(loss, ast.BinOp) and not hasattr(loss, "lineno"):  # of `loss /= n`
            value = self.converted.code(loss.right)
            value = f"({value})" if isinstance(loss.right, ast.BinOp) else value
            return f"{dotted(loss.left)} {OPERATORS[type(loss.op)]} {value}"
        return self.converted.code(loss)

    def body(self, indent: str) -> str:
        """The statements of the forward pass."""
        text = "".join(self.rows(place, indent) for place in self.region.body).lstrip("\n")
        return text if text.endswith("\n") or not text else f"{text}\n"

    def rows(self, place: int, indent: str) -> str:
        """The new text of a statement with the comments over it, at another place."""
        node = self.region.block.statements[place]
        start, end = start_of(node)[0], end_of(node)[0]
        before = self.converted.indent(start)
        first = self.converted.first_line(self.region.block, place)
        first = start if place in self.region.copied else first  # its comments stay there
        inner = self.unwrapped(node)
        if not inner:
            return moved(self.converted.rows(first, end), before, indent)
        lead = self.converted.rows(first, start - 1)
        rest = self.converted.rows(start + 1, end)
        return moved(lead, before, indent) + moved(rest, inner, indent)

    def unwrapped(self, node: ast.stmt) -> str:
        """The indentation in a `with autocast():`, which says nothing to MindSpore."""
        if not isinstance(node, ast.With) or len(node.items) != 1:
            return ""
        item = node.items[0].context_expr
        called = item.func if isinstance(item, ast.Call) else item
        first = start_of(node.body[0])[0]
        is_autocast = self.analysis.kind_of(called).name.endswith("autocast")
        return self.converted.indent(first) if is_autocast and first == node.lineno + 1 else ""

    @property
    def given(self) -> str:
        """The code of the parameters that the gradients are of."""
        weights = [f"{name}.parameters" for name in self.optimizers]
        return weights[0] if len(weights) == 1 else f"[*{', *'.join(weights)}]"

    def makers(self, indent: str) -> str:
        """The statements that make the gradient function, and what averages the gradients."""
        names = self.names.through(self.owner)
        given = self.given
        aux = ", has_aux=True" if self.results[1] else ""
        ms, compat = self.converted.names["ms"], self.converted.names["compat"]
        code = f"{names.gradient} = {ms}.value_and_grad({names.forward}, None, {given}{aux})"
        made = statement(code, indent)
        if self.is_parallel:
            made += statement(f"{names.reducer} = {compat}.grad_reducer({given})", indent)
        tests = [f"{name} is not None" for name, may_lack in self.optimizers.items() if may_lack]
        if tests:
            made = f"{indent}if {' and '.join(tests)}:\n{moved(made, indent, indent + TAB)}"
        return made

    def call(self, grads: str, indent: str, kept: str = "") -> str:
        """The statements that compute the loss and the other results, and the gradients.

        `kept` are statements for where gradients are computed: there may be a condition for it.
        """
        condition = self.region.condition
        if condition is None:
            return self.called(grads, indent) + kept
        found = ", ".join((self.results[0], *self.results[1]))
        inputs, forward = ", ".join(self.inputs), self.names.through(self.owner).forward
        plain = statement(f"{found} = {forward}({inputs})", indent + TAB)
        plain += self.read_objects(indent + TAB)
        test = self.converted.code(condition)
        trained = self.called(grads, indent + TAB) + moved(kept, indent, indent + TAB)
        return f"{indent}if {test}:\n{trained}{indent}else:\n{plain}"

    def called(self, grads: str, indent: str) -> str:
        """The call of the gradient function."""
        loss, others = self.results
        found = f"({', '.join((loss, *others))})" if others else loss
        names = self.names.through(self.owner)
        inputs = ", ".join(self.inputs)
        text = statement(f"{found}, {grads} = {names.gradient}({inputs})", indent)
        if self.is_parallel:
            text += f"{indent}{grads} = {names.reducer}({grads})\n"
        return text + self.read_objects(indent)

    def read_objects(self, indent: str) -> str:
        """The statements that take the objects that the function has kept."""
        return "".join(f"{indent}{o} = {self.names.forward}.{o}\n" for o in self.objects)


def is_network(kind: Kind) -> bool:
    """Whether it is a module that is no loss."""
    return is_module(kind) and not kind.name.endswith("Loss")


def is_wrapped(kind: Kind) -> bool:
    """Whether it may be a module that PyTorch runs in several processes."""
    if kind.tag == "union":
        return any(map(is_wrapped, kind.parts))
    return is_module(kind) and kind.name.rpartition(".")[2] in PARALLEL
