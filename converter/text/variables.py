"""Lines as a person would write them: what is nested in what, and what the variables are called."""

from __future__ import annotations

import heapq
import keyword
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

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
from ..code.source_text import ATOM, bound_text, render
from ..code.statement import Targets, names_of
from ..modules.plan import Layer, Line, Member, Plan

LONGEST_NESTED = 68
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

_SIDE_BRANCH = {"downsample": "identity", "shortcut": "identity"}


@dataclass(frozen=True)
class Body:
    """The text of `construct`: parameter names and source lines, the last one a return."""

    parameters: tuple[str, ...]
    lines: tuple[str, ...]


def write_body(plan: Plan, given: Mapping[str, str]) -> Body:
    """The lines of a class; `given` are the names of inputs that have one of their own."""
    lines = nested(plan)
    return _Namer(plan, lines, given).body()


def nested(plan: Plan) -> list[Line]:
    """The lines with values used once written where they are used, if that reads well."""
    lines: list[_Drawn] = []
    uses = Counter(name for line in plan.lines for name in refs(line.expr))
    uses.update(plan.outputs)
    for line in _atoms_inside(_unpacked(_looped(plan, uses), uses), uses):
        drawn = _Drawn(line)
        while lines:
            whole = _with_inside(lines[-1], drawn, uses, plan)
            if whole is None:
                break
            drawn = whole
            lines.pop()
        lines.append(drawn)
    return [drawn.line for drawn in lines]


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
    atoms = {line.targets: line.expr for line in lines if _picked(line) is not None}
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


@dataclass(frozen=True)
class _Sketch:
    """What a line would look like: its text with short stand-ins for variables, how strongly that
    binds, and how many calls are in one another."""

    text: str = "xx"
    binding: int = ATOM
    depth: int = 0


_VARIABLE = _Sketch()


class _Drawn:
    """A line and its sketch, which is drawn when it is asked for."""

    def __init__(self, line: Line, sketch: _Sketch | None = None) -> None:
        self.line = line
        self._sketch = sketch

    @property
    def sketch(self) -> _Sketch:
        if self._sketch is None:
            self._sketch = _sketch(self.line.expr)
        return self._sketch


def _sketch(e: Expr, name: str = "", inside: _Sketch = _VARIABLE) -> _Sketch:
    """The sketch of an expression in which the value `name` looks like `inside`."""

    def drawn(ref: str) -> _Sketch:
        return inside if ref == name else _VARIABLE

    def depth(part: Expr) -> int:
        if isinstance(part, Ref):
            return drawn(part.name).depth
        return max(map(depth, children(part)), default=0) + isinstance(part, Call | Index)

    text, binding = bound_text(e, lambda ref: (drawn(ref).text, drawn(ref).binding))
    return _Sketch(text, binding, depth(e))


def _is_too_much(inner: _Sketch, outer: Expr) -> bool:
    """Whether a sketch is too long or deep wherever it stands in an expression, which is not drawn
    for that: of most lines it need never be."""
    deeper = isinstance(outer, Call | Index)
    return len(inner.text) > LONGEST_NESTED or inner.depth + deeper > DEEPEST


def _with_inside(inner: _Drawn, outer: _Drawn, uses: Counter[str], plan: Plan) -> _Drawn | None:
    """The outer line with the inner one's value written in it; None if it does not belong there."""
    name, e, line = inner.line.targets, inner.line.expr, outer.line
    if not isinstance(name, str) or uses[name] != 1:
        return None
    if isinstance(e, IfElse | ForEach | Size) or isinstance(line.expr, Tuple | ForEach):
        return None
    if name not in refs(line.expr):
        return None
    fits = (
        isinstance(line.expr, Binary) if _is_module_call(e, plan) else _wraps(line.expr, name, plan)
    )
    if not fits or _is_too_much(inner.sketch, line.expr):
        return None
    whole = _sketch(line.expr, name, inner.sketch)
    if whole.depth > DEEPEST or len(whole.text) > LONGEST_NESTED:
        return None
    put = transform(line.expr, lambda p: e if isinstance(p, Ref) and p.name == name else p)
    return _Drawn(Line(line.targets, put), whole)


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


