"""Drives the passes over the expressions and statements of a source, and keeps what they gave."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import libcst as cst

from ..memory.write_form import FormOf, usual
from ..syntax.code import Code, Statement, text_of
from ..syntax.nodes import end_of, formatted_in, is_name, replaced_in, start_of
from ..syntax.reading import Reading, bare
from ..syntax.slots import enclosed
from ..syntax.source_text import cut, is_whole
from ..table import registry
from ..table.facts.spelling import IN_PACKING, OVER_TREES, PACKED, TRANSFORMS
from ..table.refusal import Refusal
from ..table.renaming import Renaming, renamed
from ..table.rule import Rule
from .places import Places
from .suggestion import Suggestion

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Result = Code | Sequence[Statement]
"""What a node becomes: an expression another one, a statement one or several."""

Pass = Callable[[Any, "Rewriter"], Result | None]
"""Gives what a node becomes; None if the pass is not about it. Raises: Refusal"""

PartPass = Callable[[ast.expr, ast.AST, "Rewriter"], Code | None]
"""Gives what an expression becomes for what it stands under, None if it is nothing special."""

Finish = Callable[[ast.Call, Code | None, "Rewriter"], Code | None]
"""Gives the last form of a call's new code, which is None where the call stays."""


@dataclass(frozen=True)
class Passes:
    """What is tried, in this order: by the type of a node, by its place, and for calls at last."""

    of_type: Mapping[type[ast.AST], Sequence[Pass]]
    in_place: Sequence[PartPass] = ()
    of_calls: Sequence[Finish] = ()


@dataclass(frozen=True)
class GradientCall:
    """A function whose gradients are asked for: by tensors, or by the parameters of `inputs`.

    `keeps_graph`: whether they are differentiated again, or what decides on it.
    """

    function: str
    tensors: tuple[str, ...]
    inputs: ast.expr
    gradient: ast.expr | None
    keeps_graph: bool | ast.expr


