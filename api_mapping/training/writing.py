"""Writes training steps: the edits of the statements of a loop."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..syntax.edits import Edit
from ..syntax.nodes import dotted, end_of, start_of
from .blocks import Block, leaves
from .events import Backward, Change, Clear, Events
from .functions import TAB, FunctionWriter, is_network
from .group import Group, changes_of, clears_of
from .keeping import Keeping, Variables, is_begun
from .placement import Place
from .region import Region
from .statistics import counts
from .text import Converted, moved, statement


@dataclass(frozen=True)
class StepWriter:
    """Writes one training step; `functions` are those of its regions."""

    group: Group
    place: Place
    converted: Converted
    events: Events
    functions: Sequence[FunctionWriter]
    gone: Sequence[ast.stmt]
    keeping: Keeping
    variables: Variables

    def edits(self) -> Iterator[Edit]:
        for number, function in enumerate(self.functions):
            yield from self.of_region(function, is_first=number == 0)
        yield from self.steps()
        yield from self.changes()
        if self.keeping is not Keeping.ONCE:
            yield from self.beginnings()

    # the statements that take the place of others

    def of_region(self, function: FunctionWriter, *, is_first: bool) -> Iterator[Edit]:
        """The edits that move the forward pass away and call the gradient function."""
        region, block = function.region, function.region.block
        gone = [place for place in region.body if place not in region.copied]
        if block is not self.group.block and self.group.holds:
            yield self.again(function)
            return
        yield from self.repeated(region)
        indent = self.converted.indent(start_of(block.statements[region.call_at])[0])
        text, kept = self.call(function, indent, is_first=is_first)
        if any(map(leaves, region.behind)) or (kept and self.is_cleared_behind(region)):
            yield self.replaced(block, region.places[0], kept)
        else:
            text += kept
        if self.place.loop is None and self.place.method is None:
            text = f"{function.definition(indent)}\n{function.makers(indent)}{text}"
        lead = "\n" if self.has_space(region) else ""
        below = "".join(self.rows(block, place) for place in region.below)
        for place in [*gone, *region.below]:
            if place != region.call_at:
                yield self.replaced(block, place, "")
        yield self.replaced(block, region.call_at, f"{lead}{text}{below}")

    def is_cleared_behind(self, region: Region) -> bool:
        """Whether sums begin anew between a forward pass and its backward: it is added up there."""
        found = (event for node in region.behind for event in self.events.all_in(node))
        backward = self.events.of(region.block.statements[region.places[0]])
        return isinstance(backward, Backward) and any(isinstance(e, Clear) for e in found)

    def again(self, function: FunctionWriter) -> Edit:
        """The edit that computes a forward pass once more, where its backward is in an `if`."""
        block, place = self.group.block, self.group.places[0]
        indent = self.converted.indent(start_of(block.statements[place])[0])
        code = f"{function.definition(indent)}\n{function.call(self.variables.grads, indent)}"
        return self.replaced(block, place, code)

    def call(self, function: FunctionWriter, indent: str, *, is_first: bool) -> tuple[str, str]:
        """The call of the gradient function, and the sum with the gradients of before."""
        grads, more = self.variables.grads, self.variables.more
        if is_first and self.keeping is Keeping.ONCE:
            return function.call(grads, indent), ""
        compat = self.converted.names["compat"]
        code = f"{grads} = {compat}.accumulated({grads}, {more})"
        if self.keeping is Keeping.HELD:
            code = f"{grads} = {compat}.held_grads({function.given}, {more})"
        kept = statement(code, indent)
        if function.region.condition is not None:
            return function.call(more, indent, kept), ""
        return function.call(more, indent), kept

    def repeated(self, region: Region) -> Iterator[Edit]:
        """The edits of what is computed here and once more in the function.

        The statistics of the networks move in the function alone.
        """
        for place in region.copied:
            node = region.block.statements[place]
            if not (networks := self.counting(node)):
                continue
            indent = self.converted.indent(start_of(node)[0])
            head = f"{indent}with {self.converted.names['compat']}.statistics_kept({networks}):\n"
            first = self.converted.first_line(region.block, place)
            above = self.converted.rows(first, start_of(node)[0] - 1)
            text = self.converted.rows(start_of(node)[0], end_of(node)[0])
            text = above + head + moved(text, indent, indent + TAB)
            yield self.replaced(region.block, place, text)

    def counting(self, node: ast.AST) -> str:
        """The networks that a statement calls and that may have statistics."""
        analysis = self.events.analysis
        calls = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
        found = [f for f in calls if is_network(analysis.kind_of(f)) and dotted(f)]
        named = dict.fromkeys(dotted(f) for f in found if counts(analysis.kind_of(f), analysis))
        return ", ".join(named)

    def has_space(self, region: Region) -> bool:
        """Whether a blank line is to stand before the call, as before the forward pass."""
        block, lines = region.block, self.converted.lines
        first = min([p for p in region.body if p not in region.copied] or [region.call_at])
        if lines[self.converted.first_line(block, first) - 1].strip():
            return False
        while first and block.statements[first - 1] in self.gone:
            first -= 1
            above = start_of(block.statements[first])[0] - 2
            if not lines[above].strip():
                return False  # there is one already, before a statement that goes
        return True

    def replaced(self, block: Block, place: int, text: str) -> Edit:
        """The edit that puts text in the place of a statement and the comments over it."""
        first = self.converted.first_line(block, place)
        return Edit((first, 0), (end_of(block.statements[place])[0] + 1, 0), text)

    def rows(self, block: Block, place: int) -> str:
        """The new text of a statement with the comments over it."""
        first = self.converted.first_line(block, place)
        return self.converted.rows(first, end_of(block.statements[place])[0])

    def steps(self) -> Iterator[Edit]:
        """The edits of `optimizer.step()`."""
        for step in self.group.steps:
            optimizer = self.converted.code(step.optimizer)
            grads = self.share(step.key)
            if step.call is not None:
                code = self.converted.code(step.call).removeprefix(f"{optimizer}.")
                code = f"{optimizer}.given({grads}).{code}"
                yield Edit(start_of(step.call), end_of(step.call), code)
                continue
            if step.scaler is None:
                code = f"{optimizer}({grads})"
            else:
                code = f"{self.converted.code(step.scaler)}.step({optimizer}, {grads})"
            yield Edit(start_of(step.node), end_of(step.node), code)

    def share(self, key: str) -> str:
        """The gradients of one of the optimisers."""
        keys, grads = self.group.optimizers, self.variables.grads
        if len(keys) == 1:
            return grads
        before = [f"len({name}.parameters)" for name in keys[: keys.index(key)]]
        start = " + ".join(before)
        end = " + ".join([*before, f"len({key}.parameters)"])
        if key == keys[-1]:
            return f"{grads}[{start} :]"
        return f"{grads}[{start} : {end}]" if start else f"{grads}[: {end}]"

    def changes(self) -> Iterator[Edit]:
        """The edits of what changes gradients between backward and step."""
        grads = self.variables.grads
        for change in changes_of(self.group, self.events, every=grads != "grads"):
            code = change_code(change, self.converted, grads)
            yield Edit(start_of(change.node), end_of(change.node), code)

    # gradients that are summed up

    def beginnings(self) -> Iterator[Edit]:
        """The edits of `optimizer.zero_grad()` where the gradients live longer than a round."""
        for clear in clears_of(self.group, self.events):
            is_held = self.keeping is Keeping.HELD
            code = cleared(clear, self.converted) if is_held else f"{self.variables.grads} = None"
            yield Edit(start_of(clear.node), end_of(clear.node), code)

    @property
    def is_begun(self) -> bool:
        """Whether there are gradients, or none yet, before the loop."""
        is_summed = self.keeping is Keeping.SUMMED
        return not is_summed or is_begun(self.group, self.place, self.events)


def cleared(clear: Clear, converted: Converted) -> str:
    """The code that takes away the gradients that parameters hold."""
    owner, compat = converted.code(clear.owner), converted.names["compat"]
    parameters = "get_parameters()" if clear.is_module else "parameters"
    return f"{compat}.clear_grads({owner}.{parameters})"


def change_code(change: Change, converted: Converted, grads: str) -> str:
    """The statement that gives gradients new values, or changes them in place."""
    if change.is_new:
        return f"{grads} = {changed(change, converted, grads)}"
    return re.sub(r"\bgrads\b", grads, converted.code(change.node))  # the name in the rows


def changed(change: Change, converted: Converted, grads: str) -> str:
    """The code of the new gradients."""
    call = change.call
    if change.is_unscaling:
        assert isinstance(call.func, ast.Attribute)
        scaler = converted.code(call.func.value)
        return f"{scaler}.unscale_({converted.code(call.args[0])}, {grads})"
    assert change.limit is not None
    limit, ops = converted.code(change.limit), converted.names["ops"]
    if "value" in change.api:
        least = f"-{limit}" if isinstance(change.limit, ast.Name | ast.Constant) else f"-({limit})"
        return f"{ops}.clip_by_value({grads}, {least}, {limit})"
    return f"{ops}.clip_by_global_norm({grads}, {limit})"
