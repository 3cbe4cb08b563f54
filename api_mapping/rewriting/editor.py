"""Writes MindSpore code for PyTorch expressions: every use of an API in them by its rule."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ..memory.write_form import FormOf, Way, stated, usual, written_back
from ..syntax import unpacking
from ..syntax.nodes import (
    children,
    classes_in,
    end_of,
    formatted_in,
    is_name,
    operands,
    replaced_in,
    start_of,
)
from ..syntax.source_text import cut
from ..table import registry
from ..table.argument import Argument, Call, FinalRefusal, Refusal, bind, written
from ..table.brackets import beside, fitted, within_string
from ..table.facts.views import VIEWS
from ..table.facts.writes import COPY
from ..table.named import Named
from ..table.renaming import Renaming, in_names, renamed
from ..table.rows.legacy_tensors import TYPES
from ..table.rule import Rule
from ..table.side_arguments import NO_ASIDES, asides_of, check_all
from ..table.side_effects import acts
from ..table.template import instantiate, plain_callee
from .conv1d_weights import OWN_METHODS, LineWeights
from .function_references import function_alone, held_call, is_method, method_alone
from .places import Kind, check_assignable

NAMES = (ast.Name, ast.Attribute)


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

TENSORS_OF = {f"torch.{m}{name}": dtype for m in ("", "cuda.") for name, dtype in TYPES.items()}
"""PyTorch's old classes of tensors that are values, and their element types."""

DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)
"""Sequences that are written out: of the kind "display", whatever is in them."""