@dataclass(frozen=True)
class Notes:
    """What the analysis says of single nodes.

    `formatted`: arguments of `format(x, ".2f")`; `texts`: calls of `format` of texts that write
    attributes which may be tensors; `registered`: calls whose values are given to
    attributes, of modules perhaps; `inverted`: the `~x` where x is not known to be of bools.
    `statements`: those around calls that write in place, and around attributes that are set;
    `tested`: the classes that types are tested by; `twofold`: those that are called, too.
    `roles`: the kinds of uses that are more than a value: bases, annotations, decorators;
    `growing`: the bases of classes without a `forward` that set attributes. `walked`: the targets
    of loops over all modules, and what they go through;
    `switched`: the calls that make modules in training mode, and whether parts of these have a mode
    that was chosen before; `modules`: MindSpore's for those of
    PyTorch's that are values, as in `dir(torch.nn)`. `packs`: the project packs sequences,
    `is_complex`: it computes with complex tensors; `is_on_trees`: the file calls networks with
    dictionaries of weights; `draws`: its project asks the generators of NumPy or of random.
    `flagged`: calls of `requires_grad_` that are values; `trained`: those of them that are assigned
    and then given to an optimizer; `of_callers`: those of tensors that a function was handed, and
    that it gives to an optimizer;
    `differentiated`: the calls of `torch.autograd.grad` that are written by functions.
    `behind_tensors`: transforms behind one that makes the image a tensor, and that one's name.
    `module_parts`: slices of containers of modules, and whether each is only gone through.
    `unsure`: the calls of methods of what is not known, with the APIs that they may be of.
    """

    formatted: Collection[ast.AST] = ()
    texts: Collection[ast.AST] = ()
    registered: Collection[ast.AST] = ()
    inverted: Collection[ast.AST] = ()
    statements: Mapping[ast.AST, ast.stmt] = field(default_factory=dict)
    tested: Collection[ast.AST] = ()
    twofold: Collection[ast.AST] = ()
    roles: Mapping[ast.AST, str] = field(default_factory=dict)
    growing: Collection[ast.AST] = ()
    walked: Collection[ast.AST] = ()
    switched: Mapping[ast.AST, bool] = field(default_factory=dict)
    modules: Mapping[ast.AST, str] = field(default_factory=dict)
    packs: bool = False
    is_complex: bool = False
    draws: bool = False
    is_on_trees: bool = False
    flagged: Collection[ast.AST] = ()
    trained: Collection[ast.AST] = ()
    of_callers: Collection[ast.AST] = ()
    differentiated: Mapping[ast.AST, GradientCall] = field(default_factory=dict)
    behind_tensors: Mapping[ast.AST, str] = field(default_factory=dict)
    module_parts: Mapping[ast.AST, bool] = field(default_factory=dict)
    unsure: Mapping[ast.AST, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Rewriter:
    """Writes the expressions and statements of a source anew.

    `ends` has the places where what may change ends, in order: an expression with none of them
    stays as it is; None if nothing is known of that. `names` is what is written in place of names
    of templates that the file binds itself. `is_strict`: what is refused raises Refusal; if not,
    it stays as it is, and `chosen` says so.

    Inside of a statement: `let_go` are names of tensors whose old values nobody sees behind it,
    `iterated` those that comprehensions around give values to, `formatted` the expressions that
    are written in a form that numbers have.
    """

    places: Places
    reading: Reading
    passes: Passes
    notes: Notes = field(default_factory=Notes)
    form_of: FormOf = usual
    mint: bool = False
    names: Renaming = ()
    ends: Sequence[tuple[int, int]] | None = None
    is_strict: bool = False
    chosen: dict[ast.AST, Suggestion] = field(default_factory=dict)
    codes: dict[ast.AST, Code] = field(default_factory=dict)
    texts: dict[ast.AST, str] = field(default_factory=dict)
    let_go: frozenset[str] = frozenset()
    iterated: frozenset[str] = frozenset()
    formatted: frozenset[ast.AST] = frozenset()

    # what passes ask

    def code(self, node: ast.expr) -> Code:
        """The MindSpore code of an expression.

        Raises: Refusal if it has none, and for what LibCST cannot read
        """
        known = self.codes.get(node)
        if known is None:
            known = self.codes[node] = self.new_code(node)
        return known

    def new_code(self, node: ast.expr) -> Code:
        if not self.has_use(node):
            return self.reading.plain(node)
        self.reading.align(node)
        found = self.rewritten(node)
        code = self.with_parts(node) if found is None else found
        assert isinstance(code, Code)
        return bare(code)

    def statements(self, node: ast.stmt) -> Sequence[Statement]:
        """The code of a small statement, which may be several; none where only its parts change.

        Raises: Refusal
        """
        found = self.rewritten(node) or []
        assert not isinstance(found, Code)
        return found

    def same_statement(self, node: ast.stmt) -> Statement:
        """A statement with new code in its parts."""
        found = self.with_parts(node)
        assert isinstance(found, Statement)
        return found

    def text(self, node: ast.expr) -> str:
        """The text of an expression.

        Raises: Refusal
        """
        return text_of(self.code(node))

    def written(self, node: ast.stmt) -> str:
        """The text of a statement that a pass writes anew; "" where only its parts change.

        Raises: Refusal
        """
        value = getattr(node, "value", None)
        if self.passes.of_calls and isinstance(value, ast.expr) and self.has_use(value):
            self.read(value)
        return self.gap_before(node).join(map(statement_text, self.statements(node)))

    def whole(self, node: ast.stmt) -> str:
        """The same, made once; of an assignment also where only its parts change."""
        known = self.texts.get(node)
        if known is None:
            known = self.written(node)
            if not known and not isinstance(node, ast.Expr):
                known = text_of(self.same_statement(node))
            self.texts[node] = known
        return known

    def read(self, node: ast.expr) -> None:
        """Has LibCST read an expression that spans lines, so that they stay as they are.

        Others are read where parts of them change. Raises: Unreadable
        """
        if node.lineno != node.end_lineno:
            self.reading.tree(node)
            self.reading.align(node)

    def name(self, name: str) -> cst.Name:
        """A name of templates as this file has it."""
        return cst.Name(dict(self.names).get(name, name))

    def rules(self, api: str) -> Sequence[Rule]:
        """The rules of an API, in the names of this file."""
        found = registry.find(api)
        return [renamed(rule, self.names) for rule in found] if self.names else found

    def calls(self, api: str) -> Sequence[Rule]:
        """The rules for what calls an API: of layers, they take packed sequences, too."""
        last = api.rpartition(".")[2]
        if self.notes.packs and api in PACKED:
            return self.rules(f"{IN_PACKING}.{last}")
        if api in TRANSFORMS and self.notes.is_on_trees:
            return self.rules(f"{OVER_TREES}.{last}")
        return self.rules(api)

    def has_use(self, node: ast.AST, several: bool = False) -> bool:
        """Whether in the text of a node something ends that may change, or several such things."""
        if self.ends is None:
            return True
        start = node.lineno, node.col_offset  # type: ignore[attr-defined]
        found = bisect_right(self.ends, start) + several
        return found < len(self.ends) and self.ends[found] <= end_of(node)

    def gap_before(self, node: ast.AST) -> str:
        """What stands between two statements in place of one: the indentation of its line."""
        line, column = start_of(node)
        before = cut(self.reading.source.lines[line - 1], 0, column)
        return f"\n{before}" if not before.strip() else "; "

    def with_parts(self, node: ast.AST, others: Mapping[ast.AST, Code] | None = None) -> Any:
        """The tree of a node with new code for the expressions in it; `others` are known.

        Raises: Unreadable
        """
        others, inside = others or {}, self.within(node)
        parts = list(self.reading.parts(node))
        codes = {part: others.get(part) or inside.part(part, node) for part in parts}
        return self.reading.with_parts(node, codes)

    def part(self, node: ast.expr, parent: ast.AST) -> Code:
        """The code of an expression under `parent`."""
        found = (rewrite(node, parent, self) for rewrite in self.passes.in_place)
        code = next((code for code in found if code is not None), None)
        return self.code(node) if code is None else code

    # the order of passes

    def rewritten(self, node: ast.AST) -> Result | None:
        """What the first pass that is about a node makes of it; None if it stays as it is.

        Raises: Refusal where it is strict
        """
        try:
            found = self.by_passes(node)
        except Refusal as refusal:
            if self.is_strict:
                raise
            self.note(node, refusal)
            found = None
        if not isinstance(node, ast.Call):
            return found
        assert found is None or isinstance(found, Code)
        return self.finished(node, found)

    def finished(self, node: ast.Call, code: Code | None) -> Code | None:
        """The last form of a call's new code, which is None where the call stays."""
        for finish in self.passes.of_calls:
            code = finish(node, code, self)
        return code

    def by_passes(self, node: ast.AST) -> Result | None:
        tried = (rewrite(node, self) for rewrite in self.passes.of_type.get(type(node), ()))
        return next((found for found in tried if found is not None), None)

    def note(self, node: ast.AST, refusal: Refusal) -> None:
        """Keeps why a call has no code, if its own row has not said so."""
        call = node.value if isinstance(node, ast.Expr) else node
        known = self.chosen.get(call)
        if isinstance(call, ast.Call) and not (known and known.refusal):
            self.chosen[call] = Suggestion(0, refusal=str(refusal))

    def within(self, node: ast.AST) -> Rewriter:
        """The rewriter for what is in a node."""
        if isinstance(node, COMPREHENSIONS):
            own = {n.id for g in node.generators for n in ast.walk(g.target) if is_name(n)}
            return replace(self, iterated=self.iterated | own)
        if isinstance(node, ast.JoinedStr | ast.Call) and (formatted := set(formatted_in(node))):
            return replace(self, formatted=self.formatted | formatted)
        if isinstance(node, ast.Return | ast.Assign):
            return self.letting_go(frozenset(replaced_in(node)))
        return self.letting_go(frozenset()) if isinstance(node, ast.stmt) else self

    def letting_go(self, names: frozenset[str]) -> Rewriter:
        return self if names == self.let_go else replace(self, let_go=names)


def statement_text(statement: Statement) -> str:
    """The text of a statement, its value in parentheses where that spans lines."""
    text = text_of(statement)
    value = getattr(statement, "value", None)
    if value is None or is_whole(text, "exec"):
        return text
    return text_of(statement.with_changes(value=enclosed(value)))
