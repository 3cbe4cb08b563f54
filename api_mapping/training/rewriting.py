"""The training code of a file in MindSpore's form: what the converter calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..analysis import FileAnalysis
from ..syntax.edits import Edit
from ..syntax.nodes import dotted, end_of, start_of
from ..syntax.removal import without
from ..table.kinds import NONE
from .blocks import optional_in
from .closures import Closure
from .events import Clear
from .frozen import trained_alone
from .functions import FunctionWriter, Names, is_network
from .gradients.differentiation import Differentiations, beside
from .gradients.holding import HoldingWriter, edits_of
from .gradients.loose import Loose
from .group import Group, changes_of, clears_of, of_round
from .keeping import Keeping, Variables, keeping_of, names_in, unused
from .methods import Deferred
from .names import root
from .parameter_names import renamings
from .placement import Place, outermost_loop, place_of
from .plan import Plan, Planner, TrainingStep
from .region import Region
from .skeleton import Refused, skeleton
from .switches import Switches
from .text import Converted
from .writing import StepWriter, changed

LOOSE = ("step(", "zero_grad(", "clip_grad_")
"""What a file has that applies, clears or clips gradients."""


@dataclass(frozen=True)
class Training:
    """The training code of one analysed file, and what becomes of it.

    `modules`: the calls that are written as modules in training (switches.py).
    """

    analysis: FileAnalysis
    modules: Mapping[ast.AST, bool] = field(default_factory=dict)

    @cached_property
    def planner(self) -> Planner:
        return Planner.of(self.analysis)

    @cached_property
    def plan(self) -> Plan:
        """What becomes of the training code; a file without `backward` has none."""
        return self.planner.plan() if "backward" in self.analysis.source.text else Plan()

    @cached_property
    def refused(self) -> Sequence[Refused]:
        loose = self.loose
        return [*self.plan.refused, *(loose.refused() if loose is not None else ())]

    @cached_property
    def loose(self) -> Loose | None:
        """What is about gradients that other functions compute; None in files without it."""
        is_none = not any(word in self.analysis.source.text for word in LOOSE)
        if is_none or self.plan.holding is not None:
            return None
        steps = [s for s in self.plan.steps if self.keeping(s) is Keeping.HELD]
        held = {(s.group.block.cls, key) for s in steps for key in s.group.optimizers}
        nodes = [*self.of_steps, *(n for r in self.plan.refused for n in (r.node, *r.others))]
        return Loose(self.planner.events, set(map(id, nodes)), held)

    @property
    def of_steps(self) -> Iterator[ast.stmt]:
        """The statements of all training steps, closures and methods of known shapes."""
        yield from self.gone
        events = self.planner.events
        for step in self.plan.steps:
            yield from (s.node for s in step.group.steps)
            yield from (c.node for c in self.clears(step))
            yield from (c.node for c in changes_of(step.group, events, every=True))
        for closure in self.plan.closures:
            yield closure.step.node
        yield from (m.backward for m in self.plan.methods if m.backward is not None)

    @cached_property
    def gone(self) -> list[ast.stmt]:
        """The statements that have nothing in their place: backward, and most of zero_grad."""
        found: list[ast.stmt] = []
        for step in self.plan.steps:
            found += [step.group.block.statements[place] for place in step.group.places]
            if step.group.holds:
                found += self.early(step)
            elif self.keeping(step) is Keeping.ONCE:
                own = of_round(step.group)
                nodes = (c.node for c in self.clears(step))
                found += [n for n in nodes if id(n) in own or id(n) not in self.cleared_for_sums]
        for closure in self.plan.closures:
            found += closure.gone
        found += [m.backward for m in self.plan.methods if m.backward is not None and m.returns]
        return list(dict.fromkeys(found))

    @cached_property
    def moved(self) -> frozenset[ast.stmt]:
        """What comes before a forward pass as it is, converted as all code."""
        is_clear = self.planner.holding.early.is_clear
        found = (n for step in self.plan.steps if step.group.holds for n in self.early(step))
        return frozenset(node for node in found if not is_clear(node))

    def early(self, step: TrainingStep) -> list[ast.stmt]:
        """What comes before the forward passes of a step whose tensors hold their gradients."""
        early = self.planner.holding.early
        return [node for region in step.regions for node in early.of(region)]

    @cached_property
    def cleared_for_sums(self) -> frozenset[int]:
        """What begins sums of gradients anew, by the statements' ids."""
        summed = (step for step in self.plan.steps if self.keeping(step) is not Keeping.ONCE)
        return frozenset(id(c.node) for step in summed for c in self.clears(step))

    def clears(self, step: TrainingStep) -> list[Clear]:
        found = clears_of(step.group, self.planner.events)
        stay = {id(node) for refused in self.plan.refused for node in refused.others}
        return [clear for clear in found if id(clear.node) not in stay]

    @cached_property
    def consumed(self) -> frozenset[int]:
        """The ids of the nodes that this writes anew: no rule of the table is for them."""
        moved = self.moved
        nodes: list[ast.AST] = [node for node in self.gone if node not in moved]
        for step in self.plan.steps:
            nodes += [s.node for s in step.group.steps]
            nodes += [c.node for c in self.clears(step)]
            nodes += [c.node for c in changes_of(step.group, self.planner.events)]
        nodes += [closure.step.node for closure in self.plan.closures]
        nodes += [m.backward for m in self.plan.methods if m.backward is not None]
        nodes += [*self.kept_statements, *(self.loose.rewritten if self.loose else ())]
        nodes += self.plan.holding.rewritten if self.plan.holding is not None else ()
        return frozenset(id(inner) for node in nodes for inner in ast.walk(node))

    @property
    def kept_statements(self) -> list[ast.stmt]:
        """The statements that stay PyTorch's, because their shape is not known."""
        return [node for refused in self.refused for node in (refused.node, *refused.others)]

    @cached_property
    def kept(self) -> Mapping[int, str]:
        """Why they stay, by the ids of their nodes: the uses in them are left."""
        return {
            id(inner): refused.reason
            for refused in self.refused
            for node in (refused.node, *refused.others)
            for inner in ast.walk(node)
        }

    @cached_property
    def rewritten(self) -> frozenset[int]:
        """The ids of the nodes that get other code, or have what PyTorch has: gradients held."""
        held = self.plan.holding.reads if self.plan.holding is not None else ()
        calls = (one.call for one in self.differentiations.found)
        return self.consumed.difference(self.kept).union(map(id, held), map(id, calls))

    @cached_property
    def differentiations(self) -> Differentiations:
        return Differentiations(self.analysis, self.planner.finder)

    def edits(self, converted: Converted) -> list[Edit]:
        """The edits of the file with those of its training code, which hold where both are."""
        converted = beside(converted, self.differentiations.edits(converted))
        own = list(dict.fromkeys(self.own(converted)))
        gone = [*self.gone, *self.differentiations.moved]
        removed = without(self.analysis.tree, converted.lines, gone)
        own += [edit for edit in removed if not covered(edit, own)]
        return [*(e for e in converted.edits if not covered(e, own)), *own]

    def own(self, converted: Converted) -> Iterator[Edit]:
        """The edits of the training code, but for what goes."""
        writers = [self.writer(step, converted) for step in self.plan.steps]
        for writer in writers:
            yield from writer.edits()
        yield from self.functions(writers, converted)
        for closure in self.plan.closures:
            yield stepped(closure, converted)
            yield from self.training_before(closure, converted)
        yield from self.loose.edits(converted) if self.loose is not None else ()
        if self.plan.holding is not None:
            yield from edits_of(self.plan.holding, self.gone, converted)
        for method in self.plan.methods:
            yield from returning(method, converted)
        yield from renamings(self.analysis, converted)
        yield from trained_alone(self.analysis, converted)
        for refused in self.refused:
            yield from skeleton(refused, self.planner.events, converted)

    def keeping(self, step: TrainingStep) -> Keeping:
        """Where the gradients of a step live."""
        others = [other.group for other in self.plan.steps if other is not step]
        return keeping_of(step.group, self.places[id(step)], self.planner.events, others)

    def writer(self, step: TrainingStep, converted: Converted) -> StepWriter:
        group, place = step.group, self.places[id(step)]
        beside = [s for s in self.plan.steps if self.is_beside(s, step)]
        regions = [region for other in beside for region in other.regions]
        taken = self.taken(step)
        codes = {s.key: converted.code(s.optimizer) for s in group.steps}
        if group.taker is not None:
            codes = {ast.unparse(group.taker): converted.code(group.taker)}
        optimizers = {codes[key]: self.may_lack(key, group) for key in group.optimizers}
        functions = [
            self.function(r, names_of(r, regions, taken), place, converted, optimizers)
            for r in step.regions
        ]
        keeping, variables = self.keeping(step), Variables.beside(names_in(group.block.scope))
        common = group, place, converted, self.planner.events, functions, self.gone
        return StepWriter(*common, keeping, variables)

    def may_lack(self, key: str, group: Group) -> bool:
        """Whether an optimiser may be None, as who evaluates gives none."""
        kinds = [self.analysis.kind_of(s.optimizer) for s in group.steps if s.key == key]
        is_given_none = any(NONE in (kind, *kind.parts) for kind in kinds)
        return is_given_none or key in optional_in(group.block.scope)

    def function(
        self,
        region: Region,
        names: Names,
        place: Place,
        converted: Converted,
        optimizers: Mapping[str, bool],
    ) -> FunctionWriter:
        """The writer of the function of a region."""
        common = region, names, place, converted, self.analysis, optimizers
        holding = self.plan.holding
        if holding is None:
            return FunctionWriter(*common)
        gradient = holding.gradient(region)
        return HoldingWriter(*common, holding.early, holding.owners(region), gradient)

    def taken(self, step: TrainingStep) -> set[str]:
        """The names that functions of a step cannot have: of its scope, and of its class."""
        group = step.group
        found = names_in(group.block.scope)
        if self.places[id(step)].method is not None and group.block.cls is not None:
            nodes = list(ast.walk(group.block.cls))
            found |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
            found |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        return found

    @cached_property
    def places(self) -> dict[int, Place]:
        """Where the functions of each step are put, by the step's id."""
        if self.plan.holding is not None:
            return {id(step): Place() for step in self.plan.steps}
        return {
            id(step): place_of(step.group, step.regions, self.analysis) for step in self.plan.steps
        }

    def is_beside(self, one: TrainingStep, other: TrainingStep) -> bool:
        """Whether the functions of two steps stand beside each other."""
        here, there = self.places[id(one)], self.places[id(other)]
        if here.method is not None or there.method is not None:
            return one.group.block.cls is other.group.block.cls
        if here.loop is None and there.loop is None:
            return one.group.block.scope is other.group.block.scope
        return here.loop is there.loop

    def functions(self, writers: Sequence[StepWriter], converted: Converted) -> Iterator[Edit]:
        """The edits that put the functions before loops and into classes."""
        before: dict[int, list[StepWriter]] = {}
        of_classes = [w for w in writers if w.functions and w.place.method is not None]
        for writer in of_classes:
            yield self.made(writer, converted)
        for writer in of_classes:  # behind that, where both are put at the same place
            yield from self.in_class(writer, converted)
        for writer in (writer for writer in writers if writer.functions):
            if writer.place.loop is not None:
                before.setdefault(start_of(writer.place.loop)[0], []).append(writer)
        for line, some in before.items():
            indent = converted.indent(line)
            text = "".join(functions_before(some, indent))
            names = dict.fromkeys(w.variables.grads for w in some if not w.is_begun)
            begun = "".join(f"{indent}{name} = None\n" for name in names)
            line = converted.comments_above(line)
            above = "" if line < 2 or not converted.lines[line - 2].strip() else "\n"
            above += "\n" if not indent and (line < 3 or converted.lines[line - 3].strip()) else ""
            switched = self.training(some, indent, line, converted)
            yield Edit((line, 0), (line, 0), f"{above}{text}{switched}{begun}\n")

    def training_before(self, closure: Closure, converted: Converted) -> Iterator[Edit]:
        """The edit that sets the networks of a closure to training, where nothing else does."""
        kind_of = self.analysis.kind_of
        calls = [n.func for n in ast.walk(closure.function) if isinstance(n, ast.Call)]
        found = dict.fromkeys(dotted(f) for f in calls if is_network(kind_of(f)) and dotted(f))
        fixed = {root(name) for name in found}
        loop = outermost_loop(closure.block, fixed) or closure.block.statements[closure.place]
        line = converted.comments_above(start_of(loop)[0])
        indent = converted.indent(line)
        scope, compat = closure.block.scope, converted.names["compat"]
        if text := indented(self.switches.statements(found, scope, line, compat), indent):
            yield Edit((line, 0), (line, 0), text)

    def training(
        self, writers: Sequence[StepWriter], indent: str, line: int, converted: Converted
    ) -> str:
        """The statements that set networks to training, where nothing else does."""
        found = dict.fromkeys(n for w in writers for f in w.functions for n in f.networks)
        scope, compat = writers[0].group.block.scope, converted.names["compat"]
        return indented(self.switches.statements(found, scope, line, compat), indent)

    @cached_property
    def switches(self) -> Switches:
        return Switches(self.analysis.tree, self.modules)

    def in_class(self, writer: StepWriter, converted: Converted) -> Iterator[Edit]:
        """The edits that make the functions methods."""
        assert writer.place.method is not None
        line = converted.comments_above(start_of(writer.place.method)[0])
        for function in writer.functions:
            text = f"{function.definition(converted.indent(line))}\n"
            yield Edit((line, 0), (line, 0), text)

    def made(self, writer: StepWriter, converted: Converted) -> Edit:
        """The edit that makes the gradient functions attributes."""
        method, setup = writer.place.method, writer.place.setup
        assert method is not None
        assert setup is not None
        indent = converted.indent(start_of(setup)[0])
        line = converted.comments_above(start_of(method)[0])
        made = self.training([writer], indent, line, converted)
        made += "".join(function.makers(indent) for function in writer.functions)
        behind = end_of(setup)[0] + 1
        return Edit((behind, 0), (behind, 0), made)


