"""Lines as a person would write them: what is nested in what, and what the variables are called."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from .expr import (
    Attribute,
    Binary,
    Call,
    Code,
    Expr,
    Index,
    Ref,
    Unary,
    children,
    refs,
    render,
    transform,
)
from .plan import Layer, Line, Member, Plan
from .trace import Targets, names_of

LONGEST_NESTED = 68
DEEPEST = 3

_WRAPPING_LAYERS = frozenset(
    """ReLU ReLU6 LeakyReLU ELU CELU SeLU GELU SiLU Mish HSwish HSigmoid Sigmoid Tanh Softmax
    LogSoftmax Softsign PReLU BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm LRN
    MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d Flatten PixelShuffle""".split()
)
"""Layers that are written around the call before them: `self.relu(self.conv1(x))`."""

_WRAPPING_OPS = frozenset(
    """relu relu6 leaky_relu elu celu selu gelu silu mish hardswish hardsigmoid sigmoid tanh
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
    lines: list[Line] = []
    uses = Counter(name for line in plan.lines for name in refs(line.expr))
    uses.update(plan.outputs)
    for line in plan.lines:
        while lines and _belongs_inside(lines[-1], line, uses, plan):
            inner = lines.pop()
            line = Line(line.targets, _put(inner, line.expr))
        lines.append(line)
    return lines


def _put(inner: Line, e: Expr) -> Expr:
    def leaf(part: Expr) -> Expr:
        return inner.expr if isinstance(part, Ref) and part.name == inner.targets else part

    return transform(e, leaf)


def _belongs_inside(inner: Line, line: Line, uses: Counter[str], plan: Plan) -> bool:
    name = inner.targets
    if not isinstance(name, str) or uses[name] != 1 or name not in refs(line.expr):
        return False
    outer = _put(inner, line.expr)
    if _depth(outer) > DEEPEST or len(_sketch(outer)) > LONGEST_NESTED:
        return False
    if _is_module_call(inner.expr, plan):
        return isinstance(line.expr, Binary)
    return _wraps(line.expr, name, plan)


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


def _depth(e: Expr) -> int:
    inner = max((_depth(p) for p in children(e)), default=0)
    return inner + isinstance(e, Call | Index)


def _sketch(e: Expr) -> str:
    """The text with short stand-ins for variables, to judge its length."""
    return render(transform(e, lambda p: Code("xx") if isinstance(p, Ref) else p))


class _Namer:
    """Chooses variables line by line: the main line keeps its name, side values get one of theirs."""

    def __init__(self, plan: Plan, lines: list[Line], given: Mapping[str, str]) -> None:
        self._plan = plan
        self._lines = lines
        self._names: dict[str, str] = {}
        self._last_use = {n: i for i, line in enumerate(lines) for n in refs(line.expr)}
        self._last_use.update(dict.fromkeys(plan.outputs, len(lines)))
        for i, name in enumerate(plan.inputs):
            self._names[name] = self._fresh([given.get(name, ""), *("xyz"[i : i + 1])], -1)

    def body(self) -> Body:
        parameters = tuple(self._names[name] for name in self._plan.inputs)
        written: list[str] = []
        lines = self._lines
        returned = self._plan.outputs
        last = lines[-1] if lines else None
        if last is not None and len(returned) == 1 and last.targets == returned[0]:
            lines = lines[:-1]
        for i, line in enumerate(lines):
            text = self._text(line.expr)
            written.append(f"{self._bind(line, i)} = {text}")
        if last is not None and len(lines) < len(self._lines):
            written.append(f"return {self._text(last.expr)}")
        else:
            written.append(f"return {', '.join(self._names[name] for name in returned)}")
        return Body(parameters, tuple(written))

    def _text(self, e: Expr) -> str:
        return render(
            transform(e, lambda p: Code(self._names[p.name]) if isinstance(p, Ref) else p)
        )

    def _bind(self, line: Line, index: int) -> str:
        if isinstance(line.targets, str):
            self._names[line.targets] = self._choose(line, index)
            return self._names[line.targets]
        for i, name in enumerate(names_of(line.targets)):
            self._names[name] = self._fresh(_part_names(line.expr, i), index)
        return self._pattern(line.targets)

    def _pattern(self, targets: Targets) -> str:
        if isinstance(targets, str):
            return self._names[targets] if targets else "_"
        inner = [
            f"({self._pattern(t)})" if isinstance(t, tuple) else self._pattern(t) for t in targets
        ]
        return ", ".join(inner)

    def _choose(self, line: Line, index: int) -> str:
        """The variable of one line: the name that dies here, else x, out, or what it is."""
        ending = [n for n in refs(line.expr) if self._last_use.get(n, -1) == index]
        main = [self._names[n] for n in ending if self._names[n] in ("x", "out")]
        if main:
            return main[0]
        hint = self._hint(line.expr)
        if hint in _SIDE_BRANCH.values():
            return self._fresh([hint], index)
        started = any(self._names[n] in ("x", "out") for n in refs(line.expr))
        first = ["x", "out"] if not started or not self._live("out", index) else []
        return self._fresh(
            [*(ending and [self._names[ending[0]]] if ending and index else []), *first, hint],
            index,
        )

    def _hint(self, e: Expr) -> str:
        while isinstance(e, Call) and isinstance(e.func, Attribute):
            e = e.func.obj
        if isinstance(e, Call) and isinstance(e.func, Code):
            if e.func.text.startswith("self."):
                word = next(
                    (p for p in reversed(attribute_of(e.func.text).split(".")) if not p.isdigit()),
                    "",
                )
                return _SIDE_BRANCH.get(word, word)
            return _WORDS.get(e.func.text.removeprefix("ops."), "y")
        return "y"

    def _live(self, variable: str, index: int) -> bool:
        return any(
            self._names.get(name) == variable and last > index
            for name, last in self._last_use.items()
        )

    def _fresh(self, choices: list[str], index: int) -> str:
        words = [w for w in choices if w and not keyword.iskeyword(w) and w not in _RESERVED] or [
            "y"
        ]
        numbered = (f"{words[-1]}{i}" for i in range(2, 10**6))
        return next(n for n in (*words, *numbered) if not self._live(n, index))


_RESERVED = frozenset(
    {"self", "ms", "nn", "ops", "np", "float", "load", "super", "print", "range", "_"}
)


def _part_names(e: Expr, i: int) -> list[str]:
    """Names for the parts of a result that is unpacked."""
    text = render(e.func) if isinstance(e, Call) and isinstance(e.func, Code) else ""
    if "lstm" in text or "gru" in text or "rnn" in text:
        return [("out", "h", "c")[i]] if i < 3 else ["state"]
    if "topk" in text:
        return [("values", "indices")[i % 2]]
    return [("a", "b", "c", "d", "e", "f")[i]] if i < 6 else ["part"]
