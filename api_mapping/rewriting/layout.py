"""Lays the code of a call out in the lines of the call that it replaces, comments included."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..syntax.nodes import end_of, start_of
from ..syntax.source_text import Source

COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True)
class Slot:
    """An argument of the original: what stands before it, its own code, and `name=` before it."""

    lead: str
    code: str


def laid_out(code: str, call: ast.Call, source: Source, text: Callable[[ast.AST], str]) -> str:
    """The code of a call in as many lines as the original has.

    Code that is no call of these arguments stays in one line. `text` gives the code of a node.
    """
    original = source.of_node(call)
    if "\n" not in original:
        return code
    new = call_of(code)
    slots = None if new is None else slots_of(call, source, text)
    if new is None or not slots:
        return code
    tail = source.between(end_of(ordered(call)[-1]), end_of(call))
    merged = merge(arguments_of(new, code), slots, lead_of_new(slots, tail))
    if merged is None or COMMENT.sub("", tail).strip(",) \n"):
        return code
    written = f"{Source.of(code).of_node(new.func)}({merged}{tail}"
    return written if is_same(written, code) else code


def is_same(written: str, code: str) -> bool:
    """Whether two texts are the same call but for its lines."""
    tree = call_of(written)
    return tree is not None and ast.dump(tree) == ast.dump(ast.parse(code, mode="eval").body)


def call_of(code: str) -> ast.Call | None:
    """The syntax of code that is a single call."""
    try:
        tree = ast.parse(code, mode="eval").body
    except SyntaxError:
        return None
    return tree if isinstance(tree, ast.Call) else None


def ordered(call: ast.Call) -> list[ast.expr | ast.keyword]:
    return sorted([*call.args, *call.keywords], key=start_of)


def slots_of(call: ast.Call, source: Source, text: Callable[[ast.AST], str]) -> list[Slot] | None:
    """The arguments with what stands before each; None if there are parentheses around one."""
    slots = []
    at = end_of(call.func)
    for number, node in enumerate(ordered(call)):
        gap = source.between(at, start_of(node))
        mark = "," if number else "("
        before, found, lead = gap.partition(mark)
        if not found or before.strip() or COMMENT.sub("", lead).strip():
            return None
        slots.append(Slot(lead, text(value_of(node))))
        at = end_of(node)
    return slots


def value_of(node: ast.expr | ast.keyword) -> ast.expr:
    return node.value if isinstance(node, ast.keyword) else node


@dataclass(frozen=True)
class NewArgument:
    """An argument of the new call: as it is written, and the value alone."""

    written: str
    value: str


def arguments_of(call: ast.Call, code: str) -> list[NewArgument]:
    own = Source.of(code)
    return [NewArgument(own.of_node(n), own.of_node(value_of(n))) for n in ordered(call)]


def lead_of_new(slots: Sequence[Slot], tail: str) -> str:
    """What stands before an argument that the original does not have."""
    has_lines = "," in tail if len(slots) == 1 else any("\n" in slot.lead for slot in slots[1:])
    first = COMMENT.sub("", slots[0].lead).rpartition("\n")
    return f"\n{first[2]}" if has_lines and first[1] else " "


def merge(new: Sequence[NewArgument], old: Sequence[Slot], lead_of_new: str) -> str | None:
    """The arguments, each where the original has it, those that it has not behind the one before.

    None if none of the original is left.
    """
    parts: list[str] = []
    at, kept = 0, 0
    for argument in new:
        place = next((n for n in range(at, len(old)) if old[n].code == argument.value), None)
        lead = lead_of_new if place is None else "".join(leads(old[at : place + 1]))
        if place is not None:
            lead = lead_of_new if parts and at == 0 and "#" not in lead else lead
            at, kept = place + 1, kept + 1
        elif not parts:
            lead = old[0].lead
        parts.append(f"{lead}{argument.written}")
    lost = "".join(leads([*old[at:], Slot("", "")]))
    return ",".join(parts) + lost.rstrip(" \n") if kept else None


def leads(slots: Sequence[Slot]) -> Iterator[str]:
    """What stands before the last slot, with the comments before those that are left out."""
    for slot in slots[:-1]:
        if COMMENT.search(slot.lead):
            yield slot.lead.rstrip()
    yield slots[-1].lead


def comments_in(text: str) -> list[str]:
    """The comments of a piece of Python, in order; none of one that is no piece by itself."""
    if "#" not in text:
        return []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline))
    except (tokenize.TokenError, IndentationError):
        return []
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
