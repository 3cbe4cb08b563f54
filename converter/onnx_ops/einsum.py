"""Einsum with its equation known: transposes, products and sums."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

from ..code.expr import Expr, ops
from .registry import NodeView, onnx_op


@dataclass(frozen=True)
class Labelled:
    """An expression and the label of each of its axes."""

    value: Expr
    labels: str


@onnx_op("Einsum", 12, 28)
def einsum(node: NodeView, *operands: Expr) -> Expr:
    """Einsum(Inputs; equation) -> Output."""
    terms, result = equation(node)
    parts = [
        diagonal(node, Labelled(x, term), i)
        for i, (x, term) in enumerate(zip(operands, terms, strict=True))
    ]
    first, *rest = parts
    for i, other in enumerate(rest):
        later = result + "".join(part.labels for part in rest[i + 1 :])
        first = product(first, other, later)
    return ordered(summed(first, result), result).value


def equation(node: NodeView) -> tuple[list[str], str]:
    """The labels of each operand and of the result, "..." as labels of its own."""
    text = str(node.attr("equation")).replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    check_equation(node, text, [*terms, right])
    used = set(text)
    free = [c for c in string.ascii_letters if c not in used]
    hidden = [node.rank(i) - len(t.replace("...", "")) for i, t in enumerate(terms)]
    if any(n < 0 or (n and "..." not in t) for n, t in zip(hidden, terms, strict=True)):
        raise node.refuse("no equation for operands of these ranks", got=text)
    most = max((n for n, t in zip(hidden, terms, strict=True) if "..." in t), default=0)
    letters = "".join(free[:most])
    full = [t.replace("...", letters[most - n :]) for n, t in zip(hidden, terms, strict=True)]
    if not arrow:
        names = "".join(terms).replace(".", "")
        right = "..." + "".join(sorted(c for c in set(names) if names.count(c) == 1))
    return full, right.replace("...", letters)


def check_equation(node: NodeView, text: str, terms: list[str]) -> None:
    """Refuses what is no equation, or none for these operands."""
    plain = all(re.fullmatch(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*", term) for term in terms)
    fits = len(terms) == len(node.node.inputs) + 1
    *operands, result = terms
    once = len(set(result)) == len(result.replace("...", "."))
    if not plain or not fits or not once or not set(result) <= set("".join(operands)):
        raise node.refuse("no equation for these operands", got=text, expected="such as ij,jk->ik")


def diagonal(node: NodeView, x: Labelled, index: int) -> Labelled:
    """`x` with each label once: a repeated one takes the diagonal of its two axes."""
    dtype = x.value.attribute("dtype")
    for label in dict.fromkeys(x.labels):
        while x.labels.count(label) > 1:
            a = x.labels.index(label)
            b = x.labels.index(label, a + 1)
            size = node.static_size(a, index)
            shape = tuple(size if i in (a, b) else 1 for i in range(len(x.labels)))
            kept = ops.eye(size, size, dtype).method("reshape", shape)
            x = Labelled(ops.sum(x.value * kept, b), x.labels[:b] + x.labels[b + 1 :])
    return x


def summed(x: Labelled, needed: str) -> Labelled:
    """`x` summed over the axes that are not needed."""
    gone = tuple(i for i, label in enumerate(x.labels) if label not in needed)
    if not gone:
        return x
    kept = "".join(label for label in x.labels if label in needed)
    return Labelled(ops.sum(x.value, gone[0] if len(gone) == 1 else gone), kept)


def ordered(x: Labelled, labels: str) -> Labelled:
    """`x` with its axes in the order of `labels`."""
    perm = tuple(x.labels.index(label) for label in labels)
    if perm == tuple(range(len(perm))):
        return x
    return Labelled(ops.transpose(x.value, perm), labels)


def product(a: Labelled, b: Labelled, later: str) -> Labelled:
    """a times b, summed over what is not needed later: a matrix product if that says it."""
    a, b = summed(a, later + b.labels), summed(b, later + a.labels)
    common = [label for label in a.labels if label in b.labels]
    inner = "".join(label for label in common if label not in later)
    batch = "".join(label for label in common if label in later)
    rows = "".join(label for label in a.labels if label not in common)
    columns = "".join(label for label in b.labels if label not in common)
    if len(inner) != 1 or len(rows) > 1 or len(columns) > 1:
        return multiplied(a, b, batch + rows + columns + inner, inner)
    left, right = ordered(a, batch + rows + inner).value, ordered(b, batch + inner + columns).value
    left = left if rows else ops.expand_dims(left, -2)
    right = right if columns else ops.expand_dims(right, -1)
    y: Expr = ops.matmul(left, right)
    y = y if columns else y.method("squeeze", -1)
    if not rows:
        y = y.method("squeeze", -2 if columns else -1)
    return Labelled(y, batch + rows + columns)


def multiplied(a: Labelled, b: Labelled, labels: str, inner: str) -> Labelled:
    """a times b element by element over all their labels, then summed over the inner ones."""
    y = spread(a, labels) * spread(b, labels)
    return summed(Labelled(y, labels), labels.translate({ord(c): None for c in inner}))


def spread(x: Labelled, labels: str) -> Expr:
    """`x` with its axes in the order of `labels`, of size 1 where it has none."""
    value = ordered(x, "".join(c for c in labels if c in x.labels)).value
    for i, label in enumerate(labels):
        if label not in x.labels:
            value = ops.expand_dims(value, i)
    return value