def indented(statements: Iterable[str], indent: str) -> str:
    return "".join(f"{indent}{statement}\n" for statement in statements)


def functions_before(writers: Sequence[StepWriter], indent: str) -> Iterator[str]:
    """The functions that stand before a loop, with blank lines around them."""
    gap = "\n" if indent else "\n\n"
    for number, function in enumerate(f for writer in writers for f in writer.functions):
        yield f"{gap if number else ''}{function.definition(indent)}{gap}{function.makers(indent)}"


def stepped(closure: Closure, converted: Converted) -> Edit:
    """The edit of `loss = optimizer.step(closure)`."""
    step = closure.step
    optimizer = converted.code(step.optimizer)
    taken = names_in(closure.block.scope)
    loss = "_" if step.target is None else converted.code(step.target)
    if step.inner is not None:
        loss = unused("loss", taken)
    ms, name = converted.names["ms"], closure.function.name
    grads, function = unused("grads", taken), unused("grad_fn", taken)
    begun = f"{function} = {ms}.value_and_grad({name}, None, {optimizer}.parameters)"
    behind = [] if step.inner is None else [with_value(step.node, step.inner, loss, converted)]
    if closure.many:
        target = f"{loss} = " if step.target is not None or behind else ""
        rows = [begun, f"{target}{optimizer}.step({function})", *behind]
        return replaced(closure, converted, rows)
    rows = [
        begun,
        f"{loss}, {grads} = {function}()",
        *(f"{grads} = {changed(change, converted, grads)}" for change in closure.changes),
        f"{optimizer}({grads})",
        *behind,
    ]
    return replaced(closure, converted, rows)


