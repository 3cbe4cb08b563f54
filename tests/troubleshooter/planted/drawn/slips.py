"""Slips in a network's own code: each place of a source where a person may make one."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

SKIPPED = ("__init__", "build", "inputs")


@dataclass(frozen=True)
class Slip:
    """A stretch of a source and what is written instead.

    `start`, `end`: of the stretch, in characters. `lines`: the first and last line of the statement
    that it is in. `owner`: the class or function around it. `causes`: names in docs/causes.md of
    which any is right. `uses`: an attribute whose uses are as right as the line itself.
    """

    kind: str
    start: int
    end: int
    new: str
    lines: tuple[int, int]
    owner: str
    causes: tuple[str, ...]
    uses: str = ""


@dataclass(frozen=True)
class Source:
    """A file, its tree, and where its lines begin."""

    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def place(self, line: int, column: int) -> int:
        """The character at a line, counted from 1, and a column in bytes; sources are ASCII."""
        lines = self.text.split("\n")
        return sum(len(one) + 1 for one in lines[: line - 1]) + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.place(node.lineno, node.col_offset),
            self.place(node.end_lineno, node.end_col_offset),
        )

    def code(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.text[start:end]


LACKING = (
    *("operator-missing", "function-scale", "function-mask-missing", "function-value"),
    *("missing", "code", "function-gradient", "operator-other"),
)
OTHER = ("operator-other", "code")
VALUE = ("function-value", "function-order", "code", "function-index", "function-made")
NUMBER = (
    *("function-constant", "function-scale", "function-slope", "function-option", "code"),
    *("function-label-smoothing", "function-ignore-index", "function-made", "function-correction"),
)
AXIS = ("function-axis", "function-shape", "function-option", "code")
INDEX = ("function-index", "function-axis", "function-value", "code")
MASK = (
    *("operator-other", "function-mask-inverted", "function-mask-shifted", "function-mask-missing"),
    "code",
)

SIGNS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
}
COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<"),
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
FAMILIES = {
    "softmax": ("log_softmax",),
    "log_softmax": ("softmax",),
    "relu": ("silu", "relu6"),
    "relu6": ("relu", "silu"),
    "gelu": ("relu", "silu"),
    "silu": ("relu", "gelu"),
    "hardswish": ("silu", "relu"),
    "tanh": ("sigmoid",),
    "sigmoid": ("tanh", "softplus"),
    "softplus": ("relu",),
    "exp": ("expm1", "square"),
    "log": ("log2", "log1p"),
    "cos": ("sin",),
    "sin": ("cos",),
    "sqrt": ("rsqrt", "square"),
    "rsqrt": ("sqrt",),
    "amax": ("amin", "mean"),
    "amin": ("amax",),
    "sum": ("mean",),
    "mean": ("sum", "amax"),
    "prod": ("sum",),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "max_of": ("min_of",),
    "min_of": ("max_of",),
    "logaddexp": ("maximum", "logaddexp2"),
    "logsumexp": ("amax",),
    "argmax": ("argmin",),
    "zeros_like": ("ones_like",),
    "mse_loss": ("l1_loss",),
    "smooth_l1_loss": ("l1_loss",),
    "abs": ("square",),
    "square": ("abs",),
    "matmul": (),
}
"""What is taken for each other, by names of `ops` and of tensors' methods."""

TURNED = {
    "bilinear": "nearest",
    "bicubic": "bilinear",
    "none": "mean",
    "zeros": "border",
    "border": "zeros",
}
OPTIONS = {
    "align_corners": ("function-interpolate", "function-option"),
    "mode": ("function-interpolate", "function-option", "operator-other"),
    "padding_mode": ("function-interpolate", "function-option"),
    "reduction": ("function-reduction", "function-shape"),
    "unbiased": ("function-correction", "function-option"),
    "ddof": ("function-correction", "function-option"),
    "descending": ("function-option", "operator-missing", "operator-extra", "function-value"),
    "min": ("function-constant", "function-option", "operator-missing"),
    "max": ("function-constant", "function-option", "operator-missing"),
    "beta": ("function-option", "function-constant", "function-slope"),
    "alpha": ("function-slope", "function-constant", "function-option"),
    "ignore_index": ("function-ignore-index",),
}
AXES = ("axis", "dim", "dims", "axes")
INTEGERS = ("roll", "permute", "transpose", "swapaxes", "sum", "mean", "amax", "softmax", "cumsum")


