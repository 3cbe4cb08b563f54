"""Reads what changes in a source by LibCST, beside the trees of `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from . import slots
from .code import Code, Statement, Verbatim
from .nodes import children
from .quotation import rebuilt
from .source_text import Source

MAX_DEPTH = 400
"""How deep expressions may be nested: LibCST's parser takes 500 in all forms, not 10,000."""

SHORTEST = 2 * MAX_DEPTH
"""How many characters are needed to nest that deep."""


class Unreadable(Exception):
    """What LibCST cannot read."""


@dataclass(frozen=True)
class Reading:
    """The source of a file, and what LibCST has read of it: trees by the nodes of `ast`."""

    source: Source
    trees: dict[ast.AST, cst.CSTNode] = field(default_factory=dict)
    aligned: set[ast.AST] = field(default_factory=set)

    def plain(self, node: ast.expr) -> Code:
        """An expression in which nothing changes: as it was read, or its text if it was not."""
        tree = self.trees.get(node)
        if isinstance(tree, Code) and tree.lpar and bare(tree) is tree:
            return tree
        return verbatim(node, self.source.of_node(node))

    def tree(self, node: ast.AST) -> cst.CSTNode:
        """The tree of an expression or small statement, read now if it was not.

        Raises: Unreadable
        """
        found = self.trees.get(node)
        if found is None:
            text = self.source.of_node(node)
            check_depth(node, text)
            found = expression_of(text) if isinstance(node, ast.expr) else statement_of(text)
            self.trees[node] = found
        return found

    def align(self, node: ast.AST) -> None:
        """Has the trees of the expressions right under a node that was read.

        Raises: Unreadable if LibCST has other ones
        """
        tree = self.trees.get(node)
        if tree is None or node in self.aligned:
            return
        self.aligned.add(node)
        parts, trees = list(parts_of(node, tree)), list(slots.inner(tree))
        if len(parts) != len(trees):
            raise Unreadable("syntax: LibCST reads it otherwise than Python")
        self.trees.update(zip(parts, trees, strict=True))
        if isinstance(node, ast.Call):
            self.align(node.func)

    def parts(self, node: ast.AST) -> Iterator[ast.expr]:
        """The expressions right under a node that LibCST has as expressions of their own.

        Raises: Unreadable
        """
        tree = self.tree(node)
        self.align(node)
        return parts_of(node, tree)

    def with_parts(self, node: ast.AST, parts: Mapping[ast.expr, Code]) -> cst.CSTNode:
        """The tree of a node with other code for expressions in it."""
        tree = self.tree(node)
        new = {self.trees[part]: code for part, code in parts.items()}
        return rebuilt(tree, lambda inner: changed(inner, new))


def verbatim(node: ast.expr, text: str) -> Verbatim:
    """The code of an expression that has this text."""
    return Verbatim(value=text, binding=slots.strength_of(node, text))


def unparsed(node: ast.expr) -> Code:
    """The code of an expression that has no source."""
    return verbatim(node, ast.unparse(node))


def changed(code: Code, new: Mapping[cst.CSTNode, Code]) -> Code:
    """What stands for an expression; in parts of what `ast` has as one, for those in them."""
    found = new.get(code)
    if found is not None:
        return found
    is_split = isinstance(code, cst.BooleanOperation | cst.BaseString | cst.Tuple)
    return rebuilt(code, lambda inner: changed(inner, new)) if is_split else code


def expression_of(text: str) -> Code:
    """The tree of an expression, which may span lines as if it stood in parentheses."""
    try:
        tree = cst.parse_expression(f"({text}\n)")
    except (cst.ParserSyntaxError, ValueError) as error:
        raise Unreadable("syntax: LibCST cannot read it") from error
    return tree.with_changes(lpar=tree.lpar[1:], rpar=tree.rpar[:-1])


def statement_of(text: str) -> Statement:
    try:
        line = cst.parse_statement(text)
    except (cst.ParserSyntaxError, ValueError) as error:
        raise Unreadable("syntax: LibCST cannot read it") from error
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]


def check_depth(node: ast.AST, text: str) -> None:
    """Raises: Unreadable for what is nested deeper than LibCST's parser takes for sure"""
    if len(text) < SHORTEST:
        return
    level = [node]
    for _ in range(MAX_DEPTH + 1):
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
    if level:
        raise Unreadable(f"nesting: over {MAX_DEPTH} levels deep: give parts of it names")


def bare(code: Code) -> Code:
    """An expression without parentheses that only its old place needed."""
    if not code.lpar or isinstance(code, cst.Tuple | cst.GeneratorExp):
        return code
    spaces = [mark.whitespace_after for mark in code.lpar]
    spaces += [mark.whitespace_before for mark in code.rpar]
    return code.with_changes(lpar=(), rpar=()) if all(map(is_blank, spaces)) else code


def is_blank(space: cst.BaseParenthesizableWhitespace) -> bool:
    """Whether there are no line ends and no comments."""
    return isinstance(space, cst.SimpleWhitespace) and "\n" not in space.value


def parts_of(node: ast.AST, tree: cst.CSTNode) -> Iterator[ast.expr]:
    """The expressions right under a node, in the order of the text, as its tree has them."""
    for child in children(node):
        if isinstance(child, ast.expr) and not is_split(child, node, tree):
            yield child
        else:
            yield from parts_of(child, tree)


def is_split(child: ast.expr, parent: ast.AST, tree: cst.CSTNode) -> bool:
    """Whether LibCST has its parts in its place: `*x`, `a:b`, and the a and b of `x[a, b]`."""
    if not isinstance(child, ast.Tuple):
        return isinstance(child, ast.Starred | ast.Slice)
    if not isinstance(tree, cst.Subscript) or not isinstance(parent, ast.Subscript):
        return False
    first = tree.slice[0].slice
    is_whole = isinstance(first, cst.Index) and isinstance(first.value, cst.Tuple)
    return child is parent.slice and not (is_whole and len(tree.slice) == 1)
