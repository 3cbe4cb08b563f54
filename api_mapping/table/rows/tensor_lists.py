"""torch._foreach_*: one call for a list of tensors."""

from ..rule import Rule

EACH = {
    "add": ("self, other", "ops.add", "torch._foreach_add([x, v], 2)"),
    "sub": ("self, other", "ops.sub", "torch._foreach_sub([x, y], [y, x])"),
    "mul": ("self, other", "ops.mul", "torch._foreach_mul([x, v], 2.0)"),
    "div": ("self, other", "ops.div", "torch._foreach_div([x, y], [p, p])"),
    "maximum": ("self, other", "ops.maximum", "torch._foreach_maximum([x, v], 0.5)"),
    "neg": ("self", "ops.neg", "torch._foreach_neg([x, v])"),
    "sqrt": ("self", "ops.sqrt", "torch._foreach_sqrt([p, p])"),
}
"""Name: the parameters, the function of one tensor, an example."""

SCALED = {"addcmul": "ops.addcmul", "addcdiv": "compat.addcdiv"}


def both(name: str, parameters: str, target: str, example: str) -> tuple[Rule, Rule]:
    """The rules of a function of lists, and of the one that writes into the tensors."""
    tensors = example[example.index("(") + 1 : example.index("]") + 1]
    call = example.replace(name, f"{name}_", 1).replace(tensors, "t", 1)
    return (
        Rule(f"torch._foreach_{name}({parameters})", target, returns="tensors", example=example),
        Rule(
            f"torch._foreach_{name}_({parameters})",
            target.replace("compat.each(", "compat.each_into("),
            returns="tensors",
            example=f"t = {tensors}\n{call}\nt",
        ),
    )


RULES = (
    *(
        row
        for name, (parameters, function, example) in EACH.items()
        for row in both(name, parameters, f"compat.each({function}, {parameters})", example)
    ),
    *(
        row
        for name, sign in (("add", "+"), ("sub", "-"))
        for row in both(
            name,
            "self, other, *, alpha",
            f"compat.each(lambda x, y: x {sign} alpha * y, self, other)",
            f"torch._foreach_{name}([x, y], [y, x], alpha=0.5)",
        )
    ),
    *(
        row
        for name, function in SCALED.items()
        for row in both(
            name,
            "self, tensor1, tensor2, value=1",
            f"compat.each({function}, self, tensor1, tensor2, always(value))",
            f"torch._foreach_{name}([x, y], [y, x], [p, p], value=0.5)",
        )
    ),
    Rule(
        "torch._foreach_norm(self, ord=2)",
        "[x.reshape(-1).norm(ord) for x in self]",
        returns="tensors",
        example=("torch._foreach_norm([x, v])", "torch._foreach_norm([x, v], 1)"),
    ),
)
