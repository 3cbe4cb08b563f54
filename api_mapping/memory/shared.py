"""The writes in place of one file, each in the form that all see it that see it in PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..analysis import Use
from ..syntax.walk import FunctionNode
from .flow import Flow
from .knowledge import Knowledge, Summary, may_write
from .names import Scope
from .record import Record
from .write_form import NAMED, Form, Way

MAX_ROUNDS = 4
"""Times that functions are followed until it is known which of their writes callers see."""


@dataclass(frozen=True)
class Run:
    """What came of following a scope, and what of other scopes it follows from."""

    scope: Scope
    records: Mapping[int, Record]
    summary: Summary
    asked: Mapping[FunctionNode, set[Summary]]
    seen: tuple[object, ...]

    @classmethod
    def of(cls, known: Knowledge, scope: Scope) -> Run:
        seen, flow = seen_of(known, scope), Flow(known, scope)
        summary = flow.run()
        return cls(scope, flow.records, summary, flow.asked, seen)

    def holds(self, known: Knowledge) -> bool:
        """Whether it would come to the same now."""
        alike = all(own == {known.summaries[f]} for f, own in self.asked.items())
        return alike and self.seen == seen_of(known, self.scope)


def seen_of(known: Knowledge, scope: Scope) -> tuple[object, ...]:
    """What callers say of a scope."""
    return scope in known.called, frozenset(n for f, n in known.observed if f is scope)


@dataclass(frozen=True)
class SharedMemory:
    """What is known of the writes in place of one file."""

    known: Knowledge

    def form_of(self, node: ast.AST) -> Form:
        """How a call, an augmented assignment or an assignment to an index is written."""
        record = self.records.get(id(node))
        return NAMED if record is None else record.form

    @property
    def lost(self) -> Iterator[Record]:
        """The writes that other names would not see."""
        return (record for record in self.records.values() if record.form.way is Way.LOST)

    @property
    def rewritten(self) -> Iterator[Record]:
        """The writes whose statements are others than for a name that nobody else shares."""
        return (r for r in self.records.values() if r.form.way not in (Way.NAME, Way.LOST))

    @cached_property
    def records(self) -> Mapping[int, Record]:
        """What was seen of each write, by its node's id."""
        scopes = self.scopes
        runs: dict[Scope, Run] = {}
        for _ in range(MAX_ROUNDS if scopes else 0):
            before = self.learnt
            for scope in list(scopes):
                if scope not in runs or not runs[scope].holds(self.known):
                    runs[scope] = Run.of(self.known, scope)
                if not isinstance(scope, ast.Module):
                    self.known.summaries[scope] = runs[scope].summary
            scopes |= dict.fromkeys(self.callers)
            if self.learnt == before:
                break
        return {node: record for run in runs.values() for node, record in run.records.items()}

    @property
    def learnt(self) -> tuple[object, ...]:
        """What decides whether callers see what functions write to their parameters."""
        known = self.known
        writing = {f: s for f, s in known.summaries.items() if s.writes}
        return writing, set(known.observed), known.called & writing.keys()

    @cached_property
    def scopes(self) -> dict[Scope, None]:
        """The functions, and the file itself, in which something is written to."""
        layout, tree = self.known.layout, self.known.analysis.tree
        found: dict[Scope, None] = {}
        for node in self.writing:
            scope = layout.scope_of(node)
            if scope.function is not None or scope.owner is None:
                found[scope.function or tree] = None
        return found

    @property
    def writing(self) -> Iterator[ast.AST]:
        """What may write to a tensor."""
        known = self.known
        yield from (u.node for u in known.analysis.uses if self.is_write(u))
        for node in known.layout.of_type(ast.AugAssign):
            owner = node.target.value if isinstance(node.target, ast.Subscript) else node.target
            if known.is_tensor(owner) or known.is_tensor(node.target):
                yield node
        for node in known.layout.of_type(ast.Assign):
            for target in node.targets:
                if type(target) is ast.Subscript and known.is_tensor(target.value):
                    yield node
        for call in known.layout.of_type(ast.Call) if known.layers else ():
            if known.is_layer_in_place(call):
                yield call

    def is_write(self, use: Use) -> bool:
        call = use.node
        return (
            use.certainty == "is"
            and may_write(use.api)
            and isinstance(call, ast.Call)
            and self.known.written_by(call) is not None
        )

    @property
    def callers(self) -> Iterator[Scope]:
        """The scopes that call functions which write to their parameters."""
        known = self.known
        writing: set[FunctionNode] = {f for f, s in known.summaries.items() if s.writes}  # type: ignore[misc]
        for call in known.layout.of_type(ast.Call) if writing else ():
            function, _ = known.function_of(call)
            if function in writing:
                scope = known.layout.scope_of(call)
                if scope.function is not None or scope.owner is None:
                    yield scope.function or known.analysis.tree