def slips(source: Source) -> Iterator[Slip]:
    """Every slip that is possible in the methods and functions of a file."""
    for owner, function in functions(source.tree):
        names = locals_of(function)
        for statement in statements(function):
            lines = (statement.lineno, statement.end_lineno or statement.lineno)
            yield from of_statement(source, statement, lines, owner)
            for node in parts(statement):
                for kind, (start, end), new, causes in of_expression(source, node, names):
                    if source.text[start:end] != new:
                        yield Slip(kind, start, end, new, lines, owner, causes)
    yield from of_attributes(source)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inner:
            if isinstance(one, ast.FunctionDef) and one.name not in SKIPPED:
                yield node.name if isinstance(node, ast.ClassDef) else "", one


def statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Those that hold expressions themselves; of loops and branches the ones within."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            yield node


def parts(statement: ast.stmt) -> Iterator[ast.expr]:
    value = getattr(statement, "value", None)
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.expr):
            yield node


def locals_of(function: ast.FunctionDef) -> list[str]:
    found = [one.arg for one in function.args.args if one.arg not in ("self", "eps")]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
    return list(dict.fromkeys(name for name in found if len(name) > 1 or name in "xyqkvzhpt"))


def of_statement(
    source: Source, statement: ast.stmt, lines: tuple[int, int], owner: str
) -> Iterator[Slip]:
    """One that changes a name by itself is left out, or has an activation behind it."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return
    start, end = source.span(statement)
    used = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    if target.id in used:
        begun = source.text.rindex("\n", 0, start) + 1
        yield Slip("statement left out", begun, end + 1, "", lines, owner, LACKING)
    own = source.code(statement.value)
    new = f"{target.id} = ops.tanh({own})"
    extra = ("operator-extra", "code")
    yield Slip("operator too many", start, end, new, lines, owner, extra)


Found = tuple[str, tuple[int, int], str, tuple[str, ...]]


def of_expression(source: Source, node: ast.expr, names: list[str]) -> Iterator[Found]:
    span = source.span(node)
    if isinstance(node, ast.BinOp):
        yield from of_operation(source, node, span)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield "sign left out", span, source.code(node.operand), LACKING
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for sign in COMPARED.get(type(node.ops[0]), ()):
            new = f"{source.code(node.left)} {sign} {source.code(node.comparators[0])}"
            yield "comparison", span, new, MASK
    elif isinstance(node, ast.Call):
        yield from of_call(source, node)
    elif isinstance(node, ast.Subscript):
        yield from of_subscript(source, node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for other in names:
            if other != node.id:
                yield "another value", span, other, VALUE


def of_operation(source: Source, node: ast.BinOp, span: tuple[int, int]) -> Iterator[Found]:
    left, right = source.code(node.left), source.code(node.right)
    between = source.text[source.span(node.left)[1] : source.span(node.right)[0]]
    if type(node.op) in SIGNS and "(" not in between and ")" not in between:
        own, other = SIGNS[type(node.op)]
        place = source.span(node.left)[1] + between.index(own)
        yield (
            "another sign",
            (place, place + 1),
            other,
            (*OTHER, "function-scale", "function-order"),
        )
        yield "operand left out", span, left, LACKING
        if isinstance(node.op, (ast.Add, ast.Mult)):
            yield "operand left out", span, right, LACKING
    simple = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
    are_simple = isinstance(node.left, simple) and isinstance(node.right, simple)
    if isinstance(node.op, (ast.Sub, ast.Div)) and are_simple:
        new = f"{right} {SIGNS[type(node.op)][0]} {left}"
        causes = ("function-order", "function-value", "code", "operator-other", "function-scale")
        yield "operands exchanged", span, new, causes
    for one in (node.left, node.right):
        if isinstance(one, ast.Constant) and type(one.value) in (int, float):
            for new in other_numbers(one.value):
                yield "another number", source.span(one), new, NUMBER
    if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.UnaryOp):
        yield "another number", source.span(node.right), "-1.0", NUMBER


def other_numbers(value: float) -> tuple[str, ...]:
    if isinstance(value, int):
        return (str(value + 1),)
    if value == 0:
        return ("1.0",)
    return (repr(value * 2), repr(value / 4))


def of_call(source: Source, node: ast.Call) -> Iterator[Found]:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else ""
    for other in FAMILIES.get(name, ()):
        end = source.span(function)[1]
        yield "another function", (end - len(name), end), other, OTHER
    if name in ("cat", "stack", "where", "minimum_of"):
        yield from of_order(source, node, name)
    if is_layer(function) and len(node.args) == 1:
        own = source.code(node.args[0])
        yield "layer left out", source.span(node), own, ("missing", "code", *LACKING)
    for keyword in node.keywords:
        yield from of_keyword(source, keyword, name)
    numbers = [x for x in node.args if is_integer(x)]
    if name in ("permute",) and len(numbers) > 2:
        for one, other in itertools.pairwise(numbers[1:]):
            span = source.span(one)[0], source.span(other)[1]
            yield "axes in another order", span, f"{source.code(other)}, {source.code(one)}", AXIS
    elif name in INTEGERS and numbers:
        last = numbers[-1]
        for new in ("0", "1", "2", "-1", "-2"):
            yield "another axis", source.span(last), new, AXIS
    elif numbers and name in ("topk", "cumprod", "one_hot", "linspace"):
        new = other_numbers(ast.literal_eval(numbers[0]))[0]
        yield "another number", source.span(numbers[0]), new, (*NUMBER, "function-shape")
    for one in node.args:
        if isinstance(one, ast.Constant) and isinstance(one.value, float):
            for new in other_numbers(one.value):
                yield "another number", source.span(one), new, NUMBER
    if name == "roll" and len(node.args) > 1:
        own = node.args[1]
        yield "rolled back", source.span(own), f"-{source.code(own)}", ("function-roll",)


def of_order(source: Source, node: ast.Call, name: str) -> Iterator[Found]:
    parts = node.args[1:] if name == "where" else getattr(node.args[0], "elts", [])
    causes = ("function-order", "function-mask-inverted", "function-value", "code")
    for one, other in itertools.pairwise(parts):
        span = source.span(one)[0], source.span(other)[1]
        yield "order", span, f"{source.code(other)}, {source.code(one)}", causes


def of_keyword(source: Source, keyword: ast.keyword, function: str) -> Iterator[Found]:
    name, value = keyword.arg or "", keyword.value
    span = source.span(value)
    if name in AXES and is_integer(value):
        for new in ("0", "1", "2", "-1", "-2"):
            yield "another axis", span, new, AXIS
    elif isinstance(value, ast.Constant) and isinstance(value.value, bool) and name in OPTIONS:
        yield "option", span, str(not value.value), OPTIONS[name]
    elif isinstance(value, ast.Constant) and value.value in TURNED and name in OPTIONS:
        yield "option", span, repr(TURNED[value.value]), OPTIONS[name]
    elif isinstance(value, ast.Constant) and type(value.value) in (int, float):
        for new in other_numbers(value.value) if name in OPTIONS else ():
            yield "option", span, new, OPTIONS[name]


def of_subscript(source: Source, node: ast.Subscript) -> Iterator[Found]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for one in parts:
        span = source.span(one)
        text = source.code(one)
        if isinstance(one, ast.Slice) and one.step is None:
            turned = {"1:": ":-1", ":-1": "1:", "2:": ":-2", ":-2": "2:", ":2": "2:"}
            if text in turned:
                yield "another part", span, turned[text], INDEX
        elif isinstance(one, ast.Slice) and text.endswith("::2"):
            yield "another part", span, "1::2" if text.startswith("0") else "0::2", INDEX
        elif is_integer(one):
            for new in ("0", "1", "-1"):
                yield "another part", span, new, INDEX


def of_attributes(source: Source) -> Iterator[Slip]:
    """Numbers of a block's own: attributes that are set as it is made, defaults of arguments."""
    for owner in source.tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        for node in ast.walk(owner):
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                yield from of_own_numbers(source, node, owner.name)


def of_own_numbers(source: Source, node: ast.FunctionDef, owner: str) -> Iterator[Slip]:
    for one, default in zip(node.args.args[::-1], node.args.defaults[::-1], strict=False):
        if isinstance(default, ast.Constant) and isinstance(default.value, float):
            lines = (default.lineno, default.lineno)
            new = repr(default.value * 1e9 if default.value < 1e-6 else default.value * 3)
            start, end = source.span(default)
            yield Slip("own number", start, end, new, lines, owner, NUMBER, one.arg)
    for statement in node.body:
        for part in ast.walk(statement) if isinstance(statement, ast.Assign) else ():
            if isinstance(part, ast.UnaryOp) and source.code(part) == "-0.5":
                lines = (part.lineno, part.lineno)
                name = getattr(statement.targets[0], "attr", "")
                start, end = source.span(part)
                yield Slip("own number", start, end, "-0.25", lines, owner, NUMBER, name)


def is_integer(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def is_layer(function: ast.expr) -> bool:
    """`self.name(...)`."""
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "self"
    )