@dataclass(frozen=True)
class Editor(LineWeights):
    """Writes the expressions of a source anew.

    `let_go`: names of tensors whose old values nobody sees behind the statement.
    `iterated`: names that comprehensions around give values to.
    `formatted`: expressions whose values are written in a form that numbers have, by their ids.
    `registered`: calls whose values are given to attributes, of modules perhaps, by their ids.
    `names`: what is written in place of names of templates that the file binds itself.
    `form_of`: how a write in place is written, by who else has the tensor.
    `inverted`: the operations `~x`, by their ids, where x is not known to be of bools.
    """

    mint: bool = False
    let_go: frozenset[str] = frozenset()
    iterated: frozenset[str] = frozenset()
    formatted: frozenset[int] = frozenset()
    registered: Collection[int] = frozenset()
    names: Renaming = ()
    form_of: FormOf = usual
    inverted: Collection[int] = ()

    @property
    def compat(self) -> str:
        return dict(self.names).get("compat", "compat")

    def rules(self, api: str) -> Sequence[Rule]:
        """The rules of an API, in the names of this file."""
        found = registry.find(api)
        return [renamed(rule, self.names) for rule in found] if self.names else found

    def text(self, node: ast.AST) -> str:
        """The MindSpore code of an expression or statement.

        Raises: Refusal for a use that has none
        """
        code = self.rewritten(node)
        return self.within(node).assembled(node, classes_in(node)) if code is None else code

    def part(self, node: ast.AST, parent: ast.AST) -> str:
        """The code of a node to be put in its place under `parent`."""
        is_itself = isinstance(node, ast.Attribute) and self.is_identity(node, parent)
        code = (is_itself and self.line_weight(node)) or self.text(node)
        if id(node) in self.formatted and self.kind_of(node) == "tensor":  # type: ignore[arg-type]
            return f"{beside(code)}.item()"
        is_use = isinstance(node, (ast.Call, *NAMES))
        is_new = is_use and bool(code) and code != self.source.of_node(node)
        return fitted(code, node, parent) if is_new else code

    def within(self, node: ast.AST) -> Editor:
        """The editor for what is in a node."""
        if isinstance(node, COMPREHENSIONS):
            own = {n.id for g in node.generators for n in ast.walk(g.target) if is_name(n)}
            return replace(self, iterated=self.iterated | own)
        if isinstance(node, ast.JoinedStr | ast.Call) and (formatted := set(formatted_in(node))):
            return replace(self, formatted=self.formatted | formatted)
        if isinstance(node, ast.Return | ast.Assign):
            return self.letting_go(frozenset(replaced_in(node)))
        return self.letting_go(frozenset()) if isinstance(node, ast.stmt) else self

    def letting_go(self, names: frozenset[str]) -> Editor:
        return self if names == self.let_go else replace(self, let_go=names)

    def assembled(self, node: ast.AST, classes: Sequence[ast.AST]) -> str:
        """The code of a node that is made of others, `classes` those that types are tested by."""
        parts, at = [], start_of(node)
        for child in children(node):
            code = self.class_code(child) if child in classes else self.part(child, node)
            if isinstance(node, ast.JoinedStr) and code != self.source.of_node(child):
                code = within_string(code, self.source.of_node(node))
            parts += [self.source.between(at, start_of(child)), code]
            at = end_of(child)
        return "".join([*parts, self.source.between(at, end_of(node))])

    def class_code(self, node: ast.AST) -> str:
        """The code of a class that a type is tested by: the class that its calls build.

        Raises: Refusal if they build none
        """
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.BinOp):
            return self.assembled(node, tuple(children(node)))
        named = self.resolve(node) if isinstance(node, ast.Name | ast.Attribute) else None
        rules = self.rules(named.api) if named is not None else ()
        rule = next((rule for rule in rules if rule.is_callable), None)
        is_built = rule is not None and rule.target and "." in plain_callee(rule)
        if rule is None or not (is_built or rules[0].is_callable):
            return self.text(node)
        if not is_built:
            raise Refusal(rule.advice or f"{rule.name} is no class of MindSpore's")
        return plain_callee(rule, mint=self.mint)

    def rewritten(self, node: ast.AST) -> str | None:
        """The code of a use, None where there is no API to replace."""
        if isinstance(node, ast.Call):
            return self.rewritten_call(node)
        if isinstance(node, NAMES):
            return self.rewritten_name(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self.statement(node.value)
        if isinstance(node, ast.Assign):
            return self.assignment(node)
        if isinstance(node, ast.AugAssign):
            return self.augmented(node)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            return self.line_part(node) or None
        if isinstance(node, ast.UnaryOp) and id(node) in self.inverted:
            return self.inverse(node.operand)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = self.resolve(node)
            return None if named is None else self.name_in_layer(named)
        return None

    def rewritten_call(self, node: ast.Call) -> str | None:
        if (given := self.resolve(node)) is not None and given.receiver is not node:
            return self.by_literal(given, node)
        named = self.resolve(node.func)
        if named is None or not registry.is_callable(named.api):
            return None  # of a value that is called, only its name is another
        if named.receiver is node.func:
            return self.held_called(named, node)
        if self.written(node) is not None:
            return self.kept(node)
        return self.around(named, node, self.called(named, node))

    def held_called(self, named: Named, node: ast.Call) -> str:
        """The code of a call of what holds a method with its object: `p = x.sum; p()`."""
        return held_call(named.api, beside(self.text(node.func)), self.called(named, node))

    def rewritten_name(self, node: ast.Name | ast.Attribute) -> str | None:
        is_set = type(node.ctx) is ast.Store
        if is_set and (place := self.line_part(node)):
            return place
        named = self.resolve(node)
        if named is None or named.receiver is node:
            return None  # a name that holds a method: what it holds is written where it is made
        text = self.referred(named)
        if text is not None and is_set:
            check_assignable(text, named)
        return text

    def inverse(self, operand: ast.expr) -> str:
        """The code of `~x` for what need not be bools: MindSpore's own operator takes them only."""
        mint = self.mint and self.kind_of(operand) == "tensor"
        (rule,) = self.rules("torch.bitwise_not")
        return instantiate(rule, Call.of(None, [operand], (), self.text), mint=mint)

    def by_literal(self, named: Named, call: ast.Call) -> str | None:
        """The code of `getattr(torch, "relu")`; of `hasattr`, whether MindSpore has it.

        Raises: Refusal, also of `setattr`
        """
        asked = call.func.id if isinstance(call.func, ast.Name) else ""
        if asked == "hasattr":
            return repr(registry.has_target(named.api))
        if asked == "setattr":
            raise Refusal(f"{named.api} is set by its name: write an assignment")
        return self.referred(named)

    def name_in_layer(self, named: Named) -> str:
        """The literal for an attribute of a layer that `hasattr` and the like are given.

        Raises: Refusal if MindSpore's layer has not just another name for it
        """
        code = self.referred(named) or ""
        owner, _, name = code.rpartition(".")
        if named.receiver is not None and owner == self.text(named.receiver):
            return f'"{name}"'
        compat = self.compat
        if code.startswith(f"{compat}.") and named.receiver is not None:
            name = named.api.rpartition(".")[2]
            return f'{compat}.own_name({self.text(named.receiver)}, "{name}")'
        raise Refusal(f"{named.api} is no attribute of MindSpore's layer: write {code}")

    def statement(self, node: ast.Call) -> str | None:
        """A method that writes into a tensor: its new value, in the form that all of it see."""
        changed = self.origin(node)
        if (named := self.resolve(node.func)) is not None and named.receiver is node.func:
            return None
        if changed is node:
            return self.copied(node) or self.filled(node)
        place = self.bare(changed)
        if self.line_weight(place):
            return self.line_set(place, self.new_value(node))
        if self.holder_of(place) == "parameter":
            return f"{self.text(place)}.set_data({self.new_value(node)})"
        if isinstance(changed, ast.Name):
            return self.stated(node, changed, self.new_value(node))
        if self.is_view(place):
            back = self.back(node, place.value) if self.form_of(node).way is Way.BACK else ""
            return f"{self.line_part(place) or self.text(place)} = {self.new_value(node)}{back}"
        if not self.is_item(changed):
            self.refuse_view(changed)
        own, value = beside(self.text(changed)), self.new_value(node)
        return (
            f"{own}[...] = {value}"
            if self.form_of(node).way is Way.PART
            else f"{own}.copy_({value})"
        )

    def stated(self, node: ast.AST, place: ast.Name, value: str) -> str:
        """The statement that writes a value to the tensor of a name."""
        form = self.form_of(node)
        if self.holder_of(place) and form.way is Way.NAME:
            return f"{place.id}.copy_({value})"
        return stated(form, place.id, value, self.text, self.gap_before(node))

    def gap_before(self, node: ast.AST) -> str:
        """What stands between two statements in place of one: the indentation of its line."""
        line, column = start_of(node)
        before = cut(self.source.lines[line - 1], 0, column)
        return f"\n{before}" if not before.strip() else "; "

    def copied(self, node: ast.Call) -> str | None:
        """`x[0].copy_(y)` as an assignment: MindSpore's `x[0]` is a copy of its own."""
        named = self.resolve(node.func)
        if named is None or named.api != COPY or named.receiver is None or len(node.args) != 1:
            return None
        place, form = self.bare(named.receiver), self.form_of(node)
        if self.line_weight(place):
            return self.line_set(place, self.text(node.args[0]))
        if self.is_view(place):
            back = self.back(node, place.value) if form.way is Way.BACK else ""
            whole = self.line_part(place) or self.text(place)
            return f"{whole} = {self.text(node.args[0])}{back}"
        if form.way is Way.PART:
            return f"{self.text(place)}[...] = {self.text(node.args[0])}"
        if form.way is not Way.BACK or not isinstance(place, ast.Name):
            return None
        return f"{self.called(named, node)}{self.back(node, place)}"

    def filled(self, node: ast.Call) -> str | None:
        """The statement that sets the variables that a call is told to write to by `out`."""
        named = self.resolve(node.func)
        asides = asides_of(node, registry.find(named.api)) if named is not None else None
        if named is None or asides is None or asides.out is None:
            return None
        if isinstance(asides.out, ast.Name) and self.form_of(node).way is not Way.NAME:
            check_all([asides.out], self.kind_of)
            return self.stated(node, asides.out, self.called(named, node))
        return asides.stored(self.called(named, node), self.kind_of)

    def back(self, node: ast.AST, place: ast.expr) -> str:
        """The statement, behind another, that writes a view to what it was made of."""
        name = self.source.of_node(place)
        return f"{self.gap_before(node)}{written_back(self.form_of(node), name, self.text)}"

    def kept(self, node: ast.Call) -> str:
        """A method that writes into a tensor, in an expression: its new value, also kept.

        Raises: Refusal if it would be written to a part of another tensor
        """
        changed, way = self.origin(node), self.form_of(node).way
        if way not in (Way.NAME, Way.WHOLE) or not self.is_item(changed):
            self.refuse_view(changed, way)
        value = self.new_value(node)
        if self.holder_of(changed) or way is Way.WHOLE:
            return f"{beside(self.text(self.bare(changed)))}.copy_({value})"
        if isinstance(changed, ast.Name) and changed.id not in self.iterated:
            is_same = changed.id in self.let_go or value == changed.id
            return value if is_same else f"({changed.id} := {value})"
        if isinstance(changed, ast.Name | ast.Attribute):
            return f"{self.text(changed)}.copy_({value})"
        return value  # of a tensor that nobody else has

    def refuse_view(self, node: ast.expr, way: Way = Way.NAME) -> None:
        """Raises: Refusal of a part of a tensor, or of the tensor in another shape"""
        named = self.resolve(node.func) if isinstance(node, ast.Call) else None
        last = "" if named is None else named.api.rpartition(".")[2]
        is_part = way in (Way.PART, Way.CHAIN, Way.BACK)
        if isinstance(node, ast.Subscript) or last in VIEWS or is_part:
            raise Refusal("it writes to a part of a tensor: assign, x[...] = value")

    def new_value(self, node: ast.expr) -> str:
        """The code of a call that writes, and of those it goes on from, without the writing."""
        named = self.resolve(node.func) if isinstance(node, ast.Call) else None
        if self.written(node) is None or named is None or not isinstance(node, ast.Call):
            return self.text(node)
        return self.called(named, node)

    def assignment(self, node: ast.Assign) -> str | None:
        """The statement for one that sets an attribute to what MindSpore registers by a call."""
        value, place = node.value, node.targets[0]
        if len(node.targets) == 1 and self.is_buffer(place):
            return self.buffer_set(place, value)
        is_data = isinstance(place, ast.Attribute) and place.attr == "data"
        if is_data and len(node.targets) == 1 and self.line_weight(place):
            return self.line_set(place, self.text(value))
        if (view := self.view_set(node.targets)) is not None:
            return f"{self.assembled(node, ())}{self.back(view, view.value)}"
        named = self.resolve(value.func) if isinstance(value, ast.Call) else None
        rules = self.rules(named.api) if named is not None else ()
        if not rules or not rules[0].assigned or not isinstance(value, ast.Call):
            return None
        if not isinstance(place, ast.Attribute) or len(node.targets) > 1:
            return None
        call = Call.of(None, value.args, value.keywords, self.text)
        owner = written(place.value, self.text)
        return instantiate(rules[0], call._replace(set_to=(owner, place.attr)))

    def view_set(self, targets: Sequence[ast.expr]) -> ast.Subscript | None:
        """The target that writes to a view which is to be written back."""
        found = (t for t in targets if self.form_of(t).way is Way.BACK)
        return next((t for t in found if isinstance(t, ast.Subscript)), None)

    def buffer_set(self, place: ast.Attribute, value: ast.expr) -> str:
        """The statement that gives a buffer a new value: it is registered anew.

        Where the value comes from the buffer's own, its shape stays, and it is written there.
        """
        own, code = self.source.of_node(place), self.text(value)
        if own in map(self.source.of_node, operands(value)):
            return f"{self.text(place)}.copy_({code})"
        more = ", persistent=False" if self.holder_of(place) == "passing buffer" else ""
        return f'{self.text(place.value)}.register_buffer("{place.attr}", {code}{more})'

    def augmented(self, node: ast.AugAssign) -> str | None:
        """The statement for `self.buffer += value`, and for tensors that others have as well."""
        place = node.target
        if isinstance(place, ast.Subscript):
            is_back = self.form_of(place).way is Way.BACK and isinstance(place.value, ast.Name)
            return f"{self.assembled(node, ())}{self.back(place, place.value)}" if is_back else None
        form = self.form_of(node)
        if not self.is_buffer(place) and form.way is Way.NAME:
            return None
        sign = self.source.between(end_of(place), start_of(node.value)).strip()[:-1]
        own, value = self.text(place), beside(self.text(node.value))
        if self.line_weight(place):
            return self.line_set(place, f"{own.removesuffix('.data')} {sign} {value}")
        if isinstance(place, ast.Name):
            return self.stated(node, place, f"{own} {sign} {value}")
        return f"{own}.copy_({own} {sign} {value})"

    def called(self, named: Named, node: ast.Call) -> str:
        call = self.call_of(named, node)
        refusals = []  # the texts: an exception that is kept refers to itself by its traceback
        for rule in filter(lambda rule: rule.is_callable, self.rules(named.api)):
            try:
                self.check_kinds(rule, call)
                return in_names(instantiate(rule, call, mint=self.mint), self.names)
            except FinalRefusal:
                raise
            except Refusal as refusal:
                refusals.append(str(refusal))
        raise Refusal([*filter(None, refusals)][-1])

    def call_of(self, named: Named, node: ast.Call) -> Call:
        changed = self.written(node)
        is_own = named.api in OWN_METHODS

        def text(part: ast.expr) -> str:
            if part is named.receiver and is_own and (whole := self.line_weight(part)):
                return whole
            return self.new_value(self.bare(part)) if part is changed else self.text(part)

        return Call.of(
            named.receiver,
            list(unpacking.places(node.args, self.unpacking)),
            self.keywords(named, node),
            self.text if changed is None and not is_own else text,
            acts=self.acts,
            is_list=self.is_list,
        )

    def keywords(self, named: Named, node: ast.Call) -> list[ast.keyword]:
        """The keyword arguments that targets take."""
        if not node.keywords:
            return []
        left_out = asides_of(node, registry.find(named.api)).names
        return [
            k for k in unpacking.keywords(node.keywords, self.unpacking) if k.arg not in left_out
        ]

    def around(self, named: Named, node: ast.Call, code: str) -> str:
        """The code of a call with what `out` and `requires_grad` make of it.

        Raises: Refusal if `out` is not known to be a variable
        """
        asides = asides_of(node, registry.find(named.api)) if node.keywords else NO_ASIDES
        if asides is NO_ASIDES:
            return code
        if asides.requires_grad is not None and id(node) in self.registered:
            raise Refusal("requires_grad: what a module holds is registered: use nn.Parameter")
        code = asides.as_parameter(code, dict(self.names).get("ms", "ms"), self.text)
        if asides.out is None:
            return code
        check_all([asides.out], self.kind_of)
        name = ast.unparse(asides.out)
        value = asides.in_type(code)
        return value if name in self.let_go else f"({name} := {value})"

    def acts(self, node: ast.expr) -> bool:
        return acts(node, self.resolve)

    def check_kinds(self, rule: Rule, call: Call) -> None:
        """Raises: Refusal if an argument is not known to be what the overload is for"""
        if rule.kinds:
            bound = bind(rule, call)
            for name, kind in rule.kinds.items():
                if name not in bound:
                    raise Refusal(f"argument {name!r} is not given")
                if not self.is_kind(bound[name], kind):
                    raise Refusal(f"whether {name}={bound[name].text} is a {kind} is not known")

    def is_kind(self, argument: Argument, kind: Kind) -> bool:
        """Whether an argument is of a kind: a type, "display", "literal", or the name of an API."""
        if argument.node is None or not argument.given:
            return not argument.given or "shape" in kind.split("|")
        if kind.startswith(("'", "True", "False")):
            return bool(argument.literal == ast.literal_eval(kind))
        kinds = kind.split("|")
        if "parameter" in kinds:
            return self.holder_of(self.bare(argument.node)) == "parameter"
        if "display" in kinds and isinstance(argument.node, DISPLAYS):
            return True
        if "literal" in kinds and is_literal(argument):
            return True
        if "unsigned" in kinds:
            return argument.is_unsigned
        named = self.resolve(argument.node)
        return self.kind_of(argument.node) in kinds or (named is not None and named.api in kinds)

    def referred(self, named: Named) -> str | None:
        """A value, or a class or function that is handed on without a call."""
        rules = self.rules(named.api)
        if not rules:
            return None
        value = next((rule for rule in rules if not rule.is_callable), None)
        if (legacy := TENSORS_OF.get(named.api)) is not None:
            return in_names(f"compat.TensorsOf(ms.{legacy})", self.names)
        if value is not None:
            return instantiate(value, Call.of(named.receiver, (), (), self.text))
        if named.receiver is not None or is_method(rules[0]):
            return method_alone(named, self.text, self.names)
        return function_alone(rules[0])


def is_literal(argument: Argument) -> bool:
    """Whether it is made of plain values; of complex numbers MindSpore makes wider ones."""
    nodes = ast.walk(argument.node) if argument.node is not None else ()
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    return argument.literal is not ... and not any(isinstance(v, complex) for v in values)