def with_value(node: ast.stmt, call: ast.Call, name: str, converted: Converted) -> str:
    """The new text of a statement with a name in the place of a call."""
    whole, part = converted.code(node), converted.code(call)
    return whole.replace(part, name, 1)


def replaced(closure: Closure, converted: Converted, rows: Sequence[str]) -> Edit:
    """The edit that writes other statements for the step."""
    node = closure.step.node
    indent = converted.indent(start_of(node)[0])
    return Edit(start_of(node), end_of(node), f"\n{indent}".join(rows))


def returning(method: Deferred, converted: Converted) -> Iterator[Edit]:
    """The edit that lets a method return its loss."""
    code = f"return {converted.code(method.loss)}"
    if method.backward is None:
        last = method.function.body[-1]
        line = end_of(last)[0] + 1
        yield Edit((line, 0), (line, 0), f"{converted.indent(start_of(last)[0])}{code}\n")
    elif not method.returns:
        yield Edit(start_of(method.backward), end_of(method.backward), code)


def names_of(region: Region, regions: Sequence[Region], taken: Iterable[str]) -> Names:
    """What the functions of a region are called, beside those of others."""
    tail = "fn" if len(regions) == 1 else dotted(region.losses[0]).rpartition(".")[2]
    tail = tail or f"loss_{regions.index(region) + 1}"
    same = [r for r in regions if dotted(r.losses[0]).rpartition(".")[2] == tail]
    if len(same) > 1:
        tail = f"{tail}_{same.index(region) + 1}"
    while f"forward_{tail}" in taken or f"grad_{tail}" in taken:
        tail += "_of_loss"
    reducer = "grad_reducer" if tail == "fn" else f"reducer_{tail}"
    return Names(f"forward_{tail}", f"grad_{tail}", reducer)


def covered(edit: Edit, others: Iterable[Edit]) -> bool:
    """Whether the text of an edit is in that of another one; what is put behind that is not."""
    return any(
        other.start <= edit.start < other.end and edit.end <= other.end
        for other in others
        if other is not edit
    )
