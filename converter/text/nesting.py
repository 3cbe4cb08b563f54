"""What is nested in what: values used once are written where they are used, if that reads well."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from typing import NamedTuple

from ..code.expr import (
    Attribute,
    Binary,
    Call,
    Code,
    Expr,
    ForEach,
    IfElse,
    Index,
    Literal,
    Ref,
    Size,
    Tuple,
    Unary,
    children,
    refs,
    transform,
)
from ..code.source_text import ATOM, bound_text
from ..code.statement import names_of
from ..modules.plan import Layer, Line, Member, Plan

LONGEST_NESTED = 72
LONGEST_SMALL = 26
"""Characters of what may stand as any argument of a call."""

DEEPEST = 3
SHORTEST_REST = 2
"""Elements at the end of a list that are called one by one rather than in a loop."""

_WRAPPING_LAYERS = frozenset(
    """ReLU ReLU6 LeakyReLU ELU CELU GELU SiLU Mish HSwish HSigmoid Sigmoid Tanh Softmax
    LogSoftmax Softsign PReLU BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm RMSNorm GroupNorm
    LRN MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d Flatten
    PixelShuffle""".split()
)
"""Layers that are written around the call before them: `self.relu(self.conv1(x))`."""

_WRAPPING_OPS = frozenset(
    """relu relu6 leaky_relu elu celu gelu silu mish hardswish hardsigmoid sigmoid tanh
    softmax log_softmax softsign softplus sqrt exp log abs erf clamp""".split()
)

_WORDS = {
    "matmul": "product",
    "softmax": "weights",
    "log_softmax": "log_probabilities",
    "concat": "merged",
    "mean": "mean",
    "gather": "picked",
    "where": "chosen",
    "interpolate": "resized",
    "split": "part",
    "pad": "padded",
}
"""What the result of a function is called when it does not continue the main line."""

SIDE_BRANCH = {"downsample": "identity", "shortcut": "identity"}


def nested(plan: Plan, given: Mapping[str, str] | None = None) -> list[Line]:
    """The lines with values used once written where they are used, if that reads well.

    `given`: the names of inputs that are longer than most.
    """
    uses = Counter(name for line in plan.lines for name in refs(line.expr))
    uses.update(plan.outputs)
    nest = _Nest(plan, uses, given or {})
    for line in _atoms_inside(_unpacked(_looped(plan, uses), uses), uses):
        nest.add(line)
    return [drawn.line for drawn in nest.lines.values()]


class _Nest:
    """Lines while values move to where they are used.

    What may draw random numbers does so in the order of the file.
    """

    def __init__(self, plan: Plan, uses: Counter[str], given: Mapping[str, str]) -> None:
        self.lines: dict[int, _Drawn] = {}
        self._plan = plan
        self._uses = uses
        sizes = ((line.targets, line.expr) for line in plan.lines if isinstance(line.expr, Size))
        words = {n: w for t, e in sizes for n, w in zip(names_of(t), e.names, strict=False)}
        words |= {name: given[name] for name in plan.inputs if given.get(name)}
        self._shown = {name: _Sketch(word) for name, word in words.items()}
        self._place: dict[str, int] = {}
        self._ordered: dict[int, None] = {}

    def add(self, line: Line) -> None:
        """The line with what it reads in it, or in the line that makes the one value it reads."""
        drawn: _Drawn = _Drawn(line, self._shown, is_ordered=_is_ordered(line.expr))
        apart: set[str] = set()
        while (found := self._inside(drawn, apart)) is not None:
            name, drawn = found
            place = self._place.pop(name)
            del self.lines[place]
            self._ordered.pop(place, None)
            apart = set()
        if not self._put_around(drawn, apart):
            self._append(drawn)

    def _append(self, drawn: _Drawn) -> None:
        place, name = next(reversed(self.lines), 0) + 1, drawn.line.targets
        self.lines[place] = drawn
        if drawn.is_ordered:
            self._ordered[place] = None
        if isinstance(name, str) and name:
            self._place[name] = place
            if self._uses[name] > 1:
                self._shown[name] = _Sketch(hint_of(drawn.line.expr).ljust(2))

    def _inside(self, drawn: _Drawn, apart: set[str]) -> tuple[str, _Drawn] | None:
        """The line with the value of an earlier one in it, and that value: the latest there is.

        What does not belong into the line is put to the values that stay `apart` from it.
        """
        last = next(reversed(self.lines), None)
        e = drawn.line.expr
        read = [n for n in dict.fromkeys(e.reads) if n in self._place]
        if not read:
            return None
        if len(read) > LONGEST_NESTED // len(_VARIABLE.text):  # too long, whatever is written in it
            return None
        for name in sorted(read, key=lambda n: self._place[n] != last):
            place = self._place[name]
            if place in self._ordered:
                is_latest = next(reversed(self._ordered)) == place
                if not is_latest or not _comes_first(name, e):
                    continue
            whole = _with_inside(self.lines[place], drawn, self._uses, self._plan)
            if whole is not None:
                return name, whole
            apart.add(name)
        return None

    def _put_around(self, drawn: _Drawn, apart: set[str]) -> bool:
        """Whether the line, a step on one value, was written around that where it is made."""
        target, read = drawn.line.targets, drawn.line.expr.reads
        place = self._place.get(read[0]) if len(read) == 1 else None
        if place is None or read[0] in apart or drawn.is_ordered:
            return False
        if not isinstance(target, str) or not target:
            return False
        whole = _with_inside(self.lines[place], drawn, self._uses, self._plan)
        if whole is None:
            return False
        self.lines[place] = whole
        del self._place[read[0]]
        self._place[target] = place
        return True


RANDOM = frozenset(
    "bernoulli dropout multinomial rand rand_like randn randn_like standard_normal uniform".split()
)
"""Functions of MindSpore that draw random numbers."""


def _is_ordered(e: Expr) -> bool:
    """Whether it calls what may draw random numbers: a member, a function of the script."""
    if type(e) is Call and _may_draw(e):
        return True
    return any(map(_is_ordered, children(e)))


def _may_draw(call: Call) -> bool:
    return isinstance(call.func, Code) and _draws(call.func.text)


@lru_cache(maxsize=4096)
def _draws(function: str) -> bool:
    """Remembered, as a script calls the same few functions at each node."""
    space, _, word = function.rpartition(".")
    return space not in ("ops", "ms") or word in RANDOM


def _comes_first(name: str, e: Expr) -> bool:
    """Whether a value is computed, written in an expression, before what may draw numbers there."""
    parts = children(e)
    index = next((i for i, part in enumerate(parts) if name in refs(part)), len(parts))
    before = any(_is_ordered(part) for part in parts[:index])
    return not before and (index == len(parts) or _comes_first(name, parts[index]))


def _looped(plan: Plan, uses: Counter[str]) -> list[Line]:
    """The lines with `for cell in self.layers: x = cell(x, mask)` for calls of a whole list, or of
    all of it from some element on.
    """
    ends: dict[str, int] = {}
    for head, number, *_ in (name.split(".") for name in plan.members if "." in name):
        ends[head] = max(ends.get(head, 0), int(number))
    lines: list[Line] = []
    run: list[Line] = []
    if not ends:
        return [*plan.lines]
    for line in plan.lines:
        if not _continues(run, line, uses):
            run = []
        run.append(line)
        lines.append(line)
        found, first = _element(line), _element(run[0])
        if found is None or first is None or found[1] != ends[found[0]]:
            continue
        if len(run) > (1 if first[1] == 0 else SHORTEST_REST):
            call = run[0].expr
            assert isinstance(call, Call)
            del lines[-len(run) :]
            whole = ForEach(found[0], call.args[0], call.args[1:], first[1])
            lines.append(Line(line.targets, whole))
    return lines


def _continues(run: list[Line], line: Line, uses: Counter[str]) -> bool:
    """Whether a line calls the next element of the list on the value of the line before."""
    if not run or not isinstance(run[-1].targets, str) or not isinstance(line.targets, str):
        return False
    before, here = _element(run[-1]), _element(line)
    if before is None or here is None or here != (before[0], before[1] + 1):
        return False
    a, b = run[-1].expr, line.expr
    assert isinstance(a, Call)
    assert isinstance(b, Call)
    value = Ref(run[-1].targets)
    return a.args[1:] == b.args[1:] and b.args[0] == value and uses[value.name] == 1


def _element(line: Line) -> tuple[str, int] | None:
    """List and number of a line `y = self.layers[2](x)`."""
    match line.expr:
        case Call(Code(text), (Ref(), *_)):
            found = re.fullmatch(r"self\.(\w+)\[(\d+)\]", text)
            return (found[1], int(found[2])) if found is not None else None
    return None


def _unpacked(lines: list[Line], uses: Counter[str]) -> list[Line]:
    """`q, k, v = x[0], x[1], x[2]` for three lines, where nothing else reads x."""
    if not any(type(line.expr) is Index for line in lines):
        return lines
    parts: dict[str, list[Line]] = {}
    for line in lines:
        source = _picked(line)
        if source is not None:
            parts.setdefault(source[0], []).append(line)
    whole = {name for name, group in parts.items() if _is_whole(group, uses[name])}
    new: list[Line] = []
    for line in lines:
        source = _picked(line)
        group = parts[source[0]] if source is not None and source[0] in whole else []
        if not group:
            new.append(line)
        elif line is group[0]:
            new.append(Line(tuple(p.targets for p in group), Tuple(tuple(p.expr for p in group))))
    return new


def _is_whole(group: list[Line], uses: int) -> bool:
    """Whether lines that pick parts of one value pick all of its uses, in their order."""
    indices = [found[1] for part in group if (found := _picked(part)) is not None]
    return 2 <= len(group) == uses and indices == list(range(len(group)))


def _picked(line: Line) -> tuple[str, int] | None:
    """The value and the index of a line `y = x[0]`."""
    match line:
        case Line(str(), Index(Ref(name), (Literal(int(index)),))):
            return name, index
    return None


def _atoms_inside(lines: list[Line], uses: Counter[str]) -> list[Line]:
    """The lines with every `x[-1]` that is used once written where it is used."""
    indices = [line for line in lines if type(line.expr) is Index]
    atoms = {line.targets: line.expr for line in indices if _picked(line) is not None}
    atoms = {name: e for name, e in atoms.items() if isinstance(name, str) and uses[name] == 1}
    if not atoms:
        return lines
    depths: dict[object, int] = {}
    for name, e in list(atoms.items()):
        depths[name] = 1 + max(depths.get(inner, 0) for inner in refs(e))
        if depths[name] > DEEPEST:
            del atoms[name], depths[name]
    read = {name for line in lines for name in refs(line.expr)}
    kept = [line for line in lines if line.targets not in atoms or line.targets not in read]

    def leaf(part: Expr) -> Expr:
        inside = isinstance(part, Ref) and part.name in atoms
        return transform(atoms[part.name], leaf) if isinstance(part, Ref) and inside else part

    return [Line(line.targets, transform(line.expr, leaf)) for line in kept]


class _Sketch(NamedTuple):
    """What a line would look like: its text with short stand-ins for variables, how strongly that
    binds, and how many calls are in one another."""

    text: str = "xx"
    binding: int = ATOM
    depth: int = 0


_VARIABLE = _Sketch()


class _Drawn:
    """A line and its sketch, which is drawn when it is asked for."""

    def __init__(
        self,
        line: Line,
        shown: MutableMapping[str, _Sketch],
        sketch: _Sketch | None = None,
        *,
        is_ordered: bool,
    ) -> None:
        self.line = line
        self.shown = shown
        self.is_ordered = is_ordered
        self._sketch = sketch

    @property
    def sketch(self) -> _Sketch:
        if self._sketch is None:
            self._sketch = _sketch(self.line.expr, self.shown)
        return self._sketch


def _sketch(
    e: Expr, shown: Mapping[str, _Sketch], name: str = "", inner: _Sketch = _VARIABLE
) -> _Sketch:
    """The sketch of an expression in which values look like what is `shown` for them, and `name`
    like `inner`.
    """

    def drawn(ref: str) -> _Sketch:
        return inner if ref == name else shown.get(ref, _VARIABLE)

    def depth(part: Expr) -> int:
        if type(part) is Ref:
            return drawn(part.name).depth
        inside = [depth(child) for child in children(part)]
        return max(inside) + (type(part) in (Call, Index)) if inside else 0

    text, binding = bound_text(e, lambda ref: drawn(ref)[:2])
    return _Sketch(text, binding, depth(e))


def _is_too_much(inner: _Sketch, outer: Expr) -> bool:
    """Whether a sketch is too long or deep wherever it stands in an expression, which is not drawn
    for that: of most lines it need never be."""
    deeper = isinstance(outer, Call | Index)
    return len(inner.text) > LONGEST_NESTED or inner.depth + deeper > DEEPEST


def _with_inside(inner: _Drawn, outer: _Drawn, uses: Counter[str], plan: Plan) -> _Drawn | None:
    """The outer line, which reads the inner one's value, with that written in it; None if it does
    not belong there."""
    name, e, line = inner.line.targets, inner.line.expr, outer.line
    if not isinstance(name, str) or uses[name] != 1:
        return None
    if isinstance(e, IfElse | ForEach | Size) or isinstance(line.expr, Tuple | ForEach):
        return None
    if _is_module_call(e, plan):
        fits = isinstance(line.expr, Binary) or _joins(line.expr, name, plan)
    else:
        fits = _wraps(line.expr, name, plan) or _is_small(inner, line.expr, plan)
    if not fits or _is_too_much(inner.sketch, line.expr):
        return None
    whole = _sketch(line.expr, outer.shown, name, inner.sketch)
    if whole.depth > DEEPEST or len(whole.text) > LONGEST_NESTED:
        return None
    put = transform(line.expr, lambda p: e if isinstance(p, Ref) and p.name == name else p)
    is_ordered = inner.is_ordered or outer.is_ordered
    return _Drawn(Line(line.targets, put), outer.shown, whole, is_ordered=is_ordered)


def _joins(outer: Expr, name: str, plan: Plan) -> bool:
    """Whether a module takes what another makes, and more: `output(block(x), x)`."""
    return _is_module_call(outer, plan) and any(read != name for read in refs(outer))


def _is_small(inner: _Drawn, outer: Expr, plan: Plan) -> bool:
    """Whether a value is so short that it may be any argument: `ops.where(ops.isnan(x), 0.0, x)`.

    Layers are steps of their own.
    """
    e = inner.line.expr
    small = isinstance(e, Call | Index) and len(inner.sketch.text) <= LONGEST_SMALL
    if not small or inner.sketch.depth > 1 or not isinstance(outer, Call):
        return False
    layer = isinstance(e, Call) and _member_of(e.func, plan) is not None
    return not layer and not _is_module_call(outer, plan)


def _wraps(e: Expr, name: str, plan: Plan) -> bool:
    """Whether the outermost step of `e` is one that is written around its input."""
    if isinstance(e, Binary | Unary | Index):
        return True
    if isinstance(e, Call) and isinstance(e.func, Attribute):
        return name in refs(e.func.obj)
    if not isinstance(e, Call) or not isinstance(e.func, Code):
        return False
    member = _member_of(e.func, plan)
    if isinstance(member, Layer):
        return member.kind in _WRAPPING_LAYERS
    return e.func.text.removeprefix("ops.") in _WRAPPING_OPS


def _member_of(func: Expr, plan: Plan) -> Member | None:
    if not isinstance(func, Code) or not func.text.startswith("self"):
        return None
    return plan.members.get(attribute_of(func.text))


def attribute_of(code: str) -> str:
    """The inverse of `plan.member_code`: "layers.0" from "self.layers[0]"."""
    return code.removeprefix("self.").replace("[", ".").replace("]", "")


def _is_module_call(e: Expr, plan: Plan) -> bool:
    """A call of a class of the script or of a chain: a step that deserves its own line."""
    if not isinstance(e, Call):
        return False
    member = _member_of(e.func, plan)
    return member is not None and not isinstance(member, Layer)


def returned_at_once(lines: list[Line], returned: list[str]) -> dict[str, Line]:
    """The last lines whose values are returned, and read by nothing else, in the order in which
    they stand: `return x, self.pooler(x)`.
    """
    ends: dict[str, Line] = {}
    uses = Counter(name for line in lines for name in refs(line.expr))
    uses.update(returned)
    before, long = len(returned), 0
    for line in reversed(lines):
        name = line.targets
        if not isinstance(name, str) or name not in returned or uses[name] != 1:
            break
        if isinstance(line.expr, ForEach) or returned.index(name) > before:
            break
        place = returned.index(name)
        long += len(_sketch(line.expr, {}).text) if len(returned) > 1 else 0
        if long > LONGEST_NESTED:
            break
        ends[name], before = line, place
    return ends


def hint_of(e: Expr) -> str:
    """What a value is called after what makes it."""
    if isinstance(e, IfElse):
        return hint_of(e.other)
    while isinstance(e, Call) and isinstance(e.func, Attribute):
        e = e.func.obj
    if not isinstance(e, Call) or not isinstance(e.func, Code):
        return "y"
    if e.func.text.startswith("self"):
        parts = attribute_of(e.func.text).split(".")
        word = next((p for p in reversed(parts) if not p.isdigit()), "y")
        return SIDE_BRANCH.get(word, word)
    return _WORDS.get(e.func.text.removeprefix("ops."), "y")
