"""Lays the new code of a call out in the lines of the call that it replaces, comments included.

nn.Linear(               nn.Dense(
    3,  # in        ->       3,  # in
    4,                       4,
)                        )
(x.view(-1)  # flat      (x.reshape(-1)  # flat
  .relu())          ->     .relu())
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from ...syntax.code import Code
from ...syntax.slots import inner
from ..rewriter import Rewriter

Space = cst.BaseParenthesizableWhitespace

BLANK = cst.SimpleWhitespace(" ")


@dataclass(frozen=True)
class Lines:
    """Where the original has its arguments: what stands before each, and before the parenthesis.

    `slots`: the places of the arguments' new code. `is_split`: whether each argument has a line.
    """

    leads: Sequence[Space]
    closing: Space
    slots: Mapping[Code, Sequence[int]]
    has_comma: bool

    @property
    def is_split(self) -> bool:
        more = self.leads[1:]
        return any(map(has_line, more)) if more else self.has_comma

    @property
    def new_lead(self) -> Space:
        """What stands before an argument that the original does not have."""
        first = self.leads[0]
        return without_comments(first) if self.is_split and has_line(first) else BLANK

    def slot_of(self, code: Code, least: int) -> int | None:
        """The place of an argument, or of the first that is in it, not before `least`."""
        own = self.slots.get(code)
        if own is not None:
            return next((slot for slot in own if slot >= least), None)
        places = (self.slot_of(part, least) for part in inner(code))
        return next((place for place in places if place is not None), None)


def laid_out(node: ast.Call, code: Code | None, to: Rewriter) -> Code | None:
    """The code of a call in as many lines as the original has."""
    old = to.reading.trees.get(node)
    is_split = isinstance(old, cst.Call) and node.lineno != node.end_lineno
    if not is_split or not isinstance(code, cst.Call):
        return code
    assert isinstance(old, cst.Call)
    codes = {to.reading.trees[part]: to.codes.get(part) for part in to.reading.parts(node)}
    values = [codes.get(arg.value) for arg in old.args]
    owner = to.codes.get(node.func.value) if isinstance(node.func, ast.Attribute) else None
    new = in_chain(code, old, owner)
    if not old.args or not new.args:
        return new
    *commas, _ = old.args
    leads = [old.whitespace_before_args, *(behind(arg) for arg in commas)]
    slots: dict[Code, list[int]] = defaultdict(list)
    for number, value in enumerate(values):
        slots[value if value is not None else old.args[number].value].append(number)
    has_comma = isinstance(old.args[-1].comma, cst.Comma)
    return in_lines(new, Lines(leads, behind(old.args[-1]), slots, has_comma))


def behind(arg: cst.Arg) -> Space:
    """What stands between an argument, with its comma, and the next, or the parenthesis."""
    if not isinstance(arg.comma, cst.Comma):
        return arg.whitespace_after_arg
    own = joined([arg.comma.whitespace_before], arg.comma.whitespace_after)
    return joined([own], arg.whitespace_after_arg) if has_line(arg.whitespace_after_arg) else own


def in_lines(new: cst.Call, lines: Lines) -> cst.Call:
    """The call with each argument where the original has it, others behind the one before.

    As it is if none of the original's arguments is left.
    """
    spaces = [*lines.leads, lines.closing]
    leads: list[Space] = []
    at = 0
    for arg in new.args:
        slot = lines.slot_of(arg.value, at)
        if slot is None:
            is_close = 0 < at < len(lines.leads) and not has_line(spaces[at])
            leads.append(BLANK if is_close else lines.new_lead if leads else spaces[0])
            if at and (remark := end_of_line(spaces[at])):
                lined = next(filter(has_line, reversed(leads)), None)
                lined = without_comments(spaces[at] if lined is None else lined)
                leads[-1], spaces[at] = with_remark(lined, remark), with_remark(spaces[at])
            continue
        skipped = spaces[at + (not at) : slot] if leads else spaces[1 : slot + 1]
        own = spaces[slot] if leads else spaces[0]
        leads.append(joined(skipped, lines.new_lead if leads and not slot else own))
        at = slot + 1
    if not at:
        return new
    return with_spaces(new, leads, joined(spaces[at:-1], spaces[-1]), lines.has_comma)


def with_spaces(
    call: cst.Call, leads: Sequence[Space], closing: Space, has_comma: bool
) -> cst.Call:
    """A call with these spaces before its arguments and its closing parenthesis."""
    spaces = [*leads[1:], closing]
    args = []
    for number, (arg, space) in enumerate(zip(call.args, spaces, strict=True)):
        before = arg.comma.whitespace_before if isinstance(arg.comma, cst.Comma) else NO_SPACE
        if number + 1 < len(spaces) or has_comma:
            args.append(arg.with_changes(comma=cst.Comma(before, space)))
        else:
            args.append(arg.with_changes(comma=NO_COMMA, whitespace_after_arg=space))
    return call.with_changes(whitespace_before_args=leads[0], args=args)


NO_SPACE = cst.SimpleWhitespace("")
NO_COMMA = cst.MaybeSentinel.DEFAULT


def in_chain(new: cst.Call, old: cst.Call, owner: Code | None) -> cst.Call:
    """The call with the original's line end before its method; a comment there stays behind
    what it is about where that is an argument now."""
    if owner is None or not isinstance(old.func, cst.Attribute):
        return new
    dot = old.func.dot
    if isinstance(new.func, cst.Attribute) and new.func.value is owner:
        return new.with_changes(func=new.func.with_changes(dot=dot))
    space = dot.whitespace_before
    if not any(True for _ in comments(space)):
        return new
    args = [commented(arg, space) if arg.value is owner else arg for arg in new.args]
    return new.with_changes(args=args)


def commented(arg: cst.Arg, space: Space) -> cst.Arg:
    if isinstance(arg.comma, cst.Comma):
        return arg.with_changes(comma=arg.comma.with_changes(whitespace_before=space))
    return arg.with_changes(whitespace_after_arg=space)


# spaces


def has_line(space: Space) -> bool:
    return isinstance(space, cst.ParenthesizedWhitespace)


def comments(space: Space) -> Iterator[cst.Comment]:
    """The comments in a space, in order."""
    if isinstance(space, cst.ParenthesizedWhitespace):
        found = [space.first_line.comment, *(line.comment for line in space.empty_lines)]
        yield from filter(None, found)


def end_of_line(space: Space) -> cst.TrailingWhitespace | None:
    """The comment in the line of the argument before a space."""
    if not isinstance(space, cst.ParenthesizedWhitespace) or space.first_line.comment is None:
        return None
    return space.first_line


def with_remark(space: Space, remark: cst.TrailingWhitespace | None = None) -> Space:
    """A line end with this comment before it, or with none."""
    return space.with_changes(first_line=remark or cst.TrailingWhitespace())


def without_comments(space: Space) -> Space:
    """A line end without the comments before it and in lines of their own."""
    return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=())


def joined(lost: Sequence[Space], space: Space) -> Space:
    """A space with the comments of those before it that are left out, each on its line."""
    kept = [comment for one in lost for comment in comments(one)]
    if not kept:
        return space
    own = next(filter(has_line, (space, *reversed(lost))))
    assert isinstance(own, cst.ParenthesizedWhitespace)
    lines = [*kept, *comments(space)]
    first = cst.TrailingWhitespace(cst.SimpleWhitespace("  "), lines[0])
    rest = [cst.EmptyLine(own.indent, own.last_line, comment) for comment in lines[1:]]
    return own.with_changes(first_line=first, empty_lines=rest)