class _Numbers:
    """The numbers that one word has got: those whose variables live, until when; those free again.

    So a number is found at once, however many are in use.
    """

    def __init__(self) -> None:
        self.new = count(2)
        self.busy: list[tuple[int, int]] = []
        self.free: list[int] = []

    def wait_for(self, number: int, until: int, index: int) -> None:
        """Puts a number to those that are free, or back if its variable lives on."""
        if until <= index:
            heapq.heappush(self.free, number)
        else:
            heapq.heappush(self.busy, (until, number))

    def busy_until(self, number: int, line: int) -> None:
        heapq.heappush(self.busy, (line, number))


class _Namer:
    """Chooses variables line by line: the main line keeps its name, side values get their own."""

    def __init__(self, plan: Plan, lines: list[Line], given: Mapping[str, str]) -> None:
        self._plan = plan
        self._lines = lines
        self._names: dict[str, str] = {}
        self._numbers: dict[str, _Numbers] = {}
        self._until: dict[str, int] = {}
        self._last_use = {n: i for i, line in enumerate(lines) for n in refs(line.expr)}
        self._last_use.update(dict.fromkeys(plan.outputs, len(lines)))
        self._last_use |= {name: max(self._last_use.get(name, 0), 0) for name in plan.inputs}
        for i, name in enumerate(plan.inputs):
            self._name(name, self._fresh([given.get(name, ""), *("xyz"[i : i + 1])], -1))

    def body(self) -> Body:
        parameters = tuple(self._names[name] for name in self._plan.inputs)
        parameters += (f"*{self._plan.variadic}",) if self._plan.variadic else ()
        written: list[str] = []
        lines = self._lines
        returned = self._plan.outputs
        last = lines[-1] if lines else None
        whole = last is not None and not isinstance(last.expr, ForEach)
        if last is not None and whole and len(returned) == 1 and last.targets == returned[0]:
            lines = lines[:-1]
        for i, line in enumerate(lines):
            written += self._written(line, i)
        if last is not None and len(lines) < len(self._lines):
            written.append(f"return {self._text(last.expr)}")
        else:
            written.append(f"return {', '.join(self._names[name] for name in returned)}")
        return Body(parameters, tuple(written))

    def _written(self, line: Line, index: int) -> list[str]:
        if isinstance(line.expr, ForEach):
            return self._loop(line.expr, line, index)
        text = self._text(line.expr)
        text = text[1:-1] if isinstance(line.expr, Tuple) else text
        bound = self._bind(line, index)
        return [f"{bound} = {text}"] if bound != text else []

    def _loop(self, e: ForEach, line: Line, index: int) -> list[str]:
        """`for block in self.blocks:` and its body."""
        first, others = self._text(e.first), [self._text(o) for o in e.others]
        for read in (name for other in e.others for name in refs(other)):
            self._until[self._names[read]] = max(self._until[self._names[read]], index + 1)
        name = self._bind(line, index)
        self._until[name] = max(self._until[name], index + 1)
        begun = [] if name == first else [f"{name} = {first}"]
        arguments = ", ".join([name, *others])
        if e.start:  # MindSpore makes a list of its own of `members[1:]`, and renames all in it
            number = self._fresh(["i", "number"], index)
            numbers = f"range({e.start}, len(self.{e.members}))"
            call = f"self.{e.members}[{number}]({arguments})"
            return [*begun, f"for {number} in {numbers}:", f"    {name} = {call}"]
        one = e.members[:-1] if e.members.endswith("s") and len(e.members) > 2 else "cell"
        one = self._fresh([one, "cell"], index)
        return [*begun, f"for {one} in self.{e.members}:", f"    {name} = {one}({arguments})"]

    def _text(self, e: Expr) -> str:
        return render(e, lambda name: (self._names[name], ATOM))

    def _bind(self, line: Line, index: int) -> str:
        if isinstance(line.targets, str):
            return self._name(line.targets, self._choose(line, index))
        bound = names_of(line.targets)
        for i, name in enumerate(bound):
            self._name(name, self._fresh(_part_names(line.expr, i, len(bound)), index))
        return self._pattern(line.targets)

    def _pattern(self, targets: Targets) -> str:
        if isinstance(targets, str):
            return self._names[targets] if targets else "_"
        inner = [
            f"({self._pattern(t)})" if isinstance(t, tuple) else self._pattern(t) for t in targets
        ]
        return ", ".join(inner)

    def _choose(self, line: Line, index: int) -> str:
        """The variable of one line: a name that dies here, else x, out, or what it is."""
        hint = self._hint(line.expr)
        if isinstance(line.expr, Size):
            return self._fresh(["size"], index)
        if hint in _SIDE_BRANCH.values():
            return self._fresh([hint], index)
        read = list(dict.fromkeys(refs(line.expr)))
        ending = [v for v in (self._names[n] for n in read) if not self._live(v, index)]
        main = [name for name in ending if name in ("x", "out")]
        if main or (len(read) == 1 and ending and index):
            return (main or ending)[0]
        started = any(self._live(name, index) for name in ("x", "out"))
        first = ["out"] if started else ["x", "out"]
        return self._fresh([*(first if len(read) < 2 or not started else []), hint], index)

    def _hint(self, e: Expr) -> str:
        """What a value is called after what makes it."""
        if isinstance(e, IfElse):
            return self._hint(e.other)
        while isinstance(e, Call) and isinstance(e.func, Attribute):
            e = e.func.obj
        if not isinstance(e, Call) or not isinstance(e.func, Code):
            return "y"
        if e.func.text.startswith("self"):
            parts = attribute_of(e.func.text).split(".")
            word = next((p for p in reversed(parts) if not p.isdigit()), "y")
            return _SIDE_BRANCH.get(word, word)
        return _WORDS.get(e.func.text.removeprefix("ops."), "y")

    def _live(self, variable: str, index: int) -> bool:
        return self._until.get(variable, -1) > index

    def _name(self, value: str, variable: str) -> str:
        """Binds the variable, which holds the value until its last use."""
        self._names[value] = variable
        last = self._last_use.get(value, -1)
        self._until[variable] = max(self._until.get(variable, -1), last)
        return variable

    def _fresh(self, choices: list[str], index: int) -> str:
        words = [w for w in choices if w and not keyword.iskeyword(w) and not _is_reserved(w)]
        words = words or ["y"]
        free = next((word for word in words if not self._live(word, index)), None)
        return self._numbered(words[-1], index) if free is None else free

    def _numbered(self, word: str, index: int) -> str:
        """The word with the smallest number from 2 on that no live variable has."""
        numbers = self._numbers.setdefault(word, _Numbers())
        while numbers.busy and numbers.busy[0][0] <= index:
            _, number = heapq.heappop(numbers.busy)
            numbers.wait_for(number, self._until.get(f"{word}{number}", -1), index)
        while True:
            number = heapq.heappop(numbers.free) if numbers.free else next(numbers.new)
            until = self._until.get(f"{word}{number}", -1)
            numbers.busy_until(number, max(until, index + 1))
            if until <= index:
                return f"{word}{number}"


_RESERVED = frozenset(
    {"self", "ms", "nn", "ops", "np", "float", "load", "super", "print", "range", "_"}
)


def _is_reserved(word: str) -> bool:
    """Whether a variable would hide a name that the script needs."""
    return word in _RESERVED or word.startswith("onnx_")


def _part_names(e: Expr, i: int, several: int) -> list[str]:
    """Names for part `i` of a result that is unpacked into `several`."""
    if isinstance(e, Size) and e.names:
        return [e.names[i]]
    text = render(e.func) if isinstance(e, Call) and isinstance(e.func, Code) else ""
    if any(word in text for word in ("lstm", "gru", "rnn")):
        return [("out", "h", "c")[i]] if i < 3 else ["state"]
    if "topk" in text:
        return [("values", "indices")[i % 2]]
    if several == 3:
        return ["qkv"[i]]
    return ["abcdef"[i]] if i < 6 else ["part"]
